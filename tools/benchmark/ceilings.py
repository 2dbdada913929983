"""What luck leaves on each track: the win rates of two players that see more than the rules allow.

``python -m tools.benchmark ceilings`` measures what is left, and writes ``benchmark/v1/ceilings.json``. Both players
try actions in determinizations that are played on by ``tuned``: ``cheat:flat`` sees all hands, ``cheat:deck`` also the
order of the draw pile (``studies/oracle.py``). No player who keeps to the rules comes near the second. They are no
upper bounds in the strict sense: a better player with the same knowledge may win more.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

from tools import ROOT
from tools.benchmark.freeze import FOLDER, PLAIN
from train.cli.arguments import Command
from train.common.suite import BOTTOM, TOP, read_suite
from train.common.table import MarkdownTable
from train.evaluation.duplicate import evaluate
from train.evaluation.estimate import Estimate
from uno_env.common.files import read_json, write_json

FILE = FOLDER / "ceilings.json"
DEALS = {"duel-2p": 500, "classic-2p": 500, "classic-4p": 200, "house-4p": 50, "rlcard-2p": 500}
SEED = 20_330
OPPONENTS = (BOTTOM, "tuned", TOP)
DECK = f"{ROOT / 'studies' / 'oracle.py'}:KnowsTheDeck"
PLAYERS = ("cheat:deck", "cheat:flat?num_determinizations=50")


def measured() -> dict[str, Any]:
    """What was measured: an estimate by ``track player opponent``."""
    return dict(read_json(FILE)) if FILE.is_file() else {}


def ceilings_table() -> str:
    """The published table."""
    there, rows = measured(), []
    for track in PLAIN:
        for player in PLAYERS:
            found = [there.get(f"{track} {player} {opponent}") for opponent in OPPONENTS]
            if any(found):
                cells = [Estimate.from_dict(each, "win_rate").text() if each else "" for each in found]
                rows.append([f"`{track}`", f"`{player}`", f"{DEALS[track]:,}", *cells])
    headings = ["track", "player", "deals", *(f"v `{opponent}`" for opponent in OPPONENTS)]
    return MarkdownTable("", headings, rows).markdown()


@dataclass(frozen=True, kw_only=True)
class Ceilings(Command):
    """Measure two players that see all hands, one of which also knows the deck, on every track. The same command
    resumes."""

    needs: ClassVar = ("scipy",)

    tracks: tuple[str, ...] = tuple(PLAIN)
    """the tracks"""

    def run(self) -> None:
        suite = read_suite()
        for player in PLAYERS:
            for track in map(suite.track, self.tracks):
                (rules,) = track.table_rules(track.name)
                for opponent in OPPONENTS:
                    name = f"{track.name} {player} {opponent}"
                    if name in measured():
                        continue
                    spec, cheat = track.opponent_specs()[opponent], DECK if player == PLAYERS[0] else player
                    result = evaluate(cheat, spec, rules, DEALS[track.name], SEED, threads=1)
                    write_json(FILE, {**measured(), name: result.estimate.to_dict("win_rate")})
                    print(f"{name}: {result.estimate.text()}", flush=True)
