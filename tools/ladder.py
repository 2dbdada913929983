"""The strength of every agent, from one command: ``python -m tools.ladder``.

On each of four tracks, every agent plays duplicate deals against each of some *references*:
alone at a table of them (which at two seats is just the pair). The wins of all these tables together give the
Bradley–Terry ratings, in Elo points with the first reference at 0. Agents that search play fewer deals, and against the
last reference only, since they take a thousand times as long over a decision. An agent that cannot play a track's rules
is left out there.

What ``--json`` writes is ``{"command", "versions", "ladder": {"commit", "date", "code", "seed", "references",
"tracks"}}``: the commit and the date of the code, a digest of it, and for each track the report of a tournament
(:mod:`train.evaluation.tournament_report`), with ``tables`` ``against``, and ``lengths``: decisions a hand of each
quick agent among its own kind.
"""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

import agents as players
from agents.zoo.shipped import track_rules
from train.benchmarks.measuring import code_version
from train.cli.arguments import Measured, Measuring, Parallel, Saving
from train.cli.errors import user_input
from train.cli.program import Program
from train.common.options import Agent, Deals, Seed
from train.common.table import MarkdownTable, show_reports
from train.evaluation.duplicate import deal_starts, play_deals
from train.evaluation.estimate import Estimate
from train.evaluation.lineups import against
from train.evaluation.played_by import player_digest
from train.evaluation.tournament import Plan, is_slow, open_job
from train.evaluation.tournament_report import cell_of, run
from uno_env.common.spelling import did_you_mean
from uno_env.core.arrays import Array
from uno_env.rules import Rules

REFERENCES = ("random-play", "tuned")
"""Opponents of all agents by default: the simplest that is no fool, and the strongest that is quick."""

SEARCHING: tuple[str, ...] = ("search:flat?num_determinizations=30&rollout=tuned",)
"""Agents that search, beside those that :func:`agents.names` gives."""


REPORT_SEED = 1_000_000
"""Seed of the deals that reports are on: model cards, their table and the ladder. Candidates are chosen on others, such
as those of seed 0, which ``uno evaluate`` plays by default: the best of several on some deals is a little weaker on
others."""

HANDS = 800
"""Deals on which the length of hands is measured."""

TRACKS = ("duel-2p", "classic-2p", "classic-4p", "house-4p")
"""The tracks of the ladder."""


@dataclass(frozen=True)
class LadderPlan:
    """Measure all agents against the same opponents on four tracks: the ladder."""

    agents: tuple[Agent, ...] | None = None
    """the agents (default: those of `uno agents` that can play one of the tracks, and one that searches)"""
    references: tuple[Agent, ...] | None = None
    """the opponents, which are on the ladder, too (default: random-play and tuned)"""
    tracks: tuple[str, ...] = TRACKS
    """some of duel-2p, classic-2p, classic-4p and house-4p"""
    deals: Deals = 100_000
    """duplicate deals of each pair in duel, a tenth of them on the other tracks"""
    search_deals: Deals = 3_000
    """duplicate deals of a pair where an agent searches"""
    seed: Seed = REPORT_SEED
    """seed of the deals and of the agents; choose agents on the deals of another one"""


def prepare(plan: LadderPlan, folder: Path | None = None) -> None:
    """Check a plan, and open its folder, which may hold the beginning of it.

    Raises:
        ValueError: an argument is not allowed, an agent that was asked for can play none of the tracks, or the folder
            holds something else.
    """
    for track, tournament in tournaments(plan).items():
        open_job(tournament, None if folder is None else folder / track)


def measure(plan: LadderPlan, workers: int = 0, folder: Path | None = None) -> dict[str, Any]:
    """Play all tracks, or what is left of them: plain values for JSON.

    Raises:
        ValueError: as :func:`prepare`.
        Interrupted: after Ctrl-C.
    """
    references, tracks = references_of(plan), {}
    for track, tournament in tournaments(plan).items():
        job = open_job(tournament, None if folder is None else folder / track)
        title = f"{track}, {len(tournament.agents)} agents"
        report = run(tournament, workers, job, anchor=references[0], title=title)
        tracks[track] = {**report, "lengths": _lengths(tournament)}
    return {**code_version(), "seed": plan.seed, "references": list(references), "tracks": tracks}


