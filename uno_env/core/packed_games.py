"""Games side by side as rows of bytes, each as long as the rules need.

A record (record.py) has room for ten seats, a match, and all that players may come to know. The fields that not all
rules need come last, so the first bytes of a record are enough for a game by rules that never touch the others:
:func:`row_bytes` says how many. Compiled code sees a row as a whole record (:func:`game_at`), Python as a record
without the fields that are not there (:func:`row_dtype`).
"""

from functools import cache
from typing import Any, NamedTuple

import numpy as np

from uno_env.core.arrays import Array, Bytes
from uno_env.core.edition import sizes_of
from uno_env.core.jit.njit import INTERPRETED, njit
from uno_env.core.jit.records import constants_of, copy_first, record_at
from uno_env.core.record import edition_marked, edition_of, game_fields, records_of
from uno_env.core.record_type import Fields, record_type
from uno_env.core.rules.roulette import may_turn_up_cards
from uno_env.core.rules.seven_zero import may_move_hands
from uno_env.core.rules.special_wilds import may_swap_hands
from uno_env.core.rules.wild_draw_four import may_be_challenged
from uno_env.editions.classic import CLASSIC
from uno_env.editions.edition import Edition

LINE = 64
"""The length of a row in bytes is a multiple of this."""


class Offsets(NamedTuple):
    """Bytes of a record before some of its fields."""

    pile: int
    seats: int
    known: int
    seat_bytes: int
    """Bytes of a seat."""


def _offsets(mark: str) -> Offsets:
    return offsets(edition_marked(mark))


@cache
def offsets(edition: Edition) -> Offsets:
    """The offsets in an edition's records."""
    types = records_of(edition)
    fields = dict(types.game.fields or {})
    pile, seats, known = (fields[name][1] for name in ("pile", "seats", "known"))
    return Offsets(pile, seats, known, types.seat.itemsize)


offsets_of = constants_of(_offsets)
"""``offsets_of(rules)``: the same for compiled code."""


def row_bytes(rules: Any) -> int:
    """Bytes of a game under the rules of a rules record."""
    edition = edition_of(rules)
    whole_bytes = records_of(edition).game.itemsize
    if INTERPRETED:
        return whole_bytes
    players, at = int(rules.players), offsets(edition)
    end = at.seats + players * at.seat_bytes
    if rules.match:
        end = at.known
    if can_know(rules):
        end = at.known + players * players * len(edition.kinds)
    return min(-(-end // LINE) * LINE, whole_bytes)


def can_know(rules: Any) -> bool:
    """Return whether players can learn cards of others under the rules: a hand is shown or changes owners, or
    cards have two sides.
    """
    if edition_of(rules).sides > 1:
        return True  # a card of the draw pile can have been seen on both sides
    questions = (may_be_challenged, may_move_hands, may_swap_hands, may_turn_up_cards)
    return any(getattr(question, "py_func", question)(rules) for question in questions)


def new_rows(number: int, rules: Any) -> Bytes:
    """Room for a number of games, uint8 [N, bytes], all zeros."""
    return np.zeros((number, row_bytes(rules)), np.uint8)


def row_dtype(rules: Any) -> "np.dtype[Any]":
    """The dtype of a row in Python: the first fields of a record, as many as the row has."""
    return _first_fields(edition_of(rules), row_bytes(rules))


@cache
def _first_fields(edition: Edition, left: int) -> "np.dtype[Any]":
    """The type of a record's first fields, as many as there are bytes for."""
    fields = Fields()
    for name, kind, shape in game_fields(edition):
        each = np.dtype((kind, shape))
        if each.itemsize > left:  # the last one is cut short
            shape = (left // np.dtype(kind).itemsize,)
        fields.append((name, kind, shape))
        left -= np.dtype((kind, shape)).itemsize
        if not left:
            break
    return record_type(fields)


def records(rows: Array, rules: Any) -> Array:
    """Rows as an array of records [N], which shares their memory."""
    view: Array = rows.view(row_dtype(rules))[:, 0]
    return view


def rows_of(games: Array) -> Bytes:
    """Records as rows, which share their memory: uint8 [N, bytes]."""
    return games.view(np.uint8).reshape(len(games), games.dtype.itemsize)


def whole(games: Array, edition: Edition = CLASSIC) -> Array:
    """A copy of records of any rules as whole records of the edition [N], with zeros for what they leave out."""
    full = np.zeros(len(games), records_of(edition).game)
    rows_of(full)[:, : games.dtype.itemsize] = rows_of(np.ascontiguousarray(games))
    return full


def known_table(known: Array, players: int, edition: Edition = CLASSIC) -> Array:
    """A record's ``known`` by viewer, owner and kind, int8 [players, players, kinds], which shares its memory."""
    kinds = len(edition.kinds)
    return known[: players * players * kinds].reshape(players, players, kinds)


game_at = record_at(lambda mark: records_of(edition_marked(mark)).game)
"""``game_at(rows, index, rules)``: the game in a row; compiled code must not touch what the row leaves out of a
record.
"""


@njit
def copy_game(source, target, rules):
    """Make one whole record equal to another, except for bytes without meaning in it."""
    known = rules.players * rules.players * sizes_of(rules).kinds
    copy_first(source, target, offsets_of(rules).known + source.knows * known)
