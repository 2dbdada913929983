"""How strong every agent is, from one command: ``uno benchmark agents``.

On each track (:mod:`train.benchmarks.tracks`), every agent plays duplicate deals against each of some *references*:
alone at a table of them (which at two seats is just the pair). The wins of all these tables together give the
Bradley–Terry ratings, in Elo points with the first reference at 0. Agents that search play fewer deals, and against the
last reference only, since they take a thousand times as long over a decision. Who cannot play a track's rules is left
out there.

What ``--json`` writes is ``{"command", "versions", "ladder": {"commit", "date", "code", "seed", "references",
"tracks"}}``: the commit and the date of the code, a digest of it, and for each track what
:mod:`train.evaluation.tournament` tells of a tournament, with ``tables`` ``against``.

``python -m train.benchmarks.ladder FILE`` keeps the figures of such a file in ``train/benchmarks/ladder.json``, from
which the README's tables are made (``python -m tests.project.readme``).
"""

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import agents as players
from train.benchmarks.tracks import TRACKS, track_of
from train.common.processes import cores
from train.common.progress import progress_bar
from train.evaluation.lineups import against
from train.evaluation.tournament import Plan, Store, code_digest, is_slow
from train.evaluation.tournament_report import Stopped, percent, run
from uno_env.common.files import write_text
from uno_env.rules import Rules

REFERENCES = ("random-play", "tuned")
"""Whom all agents play: the simplest that is no fool, and the strongest that is quick."""

SEARCHING: tuple[str, ...] = ("search:flat?worlds=30&rollout=tuned",)
"""Agents that search, beside those that :func:`agents.names` gives."""

DEALS, SEARCH_DEALS = 100_000, 3_000
"""Deals of a pair on a track with the share 1, of agents that decide at once and of those that search."""

KEPT = Path(__file__).with_name("ladder.json")


@dataclass(frozen=True)
class Ladder:
    """A ladder that can be measured."""

    plans: Mapping[str, Plan]
    """By track."""
    references: tuple[str, ...]
    folder: Path | None = None

    def play(self, workers: int = 0) -> dict[str, Any]:
        """Play all tracks, with a progress bar for each.

        Raises:
            KeyboardInterrupt: with a sentence that says what is kept.
        """
        tracks = {}
        for name, plan in self.plans.items():
            store = None if self.folder is None else Store(self.folder / name)
            try:
                with progress_bar(f"{name}, {len(plan.agents)} agents", plan.games) as progress:
                    tracks[name] = run(plan, workers or cores(), store, None, progress, self.references[0])
            except Stopped:
                kept = "nothing is kept without --save FOLDER" if store is None else "the same command goes on"
                raise KeyboardInterrupt(f"Interrupted in track {name}; {kept}.") from None
        seed = next(iter(self.plans.values())).seed
        return {**code_version(), "seed": seed, "references": list(self.references), "tracks": tracks}


def prepare(
    agents: Sequence[str] | None = None,
    references: Sequence[str] | None = None,
    tracks: Sequence[str] = tuple(TRACKS),
    deals: int = DEALS,
    search_deals: int = SEARCH_DEALS,
    seed: int = 0,
    folder: Path | None = None,
) -> Ladder:
    """A ladder of agents, kept in a folder if one is given, which may hold the beginning of it.

    Args:
        agents: specs; default: all that :func:`agents.names` gives and that can play one of the tracks, and
            :data:`SEARCHING`.
        references: specs; default: those of :data:`REFERENCES` that there are. They are on the ladder, too.
        tracks: some of :data:`train.benchmarks.tracks.TRACKS`.
        deals: deals of each agent against each reference on a track with the share 1.
        search_deals: the same where an agent searches.
        seed: decides deals and chance.
        folder: where chunks are kept.

    Raises:
        ValueError: an argument is not allowed, or an agent that was asked for can play none of the tracks.
    """
    named = players.names()
    chosen = list(dict.fromkeys([*named, *SEARCHING] if agents is None else agents))
    measured_by = [name for name in REFERENCES if name in named] if references is None else list(references)
    every = [*chosen, *[reference for reference in measured_by if reference not in chosen]]
    rules = {track: track_of(track).rules() for track in tracks}
    refused = {spec: [_refusal(spec, rules[track]) for track in tracks] for spec in every}
    for spec in (*(agents or ()), *(references or ())):
        if all(refused[spec]):
            raise ValueError(refused[spec][0])
    plans = {}
    for place, track in enumerate(tracks):
        able = [spec for spec in every if refused[spec][place] is None]
        share = TRACKS[track].share
        plans[track] = _plan(able, measured_by, rules[track], _part(deals, share), _part(search_deals, share), seed)
        if folder is not None:
            Store(folder / track).open(plans[track])
    return Ladder(plans, tuple(measured_by), folder)


def _part(deals: int, share: float) -> int:
    return deals if share == 1 else max(2, round(deals * share))


def _refusal(spec: str, rules: Rules) -> str | None:
    """Why an agent cannot play by some rules, or None."""
    players.load(spec)
    try:
        players.load(spec, rules=rules)
    except ValueError as error:
        return str(error)
    return None


def _plan(specs: Sequence[str], references: Sequence[str], rules: Rules, deals: int, few: int, seed: int) -> Plan:
    lineups: dict[tuple[int, ...], int] = {}
    known = [reference for reference in references if reference in specs]
    for place, spec in enumerate(specs):
        for reference in known[-1:] if is_slow(spec) else known:
            if reference != spec:
                lineup = against(place, specs.index(reference), rules.players)
                if rules.players > 2 or lineup[::-1] not in lineups:
                    lineups[lineup] = few if is_slow(spec) or is_slow(reference) else deals
    if not lineups:
        raise ValueError("there is nobody to play: name other agents or references")
    return Plan(tuple(specs), rules, tuple(lineups), tuple(lineups.values()), seed, tables="against")


