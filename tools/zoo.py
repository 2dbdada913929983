"""Shipped policies (:mod:`agents.zoo.shipped`): measured, stripped of what is private, and described.

``python -m tools.zoo add RUN --name duel-2p`` measures the policy of a run against every scripted agent and one that
searches, as on the ladder, and writes two files: ``agents/zoo/duel-2p.safetensors`` with the weights and a card that
holds what was measured, and ``agents/zoo/duel-2p.md``, which is made from that card and from what
``tools.exact_curves.zoo`` has saved (``python -m tools.zoo cards`` makes all anew). ``python -m tools.zoo
lengths`` measures the length of hands anew. What is played is saved in the run's folder, and the same command goes on
where it stopped.

The deals are those of :data:`tools.ladder.REPORT_SEED`: choose a candidate on others. ``python -m tools.zoo
add agents/zoo/duel-2p.safetensors --name duel-2p`` measures the card of a shipped policy anew. Then ``python -m
tools.docs.tables`` writes the tables, and the lines that say which pages were measured with a policy that has gone.
"""

import dataclasses
import hashlib
import json
import re
import shlex
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar

import yaml
from msgspec import Meta

from agents.policy.policy_file import POLICY_SUFFIX, PolicyCard, Weights, check_rules, load_policy, save_policy
from agents.scripted.agent import STRATEGIES
from agents.zoo import shipped as zoo
from agents.zoo.shipped import KIND, shipped_file, track_rules
from tools import ladder
from tools.exact_curves import hand_length
from tools.exact_curves import zoo as attacks
from tools.ladder import REPORT_SEED
from train.benchmarks.measuring import code_version
from train.cli.arguments import Command
from train.cli.errors import user_input
from train.cli.program import Program
from train.common.job import ResumableJob
from train.common.options import Deals, Seed, Workers
from train.common.table import MarkdownTable
from train.evaluation.crosstable import compare
from train.evaluation.estimate import Estimate
from train.evaluation.lineups import against
from train.evaluation.tournament import Plan, identify, is_slow, open_job, play
from train.evaluation.tournament_report import gather
from train.runs.config import RENAMED_TRACKS
from uno_env.common.files import read_json, read_text, write_text
from uno_env.rules import Rules

MAX_BYTES = 2_000_000
"""Size of a shipped file."""

_PATH = re.compile(r"configs/([a-z0-9]+)[_/](\w+)\.yaml")
"""Where the commands of older runs found the configs, which are at ``configs/<algorithm>/<track>.yaml`` now."""


def _present_path(found: re.Match[str]) -> str:
    return f"configs/{found[1]}/{RENAMED_TRACKS.get(found[2], found[2])}.yaml"


OWN_RULES = "It plays the rules that it was trained for, and is refused others unless `any_rules=1` is given."
ALL_RULES = (
    "It plays by all rules, and was trained on official decks and 2 to 10 players. Below is one table; `python -m "
    "tools.all_rules zoo:{name}` measures it at many."
)
LIMITS = (
    "{deals} The intervals say how far other deals would move the win rates, not how "
    "another training run would do, nor how it fares against opponents that are not in the table.",
    "It is no equilibrium: whoever trains against it alone can gain on it (`uno benchmark exploit zoo:{name}`).",
    "It has seen games {company}. What it assumes of others may be wrong for people.",
)


@dataclass(frozen=True)
class ShipPlan:
    """Measure a run's policy against the agents of the ladder, and write its file and its model card. The same command
    resumes."""

    target: Annotated[Path, Meta(title="RUN")]
    """the folder of a run, or a saved policy"""
    name: str
    """the name: a preset, the number of players, and more if needed, such as duel-2p"""
    deals: Deals = 20_000
    """duplicate deals against each agent"""
    search_deals: Annotated[int, Meta(ge=0)] = 500
    """duplicate deals in duel against an agent that searches, a tenth of them elsewhere; 0: none"""
    seed: Seed = REPORT_SEED
    """seed of the deals and of the agents, not one on whose deals the policy was chosen"""