def hand_lengths(spec: str, rules: Rules, others: Sequence[str] = (), seed: int = REPORT_SEED) -> Array:
    """Decisions of all players in each hand of an agent among its own kind, int32 [HANDS].

    ``others`` take one seat each, in turn.
    """
    seating = np.zeros((HANDS, rules.players), np.int8)
    for number in range(len(others)):
        seating[np.arange(HANDS), (np.arange(HANDS) + number) % rules.players] = 1 + number
    table = [players.load(name, rules=rules) for name in (spec, *others)]
    return play_deals(seating, table, deal_starts(HANDS, seed), rules).length


def _lengths(plan: Plan) -> dict[str, dict[str, float]]:
    """Decisions a hand of each quick agent among its own kind, with the interval."""
    return {
        spec: Estimate.of(hand_lengths(spec, plan.rules, seed=plan.seed)).to_dict("decisions")
        for spec in plan.agents
        if not is_slow(spec)
    }


def references_of(plan: LadderPlan) -> tuple[str, ...]:
    """The references of a plan; by default those of :data:`REFERENCES` that there are."""
    names = players.names()
    return tuple(name for name in REFERENCES if name in names) if plan.references is None else plan.references


def tournaments(plan: LadderPlan) -> dict[str, Plan]:
    """The tournament of each track.

    Raises:
        ValueError: as :func:`prepare`.
    """
    references = references_of(plan)
    every = [*players.names(), *SEARCHING] if plan.agents is None else plan.agents
    specs = list(dict.fromkeys([*every, *references]))
    rules = {track: _rules(track) for track in plan.tracks}
    refusals = {spec: {track: _refusal(spec, rules[track]) for track in plan.tracks} for spec in specs}
    for spec in (*(plan.agents or ()), *(plan.references or ())):
        if all(refusals[spec].values()):
            raise ValueError(next(iter(refusals[spec].values())))
    return {
        track: _tournament([spec for spec in specs if refusals[spec][track] is None], references, rules[track],
                           _part(plan.deals, track), _part(plan.search_deals, track), plan.seed)
        for track in plan.tracks
    }  # fmt: skip


def _rules(track: str) -> Rules:
    if track not in TRACKS:
        raise ValueError(f"track {track!r} is not allowed{did_you_mean(track, TRACKS)}: there are {', '.join(TRACKS)}")
    return track_rules(track)


def _part(deals: int, track: str) -> int:
    """The deals on a track: after duel, a deal takes two to eight times as long."""
    return deals if track == "duel-2p" else max(2, round(deals * 0.1))


def _refusal(spec: str, rules: Rules) -> str | None:
    """The reason why an agent cannot play by some rules, or None."""
    players.load(spec)
    try:
        players.load(spec, rules=rules)
    except ValueError as error:
        return str(error)
    return None


def _tournament(
    specs: Sequence[str], references: Sequence[str], rules: Rules, deals: int, search_deals: int, seed: int
) -> Plan:
    lineups: dict[tuple[int, ...], int] = {}
    known = [reference for reference in references if reference in specs]
    for index, spec in enumerate(specs):
        for reference in known[-1:] if is_slow(spec) else known:
            if reference != spec:
                lineup = against(index, specs.index(reference), rules.players)
                if rules.players > 2 or lineup[::-1] not in lineups:
                    lineups[lineup] = search_deals if is_slow(spec) or is_slow(reference) else deals
    if not lineups:
        raise ValueError("there is nobody to play: name other agents or references")
    return Plan(tuple(specs), rules, tuple(lineups), tuple(lineups.values()), seed, tables="against")


# --- tables -----------------------------------------------------------------------------------------------------------


def figures(ladder: Mapping[str, Any]) -> dict[str, Any]:
    """Reduce a ladder to the figures of its tables: a summary stands for the report of each track."""
    tracks = {name: _summary(report, ladder["references"]) for name, report in ladder["tracks"].items()}
    return {**{name: ladder[name] for name in ("commit", "date", "code", "seed", "references")}, "tracks": tracks}


