"""Many games at once on a place, the processor or a GPU: :class:`PlacedGames`."""

import sys
from collections.abc import Mapping
from typing import Any, Generic, TypeVar

import numpy as np

from uno_env.actions import texts
from uno_env.common.calls import Interruptible, exclusive
from uno_env.common.copies import ViewOwner
from uno_env.common.numbers import checked_arrays, checked_indices, checked_seed, checked_seeds, checked_whole
from uno_env.core.arrays import Array
from uno_env.core.jit.places import Bound, Each, Place
from uno_env.core.loops import kernels
from uno_env.core.loops.batch import DEAL, find_refused
from uno_env.core.observe.history import STEPPED
from uno_env.core.observe.layout import scales_in
from uno_env.core.packed_games import can_know, records, row_bytes, rows_of
from uno_env.editions import edition_for
from uno_env.encodings import ObservationForm
from uno_env.game import IllegalActionError
from uno_env.history import Histories
from uno_env.invariants import verify_games
from uno_env.observation import rules_columns
from uno_env.rules import Rules, as_rules

A = TypeVar("A")
"""The arrays of a place: NumPy's, or tensors of PyTorch."""
NOT_DEALT = "the games are not dealt yet"


class PlacedGames(Interruptible, ViewOwner, Generic[A]):
    """``num_games`` independent games under the same rules on a place, stepped together by kernels.

    :class:`uno_env.BatchedGames` has them on the processor, and :class:`uno_env.DeviceGames` on a GPU: see there for
    arguments and attributes. These classes say how an action is refused, and bind the kernel of a step.

    Attributes:
        place: where the games are.
        seen: what :meth:`reset` returns, the arrays that every call writes.
        outcome: reward and done, as :meth:`step` returns them.
        results: int32 [N, 4 + 2 * players], the array of which ``winner`` to ``scores`` are columns.
    """

    def __init__(
        self,
        place: Place,
        num_games: int,
        rules: Rules | str | Mapping[str, Any],
        seed: int,
        players: int | None,
        match: bool,
        reward: str,
        form: Mapping[str, Any],
    ) -> None:
        """``form`` are the arguments of :class:`uno_env.encodings.ObservationForm` besides the rules."""
        self.num_games = checked_whole("num_games", num_games, 1)
        self.rules = as_rules(rules, players)
        self._form = ObservationForm(self.rules, **form)
        self._record = self.rules.record_for(match, reward)
        self.seed = checked_seed(seed)
        self.place = place
        self._copies = False
        self._make_arrays()
        self._unready = NOT_DEALT
        self._begin_views()

    def _make_arrays(self) -> None:
        players, form = self.rules.players, self._form
        self._games = self._zeros(row_bytes(self._record), dtype=np.uint8)
        scales, columns = scales_in(edition_for(self.rules)), rules_columns(self.rules)
        first = np.zeros((1, len(scales)), np.uint8)
        first[:, len(scales) - len(columns) :] = columns
        self._rows = self._repeated(first)
        is_rows = form.is_vector and form.dtype == np.uint8
        self._obs = self._rows if is_rows else self._repeated(form.buffer(first))
        self._is_scaled = form.is_vector and not is_rows
        self._scales = self.place.from_numpy(scales)
        cells = form.changing_cells if form.encoding == "planes" else ()
        self._cells = tuple(self.place.from_numpy(each.copy()) for each in cells)
        self._mask = self._zeros(len(texts(self.rules)), dtype=np.uint8)
        self._seat, self._known = self._zeros(dtype=np.int8), self._zeros(dtype=np.uint8)
        self._reward, self._done_bytes = self._zeros(players, dtype=np.float32), self._zeros(dtype=np.uint8)
        self._results = self._zeros(4 + 2 * players, dtype=np.int32)
        self._actions, self._sampled = self._zeros(dtype=np.int64), self._zeros(dtype=np.int64)
        self._random = self._zeros(dtype=np.uint64)
        self._refused = self.place.zeros(2, dtype=np.int64)
        self._events = Histories(1, players, form.history, edition_for(self.rules)) if form.history else None
        events = (*self._events.arrays, self._events.shown) if self._events else ()
        self._history = tuple(self._repeated(each) for each in events)

    def _zeros(self, *shape: int, dtype: Any) -> Any:
        return self.place.zeros(self.num_games, *shape, dtype=dtype)

    def _repeated(self, first: Array) -> Any:
        """The only entry of an array for every game."""
        repeated = self._zeros(*first.shape[1:], dtype=first.dtype)
        repeated[:] = self.place.from_numpy(first)
        return repeated

    def _make_views(self) -> None:
        """Make what is handed out, and bind the kernels that every batch needs."""
        shown, players = self.place.shown, self.rules.players
        self.results = shown(self._results)
        self.winner, self.end, self.length = (self.results[:, column] for column in (1, 2, 3))
        self.hand_done = shown(self._results, np.bool_)[:, 0 if sys.byteorder == "little" else 3]
        self.points, self.scores = self.results[:, 4 : 4 + players], self.results[:, 4 + players :]
        self.masks = shown(self._mask, np.bool_)
        self.history = shown(self._history[-1]) if self._history else None
        self.seen = shown(self._obs), shown(self._mask), shown(self._seat)
        self.outcome = shown(self._reward), shown(self._done_bytes, np.bool_)
        self._rules_here = self.place.record(self._record)
        self._view = self._rows, self._mask, self._seat, self._known
        self._floats = self._scales, self._obs if self._is_scaled else self.place.zeros(0, 0, dtype=np.float32)
        self._step_kernel = self._bind_step()
        self._sample_kernel = self._each(kernels.SAMPLE, self._mask, self._random, self._sampled)
        self._form_kernel = self._bind_form()
        if self._history:
            recorded, shown_events = self._history[:-1], self._history[-1]
            taken = self._refused, self._games, self._rules_here, self._mask, self._actions, recorded
            self._taken_kernel = self._each(kernels.RECORD_TAKEN, *taken)
            self._done_kernel = self._each(kernels.RECORD_DONE, self._refused, self._games, self._rules_here, recorded)
            self._history_kernel = self._each(kernels.VIEW_HISTORIES, recorded, self._seat, shown_events)

    def _bind_step(self) -> Bound:
        """Bind the kernel that acts in all games."""
        raise NotImplementedError

    def _bind_form(self) -> Bound | None:
        """Bind what makes images of the rows, or None if observations are no images."""
        if self._form.encoding == "rlcard":
            return self._each(kernels.RLCARD, self._rows, self._obs)
        if self._form.encoding == "planes":
            return self._each(kernels.CELLS, self._rows, *self._cells, self._obs.reshape(self.num_games, -1))
        return None

    def _each(self, kernel: Each, *arguments: Any) -> Bound:
        return self.place.bind(kernel, self.num_games, arguments)

    @exclusive
    def reset(self, seed: int | None = None) -> tuple[A, A, A]:
        """Deal every game anew; with ``seed`` from the beginning of that seed's random numbers, as a new batch does.

        Without, it is the batch's own seed the first time, and after a call that was interrupted; else the games go on
        with their random numbers.

        Returns:
            Observations float32 | uint8 [N, D] of the player to move, masks uint8 [N, A] of what they may do, and their
            seats int8 [N].
        """
        begins = seed is not None or bool(self._unready)
        chosen = self.seed if seed is None else checked_seed(seed)
        with self._changing("reset"):
            self.seed = chosen
            self._forget_refusal()
            if begins:
                self._each(kernels.SEED, self._games, self._rules_here, self._random, np.uint64(self.seed))()
                self._clear_known()
            self._mask[:] = 0
            self._actions[:] = DEAL
            seen = self._stepped()
            self._clear_outcome()
        return seen

    @exclusive
    def deal(self, indices: Any, rng: Any) -> tuple[A, A, A]:
        """Deal the games ``indices`` anew, each from its own state of the generator; the others stay as they are.

        Args:
            indices: integers [K], an array in ordinary memory.
            rng: uint64 [K], as well; games with the same state are dealt the same cards, and go the same way under the
                same actions.

        Returns:
            As :meth:`reset`, for the whole batch.

        Raises:
            ValueError: the two are not lists of whole numbers of the same length, or a game is not in the batch.
        """
        indices, states = checked_deals(indices, rng, self.num_games)
        self._check_ready("deal")
        self._wait_for_refusal()
        with self._changing("deal"):
            chosen, given = self.place.from_numpy(indices), self.place.from_numpy(states)
            arguments = self._games, self._rules_here, self._view, chosen, given
            self.place.bind(kernels.DEAL_CHOSEN, len(indices), arguments)()
            self._record_done(chosen)
            seen = self._shown(scale=True)
        return seen

    @exclusive
    def step(self, actions: Any) -> tuple[A, A, A, A, A]:
        """Act in every game. Finished games are dealt anew in the same step.

        Args:
            actions: integers [N], the action of the player to move in each game.

        Returns:
            Observations, masks and seats as :meth:`reset`; reward float32 [N, players], by absolute seat, 0
            except where a hand ended (see :mod:`uno_env.core.rules.reward`); done bool [N].

        Raises:
            IllegalActionError: an action does not exist, or is illegal and the rules refuse it; no game was stepped. A
                GPU tells that in a later call, see :class:`uno_env.DeviceGames`.
            ValueError: ``actions`` is not N integers, or :meth:`reset` was not called.
        """
        given = self.checked_actions(actions)
        self._unready = "step() was interrupted"
        self._take_over(given)
        if self._history:
            self._taken_kernel()
        seen = self._stepped()
        self._unready = ""
        return (*seen, *self._handed_out(*self.outcome))

    def checked_actions(self, actions: Any) -> Any:
        """Actions for :meth:`step`, integers [N]; raises what it would raise, and nothing is stepped."""
        raise NotImplementedError

    def _take_over(self, checked: Any) -> None:
        """Make actions those of the step that has begun."""
        raise NotImplementedError

    @exclusive
    def sample_actions(self) -> A:
        """A uniformly random legal action of each game, int64 [N], in the batch's own buffer; seeded with the batch.
        Raises ValueError if :meth:`reset` was not called.
        """
        self._check_ready("sample_actions")
        self._unready = "sample_actions() was interrupted"
        self._sample_kernel()
        self._unready = ""
        return self._sampled

    @exclusive
    def get_state(self) -> dict[str, Array]:
        """The games with their history and all generators, also of :meth:`sample_actions`: copies of plain arrays in
        ordinary memory, which a batch on any place can go on from. Raises ValueError if the games are not dealt yet, or
        a call was interrupted: the batch must be reset.
        """
        self._check_ready("get_state")
        self._wait_for_refusal()
        return self._with_records({name: self.place.to_numpy(each).copy() for name, each in self._state().items()})

    @exclusive
    def set_state(self, state: Mapping[str, Array]) -> tuple[A, A, A]:
        """Go on from a state that :meth:`get_state` gave, of a batch of as many games under the same rules.

        Returns:
            As :meth:`reset`.

        Raises:
            ValueError: the state is of another number or form of games, or a game in it is impossible; the batch is as
                it was.
        """
        own = self._state()
        forms = {name: np.broadcast_to(self.place.to_numpy(each[:1]), each.shape) for name, each in own.items()}
        given = checked_arrays(state, self._with_records(forms))
        verify_games(given["games"], self.rules, self._record)
        if self._events:
            self._events.verify(given)
        with self._changing("set_state"):
            self._forget_refusal()
            given["games"] = rows_of(given["games"])
            for name, array in own.items():
                array[:] = self.place.from_numpy(given[name])
            self._clear_known()
            self._clear_outcome()  # as after a reset: no step has led here
            self._each(kernels.VIEW, self._games, self._rules_here, self._view)()
            seen = self._shown(scale=True)
        return seen

    def _state(self) -> dict[str, Any]:
        """The arrays that a step begins with, games as rows of bytes."""
        kept = dict(zip(self._events.state(), self._history, strict=False)) if self._events else {}
        return {"games": self._games, "random": self._random, **kept}

    def _with_records(self, state: dict[str, Array]) -> dict[str, Array]:
        return {**state, "games": records(state["games"], self._record)}

    def _clear_known(self) -> None:
        """Let the next observations be written whole: rows may still show known cards of other hands."""
        self._known[:] = int(can_know(self._record))

    def _clear_outcome(self) -> None:
        for each in (self._reward, self._done_bytes, self._results):
            each[:] = 0

    def _stepped(self) -> tuple[A, A, A]:
        self._step_kernel()
        self._record_done()
        return self._shown()

    def _record_done(self, chosen: Any = None) -> None:
        """Record a step or deal of all games, or of the games ``chosen``."""
        if self._history:
            facts = self._history[3]
            facts[:, STEPPED] = int(chosen is None)
            if chosen is not None:
                facts[chosen, STEPPED] = 1
            self._done_kernel()

    def _shown(self, scale: bool = False) -> tuple[A, A, A]:
        """The view of the players to move. The float form is made anew only if asked for, since a step writes it."""
        if scale and self._is_scaled:
            self._each(kernels.SCALE, self._rules_here, self._rows, self._known, *self._floats)()
        if self._form_kernel is not None:
            self._form_kernel()
        if self._history:
            self._history_kernel()
        obs, mask, seat = self._handed_out(*self.seen)
        return obs, mask, seat

    def _handed_out(self, *arrays: Any) -> tuple[Any, ...]:
        return tuple(each.copy() for each in arrays) if self._copies else arrays

    def _forget_refusal(self) -> None:
        """Wait for the place, and forget an action that it has refused."""
        self.place.synchronize()

    def _wait_for_refusal(self) -> None:
        """Wait for the place. Raises IllegalActionError if it has refused an action."""
        self.place.synchronize()

    def _refusal(self, mask: Array, actions: Array) -> IllegalActionError | None:
        """The error of the first action that is refused, if there is one. Both are arrays in ordinary memory."""
        game = find_refused(self.rules.illegal_action == "raise", mask, actions, 0, self.num_games)
        if game < 0:
            return None
        legal = ", ".join(texts(self.rules)[each] for each in np.flatnonzero(mask[game]))
        return IllegalActionError(f"action {actions[game]} is illegal in game {game} of the batch: legal are {legal}")


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
