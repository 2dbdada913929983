"""Games side by side as rows of bytes, each as long as the rules need.

A record (record.py) has room for ten seats, a match, and all that players may come to know. The fields that not all
rules need come last, so the first bytes of a record are enough for a game by rules that never touch the others:
:func:`row_bytes` says how many. Compiled code sees a row as a whole record (:func:`game_at`), Python as a record
without the fields that are not there (:func:`row_dtype`).
"""

from typing import Any

import numpy as np

from uno_env.cards import NUM_KINDS
from uno_env.core.arrays import Array, Bytes
from uno_env.core.jit.njit import INTERPRETED, njit
from uno_env.core.jit.records import copy_first, record_at
from uno_env.core.record import GAME, GAME_FIELDS, SEAT
from uno_env.core.rules.seven_zero import may_move_hands
from uno_env.core.rules.special_wilds import may_swap_hands
from uno_env.core.rules.wild_draw_four import may_be_challenged

OFFSET: dict[str, int] = {name: dict(GAME.fields or {})[name][1] for name in GAME.names or ()}
"""Bytes of a record before each field."""
LINE = 64
"""Rows are so many bytes long, or a multiple of it."""


def row_bytes(rules: Any) -> int:
    """Bytes of a game under the rules of a rules record."""
    if INTERPRETED:
        return GAME.itemsize
    players = int(rules.players)
    end = OFFSET["seats"] + players * SEAT.itemsize
    if rules.match:
        end = OFFSET["known"]
    if can_know(rules):
        end = OFFSET["known"] + players * players * NUM_KINDS
    return min(-(-end // LINE) * LINE, GAME.itemsize)


def can_know(rules: Any) -> bool:
    """Whether players can learn cards of others under the rules: a hand is shown or changes owners."""
    questions = (may_be_challenged, may_move_hands, may_swap_hands)
    return any(getattr(question, "py_func", question)(rules) for question in questions)


def new_rows(number: int, rules: Any) -> Bytes:
    """Room for a number of games, uint8 [N, bytes], all zeros."""
    return np.zeros((number, row_bytes(rules)), np.uint8)


def row_dtype(rules: Any) -> "np.dtype[Any]":
    """The dtype of a row in Python: the first fields of a record, as many as the row has."""
    left, fields = row_bytes(rules), []
    for name, kind, shape in GAME_FIELDS:
        each = np.dtype((kind, shape))
        if each.itemsize > left:  # the last one is cut short
            shape = (left // np.dtype(kind).itemsize,)
        fields.append((name, kind, shape))
        left -= np.dtype((kind, shape)).itemsize
        if not left:
            break
    return np.dtype((np.record, fields))


def records(rows: Array, rules: Any) -> Array:
    """Rows as an array of records [N], which shares their memory."""
    view: Array = rows.view(row_dtype(rules))[:, 0]
    return view


def rows_of(games: Array) -> Bytes:
    """Records as rows, which share their memory: uint8 [N, bytes]."""
    return games.view(np.uint8).reshape(len(games), games.dtype.itemsize)


def whole(games: Array) -> Array:
    """A copy of records of any rules as :data:`uno_env.core.record.GAME` [N], with zeros for what they leave out."""
    full = np.zeros(len(games), GAME)
    rows_of(full)[:, : games.dtype.itemsize] = rows_of(np.ascontiguousarray(games))
    return full


def known_table(known: Array, players: int) -> Array:
    """A record's ``known`` by viewer, owner and kind, int8 [players, players, 58], which shares its memory."""
    return known[: players * players * NUM_KINDS].reshape(players, players, NUM_KINDS)


game_at = record_at(GAME)
"""``game_at(rows, index)``: the game in a row; compiled code must not touch what the row leaves out of a record."""

KNOWN = OFFSET["known"]


@njit
def copy_game(source, target, rules):
    """Make one whole record equal to another, except for bytes without meaning in it."""
    copy_first(source, target, KNOWN + source.knows * rules.players * rules.players * NUM_KINDS)
