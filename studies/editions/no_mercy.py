"""No Mercy: the length of hands, how often players are put out, the worth of luck, of the first turn, of cards."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from studies.blocks import NUMBERS, about, bars, curves, grid, holm, table
from studies.editions.hands import (
    FEWER,
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
from studies.regression import ON_TURN, features, fit
from studies.snapshot import Snapshot
from studies.tables import STRONG, WHO, deals_for, kind, play_alike, share, tables
from train.evaluation.estimate import Estimate
from uno_env import BatchedGames, Rules
from uno_env.core.jit.njit import njit
from uno_env.core.packed_games import game_at, records, rows_of
from uno_env.core.record import WENT_OUT
from uno_env.core.step import step
from uno_env.editions.no_mercy import NO_MERCY

PRESET = "no_mercy"
SWAP = "7"
"""The number that swaps hands is no plain number here."""


class PutOut:
    """Players put out of each hand so far, by a ``watch`` of :func:`train.evaluation.duplicate.play_deals`.

    Attributes:
        number: int64 [games], players that were put out.
        by_last_card: bool [games], whether the winner laid the last card.
    """

    def __init__(self, games: int, rules: Rules) -> None:
        self._rules = rules.record
        self.number, self.by_last_card = np.zeros(games, np.int64), np.zeros(games, bool)

    def __call__(self, games_in: Array, actions: Array, batch: BatchedGames) -> None:
        """Act in copies of the games of a batch."""
        slots = np.flatnonzero(games_in >= 0)
        rows = rows_of(batch.games[slots])
        act_in_each(rows, self._rules, np.asarray(actions)[slots])
        after = records(rows, self._rules)
        winner = after["winner"]
        self.number[games_in[slots]] = np.bitwise_count(after["put_out"])
        self.by_last_card[games_in[slots]] = after["seats"]["hand_size"][np.arange(len(slots)), winner] == 0


@njit
def act_in_each(rows: Array, rules: Any, actions: Array) -> None:
    """Act in games that are rows of bytes, uint8 [N, bytes]."""
    for index in range(len(rows)):
        step(game_at(rows, index, rules), rules, actions[index])


def parts(plan: StudyPlan) -> list[StudyPart]:
    """For each number of players: a part for each kind of table, one for the cards, and one for each pair."""
    found = []
    for players in plan.players:
        rules = _rules(players)
        for spec in tables(rules):
            labels = {"what": "hands", "players": players, "spec": spec, "hands": deals_for(plan.deals, spec)}
            found.append(StudyPart.of(plan, PRESET, f"{players}-{kind(spec).replace(' ', '-')}", **labels))
        cards = max(2, plan.deals // FEWER)
        found.append(
            StudyPart.of(plan, PRESET, f"{players}-cards", what="cards", players=players, spec=STRONG, hands=cards)
        )
        found += skill_parts(plan, PRESET, players)
    return found


def _rules(players: int) -> Rules:
    return Rules.preset(PRESET, players=players)


def measure(part: StudyPart) -> list[Row]:
    """The rows of one part."""
    if part["what"] == "skill":
        return measure_skill(part, PRESET)
    return {"hands": _hands, "cards": _cards}[part["what"]](part)


def _hands(part: StudyPart) -> list[Row]:
    """Length, the first player, and mercy."""
    players, number = part["players"], part["hands"]
    seen = PutOut(number, _rules(players))
    played = play_alike(part["spec"], _rules(players), number, part.seed, watch=seen)
    went_out = played.end == WENT_OUT
    shares = {
        "beginner": played.winner == played.starter,
        "mercy": seen.number > 0,
        "last": went_out & ~seen.by_last_card,
        "never ended": ~went_out,
    }
    return [
        *measure_length(part, played),
        row("put out", Estimate.of(seen.number.astype(float)), **labels_of(part)),
        *(row(name, share(each.astype(float)), **labels_of(part)) for name, each in shares.items()),
    ]


def _cards(part: StudyPart) -> list[Row]:
    """The worth of the cards of the starting hand."""
    players, number = part["players"], part["hands"]
    start = Snapshot(0, number, _rules(players))
    played = play_alike(part["spec"], _rules(players), number, part.seed, watch=start)
    won = (played.winner[:, None] == np.arange(players)).astype(float)
    held = features(start, start.reached, True, NO_MERCY, ("0", SWAP))
    return [row("worth", each, **labels_of(part), card=card) for card, each in fit(held, won).items()]


# --- the page ---------------------------------------------------------------------------------------------------------


def page(rows: Sequence[Row]) -> StudyPage:
    """The page, from rows alone."""
    counts = values(rows, "players")
    middle = 4 if 4 in counts else counts[-1]
    kinds = values(rows, "table")
    struck = {each: [(found["players"], found) for found in pick(rows, measure="mercy", table=each)] for each in kinds}
    worth = {each["card"]: each for each in pick(rows, measure="worth", players=middle)}
    figures = {
        "mercy": curves(struck, "players", "hands with mercy, per cent", scale=100),
        "cards": bars(worth, f"points of win rate, {middle} players", null=0, scale=100),
    }
    captions = {
        "mercy": "In how many of 100 hands at least one player is put out, by the number of players.",
        "cards": f"What a card in the starting hand is worth in place of a plain number, `{STRONG}` at all seats.",
    }
    sections = (
        length_section(rows, kinds),
        _mercy(rows, kinds),
        luck_section(rows, 1_000),
        first_player_section(rows),
        _worth(rows),
    )
    text = "\n\n".join(["{figure:mercy}", _LEGEND, *sections])
    return StudyPage(_summary(rows, counts, middle), text, figures, captions)


_LEGEND = f"""{WHO} The rules are those of the preset `{PRESET}`: a player with 25 cards is out of the hand."""


def _mercy(rows: Sequence[Row], kinds: Sequence[str]) -> str:
    parts = []
    for measure, title, scale in (
        ("mercy", "Hands in which at least one player is put out, per cent:", 100),
        ("put out", "Players who are put out of a hand:", 1),
        ("last", "Hands that are won by the last player who is not out, per cent:", 100),
    ):
        cells = by_players(rows, [(measure, each) for each in kinds], 2, scale)
        parts.append(f"{title}\n\n{table(['players', *kinds], cells)}")
    parts.append(hands_that_never_end(rows))
    return "## Mercy\n\n" + "\n\n".join(parts)


def _worth(rows: Sequence[Row]) -> str:
    return (
        "## Cards at the start\n\nThe table says how many points of win rate a card adds if it replaces a plain number "
        f"(1 to 9 without 7), with `{STRONG}` at all seats.\n\n{{figure:cards}}\n\n"
        f"{grid(pick(rows, measure='worth'), 'card', 'players')}"
    )


def _summary(rows: Sequence[Row], counts: Sequence[int], middle: int) -> str:
    few, many = min(counts), max(counts)

    findings = []
    if (
        (struck := among_good_players(rows, "mercy", few))
        and (often := among_good_players(rows, "mercy", many))
        and (last := among_good_players(rows, "last", middle))
    ):
        findings.append(
            f"**Mercy strikes in most hands.** With {NUMBERS[few]} good players, somebody is put out in "
            f"{about(struck)} of 100 hands, and with {NUMBERS[many]} in {about(often)}. With {NUMBERS[middle]}, the "
            f"last player who is not out wins {about(last)} of 100 hands."
            if min(struck["mean"], often["mean"]) > 0.5
            else f"**Mercy strikes more often at larger tables.** With {NUMBERS[few]} good players, somebody is put "
            f"out in {about(struck)} of 100 hands, and with {NUMBERS[many]} in {about(often)}. With {NUMBERS[middle]}, "
            f"the last player who is not out wins {about(last)} of 100 hands."
        )
    findings += length_and_luck(rows, "Hands are not long.", "A hand is still mostly luck.")
    worth = pick(rows, measure="worth", players=middle)
    told = [each for each, clear in zip(worth, holm(worth), strict=True) if clear and each["card"] != ON_TURN]
    told.sort(key=lambda each: -float(each["mean"]))
    if len(told) > 1:
        findings.append(
            f"**The best card to be dealt is the {told[0]['card']}.** With {NUMBERS[middle]} players it brings "
            f"{about(told[0])} more of 100 hands than a plain number. Next is {told[1]['card']} with {about(told[1])}."
        )
    return "\n\n".join(findings)


QUESTION = StudyQuestion(
    name="no_mercy",
    title="What is different in No Mercy?",
    at_the_table="In No Mercy, count the others' cards: whoever comes near 25 can be put out.",
    parts=parts,
    measure=measure,
    page=page,
)
