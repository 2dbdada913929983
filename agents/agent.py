"""The interface of everything that plays: :class:`Agent`."""

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

import numpy as np

from uno_env.actions import catalogue
from uno_env.common.calls import Exclusive, wait_turn
from uno_env.common.copies import compiled_view
from uno_env.common.numbers import checked_seed
from uno_env.core.arrays import Array, Bytes, Ints
from uno_env.core.jit.njit import njit
from uno_env.core.observe.layout import starts_of
from uno_env.core.rng import stream
from uno_env.editions import EDITIONS
from uno_env.editions.edition import Edition
from uno_env.history import EVENT_SIZE, highest_in
from uno_env.observation import edition_shown
from uno_env.player import Player

if TYPE_CHECKING:
    from agents.policy.onnx_file import OnnxCard
    from agents.policy.policy_file import PolicyCard


_UINT8, _FLOAT32 = np.dtype(np.uint8), np.dtype(np.float32)


class Agent(Exclusive, Player, ABC):
    """Chooses actions from observations and masks alone; it never sees a game.

    Equal seeds and equal calls give equal choices. A batch is chosen for row by row from the same generator, so
    ``act_batch`` on N rows chooses as N calls of ``act`` do. An agent belongs to one thread: a call during another one
    is refused with RuntimeError. After a call that was interrupted, it is as before that call, or as after it. Raises
    ValueError if the seed is not allowed.

    Args:
        name: what tables and logs call it.
        seed: of its own random generator, 0 to 2**64 − 1.
    """

    obs_dtype = "uint8"
    """Environments show it the integer form, which is faster; it takes the float form as well."""

    edition: Edition | None = None
    """The edition that it plays, if it is one alone; it refuses observations of others."""

    card: "PolicyCard | OnnxCard | None" = None
    """The description of a saved policy; None for all other agents."""

    def __init__(self, name: str, seed: int = 0) -> None:
        self.name = name
        self._random = np.zeros(1, np.uint64)
        self.reset(seed)

    def reset(self, seed: int) -> None:
        """Start the random generator again from ``seed``. Raises ValueError if the seed is not allowed."""
        self._random[0] = stream(np.uint64(checked_seed(seed)), np.uint64(0))

    def act(self, observation: Array, action_mask: Array, history: Array | None = None) -> int:
        """The chosen action of the player to move. Raises ValueError if an argument has another shape or type, or no
        action is legal.

        Args:
            observation: float32 or uint8 [D], the player's observation in float or integer form.
            action_mask: [A] of 0 and 1 (int8, uint8 or bool), what the player may do.
            history: uint8 [K, EVENT_SIZE], the last events that the player has seen, as many as :attr:`history` or
                more; others may be shown them, too.

        Returns:
            Id of a legal action.
        """
        histories = None if history is None else np.asarray(history)[None]
        return int(self.act_batch(np.asarray(observation)[None], np.asarray(action_mask)[None], histories)[0])

    def act_batch(self, observations: Array, action_masks: Array, histories: Array | None = None) -> Ints:
        """The chosen action of the player to move in each game of a batch.

        Args:
            observations: float32 or uint8 [N, D], a row for each game, in float or integer form.
            action_masks: [N, A] of 0 and 1 (int8, uint8 or bool).
            histories: uint8 [N, K, EVENT_SIZE], see :meth:`act`.

        Returns:
            Ids of legal actions, int64 [N]; a new array.

        Raises:
            ValueError: an argument has another shape or type, or a row has no legal action; nothing was drawn.
        """
        self._refuse_without_memory()
        rows = self._inputs(observations, histories)
        masks = self._masks(action_masks, rows)
        empty = find_empty(compiled_view(masks))
        if empty >= 0:
            raise ValueError(f"row {empty} of the action masks has no legal action")
        calls, mark = self._calls, object()  # not by a decorator, which takes a tenth of such a call's time
        calls.append(mark)
        if calls[0] is not mark:
            wait_turn(self, mark, "act_batch")
        try:
            return self._choose(rows, masks)
        finally:
            del calls[0]

    @abstractmethod
    def _choose(self, rows: Array, masks: Bytes) -> Ints:
        """Choose for each row; both arrays are checked and C-contiguous, and must be left as they are.

        They can be read-only, which compiled code takes for another kind of array
        (:func:`uno_env.common.copies.compiled_view`). Behind the observation, a row has the last :attr:`history`
        events.
        """

    def _inputs(self, observations: Array, histories: Array | None) -> Array:
        """Observations, and the events read, as rows of one type. Raises ValueError if they have another form."""
        rows = checked_observations(observations)
        if self.edition is not None:
            rows = _plain(self._own_columns(rows, self.edition), rows.dtype)
        if not self.history:
            return rows
        reads = f"agent {self.name!r} reads the last {self.history} events of the game"
        if histories is None:
            raise ValueError(f"{reads}, and they are not shown to it here")
        shown = np.asarray(histories)
        if shown.ndim != 3 or len(shown) != len(rows) or shown.shape[2] != EVENT_SIZE or shown.dtype != np.uint8:
            form = f"uint8 [{len(rows)}, K, {EVENT_SIZE}]"
            raise ValueError(f"histories must be {form}, not {shown.dtype} of shape {list(shown.shape)}")
        if shown.shape[1] < self.history:
            raise ValueError(f"{reads}, and {shown.shape[1]} are shown to it here")
        shown = shown[:, -self.history :]
        if (shown > highest_in(edition_shown(rows.shape[1]))).any():
            raise ValueError("histories hold events that there are not: a column is above its values (HISTORY_LAYOUT)")
        return np.concatenate((rows, shown.reshape(len(rows), -1)), axis=1, dtype=rows.dtype)

    def _own_columns(self, rows: Array, edition: Edition) -> Array:
        """The columns that observations of the agent's edition have; under rules with mercy there is one more. Raises
        ValueError if they are of another edition.
        """
        shown, columns = edition_shown(rows.shape[1]), starts_of(edition).end
        if shown.name != edition.name or rows.shape[1] < columns:
            with_mercy = " with mercy" if shown.name == edition.name else ""
            raise ValueError(f"agent {self.name!r} plays the edition {edition.name!r}{with_mercy}, not {shown.name!r}")
        return rows[:, :columns]

    def _masks(self, action_masks: Array, rows: Array) -> Bytes:
        """The masks of rows of :meth:`_inputs`, uint8 [N, A]. Raises ValueError if they have another form."""
        columns = rows.shape[1] - self.history * EVENT_SIZE
        return checked_masks(action_masks, len(rows), columns)

    def _refuse_without_memory(self) -> None:
        """Raise :class:`ValueError` if the agent remembers hands: it is asked here without what it remembers."""
        if self.state_size:
            raise ValueError(f"agent {self.name!r} remembers the hand it is in, and nothing is kept for it here")

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"