def _summary(report: Mapping[str, Any], references: Sequence[str]) -> dict[str, Any]:
    """Reduce a track's report to the figures of its table; win rates and bounds in shares, to 5 digits."""
    names = [agent["name"] for agent in report["agents"]]
    rows = []
    for agent in map(names.index, report["ranking"]):
        elo = report["agents"][agent]["rating"]["bradley_terry"]
        speed = report["agents"][agent]["decisions_per_second"]
        length = report["lengths"].get(names[agent])
        cells = {
            reference: cell_of(report, agent, names.index(reference)) for reference in references if reference in names
        }
        rows.append(
            {
                "name": names[agent],
                "digest": player_digest(names[agent]),
                "elo": [round(elo[field], 1) for field in ("elo", "low", "high")],
                "against": {
                    reference: [*(round(value, 5) for value in (cell.mean, cell.low, cell.high)), cell.n]
                    for reference, cell in cells.items()
                    if cell is not None
                },
                "decisions_per_second": None if speed is None else float(f"{speed:.3g}"),
                "length": length and [round(length[field], 1) for field in ("decisions", "low", "high")],
            }
        )
    return {
        "players": report["players"],
        "par": report["cross"]["par"],
        "deals": report["deals"],
        "variance_reduction": round(report["variance_reduction"]["median"] or 1, 3),
        "agents": rows,
    }


def markdown(ladder: Mapping[str, Any]) -> str:
    """The tables of a ladder as it was measured."""
    return tables(figures(ladder))


def tables(ladder: Mapping[str, Any]) -> str:
    """A Markdown table for each track, from :func:`figures`."""
    return "\n\n".join(table.markdown() for table in _tables(ladder))


def show(ladder: Mapping[str, Any]) -> None:
    """Print the tables of a ladder as it was measured."""
    show_reports(_tables(figures(ladder)))


def _tables(ladder: Mapping[str, Any]) -> list[MarkdownTable]:
    return [_table(name, track, ladder["references"]) for name, track in ladder["tracks"].items()]


def _table(name: str, track: Mapping[str, Any], references: Sequence[str]) -> MarkdownTable:
    met = [reference for reference in references if any(reference in agent["against"] for agent in track["agents"])]
    title = (
        f"**{name}**: {track['players']} players, par {track['par']:.0%}, {track['deals']:,} deals a pair at most; "
        f"independent deals would take {track['variance_reduction']:.2f} times as many games"
    )
    rows = []
    for agent in track["agents"]:
        elo, speed = _estimate(agent["elo"]), agent["decisions_per_second"]
        cells = [_cell(agent["against"].get(reference), track["deals"]) for reference in met]
        length = _estimate(agent["length"]).text(0, "", 1) if agent["length"] else ""
        rows.append(
            [f"`{agent['name']}`", elo.text(0, "+", 1), *cells, length, "" if speed is None else f"{speed:,.0f}"]
        )
    columns = ["agent", "Elo", *(f"v `{reference}`" for reference in met), "decisions a hand", "decisions/s"]
    return MarkdownTable(title, columns, rows)


def _estimate(values: Sequence[float]) -> Estimate:
    return Estimate.from_dict(dict(zip(("mean", "low", "high"), values, strict=False)))


def _cell(cell: Sequence[float] | None, most: int) -> str:
    """A win rate in per cent; where fewer deals were played than elsewhere, with their number."""
    if cell is None:
        return ""
    return _estimate(cell).text() + ("" if cell[3] == most else f" ({cell[3]:,.0f} deals)")


@dataclass(frozen=True, kw_only=True)
class Ladder(Measuring, Parallel, Saving):
    """``python -m tools.ladder``."""

    needs: ClassVar = ("scipy",)

    plan: LadderPlan

    def run(self) -> Measured:
        with user_input():
            prepare(self.plan, self.save)
        measured = measure(self.plan, self.workers, self.save)
        return Measured({"ladder": measured}, partial(show, measured))


PROGRAM = Program("python -m tools.ladder", "All agents against the same opponents.", "tools.ladder:Ladder")

if __name__ == "__main__":
    sys.exit(PROGRAM.main())
