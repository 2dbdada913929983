"""The arrays of games in each of which one seat learns, and what can be read of them: :class:`LearnerArrays`."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from uno_env.actions import number_of
from uno_env.common.calls import Interruptible, exclusive
from uno_env.common.copies import ViewOwner, read_only
from uno_env.common.memory import check_room
from uno_env.common.numbers import checked_arrays, checked_indices, checked_whole
from uno_env.core.arrays import Array
from uno_env.core.loops import learner_batch
from uno_env.core.observe.history import view_histories
from uno_env.core.packed_games import new_rows, records, row_bytes
from uno_env.core.record import END_NAMES, ILLEGAL, NOBODY, WENT_OUT
from uno_env.editions import edition_for
from uno_env.encodings import Observations
from uno_env.envs.hand_length import HandLengthCheck
from uno_env.envs.opponents import Opponents
from uno_env.envs.single_agent_options import MAX_ILLEGAL_ACTIONS, SingleAgentOptions
from uno_env.history import Histories
from uno_env.invariants import verify_games
from uno_env.observation import number_of_columns, rules_columns


class LearnerArrays(Interruptible, ViewOwner):
    """The arrays of :class:`uno_env.envs.single_agent_games.LearnerGames`; see there."""

    def __init__(self, num_games: int, options: SingleAgentOptions) -> None:
        self.options, self.rules = options, options.rules_in_force
        self._rules = self.rules.record_for(options.match, options.reward)
        self._rules_array = self.rules.array_for(options.match, options.reward)
        self.opponents = Opponents(options.opponents, self.rules)
        self._form = options.observation_form
        self.num_games = checked_whole("num_games", num_games, 1)
        seen = (number_of_columns(self.rules) + number_of(self.rules)) * (1 + len(self.opponents.agents))
        check_room("num_games", self.num_games, row_bytes(self._rules) + seen)
        self.decisions = self.failures = 0
        self._hand_length = HandLengthCheck(self.rules, self.num_games)
        self._checked: tuple[Array, Array, Array] | None = None
        self._make_arrays(len(self.opponents.agents) + 1)
        length = max(options.history, *(agent.history for agent in self.opponents.agents))
        self._histories = Histories(
            self.num_games if length else 0, self.rules.players, length, edition_for(self.rules)
        )
        self._begin_views()

    def _make_arrays(self, players: int) -> None:
        N = self.num_games
        self._bytes = new_rows(N, self._rules)
        self._illegal_actions = np.zeros(N, np.int32)
        self._found = np.zeros(N, np.int64)
        self._random = np.zeros(N, np.uint64)  # generators of what replaces illegal actions, one for each game
        self._lists, self._lengths = np.zeros((players, N), np.int64), np.zeros(players, np.int64)
        # The system gives memory to what is written: hardly any of it to agents that are rarely asked.
        self._rows = np.zeros((players, N, number_of_columns(self.rules)), np.uint8)
        self._masks = np.zeros((players, N, number_of(self.rules)), np.uint8)
        self._known = np.zeros((players, N), np.uint8)
        columns = rules_columns(self.rules)
        self._rows[:, :, -len(columns) :] = columns
        self._all = np.arange(N)
        self._stamps, self._stamp = np.zeros(N, np.int64), 0
        self._seats = np.zeros(N, np.int64)
        self._over = np.ones(N, np.uint8)  # until they are dealt
        self._reward = np.zeros(N, np.float32)
        self._results = np.zeros((N, 4 + 2 * self.rules.players), np.int32)
        shares = np.zeros(self.rules.players, np.float32)
        self._table = tuple(
            learner_batch.Table(
                seating=self.opponents.seating.copy(),
                learner=self._seats,
                lists=self._lists,
                lengths=self._lengths,
                rows=self._rows,
                masks=self._masks,
                known=self._known,
            )
        )
        self._outcome = (self._reward, self._over, self._results, shares)

    def _make_views(self) -> None:
        self._games = records(self._bytes, self._rules)
        self._mask = self._masks[learner_batch.LEARNER]
        self._shown = read_only(self._rows), read_only(self._masks)
        self.rows, self.mask = (each[learner_batch.LEARNER] for each in self._shown)
        self.seats, self.over = read_only(self._seats), read_only(self._over)

    def take_rewards(self) -> npt.NDArray[np.float32]:
        """Rewards of each learner since the last call, float32 [N]; a new array."""
        earned = self._reward.copy()
        self._reward[:] = 0
        return earned

    @exclusive
    def get_state(self) -> dict[str, Array]:
        """All that the games go on from, but for the opponents' own generators; copies of plain arrays. Raises
        ValueError if a call was interrupted: the games must be reset.
        """
        self._check_ready("get_state")
        return {name: array.copy() for name, array in self._state().items()}

    @exclusive
    def set_state(self, state: Mapping[str, Array]) -> None:
        """Go on from a state that :meth:`get_state` gave, of as many games of this kind. Raises ValueError if the state
        is of other games than these, or one in it is impossible; all is as it was.
        """
        given = self.verify(state)
        # What the learners see is written anew: compiled code goes by the masks.
        given["known"][:], given["rows"][:] = 0, 0
        columns = rules_columns(self.rules)
        given["rows"][:, -len(columns) :] = columns
        self._checked = None
        with self._changing("set_state"):
            for name, own in self._state().items():
                own[:] = given[name]
            self._lengths[:] = 0
            learner_batch.view_learners(self._bytes, self._rules, self._table, self._over)

    def verify(self, state: Mapping[str, Array]) -> dict[str, Array]:
        """Copies of the arrays of a state that can be gone on from; of another, a ValueError says what is wrong."""
        state = checked_arrays(state, self._state())
        games, over, seats, results = (state[name] for name in ("games", "over", "seats", "results"))
        verify_games(games, self.rules, self._rules, over)
        if seats.min() < 0 or seats.max() >= self.rules.players:
            raise ValueError(f"the state has learners at seats {seats.min()} to {seats.max()}, which are not there")
        waits = (over > 1) | ((over == 0) & (games["to_move"] != seats))
        for index in np.flatnonzero(waits)[:1]:
            raise ValueError(f"game {index} of the state waits neither for its learner nor to be dealt")
        ends, is_counted = results[:, 2], np.isfinite(state["reward"]) & (state["mistakes"] >= 0)
        if not (is_counted & (ends >= 0) & (ends < len(END_NAMES))).all():
            raise ValueError("the state tells of hands that ended in no way that there is")
        if self._histories.shown.size:
            self._histories.verify(state)
        return state

    def observation_space(self) -> spaces.Space[Any]:
        """The space of one learner's observations."""
        return self._form.space()

    def observe(self, indices: Array | slice = slice(None)) -> Observations:
        """New observations of the learners of some games. Raises ValueError if there is no such game or hand."""
        self._check_ready("observe")
        if not isinstance(indices, slice):
            indices = checked_indices("indices", indices, self.num_games)
        return self._form.of_many(*self._seen(indices, self._mask[indices]))

    def action_masks(self) -> npt.NDArray[np.uint8]:
        """Each learner's legal actions, uint8 [N, A], by the ids that it knows; a new array."""
        return self._form.masks(*self._seen(slice(None), self._mask.copy()))

    def real_actions(self, indices: Array, actions: Array) -> Array:
        """The actions for ``step`` that the learners of the games ``indices``, int64 [K], have chosen, integers [K].
        Raises ValueError with ``symmetry`` if there is no such action or game.
        """
        if not self.options.symmetry:
            return actions
        indices = checked_indices("indices", indices, self.num_games)
        return self._form.real_actions(*self._seen(indices, actions))

    def _seen(self, indices: Array | slice, values: Array) -> tuple[Array, Array, Callable[[], Array]]:
        return self._rows[learner_batch.LEARNER, indices], values, lambda: self.histories()[indices]

    def histories(self) -> npt.NDArray[np.uint8]:
        """The last events that each learner has seen, uint8 [N, history, EVENT_SIZE]; a new array."""
        shown = np.empty_like(self._histories.shown)
        view_histories(self._histories.arrays, self._seats.astype(np.int8), shown, 0, len(shown))
        return shown[:, -self.options.history :].copy()

    def ends(self, indices: Array) -> dict[str, Array]:
        """The results of the games ``indices``, all of them over, for their learners; arrays [K].

        ``is_success``, bool, and ``winner``, ``points``, ``end`` and in a match ``score``, int64, are as in the info of
        :class:`uno_env.envs.gym_env.UnoEnv`. ``truncated``, bool: the game was cut off, not won or ended by an illegal
        action. Raises ValueError if there is no such game.
        """
        indices = checked_indices("indices", indices, self.num_games)
        results, seats = self._results[indices].astype(np.int64), self._seats[indices]
        rows, winner, players = np.arange(len(indices)), results[:, 1], self.rules.players
        infos = {
            "is_success": winner == seats,
            "winner": np.where(winner == NOBODY, NOBODY, (winner - seats) % players),
            "points": results[rows, 4 + seats],
            "end": (ends := results[:, 2]),
            "truncated": ((ends != WENT_OUT) & (ends != ILLEGAL))
            | (self._illegal_actions[indices] >= MAX_ILLEGAL_ACTIONS),
        }
        return {**infos, "score": results[rows, 4 + players + seats]} if self.options.match else infos

    def scores(self) -> npt.NDArray[np.int64]:
        """The learners' points of their matches so far, int64 [N]; a new array."""
        return self._games["scores"][np.arange(self.num_games), self._seats].astype(np.int64)

    def _state(self) -> dict[str, Array]:
        keeps_history = self._histories.shown.size > 0
        return {
            "games": self._games,
            "seats": self._seats,
            "rows": self._rows[learner_batch.LEARNER],
            "mask": self._mask,
            "known": self._known[learner_batch.LEARNER],
            "over": self._over,
            "reward": self._reward,
            "results": self._results,
            "mistakes": self._illegal_actions,
            **(self._histories.state() if keeps_history else {}),
        }
