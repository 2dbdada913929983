"""From what a user asks for to a tournament that is played: the parts of ``uno tournament``."""

import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from train.common.job import Interrupted, ResumableJob, read_job
from train.common.processes import Mapper
from train.evaluation.lineups import make_lineups
from train.evaluation.tournament import Plan, open_job
from train.evaluation.tournament_report import partial_report, run, show
from uno_env.rules import Rules

DEALS = 10_000
"""Deals of each line-up."""


@dataclass(frozen=True)
class Tournament:
    """A tournament that can be played."""

    plan: Plan
    job: ResumableJob | None = None

    def play(self, workers: int | Mapper = 0, progress: Callable[[int], object] | None = None) -> dict[str, Any]:
        """Play it with a progress bar, or with a function that takes the number of games done. With 0 workers, each
        core gets one.

        Raises Interrupted after Ctrl-C, with a sentence that says what is saved. What was measured is printed then.
        """
        names = ", ".join(self.plan.agents)
        try:
            return run(self.plan, workers, self.job, progress, title=names if len(names) < 40 else "")
        except Interrupted as interrupted:
            report = partial_report(self.plan, interrupted.results)
            if report is not None:
                show(report)
            raise


def new_tournament(
    agents: Sequence[str],
    rules: Rules,
    tables: str = "mixed",
    deals: int | None = None,
    seed: int = 0,
    folder: Path | None = None,
    luck: str = "",
) -> Tournament:
    """A tournament of agents. With a folder, it is saved there; the folder may hold its beginning. ``luck`` names the
    value function of its rules if luck is to be taken out. Raises ValueError if an argument is not allowed, or an agent
    cannot be loaded.
    """
    lineups = make_lineups(len(agents), rules.players, tables)
    plan = Plan(
        agents=tuple(agents),
        rules=rules,
        lineups=tuple(lineups),
        deals=(deals or DEALS,) * len(lineups),
        seed=seed,
        tables=tables,
        luck=luck,
    )
    return _opened(plan, folder, trusted=True)


def saved_tournament(folder: Path, deals: int | None = None, trust_code: bool = False) -> Tournament:
    """A folder's tournament, up to ``deals`` if given. ``trust_code`` says whether it may name code, addresses and
    agents that see all hands (:mod:`agents.trust`). Raises ValueError if it does and may not, there is none, or it has
    changed.
    """
    saved = read_job(folder, "tournament")
    try:
        lineups = tuple(tuple(lineup) for lineup in saved["lineups"])
        plan = Plan(
            agents=tuple(saved["agents"]),
            rules=Rules.from_dict(saved["rules"]),
            lineups=lineups,
            deals=tuple(saved["deals"]) if deals is None else (deals,) * len(lineups),
            seed=saved["seed"],
            chunk=saved["chunk"],
            tables=saved["tables"],
            luck=saved.get("luck") or "",
        )
    except (KeyError, TypeError) as error:
        raise ValueError(f"{str(folder)!r} holds no tournament to go on with: {error!r}") from None
    return _opened(plan, folder, trust_code)


def _opened(plan: Plan, folder: Path | None, trusted: bool) -> Tournament:
    """A tournament, whose agents are named by a file if they are not ``trusted``."""
    import agents
    from agents.trust import OPTION, risk_of

    for spec in plan.agents:
        agents.load(spec, rules=plan.rules, trusted=trusted)
    option = [OPTION] if any(map(risk_of, plan.agents)) else []
    go_on = f"To go on: {shlex.join(['uno', 'tournament', '--resume', str(folder), *option])}"
    return Tournament(plan, open_job(plan, folder, go_on))
