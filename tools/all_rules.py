"""The strength of an agent by every preset with every number of players, and by rules drawn at random.

What is measured are win rates against a table of each opponent, on duplicate deals. The rules drawn at random are those
of :mod:`tools.benchmark.balanced_rules`, from which no run learns. An agent is *above* an opponent where it wins more
than its share, 1 / players.
"""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any, ClassVar, NamedTuple

from msgspec import Meta

import agents
from tools.benchmark.balanced_rules import balanced_rules
from train.cli.arguments import Measured, Measuring, Parallel, Saving
from train.cli.errors import user_input
from train.cli.program import Program
from train.common.job import ResumableJob
from train.common.options import Agent, Seed
from train.common.processes import cores
from train.common.progress import counting, progress_bar
from train.common.table import MarkdownTable
from train.evaluation.duplicate import evaluate
from train.evaluation.estimate import Estimate
from uno_env.core.record import MAX_SEATS
from uno_env.rules import PRESETS, Rules

SEED = 2611
"""Seed of the rules drawn at random; a new one for each policy that is reported."""
RANDOM = "random"
"""The name of the tables of rules drawn at random, where others have a preset's name."""


@dataclass(frozen=True)
class AllRulesPlan:
    """Measure an agent under every preset with 2 to 10 players, and under rules drawn at random. The same command
    resumes."""

    agent: Agent
    """an agent that plays by all rules, named as for `uno evaluate`"""
    against: tuple[Agent, ...] = ("tuned", "greedy")
    """opponents, a table of each"""
    games: Annotated[int, Meta(ge=20)] = 1_000
    """games at a table of two, each deal once from every seat; with n players n - 1 times as many, so that luck moves
    the win rate by the same part of the share"""
    random_rules: Annotated[int, Meta(ge=0, le=10_000)] = 200
    """tables of rules drawn at random"""
    seed: Seed = 0
    """seed of the deals and of the agents"""


class Part(NamedTuple):
    """A table at which the agent is measured."""

    name: str
    """The preset's, or :data:`RANDOM`."""
    rules: Rules
    opponent: str


def parts_of(plan: AllRulesPlan) -> dict[str, Part]:
    """The tables of a plan, by the names of their files."""
    tables = [(name, rules) for name in PRESETS for rules in _tables_of(name)]
    tables += [(RANDOM, rules) for rules in (balanced_rules(SEED, plan.random_rules) if plan.random_rules else [])]
    pairs = [(number, *table, opponent) for number, table in enumerate(tables) for opponent in plan.against]
    return {
        f"{number:04d}-{plan.against.index(opponent)}.json": Part(name, rules, opponent)
        for number, name, rules, opponent in pairs
    }


def _tables_of(preset: str) -> list[Rules]:
    """A preset with each number of players that it allows."""
    tables = []
    for players in range(2, MAX_SEATS + 1):
        try:
            tables.append(Rules.preset(preset, players=players))
        except ValueError:
            continue  # too few cards, or a game for two
    return tables


def prepare(plan: AllRulesPlan, folder: Path | None = None) -> ResumableJob:
    """Check everything before hours of work.

    Raises:
        ValueError: there is no such agent, it does not play by all rules, or the folder holds something else.
    """
    for part in parts_of(plan).values():
        for spec in (plan.agent, part.opponent):
            agents.load(spec, rules=part.rules)
    return ResumableJob("measurement by all rules", asdict(plan), folder)


def measure(plan: AllRulesPlan, workers: int = 0, folder: Path | None = None) -> dict[str, Any]:
    """Measure the agent at every table; what ``--json`` writes: the plan, and a line for each table.

    Raises:
        ValueError: as :func:`prepare`.
        Interrupted: after Ctrl-C.
    """
    job, parts = prepare(plan, folder), parts_of(plan)
    with progress_bar(f"{plan.agent} by all rules", len(parts)) as progress:
        measured = job.run(parts, partial(_measure_table, plan), workers or cores(), counting(progress))
    return {**asdict(plan), "tables": [measured[part] for part in parts.values()]}


def _measure_table(plan: AllRulesPlan, part: Part) -> dict[str, Any]:
    players = part.rules.players
    deals = max(2, round(plan.games * (players - 1) / players))
    result = evaluate(plan.agent, part.opponent, part.rules, deals, plan.seed)
    return {
        "rules": part.name,
        "players": players,
        "opponent": part.opponent,
        **result.estimate.to_dict("win_rate"),
        "deals": deals,
        "truncated": result.truncated,
    }


def tables(measured: Mapping[str, Any]) -> list[MarkdownTable]:
    """Return tables: win rates by preset and players for each opponent, and how often the agent is above."""
    lines = measured["tables"]
    shown = [_win_rates(lines, opponent, measured["games"]) for opponent in measured["against"]]
    groups = {"presets": [line for line in lines if line["rules"] != RANDOM],
              "rules drawn at random": [line for line in lines if line["rules"] == RANDOM]}  # fmt: skip
    rows = [
        [name, f"`{opponent}`", *_counts([line for line in group if line["opponent"] == opponent])]
        for name, group in groups.items()
        for opponent in measured["against"]
        if group
    ]
    headings = ["tables", "against", "tables", "above its share", "of these told apart", "told apart below"]
    return [*shown, MarkdownTable(f"Where `{measured['agent']}` wins more than its share", headings, rows, words=2)]


def _win_rates(lines: Sequence[Mapping[str, Any]], opponent: str, games: int) -> MarkdownTable:
    cells: dict[str, dict[int, str]] = {}
    for line in lines:
        if line["opponent"] == opponent and line["rules"] != RANDOM:
            rate, par = Estimate.from_dict(line, "win_rate"), 1 / line["players"]
            sign = "" if rate.low <= par <= rate.high else "+" if rate.low > par else "−"
            cells.setdefault(line["rules"], {})[line["players"]] = f"{rate.text()}{sign}"
    every = range(2, MAX_SEATS + 1)
    rows = [[f"`{name}`", *(row.get(players, "") for players in every)] for name, row in cells.items()]
    headings = ["rules", *(f"{players} ({100 / players:.1f})" for players in every)]
    title = (
        f"Win rates in per cent against a table of `{opponent}`, by number of players (its share behind it), "
        f"{games:,} games at a table of two, n − 1 times as many with n; + and − are told apart from the share"
    )
    return MarkdownTable(title, headings, rows)


def _counts(lines: Sequence[Mapping[str, Any]]) -> list[str]:
    above = [line for line in lines if line["win_rate"] > 1 / line["players"]]
    clearly = sum(line["low"] > 1 / line["players"] for line in above)
    below = sum(line["high"] < 1 / line["players"] for line in lines)
    return [str(len(lines)), f"{len(above)} ({len(above) / len(lines):.0%})", str(clearly), str(below)]


@dataclass(frozen=True, kw_only=True)
class AllRules(Measuring, Parallel, Saving):
    """``python -m tools.all_rules``."""

    positional: ClassVar = ("agent",)

    plan: AllRulesPlan

    def run(self) -> Measured:
        with user_input():
            prepare(self.plan, self.save)
        measured = measure(self.plan, self.workers, self.save)

        def show() -> None:
            for table in tables(measured):
                table.show()

        return Measured({"rules": measured}, show)


PROGRAM = Program("python -m tools.all_rules", "An agent at tables of all rules.", "tools.all_rules:AllRules")

if __name__ == "__main__":
    sys.exit(PROGRAM.main())
