"""From what a user asks for to a tournament that is played: the parts of ``uno tournament``."""

import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from train.common.processes import cores
from train.common.progress import progress_bar
from train.evaluation.lineups import make_lineups
from train.evaluation.sprt import Sprt
from train.evaluation.tournament import CHUNK, Plan, Store
from train.evaluation.tournament_report import Stopped, run, show
from uno_env.rules import Rules

DEALS, SPRT_DEALS = 10_000, 200_000
"""Deals of each line-up; and at most, where a test says when it is enough."""

SPRT_CHUNK = 500
"""Deals between looks at a test."""


@dataclass(frozen=True)
class Tournament:
    """A tournament that can be played."""

    plan: Plan
    sprt: Sprt | None = None
    store: Store | None = None

    def play(self, workers: int = 0, progress: Callable[[int], object] | None = None) -> dict[str, Any]:
        """Play it with a progress bar, or with a function that takes the games done; 0 workers: one for each core.

        Raises:
            KeyboardInterrupt: with a sentence that says what is kept; what was measured is printed.
        """
        names = ", ".join(self.plan.agents)
        try:
            with progress_bar(names if len(names) < 40 else f"{len(self.plan.agents)} agents", self.plan.games) as bar:
                return run(self.plan, workers or cores(), self.store, self.sprt, progress or bar)
        except Stopped as stopped:
            report = stopped.report()
            if report is not None:
                show(report)
            raise KeyboardInterrupt(self._how_to_go_on(len(stopped.results))) from None

    def _how_to_go_on(self, done: int) -> str:
        if self.store is None:
            return "Interrupted; nothing is kept without --save FOLDER."
        command = shlex.join(["uno", "tournament", "--resume", str(self.store.folder)])
        return f"Interrupted; {done} of {len(self.plan.chunks())} chunks are kept. To go on: {command}"


def new_tournament(
    agents: Sequence[str],
    rules: Rules,
    tables: str = "mixed",
    deals: int | None = None,
    seed: int = 0,
    sprt: Sprt | None = None,
    folder: Path | None = None,
) -> Tournament:
    """A tournament of agents, kept in a folder if one is given, which may hold the beginning of it.

    Raises:
        ValueError: an argument is not allowed, or an agent cannot be loaded.
    """
    if sprt is not None and len(agents) != 2:
        raise ValueError(f"a sequential test tells 2 agents apart, and {len(agents)} are named")
    lineups = make_lineups(len(agents), rules.players, tables)
    plan = Plan(
        agents=tuple(agents),
        rules=rules,
        lineups=tuple(lineups),
        deals=(deals or (DEALS if sprt is None else SPRT_DEALS),) * len(lineups),
        seed=seed,
        chunk=CHUNK if sprt is None else SPRT_CHUNK,
        tables=tables,
    )
    return _opened(plan, sprt, folder)


def kept_tournament(folder: Path, deals: int | None = None) -> Tournament:
    """The tournament that a folder keeps, to go on with, up to another number of deals if one is given.

    Raises:
        ValueError: there is none, or what it depends on has changed.
    """
    kept = Store(folder).read()
    try:
        lineups = tuple(tuple(lineup) for lineup in kept["lineups"])
        plan = Plan(
            agents=tuple(kept["agents"]),
            rules=Rules.from_dict(kept["rules"]),
            lineups=lineups,
            deals=tuple(kept["deals"]) if deals is None else (deals,) * len(lineups),
            seed=kept["seed"],
            chunk=kept["chunk"],
            tables=kept["tables"],
        )
        sprt = None if kept.get("sprt") is None else Sprt(**kept["sprt"])
    except (KeyError, TypeError) as error:
        raise ValueError(f"{str(folder)!r} holds no tournament to go on with: {error!r}") from None
    return _opened(plan, sprt, folder)


def _opened(plan: Plan, sprt: Sprt | None, folder: Path | None) -> Tournament:
    import agents

    for spec in plan.agents:
        agents.load(spec, rules=plan.rules)
    if folder is None:
        return Tournament(plan, sprt)
    store = Store(folder)
    settings = None if sprt is None else {"margin": sprt.margin, "alpha": sprt.alpha, "beta": sprt.beta}
    store.open(plan, {"sprt": settings})
    return Tournament(plan, sprt, store)
