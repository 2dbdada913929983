"""What ``uno benchmark algorithms`` reports: medians and quartiles over seeds, and their table."""

import platform
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from train.benchmarks.ladder import code_version
from train.benchmarks.plans import AlgorithmsPlan
from train.benchmarks.tracks import OPPONENTS, track_of
from train.common.processes import cores
from train.common.table import Table


def report(plan: AlgorithmsPlan, runs: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The plan, where it was measured, the ``runs``, and a ``summary`` of each algorithm: the strongest first."""
    machine = {"platform": platform.platform(), "cores": cores(), "threads": plan.threads or cores()}
    names = [name for name in plan.algorithms if any(run["algorithm"] == name for run in runs)]
    summary = [_summary(name, [run for run in runs if run["algorithm"] == name]) for name in names]
    return {
        **asdict(plan),
        "algorithms": list(plan.algorithms),
        "players": track_of(plan.track).rules().players,
        "opponents": list(OPPONENTS),
        **code_version(),
        "machine": machine,
        "summary": sorted(summary, key=lambda row: -row["strength"][1] if row["seeds"] else 1),
        "runs": list(runs),
    }


def _summary(algorithm: str, runs: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """An algorithm's lower quartile, median and upper quartile over seeds of each figure."""
    done = [run for run in runs if "failed" not in run]
    counts = {"algorithm": algorithm, "seeds": len(done), "failed": len(runs) - len(done)}
    if not done:
        return counts
    rates = [{each["opponent"]: each["win_rate"] for each in run["ladder"]} for run in done]
    return {
        **counts,
        "strength": quartiles([sum(each.values()) / len(each) for each in rates]),
        "against": {opponent: quartiles([each[opponent] for each in rates]) for opponent in OPPONENTS},
        "minutes": quartiles([run["seconds"] / 60 for run in done]),
        **{name: quartiles([run[name] for run in done]) for name in ("decisions", "decisions_per_second")},
    }


def quartiles(values: Sequence[float]) -> list[float]:
    """Lower quartile, median and upper quartile, between neighbours in proportion."""
    return [float(value) for value in np.percentile(values, (25, 50, 75))]


def markdown(values: Mapping[str, Any]) -> str:
    """The table of a report, or of its saved figures, with its title."""
    budget = f"{values['minutes']:g} minutes" if values["minutes"] else f"{values['decisions']:,} decisions"
    seeds = "one seed" if values["seeds"] == 1 else f"{values['seeds']} seeds"
    title = (
        f"**{values['track']}**: {budget} each, {seeds}, {values['deals']:,} duplicate deals against each "
        f"opponent, par {1 / values['players']:.0%}; median and quartiles over seeds"
    )
    heads = ["algorithm", "strength", *(f"v `{name}`" for name in values["opponents"]), "decisions/s", "decisions",
             "minutes"]  # fmt: skip
    return Table(title, heads, [_cells(row, values["opponents"]) for row in values["summary"]]).markdown()


def _cells(row: Mapping[str, Any], opponents: Sequence[str]) -> list[str]:
    name = f"`{row['algorithm']}`" + (f" ({row['failed']} failed)" if row["failed"] else "")
    if not row["seeds"]:
        return [name, *[""] * (len(opponents) + 4)]
    rates = [row["strength"], *(row["against"][opponent] for opponent in opponents)]
    return [
        name,
        *(f"{100 * middle:.1f} ({100 * low:.1f}–{100 * high:.1f})" for low, middle, high in rates),
        f"{row['decisions_per_second'][1]:,.0f}",
        f"{row['decisions'][1]:,.0f}",
        f"{row['minutes'][1]:.1f}",
    ]
