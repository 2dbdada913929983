"""Flip: the length of hands, how often everything is turned over, who gains by it, the worth of luck and of the first
turn.
"""

from collections.abc import Sequence

import numpy as np

from studies.blocks import NUMBERS, about, curves, grid, table
from studies.editions.hands import (
    above_chance,
    among_good_players,
    by_players,
    first_player_section,
    hands_that_never_end,
    labels_of,
    length_and_luck,
    length_section,
    luck_section,
    measure_length,
    measure_skill,
    skill_parts,
)
from studies.habits import Array
from studies.question import Row, StudyPage, StudyPart, StudyPlan, StudyQuestion, pick, row, values
from studies.tables import STRONG, WHO, deals_for, kind, play_alike, share, tables
from train.evaluation.estimate import Estimate
from uno_env import BatchedGames, Rules
from uno_env.actions import catalogue
from uno_env.core.packed_games import records, rows_of
from uno_env.core.record import WENT_OUT
from uno_env.editions.flip import FLIP

PRESET = "flip"
FLIPS, KEEPS = "lays the Flip", "does something else"
PLACES = ("who has the chance", "who is next")

_PLAYS = range(catalogue(FLIP).first.draw)
FLIPPING = np.zeros((FLIP.sides, catalogue(FLIP).first.number), bool)
"""True where an action lays a Flip, by the side in force, bool [2, actions]."""
for _side in range(FLIP.sides):
    FLIPPING[_side, : len(_PLAYS)] = [
        FLIP.faces_on(_side)[catalogue(FLIP).kinds[action]].effect == "flip" for action in _PLAYS
    ]


class Turned:
    """The Flips of each hand so far, by a ``watch`` of :func:`train.evaluation.duplicate.play_deals`.

    Attributes:
        number: int64 [games], Flips that were laid.
        dark: bool [games], whether the dark side is in force.
        chance: int64 [games], the seat that could lay a Flip first, not as its last card; −1 if none could.
        next: int64 [games], the seat after it in the order of play.
        took: bool [games], whether it laid the Flip.
    """

    def __init__(self, games: int, rules: Rules) -> None:
        self._rules = rules.record
        self.number, self.dark, self.took = np.zeros(games, np.int64), np.zeros(games, bool), np.zeros(games, bool)
        self.chance, self.next = np.full(games, -1), np.full(games, -1)

    def __call__(self, games_in: Array, actions: Array, batch: BatchedGames) -> None:
        """Note what the actions of a batch will turn over."""
        slots = np.flatnonzero(games_in >= 0)
        before, games = records(rows_of(batch.games[slots]), self._rules), games_in[slots]
        side, seat, players = before["side"][:, 0], before["to_move"].astype(int), int(self._rules["players"])
        flipping = FLIPPING[side]
        flips = flipping[np.arange(len(slots)), np.asarray(actions)[slots]]
        self.number[games] += flips
        self.dark[games] = (side == 1) ^ flips
        more = before["seats"]["hand_size"][np.arange(len(slots)), seat] > 1
        new = (self.chance[games] < 0) & more & (batch.masks[slots] & flipping).any(axis=1)
        self.chance[games[new]] = seat[new]
        self.next[games[new]] = (seat[new] + before["direction"][new]) % players
        self.took[games[new]] = flips[new]


def parts(plan: StudyPlan) -> list[StudyPart]:
    """For each number of players: a part for each kind of table, and one for each pair."""
    found = []
    for players in plan.players:
        for spec in tables(_rules(players)):
            labels = {"what": "hands", "players": players, "spec": spec, "hands": deals_for(plan.deals, spec)}
            found.append(StudyPart.of(plan, PRESET, f"{players}-{kind(spec).replace(' ', '-')}", **labels))
        found += skill_parts(plan, PRESET, players)
    return found


def _rules(players: int) -> Rules:
    return Rules.preset(PRESET, players=players)


def measure(part: StudyPart) -> list[Row]:
    """The rows of one part."""
    return measure_skill(part, PRESET) if part["what"] == "skill" else _hands(part)


