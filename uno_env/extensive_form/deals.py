"""The deals of a hand: hands, the first discard, and what a first card makes players draw. :func:`all_deals`."""

from collections.abc import Iterator
from itertools import accumulate
from math import comb

import numpy as np

from uno_env.core.arrays import Array
from uno_env.core.packed_games import new_rows, records
from uno_env.core.record import MAX_SEATS, NOBODY, records_of
from uno_env.core.rules.deal import clear_match
from uno_env.core.rules.deck import fill_pile
from uno_env.editions import edition_for
from uno_env.extensive_form.explicit_chance import RENEWALS
from uno_env.extensive_form.outcomes import NO_ROOM, Outcomes, deal_each
from uno_env.extensive_form.workspace import Workspace
from uno_env.rules import Rules

MAX_DEALS = 300_000
"""Deals of the largest game whose tree is grown."""

Hand = tuple[int, ...]
"""Cards of each kind."""


def all_deals(form: Workspace) -> tuple[Array, Array]:
    """The games after the deal, rows uint8 [N, bytes], all different, and their probabilities float64 [N]. Raises
    ValueError if there are more than :data:`MAX_DEALS`.
    """
    rules, players = form.rules, form.players
    dealers = [rules.dealer_seat] if rules.dealer == "fixed" else list(range(players))
    given: list[list[int]] = []
    ways: list[float] = []
    if _number_of_hands(form.rules) > MAX_DEALS:
        raise ValueError(too_many())
    for hands, top, number in _hands_and_top(form):
        if len(given) * len(dealers) >= MAX_DEALS:
            raise ValueError(too_many())
        held = [[kind for kind, count in enumerate(hand) for _ in range(count)] for hand in hands]
        given.append([held[card % players][card // players] for card in range(form.cards_dealt)] + [top])
        ways.append(number)
    cards = np.array(given, np.int64)
    shares = np.array(ways) / sum(ways) / len(dealers)
    rows, weights = [], []
    for dealer in dealers:
        number, room = NO_ROOM, len(cards) + 2
        while number == NO_ROOM:
            room *= 2
            out = new_outcomes(rules, room)
            _write_root(form, out, dealer)
            number = deal_each(out, form.record, cards, shares)
        rows.append(out.rows[1:number])
        weights.append(out.shares[1:number])
    games, chances = np.concatenate(rows), np.concatenate(weights)
    _, first, places = np.unique(games.view(f"V{games.shape[1]}").ravel(), return_index=True, return_inverse=True)
    return games[first], np.bincount(places, chances)


def new_outcomes(rules: Rules, number: int, before: Outcomes | None = None) -> Outcomes:
    """Room for a number of games by some rules, with the games of ``before`` in it."""
    rows = new_rows(number, rules.record)
    hashes, shares = np.zeros(number, np.uint64), np.zeros(number)
    if before is not None:
        for new, old in ((rows, before.rows), (hashes, before.hashes), (shares, before.shares)):
            new[: len(old)] = old
    edition = edition_for(rules)
    levels, kinds = edition.most_cards + 2, len(edition.kinds)
    return Outcomes(
        rows, rows.view(np.uint64), hashes, shares, np.zeros(2, records_of(edition).game), np.zeros(levels, np.int64),
        np.zeros(levels, np.int64), np.zeros((levels, max(kinds, MAX_SEATS)), np.int64), np.zeros(levels + 1),
        np.zeros(kinds, np.int64), np.zeros((RENEWALS, kinds), np.int64),
    )  # fmt: skip


def _write_root(form: Workspace, out: Outcomes, dealer: int) -> None:
    game = form.room.after
    clear_match(game[0], form.record)
    fill_pile(game[0], form.record["deck"])
    root = records(out.rows, form.record)
    root[0:1] = game.view(np.uint8)[: root.dtype.itemsize].view(root.dtype)
    root["to_move"][0], root["dealer"][0] = NOBODY, dealer


def too_many() -> str:
    """The error of too many deals."""
    return f"these rules have more than {MAX_DEALS:,} deals, too many for a tree: choose fewer cards or smaller hands"


def _number_of_hands(rules: Rules) -> int:
    """Different hands that one seat can be dealt."""
    numbers = [1] + [0] * rules.hand_size
    for count in rules.deck_counts:
        numbers = [sum(numbers[max(0, size - count) : size + 1]) for size in range(rules.hand_size + 1)]
    return numbers[-1]


def _hands_and_top(form: Workspace) -> Iterator[tuple[list[Hand], int, float]]:
    """Hands by places from the dealer's left, the first discard, and what its probability is in proportion to."""
    suitable = form.may_lie_first

    def deal(left: Hand, players: int) -> Iterator[tuple[list[Hand], Hand, int]]:
        if players == 0:
            yield [], left, 1
            return
        for hand, number in _hands_of(left, form.rules.hand_size):
            rest = tuple(there - held for there, held in zip(left, hand, strict=True))
            for hands, last, more in deal(rest, players - 1):
                yield [hand, *hands], last, number * more

    for hands, left, number in deal(tuple(form.rules.deck_counts), form.players):
        first = [(kind, count) for kind, count in enumerate(left) if count and suitable[kind]]
        total = sum(count for _, count in first)
        for kind, count in first:
            yield hands, kind, number * count / total


def _hands_of(left: Hand, size: int) -> Iterator[tuple[Hand, int]]:
    """Hands of some size from the cards that are left, and in how many ways each comes about."""
    kinds = [kind for kind, count in enumerate(left) if count]
    behind = [*accumulate((left[kind] for kind in reversed(kinds)), initial=0)][::-1]

    def choose(place: int, size: int, hand: list[int], ways: int) -> Iterator[tuple[Hand, int]]:
        if size == 0:
            yield tuple(hand), ways
        elif size <= behind[place]:
            kind = kinds[place]
            for count in range(min(size, left[kind]) + 1):
                hand[kind] = count
                yield from choose(place + 1, size - count, hand, ways * comb(left[kind], count))
            hand[kind] = 0

    yield from choose(0, size, [0] * len(left), 1)
