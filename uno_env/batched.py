"""Many games at once, for training and measuring: :class:`BatchedGames`."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from uno_env.actions import number_of
from uno_env.common.copies import read_only
from uno_env.common.memory import check_room
from uno_env.common.numbers import checked_flag, checked_whole
from uno_env.common.spelling import names_arguments
from uno_env.core.arrays import Array
from uno_env.core.jit.places import Bound, Processor
from uno_env.core.loops import kernels
from uno_env.core.packed_games import records, row_bytes
from uno_env.observation import number_of_columns
from uno_env.placed_games import PlacedGames
from uno_env.rules import Rules

MOST_THREADS = 1024


@names_arguments
class BatchedGames(PlacedGames[Array]):
    """``num_games`` independent games under the same rules, stepped together by compiled code.

    Every array that :meth:`reset` and :meth:`step` return is a view of the batch's own buffers, read-only and
    overwritten by the next call: copy what you keep, or choose ``copy=True``. Masks are uint8, the type that compiled
    code and other libraries expect: ``~mask`` is not what is illegal, and ``~batch.masks`` is.

    A batch is used by one thread at a time; a call during another one is refused with RuntimeError. After a call that
    was interrupted (Ctrl-C, or another exception out of a signal), it is as before, as after, or must be reset, which
    ValueErrors say. Copies and pickles go on as the batch would; a process that was forked can step its batches,
    whatever their threads.

    Memory: a game of two players takes 384 bytes of state, 950 of its observation as integers and 132 of its mask, and
    about 60 of its results; ``float32`` observations take 3,800 on top. Each further player takes 64 bytes
    more; a state is larger in matches, and by rules that let players know cards of others
    (:func:`uno_env.core.packed_games.row_bytes`).

    Args:
        num_games: number of games N, 1 or more.
        seed: game ``i`` of a batch is dealt by a generator that depends on ``seed`` and ``i`` alone, not on N or
            ``threads``; what happens in it depends on that and on its actions.
        threads: threads that share the games, up to 1,024.
        copy: whether :meth:`reset` and :meth:`step` return new arrays, which nothing overwrites and the caller may
            write to; ``torch.as_tensor`` warns about arrays that cannot be written to.

    The other arguments are the fields of these names of
    :class:`uno_env.envs.single_agent_options.SingleAgentOptions`. Images are [N, planes, rows, columns] wherever [N, D]
    is said, and the last public events are not part of observations but in :attr:`history`.

    Attributes:
        games: the states, hidden cards included, [N]: records with the fields of :mod:`uno_env.core.record` that the
            rules have a use for.
        masks: bool [N, A], what the players to move may do, for indexing: the batch's own buffer, whatever ``copy`` is.
        history: uint8 [N, K, EVENT_SIZE], the last K events that the player to move has seen, the newest last
            (:mod:`uno_env.history`), the batch's own buffer too; None without ``history``.
        hand_done: bool [N], whether a hand ended, without ``match`` as ``done``; the others hold where it is True.
        winner: int32 [N], the seat that won the hand, where ``done`` the match; −1 if nobody did.
        end: int32 [N], why the hand ended, index into ``uno_env.END_NAMES``.
        length: int32 [N], decisions of the hand.
        points: int32 [N, players], points of the hand.
        scores: int32 [N, players], points of the match so far.

    Raises:
        ValueError: an argument is not allowed.
    """

    def __init__(
        self,
        num_games: int,
        rules: Rules | str | Mapping[str, Any] = "classic",
        seed: int = 0,
        threads: int = 1,
        obs_dtype: str = "float32",
        players: int | None = None,
        match: bool = False,
        reward: str = "outcome",
        encoding: str = "vector",
        history: int = 0,
        copy: bool = False,
    ) -> None:
        checked_flag("copy", copy)
        checked_whole("threads", threads, 1, MOST_THREADS)
        place = Processor(checked_whole("num_games", num_games, 1), threads)
        form = {"obs_dtype": obs_dtype, "encoding": encoding, "history": history}
        super().__init__(place, num_games, rules, seed, players, match, reward, form)
        self._copies = bool(copy)

    def _make_arrays(self) -> None:
        shown = math.prod(self._form.shape) * self._form.dtype.itemsize
        seen = number_of_columns(self.rules) + number_of(self.rules)
        check_room("num_games", self.num_games, row_bytes(self._record) + seen + shown)
        super()._make_arrays()

    def _make_views(self) -> None:
        super()._make_views()
        self.games = read_only(records(self._games, self._record))

    def _bind_step(self) -> Bound:
        outcome = self._reward, self._done_bytes, self._results
        rules = np.array([self._record])
        return self._each(kernels.STEP, self._games, rules, self._actions, self._view, outcome, self._floats)

    def __repr__(self) -> str:
        return f"<BatchedGames: {self.num_games} by {self.rules!r}, seed {self.seed}>"

    def checked_actions(self, actions: npt.ArrayLike) -> npt.NDArray[np.int64]:
        """Actions for :meth:`step`, as a new array int64 [N]; raises what it would raise, and nothing is stepped."""
        self._check_ready("step")
        checked = np.asarray(actions)
        if checked.shape != (self.num_games,) or checked.dtype.kind not in "iu":
            raise ValueError(f"actions must be {self.num_games} integers, not {checked.dtype} of shape {checked.shape}")
        checked = np.array(checked, np.int64, order="C")  # of its own, so that what was checked stays as it is
        refusal = self._refusal(self._mask, checked)
        if refusal is not None:
            raise refusal
        return checked

    def _take_over(self, checked: npt.NDArray[np.int64]) -> None:
        self._actions[:] = checked