@dataclass(frozen=True)
class Candidate:
    """A policy that is to be shipped."""

    name: str
    file: Path
    """What is measured is what is shipped: the weights as they will be, with the run's card."""
    plan: Plan
    job: ResumableJob
    origin: Mapping[str, Any]
    """What the card says of the commands, the machine and the code."""


def prepare(ship: ShipPlan) -> Candidate:
    """Check everything before hours of work.

    Raises:
        ValueError: there is no such policy, it is for other rules or too large, or the name says no rules.
    """
    rules = track_rules(ship.name)
    single = ship.target.is_file()
    source = ship.target if single else ship.target / f"policy{POLICY_SUFFIX}"
    weights, card = load_policy(source)
    check_rules(str(source), card, rules)
    folder = (Path("runs") if single else ship.target) / KIND
    file = folder / f"{ship.name}{POLICY_SUFFIX}"
    half = _write(file, weights, card, ship.name)
    plan = _plan(str(file), rules, ship)
    identity = hashlib.sha256(json.dumps(identify(plan), sort_keys=True).encode()).hexdigest()[:12]
    job = open_job(plan, folder / f"{ship.name}-{identity}")
    return Candidate(ship.name, file, plan, job, {**_origin(ship.target), **code_version(), "half": half})


def _write(file: Path, weights: Weights, card: PolicyCard, name: str) -> bool:
    """Write the weights as they will be shipped; whether they had to be rounded to float16 for their size."""
    bare = dataclasses.replace(card, trained_by=_public(card.trained_by), evaluation=[])
    for half in (False, True):
        save_policy(file, weights, bare, half)
        if file.stat().st_size <= MAX_BYTES * 0.95:  # the table of strength comes on top
            return half
    raise ValueError(f"the policy has {file.stat().st_size:,} bytes as float16, and zoo:{name} may have {MAX_BYTES:,}")


def _plan(file: str, rules: Rules, ship: ShipPlan) -> Plan:
    opponents = [*STRATEGIES, *(ladder.SEARCHING if ship.search_deals else ())]
    is_short = rules.players == 2 and rules != track_rules("classic-2p")
    few = max(2, round(ship.search_deals * (1.0 if is_short else 0.1)))
    lineups = tuple(against(0, index, rules.players) for index in range(1, len(opponents) + 1))
    numbers = tuple(few if is_slow(opponent) else ship.deals for opponent in opponents)
    return Plan((file, *opponents), rules, lineups, numbers, ship.seed, tables="against")


def add(candidate: Candidate, workers: int = 0, folder: Path | None = None) -> Path:
    """Measure a policy, or go on with that, and ship it; its file.

    Raises:
        Interrupted: after Ctrl-C.
    """
    plan = candidate.plan
    title = f"{KIND}:{candidate.name} against {len(plan.lineups)} agents"
    games = gather(plan, play(plan, workers, candidate.job, title))
    cells = {
        opponent: compare(games, 0, index, shared=plan.rules.players == 2)
        for index, opponent in enumerate(plan.agents[1:], start=1)
    }
    weights, card = load_policy(candidate.file)
    card = dataclasses.replace(
        card,
        trained_by={**card.trained_by, **candidate.origin},
        evaluation=[_line(plan, opponent, cell) for opponent, cell in cells.items() if cell is not None],
    )
    path = (folder or zoo.FOLDER) / f"{candidate.name}{POLICY_SUFFIX}"
    save_policy(path, weights, card, bool(candidate.origin["half"]))
    write_text(path.with_suffix(".md"), model_card(path))
    return path


def _line(plan: Plan, opponent: str, cell: Estimate) -> dict[str, Any]:
    return {
        "opponent": opponent,
        **{name: round(value, 5) for name, value in cell.to_dict("win_rate").items()},
        "par": 1 / plan.rules.players,
        "deals": cell.n,
        "games": cell.n * plan.rules.players,
        "seed": plan.seed,
    }


