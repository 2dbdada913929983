"""Many games at once, for training and measuring: :class:`BatchedGames`."""

import itertools
import sys
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from uno_env.actions import NUM_ACTIONS
from uno_env.actions import name as action_name
from uno_env.common.calls import Interruptible, exclusive
from uno_env.common.copies import ViewOwner, read_only
from uno_env.common.numbers import (
    checked_arrays,
    checked_flag,
    checked_indices,
    checked_seed,
    checked_seeds,
    checked_whole,
)
from uno_env.common.spelling import names_arguments
from uno_env.core.arrays import Array
from uno_env.core.loops import batch as kernels
from uno_env.core.loops.threads import Threads
from uno_env.core.observe.history import record_decisions, view_histories
from uno_env.core.observe.layout import OBSERVATION_SIZE, RULES_START, SCALES
from uno_env.core.packed_games import new_rows, records
from uno_env.encodings import ObservationForm
from uno_env.game import IllegalActionError
from uno_env.history import Histories
from uno_env.invariants import verify_games
from uno_env.observation import rules_columns
from uno_env.rules import Rules, as_rules

MOST_THREADS = 1024
NOT_DEALT = "the games are not dealt yet"


@names_arguments
class BatchedGames(Interruptible, ViewOwner):
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
        checked_whole("num_games", num_games, 1)
        self._copy = checked_flag("copy", copy)
        checked_whole("threads", threads, 1, MOST_THREADS)
        self.rules = as_rules(rules, players)
        self._form = ObservationForm(self.rules, obs_dtype, encoding, history)
        self._rules = self.rules.record_for(match, reward)
        self.num_games = num_games
        self._games = new_rows(num_games, self._rules)
        self._threads = Threads(_split(num_games, threads))
        self._random = np.zeros(num_games, np.uint64)
        self._rows = np.zeros((num_games, OBSERVATION_SIZE), np.uint8)
        self._rows[:, RULES_START:] = rules_columns(self.rules)
        self._obs = self._rows if (encoding, obs_dtype) == ("vector", "uint8") else self._form.buffer(self._rows)
        self._is_scaled = self._form.is_vector and self._obs is not self._rows
        self._scaled_rows = self._obs if self._is_scaled else np.zeros((0, 0), np.float32)
        self._mask = np.zeros((num_games, NUM_ACTIONS), np.uint8)
        self._seat = np.zeros(num_games, np.int8)
        self._known = np.zeros(num_games, np.uint8)
        self._buffers = (self._rows, self._mask, self._seat, self._known)
        self._reward = np.zeros((num_games, self.rules.players), np.float32)
        self._done_bytes = np.zeros(num_games, np.uint8)
        self._actions = np.zeros(num_games, np.int64)
        self._results = np.zeros((num_games, 4 + 2 * self.rules.players), np.int32)
        self._histories = Histories(num_games, self.rules.players, history) if history else None
        self._unready = NOT_DEALT
        self.seed = checked_seed(seed)
        self._begin_views()

    def _make_views(self) -> None:
        self.games = read_only(records(self._games, self._rules))
        results = read_only(self._results)
        self.winner, self.end, self.length = results[:, 1:4].T
        self.hand_done = results.view(np.bool_)[:, 0 if sys.byteorder == "little" else 3]
        self.points = results[:, 4 : 4 + self.rules.players]
        self.scores = results[:, 4 + self.rules.players :]
        self.masks = read_only(self._mask.view(np.bool_))
        self.history = read_only(self._histories.shown) if self._histories else None
        self._seen = read_only(self._obs), read_only(self._mask), read_only(self._seat)
        self._outcome = read_only(self._reward), read_only(self._done_bytes.view(np.bool_))

    def __repr__(self) -> str:
        return f"<BatchedGames: {self.num_games} by {self.rules!r}, seed {self.seed}>"

    @exclusive
    def reset(self, seed: int | None = None) -> tuple[Array, Array, Array]:
        """Deal every game anew; with ``seed`` from the beginning of that seed's random numbers, as a new batch does.

        Without, it is the batch's own seed the first time, and after a call that was interrupted; else the games go on
        with their random numbers.

        Returns:
            Observations float32 | uint8 [N, D] of the player to move, masks uint8 [N, A] of what they may do, and their
            seats int8 [N].
        """
        begins = seed is not None or bool(self._unready)
        chosen = self.seed if seed is None else checked_seed(seed)
        self._unready = "reset() was interrupted"
        self.seed = chosen
        if begins:
            self._threads.each(kernels.seed_games, self._games, np.uint64(self.seed))
            self._random[:] = ~self.games["rng"]
            self._known[:] = 1  # whatever an interrupted call has left in the rows
        self._mask[:] = 0
        seen = self._stepped(np.full(self.num_games, kernels.DEAL, np.int64))
        self._reward[:], self._done_bytes[:], self._results[:] = 0, 0, 0
        self._unready = ""
        return seen

    @exclusive
    def deal(self, indices: Array, rng: Array) -> tuple[Array, Array, Array]:
        """Deal the games ``indices`` anew, each from its own state of the generator; the others stay as they are.

        Args:
            indices: integers [K].
            rng: uint64 [K]; games with the same state are dealt the same cards, and go the same way under the same
                actions.

        Returns:
            As :meth:`reset`, for the whole batch.

        Raises:
            ValueError: the two are not lists of whole numbers of the same length, or a game is not in the batch.
        """
        indices, states = checked_deals(indices, rng, self.num_games)
        self._check_ready("deal")
        self._unready = "deal() was interrupted"
        kernels.deal_chosen(self._games, self._rules, self._buffers, indices, states, 0, len(indices))
        self._record_outcomes(indices)
        seen = self._scaled()
        self._unready = ""
        return seen

    @exclusive
    def step(self, actions: npt.ArrayLike) -> tuple[Array, Array, Array, Array, Array]:
        """Act in every game. Finished games are dealt anew in the same step.

        Args:
            actions: integers [N], the action of the player to move in each game.

        Returns:
            Observations, masks and seats as :meth:`reset`; reward float32 [N, players], by absolute seat, 0
            except where a hand ended (see :mod:`uno_env.core.rules.reward`); done bool [N].

        Raises:
            IllegalActionError: an action does not exist, or is illegal and the rules refuse it; no game was stepped.
            ValueError: ``actions`` is not N integers, or :meth:`reset` was not called.
        """
        checked = self.checked_actions(actions)
        self._unready = "step() was interrupted"
        self._record_decisions(checked)
        seen = self._stepped(checked)
        self._unready = ""
        return (*seen, *self._handed_out(*self._outcome))

    def checked_actions(self, actions: npt.ArrayLike) -> npt.NDArray[np.int64]:
        """Actions for :meth:`step`, as a new array int64 [N]; raises what it would raise, and nothing is stepped."""
        self._check_ready("step")
        checked = np.asarray(actions)
        if checked.shape != (self.num_games,) or checked.dtype.kind not in "iu":
            raise ValueError(f"actions must be {self.num_games} integers, not {checked.dtype} of shape {checked.shape}")
        checked = np.array(checked, np.int64, order="C")  # of its own, so that what was checked stays as it is
        self._check_actions(checked)
        return checked

    @exclusive
    def sample_actions(self) -> Array:
        """A uniformly random legal action of each game, int64 [N], in the batch's own buffer; seeded with the batch.
        Raises ValueError if :meth:`reset` was not called.
        """
        self._check_ready("sample_actions")
        self._unready = "sample_actions() was interrupted"
        self._threads.each(kernels.sample_legal, self._mask, self._random, self._actions)
        self._unready = ""
        return self._actions

    @exclusive
    def get_state(self) -> dict[str, Array]:
        """The games with their history and all generators, also of :meth:`sample_actions`; copies of plain arrays.
        Raises ValueError if a call was interrupted: the batch must be reset.
        """
        if self._unready != NOT_DEALT:
            self._check_ready("get_state")
        return {name: array.copy() for name, array in self._state().items()}

    @exclusive
    def set_state(self, state: Mapping[str, Array]) -> tuple[Array, Array, Array]:
        """Go on from a state that :meth:`get_state` gave, of a batch of as many games under the same rules.

        Returns:
            As :meth:`reset`.

        Raises:
            ValueError: the state is of another number or form of games, or a game in it is impossible; the batch is as
                it was.
        """
        given = checked_arrays(state, self._state())
        verify_games(given["games"], self.rules, self._rules)
        if self._histories:
            self._histories.verify(given)
        self._unready = "set_state() was interrupted"
        self._threads.finish()
        for name, own in self._state().items():
            own[:] = given[name]
        self._known[:] = 1
        self._reward[:], self._done_bytes[:], self._results[:] = 0, 0, 0  # as after a reset: no step has led here
        self._threads.each(kernels.view_games, self._games, self._rules, self._buffers)
        seen = self._scaled()
        self._unready = ""
        return seen

    def _stepped(self, actions: Array) -> tuple[Array, Array, Array]:
        outcome = (self._reward, self._done_bytes, self._results)
        floats = (SCALES, self._scaled_rows)
        self._threads.each(kernels.step_batch, self._games, self._rules, actions, self._buffers, outcome, floats)
        self._record_outcomes()
        return self._shown() if self._is_scaled else self._scaled()

    def _state(self) -> dict[str, Array]:
        """The arrays that a step begins with."""
        kept = self._histories.state() if self._histories else {}
        return {"games": records(self._games, self._rules), "random": self._random, **kept}

    def _record_decisions(self, actions: Array) -> None:
        if self._histories:
            self._threads.each(record_decisions, self._games, self._mask, actions, self._histories.arrays)

    def _record_outcomes(self, indices: Array | None = None) -> None:
        if self._histories:
            self._histories.record_outcomes(self._threads.each, self._games, self._rules, indices)

    def _scaled(self) -> tuple[Array, Array, Array]:
        if self._is_scaled:
            self._threads.each(kernels.scale_rows, self._rules, self._rows, self._known, SCALES, self._obs)
        elif not self._form.is_vector:
            self._threads.each(self._form.write, self._rows, self._obs)
        return self._shown()

    def _shown(self) -> tuple[Array, Array, Array]:
        if self._histories:
            self._threads.each(view_histories, self._histories.arrays, self._seat, self._histories.shown)
        return self._handed_out(*self._seen)

    def _handed_out(self, *arrays: Array) -> Any:
        return tuple(each.copy() for each in arrays) if self._copy else arrays

    def _check_actions(self, actions: Array) -> None:
        game = kernels.find_refused(self._rules, self._mask, actions, 0, self.num_games)
        if game >= 0:
            raise refusal(game, actions[game], self._mask[game])


def refusal(game: int, action: int, mask: Array) -> IllegalActionError:
    """Return the error of an action that is refused in a game of a batch; ``mask``, [A], marks what is legal there."""
    legal = ", ".join(map(action_name, np.flatnonzero(mask).tolist()))
    return IllegalActionError(f"action {action} is illegal in game {game} of the batch: legal are {legal}")


def checked_deals(indices: Any, rng: Any, num_games: int) -> tuple[Array, Array]:
    """The games to deal, each once and in ascending order, and the state of the generator that was listed last for each
    of them. Raises ValueError if these are not two lists of whole numbers of the same length, or a game is not in the
    batch.
    """
    indices, states = checked_indices("indices", indices, num_games), checked_seeds(rng)
    if len(indices) != len(states):
        raise ValueError(f"lists of {len(indices)} and {len(states)} numbers are not two lists alike")
    chosen, places = np.unique(indices[::-1], return_index=True)
    return chosen, states[::-1][places]


def _split(number: int, parts: int) -> list[tuple[int, int]]:
    edges = np.linspace(0, number, parts + 1).astype(int).tolist()
    return list(itertools.pairwise(edges))