@njit
def find_empty(masks: Bytes) -> int:
    """First row of uint8 [N, A] that marks nothing, or −1."""
    for index in range(masks.shape[0]):
        action = 0
        while action < masks.shape[1] and masks[index, action] == 0:
            action += 1
        if action == masks.shape[1]:
            return index
    return -1


def checked_observations(observations: Array) -> Array:
    """Observations [N, D] as float32 or uint8, C-contiguous, copied if need be. Raises ValueError if they are none."""
    rows = np.asarray(observations)
    if rows.ndim != 2 or not _is_width(rows.shape[1]):
        sizes = " or ".join(f"{starts_of(each).end} (edition {each.name!r})" for each in EDITIONS.values())
        raise ValueError(f"observations must have {sizes} columns a row, not shape {list(rows.shape)}")
    if rows.dtype != _UINT8 and rows.dtype.kind != "f":
        raise ValueError(f"observations must be float32 or uint8, not {rows.dtype}")
    return _plain(rows, _UINT8 if rows.dtype == _UINT8 else _FLOAT32)


def _is_width(columns: int) -> bool:
    """Return whether observations of an edition have this many columns."""
    try:
        return edition_shown(columns) is not None
    except ValueError:
        return False


def checked_masks(action_masks: Array, number: int, columns: int) -> Bytes:
    """Masks [N, A] as uint8, C-contiguous, copied if need be. Raises ValueError if there are not ``number`` masks, or
    they are not of the edition whose observations have ``columns`` columns.
    """
    masks, edition = np.asarray(action_masks), edition_shown(columns)
    actions = catalogue(edition).first.number
    if masks.ndim != 2 or masks.shape[1] != actions:
        needed = f"{actions} columns a row in the edition {edition.name!r}"
        raise ValueError(f"action masks must have {needed}, not shape {list(masks.shape)}")
    if len(masks) != number:
        raise ValueError(f"there are {number} observations and {len(masks)} action masks")
    if masks.dtype.char not in "Bb?":  # many times as fast as comparing with types
        raise ValueError(f"action masks must be int8, uint8 or bool, not {masks.dtype}")
    return _plain(masks.view(_UINT8), _UINT8)


def _plain(array: Array, dtype: "np.dtype[Any]") -> Array:
    """Kernels are compiled for one kind of array only: C-contiguous, of native type."""
    if array.dtype == dtype and array.flags.c_contiguous:
        return array
    return np.array(array, dtype, order="C")
