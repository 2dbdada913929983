"""Lists of names: ``uno agents``, ``uno rules``."""

from dataclasses import dataclass
from typing import Annotated, ClassVar

from msgspec import Meta

import agents
from agents.scripted.dispatch import STRATEGIES
from train.cli.arguments import Command
from train.cli.errors import user_input
from train.common.table import show_lines, show_list, show_page
from uno_env import guide

MORE_AGENTS = (
    "rlcard:random, rlcard:uno-rule-v1: players of RLCard, under the rules rlcard.",
    "search:flat, search:pimc, search:ismcts: searches, such as search:flat?num_determinizations=300&rollout=tuned; "
    "see docs/howto/search.md.",
    "cheat:flat: a search that sees all hands, for evaluations and tournaments only.",
    "zoo:NAME: a shipped policy, for the rules in its name; agents/zoo/NAME.md says how strong it is.",
    "zoo: the best shipped policy for the rules that are played.",
    "The path of a saved policy (.safetensors, .onnx) or of a run; with ?sample=1 it draws actions by their "
    "probability.",
    "https://HOST/policy.safetensors#sha256=DIGITS: a saved policy that is fetched once; see docs/policies.md.",
    "module:Name, path/to/file.py:Name: code of your own, a function of (observation, mask) or a class; see "
    "examples/my_agent.py and agents/custom_agents.py.",
)


@dataclass(frozen=True, kw_only=True)
class Agents(Command):
    """List the agents."""

    def run(self) -> None:
        show_list([(name, _about(name)) for name in agents.names()])
        show_lines(MORE_AGENTS)


def _about(name: str) -> str:
    if name in STRATEGIES:
        return STRATEGIES[name].about
    kind, _, policy = name.partition(":")
    if kind != "zoo":
        return "an agent of another package"
    return f"a trained policy for {'all rules' if policy == 'any' else f'the track {policy}'}"


@dataclass(frozen=True, kw_only=True)
class RulePages(Command):
    """Show what a rule says, or list the rules."""

    positional: ClassVar = ("rule",)

    rule: Annotated[str, Meta(title="RULE")] | None = None
    """one of those that `uno rules` lists"""

    def run(self) -> None:
        if self.rule is None:
            show_list([(name, page.number, page.title) for name, page in guide.pages().items()])
            return
        with user_input():
            text = guide.page_text(self.rule)
        show_page(text)