def code_version() -> dict[str, str | None]:
    """The commit of the code (``-dirty`` where files differ) and its date, null outside a checkout; and its digest."""
    commit = _git("describe", "--always", "--dirty", "--exclude=*")
    return {"commit": commit, "date": _git("log", "-1", "--format=%cs"), "code": code_digest()}


def _git(*arguments: str) -> str | None:
    line = ["git", "-C", str(Path(__file__).parent), *arguments]
    try:
        return subprocess.run(line, capture_output=True, text=True, check=True).stdout.strip() or None
    except (OSError, subprocess.CalledProcessError):
        return None


# --- tables -----------------------------------------------------------------------------------------------------------


def keep(file: Path, kept: Path = KEPT) -> None:
    """Keep the figures of what ``uno benchmark agents --json FILE`` wrote, rounded, a line for each agent.

    Raises:
        ValueError: the file holds no ladder.
    """
    try:
        written = json.loads(file.read_text(encoding="utf-8"))
        ladder = written["ladder"]
        values = {name: ladder[name] for name in ("commit", "date", "code", "seed", "references")}
        tracks = {name: _summary(report, ladder["references"]) for name, report in ladder["tracks"].items()}
    except (KeyError, TypeError, json.JSONDecodeError) as error:
        raise ValueError(f"{str(file)!r} holds no ladder: {error!r}") from None
    lines = [f'  "{name}": {json.dumps(value, ensure_ascii=False)},' for name, value in
             {"command": written["command"], **values}.items()]  # fmt: skip
    parts = []
    for name, track in tracks.items():
        rows = ",\n".join(f"      {json.dumps(row, ensure_ascii=False)}" for row in track.pop("agents"))
        parts.append(f'    "{name}": {json.dumps(track)[:-1]}, "agents": [\n{rows}\n    ]}}')
    write_text(kept, "\n".join(["{", *lines, '  "tracks": {', ",\n".join(parts), "  }", "}"]) + "\n")


def _summary(report: Mapping[str, Any], references: Sequence[str]) -> dict[str, Any]:
    """What the tables show of a track; win rates and bounds in shares, to 5 digits."""
    cross, agents = report["cross"], {agent["name"]: agent for agent in report["agents"]}
    places = {name: place for place, name in enumerate(agents)}
    rows = []
    for name in report["ranking"]:
        elo, speed = agents[name]["rating"]["bradley_terry"], agents[name]["decisions_per_second"]
        cells = {
            reference: [
                round(cross[field][places[name]][places[reference]], 5) for field in ("win_rate", "low", "high")
            ]
            + [cross["deals"][places[name]][places[reference]]]
            for reference in references
            if reference in places and cross["win_rate"][places[name]][places[reference]] is not None
        }
        rows.append(
            {
                "name": name,
                "elo": [round(elo[field], 1) for field in ("elo", "low", "high")],
                "against": cells,
                "decisions_per_second": None if speed is None else float(f"{speed:.3g}"),
            }
        )
    return {
        "players": report["players"],
        "par": cross["par"],
        "deals": report["deals"],
        "variance_reduction": round(report["variance_reduction"]["median"] or 1, 3),
        "agents": rows,
    }


def markdown(ladder: Mapping[str, Any]) -> str:
    """The tables of a ladder as it was measured."""
    tracks = {name: _summary(report, ladder["references"]) for name, report in ladder["tracks"].items()}
    return tables({**ladder, "tracks": tracks})


def kept_tables() -> str:
    """The tables of the kept ladder, with what they were made by."""
    kept = json.loads(KEPT.read_text(encoding="utf-8"))
    made = f"`{kept['command']}`, code of commit {kept['commit']} ({kept['date']}), seed {kept['seed']}."
    return f"{made}\n\n{tables(kept)}"


def tables(ladder: Mapping[str, Any]) -> str:
    """A Markdown table for each track, from its summary."""
    parts = []
    for name, track in ladder["tracks"].items():
        references = [
            reference
            for reference in ladder["references"]
            if any(reference in agent["against"] for agent in track["agents"])
        ]
        title = (
            f"**{name}**: {track['players']} players, par {track['par']:.0%}, {track['deals']:,} deals a pair at most; "
            f"independent deals would take {track['variance_reduction']:.2f} times as many games"
        )
        heads = ["agent", "Elo", *(f"v `{reference}`" for reference in references), "decisions/s"]
        lines = [title, "", _row(heads), _row(["---"] * len(heads))]
        for agent in track["agents"]:
            elo, low, high = agent["elo"]
            speed = agent["decisions_per_second"]
            lines.append(
                _row(
                    [
                        f"`{agent['name']}`",
                        f"{elo:+.0f} ± {(high - low) / 2:.0f}",
                        *(_cell(agent["against"].get(reference), track["deals"]) for reference in references),
                        "" if speed is None else f"{speed:,.0f}",
                    ]
                )
            )
        parts.append("\n".join(lines))
    return "\n\n".join(parts)


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(cell: Sequence[float] | None, most: int) -> str:
    """A win rate in per cent; where fewer deals were played than elsewhere, with their number."""
    if cell is None:
        return ""
    value, low, high, deals = cell
    return percent(value, low, high) + ("" if deals == most else f" ({deals:,.0f} deals)")


if __name__ == "__main__":
    try:
        keep(Path(sys.argv[1]))
    except (ValueError, OSError, IndexError) as error:
        sys.exit(f"train.benchmarks.ladder: {error}; usage: python -m train.benchmarks.ladder FILE")