def _hands(part: StudyPart) -> list[Row]:
    """Length, the first player, and Flips."""
    players, number = part["players"], part["hands"]
    seen = Turned(number, _rules(players))
    played = play_alike(part["spec"], _rules(players), number, part.seed, watch=seen)
    shares = {
        "beginner": played.winner == played.starter,
        "turned": seen.number > 0,
        "dark": seen.dark,
        "never ended": played.end != WENT_OUT,
    }
    return [
        *measure_length(part, played),
        row("flips", Estimate.of(seen.number.astype(float)), **labels_of(part)),
        *(row(name, share(each.astype(float)), **labels_of(part)) for name, each in shares.items()),
        *_gains(part, seen, played.winner),
    ]


def _gains(part: StudyPart, seen: Turned, winner: Array) -> list[Row]:
    """The win rates of those of whom the first could lay a Flip, by what that player did."""
    rows = []
    for did, which in ((FLIPS, seen.took), (KEEPS, ~seen.took)):
        there = (seen.chance >= 0) & which
        if there.sum() > 1:
            for place, seat in zip(PLACES, (seen.chance, seen.next), strict=True):
                won = (winner == seat)[there].astype(float)
                rows.append(row("gain", share(won), **labels_of(part), did=did, place=place))
    return rows


# --- the page ---------------------------------------------------------------------------------------------------------


def page(rows: Sequence[Row]) -> StudyPage:
    """The page, from rows alone."""
    kinds = values(rows, "table")
    number = {each: [(found["players"], found) for found in pick(rows, measure="flips", table=each)] for each in kinds}
    figures = {"flips": curves(number, "players", "Flips of a hand", scale=1)}
    captions = {"flips": "How often everything is turned over in a hand, by the number of players."}
    sections = (
        length_section(rows, kinds),
        _turns(rows, kinds),
        _gain(rows),
        luck_section(rows, 500),
        first_player_section(rows),
    )
    text = "\n\n".join(["{figure:flips}", f"{WHO} The rules are those of the preset `{PRESET}`.", *sections])
    return StudyPage(_summary(rows), text, figures, captions)


def _turns(rows: Sequence[Row], kinds: Sequence[str]) -> str:
    found = []
    for name, title, scale in (
        ("flips", "Flips that are laid in a hand:", 1),
        ("dark", "Hands that end on the dark side, per cent:", 100),
    ):
        cells = by_players(rows, [(name, each) for each in kinds], 2, scale)
        found.append(f"{title}\n\n" + table(["players", *kinds], cells))
    found.append(hands_that_never_end(rows))
    return "## How often everything is turned over\n\n" + "\n\n".join(found)


def _gain(rows: Sequence[Row]) -> str:
    gains = [
        {**above_chance(each), "who": f"{each['place']}, if that player {each['did']}"}
        for each in pick(rows, measure="gain", table=STRONG)
    ]
    return (
        "## Who gains by a Flip?\n\nLooked at is the first player of a hand who could lay a Flip that is not the last "
        "card. The table says how much more often than by chance that player wins, and the next one, in points of win "
        f"rate, with `{STRONG}` at all seats. Players choose whether they flip, so the lines compare situations, not "
        f"only the Flip.\n\n{grid(gains, 'who', 'players')}"
    )


def _summary(rows: Sequence[Row]) -> str:
    counts = values(rows, "players")
    few, many = min(counts), max(counts)

    findings = []
    if (turned := among_good_players(rows, "flips", few)) and (often := among_good_players(rows, "flips", many)):
        findings.append(
            f"**Everything is turned over {about(turned, 1)} to {about(often, 1)} times in a hand.** That is so among "
            f"good players, with {NUMBERS[few]} and with {NUMBERS[many]} of them."
        )
    findings += length_and_luck(rows, "Hands are not short.", "A hand is mostly luck.")
    return "\n\n".join(findings)


QUESTION = StudyQuestion(
    name="flip",
    title="What is different in Flip?",
    at_the_table="In Flip, nearly every second hand ends on the dark side: think of both sides of your cards.",
    parts=parts,
    measure=measure,
    page=page,
)
