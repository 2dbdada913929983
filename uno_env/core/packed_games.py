"""Games side by side as rows of bytes, each as long as the rules need.

A record (record.py) has room for ten seats, a match, and all that players may come to know. The fields that not all
rules need come last, so the first bytes of a record are enough for a game by rules that never touch the others:
:func:`row_bytes` says how many. Compiled code sees a row as a whole record (:func:`game_at`), Python as a record
without the fields that are not there (:func:`row_dtype`).
"""

from typing import Any

import numpy as np
import numpy.typing as npt
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic
from numba.np.numpy_support import from_dtype

from uno_env.cards import NUM_KINDS
from uno_env.core.jit.njit import INTERPRETED, njit
from uno_env.core.record import GAME, GAME_FIELDS, SEAT
from uno_env.core.rules.seven_zero import may_move_hands
from uno_env.core.rules.special_wilds import may_swap_hands
from uno_env.core.rules.wild_draw_four import may_be_challenged

Array = npt.NDArray[Any]

OFFSET: dict[str, int] = {name: dict(GAME.fields or {})[name][1] for name in GAME.names or ()}
"""Bytes of a record before each field."""
LINE = 64
"""Rows are so many bytes long, or a multiple of it."""


def row_bytes(rules: Any) -> int:
    """Bytes that a game takes by the rules of a rules record."""
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
    """Whether players can come to know cards of others: no other rules show a hand or give one away."""
    questions = (may_be_challenged, may_move_hands, may_swap_hands)
    return any(getattr(question, "py_func", question)(rules) for question in questions)


def new_rows(number: int, rules: Any) -> npt.NDArray[np.uint8]:
    """Room for a number of games, uint8 [N, bytes], all zeros."""
    return np.zeros((number, row_bytes(rules)), np.uint8)


def row_dtype(rules: Any) -> "np.dtype[Any]":
    """A row as Python sees it: a record's fields as far as they are there."""
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


def rows_of(games: Array) -> npt.NDArray[np.uint8]:
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


_RECORD = from_dtype(GAME)


def _game_at(typing_context: Any, rows: Any, index: Any) -> Any:
    """The record in a row; compiled code must not touch what the row leaves out of it."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind = signature.args[0]
        array = context.make_array(kind)(context, builder, arguments[0])
        zero = context.get_constant(types.intp, 0)
        first = cgutils.get_item_pointer(context, builder, kind, array, [arguments[1], zero], wraparound=False)
        return builder.bitcast(first, context.get_value_type(_RECORD))

    return _RECORD(rows, types.intp), generate


def _copy_first(typing_context: Any, source: Any, target: Any, number: Any) -> Any:
    """Copy the first bytes of one record to another."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        byte = ir.IntType(8).as_pointer()
        origin, goal = (builder.bitcast(pointer, byte) for pointer in arguments[:2])
        cgutils.raw_memcpy(builder, goal, origin, arguments[2], 1)
        return context.get_dummy_value()

    return types.void(source, target, types.intp), generate


def _copy_fields(source: Any, target: Any, number: int) -> None:
    for name in GAME.names or ():
        target[name] = source[name]


if INTERPRETED:

    def game_at(rows: Array, index: int) -> Any:
        """The record in a row."""
        return rows[index].view(GAME)[0]

    copy_first = _copy_fields
else:
    game_at = intrinsic(_game_at)
    copy_first = intrinsic(_copy_first)

KNOWN = OFFSET["known"]


@njit
def copy_game(source, target, rules):
    """Make one whole record the same as another, but for what means nothing in it."""
    copy_first(source, target, KNOWN + source.knows * rules.players * rules.players * NUM_KINDS)
