"""Games of a batch as single ones, and what a record says of seats and of known cards."""

from typing import Any

import numpy as np
import numpy.typing as npt

from uno_env import BatchedGames, Game
from uno_env.core.observe.encode import encode
from uno_env.core.packed_games import rows_of, whole
from uno_env.core.record import MAX_SEATS
from uno_env.editions import edition_for
from uno_env.game_state.course import Course
from uno_env.observation import layout


def put(game: Game, batch: BatchedGames, index: int) -> None:
    """Set a game to the state of one of a batch's."""
    game._array[0] = whole(batch.games[index : index + 1], edition_for(batch.rules))[0]


def mark_legal(game: Game) -> None:
    """Mark what may be done in a game that was written to, by code that every game runs: nothing is compiled for it."""
    game._course.mask[:] = Course(game._array, game._rules).mask


def seats_in(bits: Any) -> set[int]:
    """Seats that a record gives as bits."""
    return {seat for seat in range(MAX_SEATS) if int(bits) >> seat & 1}


def begin(game: Game) -> None:
    """Begin a game that was written to as if it had just been dealt."""
    game._course = Course(game._array, game._rules)


def as_in_batch(game: Game, batch: BatchedGames) -> bytes:
    """The bytes of a game that a batch would keep of it."""
    return rows_of(game._array)[0, : batch.games.dtype.itemsize].tobytes()


def true_row(game: Game, seat: int) -> npt.NDArray[np.uint8]:
    """What a seat would observe if what others are asked were no secret."""
    row = game.observe(seat, "uint8")
    row[: layout(game.rules)["seats"].start] = 0
    encode(game.record, game.rules.record, seat, row)
    return row


def known(record: Any, players: int) -> npt.NDArray[np.int8]:
    """Cards that each viewer knows each other owner to hold of each kind, [players, players, kinds]; shares memory."""
    kinds = len(record["discards"])
    return record["known"][: players * players * kinds].reshape(players, players, kinds)


def known_to(record: Any, viewer: int, players: int) -> npt.NDArray[np.int64]:
    """Cards that a viewer knows others to hold, by owner and kind, [players, kinds]; a copy."""
    numbers = np.zeros((players, len(record["discards"])), int)
    if record["knows"]:
        numbers[:] = known(record, players)[viewer]
        numbers[viewer] = 0
    return numbers
