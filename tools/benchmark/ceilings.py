"""The limits that luck sets on each track: the win rates of two players that see more than the rules allow.

``python -m tools.benchmark ceilings`` measures what is left, and writes ``benchmark/v1/ceilings.json``. Both players
try actions in determinizations that are played on by ``tuned``: ``cheat:flat`` sees all hands, ``cheat:deck`` also the
order of the draw pile (``studies/oracle.py``). No player who keeps to the rules comes near the second. They are no
upper bounds in the strict sense: a better player with the same knowledge may win more.
"""

from dataclasses import dataclass
from itertools import product
from typing import Any, ClassVar

from tools import ROOT
from tools.benchmark.freeze import FOLDER
from train.benchmarks.measuring import mean_estimate
from train.cli.arguments import Command
from train.common.suite import BOTTOM, TOP, read_suite
from train.common.table import MarkdownTable
from train.evaluation.duplicate import evaluate
from train.evaluation.estimate import Estimate
from uno_env.common.files import read_json, write_json

FILE = FOLDER / "ceilings.json"
DEALS = {"duel-2p": 500, "classic-2p": 500, "classic-4p": 200, "house-4p": 50, "rlcard-2p": 500, "unseen-rules": 4}
"""Deals for each rule set."""
SEED = 20_330
OPPONENTS = (BOTTOM, "tuned", TOP)
DECK = f"{ROOT / 'studies' / 'oracle.py'}:KnowsTheDeck"
PLAYERS = ("cheat:deck", "cheat:flat?num_determinizations=50")


def measured() -> dict[str, Any]:
    """The saved ceilings: an estimate by ``score player opponent``."""
    return dict(read_json(FILE)) if FILE.is_file() else {}


def ceilings_table() -> str:
    """The published table."""
    there, rows = measured(), []
    for track in map(read_suite().track, DEALS):
        for score, player in product(track.tables, PLAYERS):
            found = [there.get(f"{score} {player} {opponent}") for opponent in OPPONENTS]
            if any(found):
                cells = [Estimate.from_dict(each, "win_rate").text() if each else "" for each in found]
                deals = DEALS[track.name] * len(track.tables[score])
                rows.append([f"`{score}`", f"`{player}`", f"{deals:,}", *cells])
    headings = ["score", "player", "deals", *(f"v `{opponent}`" for opponent in OPPONENTS)]
    return MarkdownTable("", headings, rows).markdown()


@dataclass(frozen=True, kw_only=True)
class Ceilings(Command):
    """Measure two players that see all hands, one of which also knows the deck, on every track. The same command
    resumes."""

    needs: ClassVar = ("scipy",)

    tracks: tuple[str, ...] = tuple(DEALS)
    """the tracks"""

    def run(self) -> None:
        suite = read_suite()
        for player, track in product(PLAYERS, map(suite.track, self.tracks)):
            for score, opponent in product(track.tables, OPPONENTS):
                name = f"{score} {player} {opponent}"
                if name in measured():
                    continue
                spec, cheat = track.opponent_specs()[opponent], DECK if player == PLAYERS[0] else player
                estimate = mean_estimate(
                    [
                        evaluate(cheat, spec, rules, DEALS[track.name], SEED, threads=1).estimate
                        for rules in track.table_rules(score)
                    ]
                )
                write_json(FILE, {**measured(), name: estimate.to_dict("win_rate")})
                print(f"{name}: {estimate.text()}", flush=True)
