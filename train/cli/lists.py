"""What there is to name: ``uno agents``, ``uno rules``."""

from dataclasses import dataclass
from typing import Annotated, ClassVar

from msgspec import Meta

import agents
from train.cli.arguments import Command
from train.cli.errors import user_input
from train.common.table import show_lines, show_list
from uno_env import guide

MORE_AGENTS = (
    "rlcard:random, rlcard:uno-rule-v1, rlcard:dmc=FILE, rlcard:nfsp=FILE: RLCard's own, by the rules rlcard alone.",
    "search:METHOD, such as search:flat?worlds=300&rollout=tuned; METHOD is flat, pimc or ismcts: see "
    "docs/howto/search.md.",
    "cheat:flat, which sees all hands and so is no fair player, where games are evaluated.",
    "zoo:NAME is a policy that comes along, for the rules in its name; agents/zoo/NAME.md says how strong it is.",
    "zoo is the best of them for the rules that are played.",
    "… or the path of a saved policy (.safetensors) or of a run; ?sample=1 behind it draws actions by their "
    "probability.",
    "… or code of your own, module:Name or path/to/file.py:Name: a function of (observation, mask), or a class; see "
    "examples/my_agent.py and agents/outside.py.",
)


@dataclass(frozen=True, kw_only=True)
class Agents(Command):
    """List the agents that can be named."""

    def run(self) -> None:
        print(*agents.names(), sep="\n")
        show_lines(MORE_AGENTS)


@dataclass(frozen=True, kw_only=True)
class RulePages(Command):
    """Tell what a rule says, or list the rules."""

    positional: ClassVar = ("rule",)

    rule: Annotated[str, Meta(title="RULE")] | None = None
    """one of those that `uno rules` lists"""

    def run(self) -> None:
        if self.rule is None:
            show_list([(name, page.number, page.title) for name, page in guide.pages().items()])
            return
        with user_input():
            text = guide.page_text(self.rule)
        print(text)