def _origin(run: Path) -> dict[str, Any]:
    """What a run's folder says of its commands and machine, as far as it is there."""
    origin: dict[str, Any] = {}
    versions, commands = run / "versions.json", run / "command.txt"
    if versions.exists():
        saved = read_json(versions)
        origin |= {name: saved[name] for name in ("cores", "cpu") if name in saved}
    if commands.exists():
        origin["commands"] = [_command(line) for line in read_text(commands).splitlines() if line]
    return origin


def _command(line: str) -> str:
    """A command as anyone would type it: without the paths of the machine it ran on."""
    words = shlex.split(line)[2:]  # after the Python and the script
    return shlex.join(["uno", *(_without_path(word) for word in words)])


def _public(value: Any) -> Any:
    """Plain values without the paths of the machine they come from."""
    if isinstance(value, Mapping):
        return {name: _public(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_public(each) for each in value]
    return _without_path(value) if isinstance(value, str) else value


def _without_path(text: str) -> str:
    """A text in which absolute paths are cut down to their last part."""
    return re.sub(r"(?:(?<=[\s=:,'\"(\[])|^)(?:~|[A-Za-z]:)?[/\\](?:[^/\\\s,'\"?&]+[/\\])*", "", text)


# --- model cards ------------------------------------------------------------------------------------------------------


def write_cards() -> list[Path]:
    """Write the model card of every shipped policy anew; the files."""
    cards = []
    for file in map(shipped_file, zoo.shipped()):
        cards.append(file.with_suffix(".md"))
        write_text(cards[-1], model_card(file))
    return cards


def measure_lengths(names: Sequence[str]) -> list[Path]:
    """Measure how long hands of shipped policies are, and write their model cards; the files of the policies."""
    files = [shipped_file(name) for name in names or zoo.shipped()]
    for file in files:
        hand_length.measure(file, file.stem)
        write_text(file.with_suffix(".md"), model_card(file))
    return files


def model_card(file: Path) -> str:
    """What a shipped policy is, in Markdown, from its card and the saved attacks on it."""
    weights, card = load_policy(file)
    name, rules, made = file.stem, track_rules(file.stem), dict(card.trained_by)
    preset = "classic" if name == zoo.GENERAL else name.partition("-")[0]
    own = f"`{preset}`, {rules.players} players"
    company = opponents_text(made.get("config", {}))
    plays = "by all rules" if card.random_rules else f"`{preset}` with {rules.players} players"
    facts = {
        "rules": f"all; measured here: {own}" if card.random_rules else own,
        "algorithm": f"`{made.get('algorithm', 'unknown')}`",
        "trained for": f"{training(made)}, evaluations included",
        "processor": made.get("cpu", "unknown"),
        "cores": made.get("cores", made.get("threads", "unknown")),
        "command": _PATH.sub(_present_path, "<br>".join(f"`{line}`" for line in made.get("commands", ()))) or "unknown",
        "network": _network(file, weights, card),
        "measured with": f"code of {made.get('commit') or 'unknown'} ({made.get('date') or 'unknown date'})",
    }  # fmt: skip
    parts = [
        f"# {KIND}:{name}",
        f'`agents.load("{KIND}:{name}")` plays {plays}. This page is made from the file\'s own card by '
        "`python -m tools.zoo cards`.",
        "\n".join(["| | |", "| --- | --- |", *(f"| {column} | {value} |" for column, value in facts.items())]),
        "## Strength",
        _strength(card, rules),
        "## Length of hands",
        hand_length.markdown(hand_length.saved(name)),
        "## Exploitability",
        attacks.section(name),
        "## Limits",
        "\n".join(
            f"- {limit.format(name=name, company=company, deals=_deals(card))}"
            for limit in (ALL_RULES if card.random_rules else OWN_RULES, *LIMITS)
        ),
        "## Config",
        "```yaml\n" + yaml.safe_dump(made.get("config", {}), sort_keys=False, allow_unicode=True) + "```",
    ]
    return "\n\n".join(parts) + "\n"


def _deals(card: PolicyCard) -> str:
    """Whether the deals of a card's table are others than those that the policy was chosen on."""
    seeds = {line["seed"] for line in card.evaluation}
    if seeds <= {REPORT_SEED}:
        return f"The win rates are those of the deals of seed {REPORT_SEED:,}; the policy was chosen on others."
    return "The policy was chosen on the deals of this table, so its win rates may be a little lower on others."


def opponents_text(config: Mapping[str, Any]) -> str:
    """Whom a policy has played with while it was trained."""
    if config.get("league_share") == 1 and not config.get("league_size"):
        members = config.get("league_scripted") or [config.get("opponent")]
        return f"with {' and '.join(f'`{member}`' for member in members)} alone"
    return "among its own kind"


def training(made: Mapping[str, Any]) -> str:
    if "decisions" not in made or "seconds" not in made:
        return "unknown"
    began = ", begun with a saved policy" if made.get("config", {}).get("initial_policy") else ""
    return f"{made['decisions']:,} decisions in {made['seconds'] / 60:.1f} minutes{began}"


def _network(file: Path, weights: Weights, card: PolicyCard) -> str:
    number = sum(array.size for array in weights.values())
    kind = "float16" if card.trained_by.get("half") else "float32"
    layers = ", ".join(str(size) for size in card.hidden)
    events = f" and the last {card.history} events" if card.history else ""
    return (
        f"{len(card.columns)} columns of the observation{events}, hidden layers of {layers}, {len(card.actions)} "
        f"actions and a value; {number:,} weights as {kind}, {file.stat().st_size / 1e6:.2f} MB"
    )


def _strength(card: PolicyCard, rules: Rules) -> str:
    if not card.evaluation:
        return "Not measured."
    first = card.evaluation[0]
    table = "a table of each" if rules.players > 2 else "each"
    title = (
        f"Win rates against {table}, playing greedily, on duplicate deals, each played from every seat; seed "
        f"{first['seed']}. Par is {first['par']:.0%}."
    )
    rows = [
        [
            f"`{line['opponent']}`",
            f"{line['win_rate']:.1%}",
            f"{100 * line['low']:.1f}–{100 * line['high']:.1f}",
            f"{line['deals']:,}",
        ]
        for line in card.evaluation
    ]
    return MarkdownTable(title, ("against", "win rate", "95 % interval", "deals"), rows).markdown()


@dataclass(frozen=True, kw_only=True)
class Add(Command):
    """``python -m tools.zoo add``."""

    positional: ClassVar = ("target",)

    plan: ShipPlan
    workers: Workers = 0
    """processes, 0: one for each core; the result does not depend on them"""

    def run(self) -> None:
        with user_input():
            candidate = prepare(self.plan)
        file = add(candidate, self.workers)
        print(file.with_suffix(".md").read_text(encoding="utf-8"))
        print(f"Wrote {file} and its card: zoo:{self.plan.name}")


@dataclass(frozen=True, kw_only=True)
class Cards(Command):
    """Write the model cards of all shipped policies anew, from their files."""

    def run(self) -> None:
        with user_input():
            print(*write_cards(), sep="\n")


@dataclass(frozen=True, kw_only=True)
class Lengths(Command):
    """Measure how long hands of shipped policies are, for their model cards."""

    positional: ClassVar = ("names",)

    names: tuple[str, ...] = ()
    """the policies, such as house-4p; none: all"""

    def run(self) -> None:
        with user_input():
            print(*measure_lengths(self.names), sep="\n")


PROGRAM = Program(
    "python -m tools.zoo",
    "Measure a run's policy, describe it, and ship it as zoo:NAME.",
    {
        "add": ("tools.zoo:Add", "measure a run's policy, and write its file and its model card"),
        "lengths": ("tools.zoo:Lengths", "measure how long hands of shipped policies are, for their model cards"),
        "cards": ("tools.zoo:Cards", "write the model cards of all shipped policies anew, from their files"),
    },
)

if __name__ == "__main__":
    sys.exit(PROGRAM.main())
