"""Many games in each of which one seat learns and agents play the others: :class:`LearnerGames`.

The views for single-agent learning on many games stand on it (:mod:`uno_env.envs.vector_env`, :mod:`uno_env.envs.sb3`).
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from uno_env.actions import NUM_ACTIONS
from uno_env.actions import name as action_name
from uno_env.common.copies import Buffers, exclusive, read_only
from uno_env.common.numbers import checked_arrays, checked_seed, checked_seeds, checked_whole, checked_wholes
from uno_env.core.loops import learner_batch
from uno_env.core.observe.history import view_histories
from uno_env.core.observe.layout import OBSERVATION_SIZE, RULES_START
from uno_env.core.packed_games import new_rows, records
from uno_env.core.record import END_NAMES, ILLEGAL, NOBODY, WENT_OUT
from uno_env.encodings import Observations
from uno_env.envs.opponents import Opponents
from uno_env.envs.single_agent_options import (
    MAX_ILLEGAL_ACTIONS,
    MAX_UNSEEN_HANDS,
    NEVER_ASKED,
    SingleAgentOptions,
)
from uno_env.game import IllegalActionError
from uno_env.history import Histories
from uno_env.invariants import verify_games
from uno_env.observation import rules_columns
from uno_env.player import Player

Array = npt.NDArray[Any]

_INT64 = np.dtype(np.int64)


class LearnerGames(Buffers):
    """Games under the same rules, played from one decision of their learner to its next.

    An episode is a hand, or with ``match`` a match. What the others decide is played inside, asking each agent about
    all the games that wait for it at once. Hands that end before their learner has decided anything are not seen.
    Forced decisions are asked like all others. Games that are over wait to be dealt again.

    Args:
        num_games: number of games N, 1 or more.
        options: who plays by which rules, and what the learner sees; with ``seat=None``, the learner of game i starts
            at seat i, counted round the table.

    Attributes:
        rules: the rules in force.
        rows: uint8 [N, D], what each learner sees, in integer form; of a game that is over, what it saw at the end.
        mask: uint8 [N, A], what each learner may do; of a game that is over, nothing.
        seats: int64 [N], the learners' seats.
        over: uint8 [N], 1 for games that are over.
        decisions: decisions of all seats so far.

    All arrays are views of the games' own, read-only and overwritten by the next call: copy what you keep. One thread
    at a time may use them; a call during another one is refused with RuntimeError. Copies and pickles go on as the
    games would, with opponents of their own.

    Raises:
        ValueError: an argument is not allowed.
    """

    def __init__(self, num_games: int, options: SingleAgentOptions) -> None:
        self.options, self.rules = options, options.rules_in_force
        self._rules = self.rules.record_for(options.match, options.reward)
        self.opponents = Opponents(options.opponents, self.rules)
        self._form = options.observation_form
        self.num_games = checked_whole("num_games", num_games, 1)
        self.decisions = 0
        self._make_arrays(len(self.opponents.agents) + 1)
        length = max(options.history, *(agent.history for agent in self.opponents.agents))
        self._histories = Histories(self.num_games if length else 0, self.rules.players, length)
        self._begin_views()

    def _make_arrays(self, players: int) -> None:
        N = self.num_games
        self._bytes = new_rows(N, self._rules)
        self._illegal_actions = np.zeros(N, np.int32)
        self._found = np.zeros(N, np.int64)
        self._random = np.zeros(N, np.uint64)  # generators of what replaces illegal actions, one for each game
        self._lists, self._lengths = np.zeros((players, N), np.int64), np.zeros(players, np.int64)
        # The system gives memory to what is written: hardly any of it to agents that are rarely asked.
        self._rows = np.zeros((players, N, OBSERVATION_SIZE), np.uint8)
        self._masks = np.zeros((players, N, NUM_ACTIONS), np.uint8)
        self._known = np.zeros((players, N), np.uint8)
        self._rows[:, :, RULES_START:] = rules_columns(self.rules)
        self._all = np.arange(N)
        self._stamps, self._stamp = np.zeros(N, np.int64), 0
        self._seats = np.zeros(N, np.int64)
        self._over = np.ones(N, np.uint8)  # until they are dealt
        self._reward = np.zeros(N, np.float32)
        self._results = np.zeros((N, 4 + 2 * self.rules.players), np.int32)
        shares = np.zeros(self.rules.players, np.float32)
        lists = (self._lists, self._lengths)
        self._table = (self.opponents.seating.copy(), self._seats, *lists, self._rows, self._masks, self._known)
        self._outcome = (self._reward, self._over, self._results, shares)

    def _make_views(self) -> None:
        self._games = records(self._bytes, self._rules)
        self._mask = self._masks[learner_batch.LEARNER]
        self._shown = read_only(self._rows), read_only(self._masks)
        self.rows, self.mask = (each[learner_batch.LEARNER] for each in self._shown)
        self.seats, self.over = read_only(self._seats), read_only(self._over)

    @exclusive
    def reset(self, seed: int | Array, indices: Array | None = None) -> None:
        """Seed games and deal them anew; the opponents' random generators restart, too.

        Args:
            seed: game i depends on ``seed`` and i alone, as in
                :class:`uno_env.BatchedGames`; or a seed for each game, uint64 [K]: it is then dealt as a
                :class:`uno_env.Game` with that seed, and the first one seeds the opponents.
            indices: the games, integers [K], each at most once; None for all.

        Raises:
            ValueError: a seed or a game is not allowed, and all is as it was; or in a game, the learner never gets to
                decide anything.
        """
        every = self._all if indices is None else self._checked_indices(indices)
        numbers = every.astype(np.uint64) if np.ndim(seed) == 0 else np.zeros(len(every), np.uint64)
        seeds = np.full(len(every), checked_seed(seed), np.uint64) if np.ndim(seed) == 0 else checked_seeds(seed)
        if len(seeds) != len(every):
            raise ValueError(f"{len(seeds)} seeds are not one for each of {len(every)} games")
        if not every.size:
            return
        learner_batch.seed_chosen(self._bytes, every, seeds, numbers)
        self.opponents.reset(int(seeds[0]))
        learner_batch.seed_substitutes(self._random, every, seeds, numbers)
        self._seats[every] = every - 1 if self.options.seat is None else self.options.seat
        self._deal(every)

    @exclusive
    def deal(self, indices: Array) -> None:
        """Deal the games ``indices`` again, integers [K], each at most once, and play until each waits for its learner.

        Raises:
            ValueError: there is no such game, or it is listed twice; or in a game, the learner never gets to decide
                anything.
        """
        self._deal(self._checked_indices(indices))

    def _deal(self, waiting: Array) -> None:
        for _ in range(MAX_UNSEEN_HANDS):
            if not waiting.size:
                return
            if self.options.seat is None:
                self._seats[waiting] = (self._seats[waiting] + 1) % self.rules.players
            self._reward[waiting], self._over[waiting], self._illegal_actions[waiting] = 0, 0, 0
            learner_batch.deal_listed(self._bytes, self._rules, waiting, self._table, self._histories.arrays)
            self._play_others()
            waiting = waiting[self._over[waiting] != 0]
        raise ValueError(NEVER_ASKED)

    @exclusive
    def step(self, indices: Array, actions: Array) -> None:
        """Act for the learners of the games ``indices``, none of them over, and play until they have to act again.

        Args:
            indices: integers [K], each game at most once.
            actions: integers [K].

        Raises:
            IllegalActionError: an action is illegal, and is to be refused; no game was stepped.
            ValueError: there is no such action or game, a game is listed twice, is over or was not dealt yet, or the
                two are not lists of the same length; no game was stepped.
        """
        indices, chosen = np.asarray(indices), np.asarray(actions)
        number = -1
        if indices.ndim == 1 and indices.shape == chosen.shape and indices.dtype == chosen.dtype == _INT64:
            indices, chosen = indices.copy(), chosen.copy()  # what is checked stays as it is
            self._stamp += 1
            seen = self._mask, self._over, indices, chosen, self._found, self._stamps, self._stamp
            number = learner_batch.find_refused_step(*seen)
        if number < 0:
            indices, chosen = self._checked_step(indices, chosen)
            number = learner_batch.find_unmarked(self._mask, indices, chosen, self._found)
        found = self._found[:number]
        if found.size:
            indices, chosen = self._judge(indices, chosen, found)
        self._illegal_actions[indices] = 0
        self._lists[learner_batch.LEARNER, : len(indices)] = indices
        self._lengths[learner_batch.LEARNER] = len(indices)
        self._act(learner_batch.LEARNER, chosen)
        self._play_others()

    def take_rewards(self) -> npt.NDArray[np.float32]:
        """What each learner has earned since this was asked last, float32 [N]; a new array."""
        earned = self._reward.copy()
        self._reward[:] = 0
        return earned

    @exclusive
    def get_state(self) -> dict[str, Array]:
        """All that the games go on from, but for the opponents' own generators; copies of plain arrays."""
        return {name: array.copy() for name, array in self._state().items()}

    @exclusive
    def set_state(self, state: Mapping[str, Array]) -> None:
        """Go on from a state that :meth:`get_state` gave, of as many games of this kind.

        Raises:
            ValueError: the state is of other games than these, or one in it is impossible; all is as it was.
        """
        given = self.verify(state)
        for name, own in self._state().items():
            own[:] = given[name]
        # What the learners see is written anew: compiled code goes by the masks.
        self._known[learner_batch.LEARNER] = 0
        self._rows[learner_batch.LEARNER] = 0
        self._rows[learner_batch.LEARNER, :, RULES_START:] = rules_columns(self.rules)
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
        """What the learners of some games see, in new arrays.

        Raises:
            ValueError: there is no such game.
        """
        if not isinstance(indices, slice):
            indices = checked_wholes("indices", indices, 0, self.num_games - 1)
        return self._form.joined(
            self._form.of(self._rows[learner_batch.LEARNER, indices]),
            self._mask[indices],
            lambda: self.histories()[indices],
        )

    def histories(self) -> npt.NDArray[np.uint8]:
        """The last events that each learner has seen, uint8 [N, history, EVENT_SIZE]; a new array."""
        shown = self._histories.shown
        view_histories(self._histories.arrays, self._seats.astype(np.int8), shown, 0, len(shown))
        return shown[:, -self.options.history :].copy()

    def truncated(self, indices: Array) -> npt.NDArray[np.bool_]:
        """Which of the games ``indices`` that are over were cut off, rather than won or ended by an illegal action.

        Raises:
            ValueError: there is no such game.
        """
        indices = checked_wholes("indices", indices, 0, self.num_games - 1)
        ends = self._results[indices, 2]
        return ((ends != WENT_OUT) & (ends != ILLEGAL)) | (self._illegal_actions[indices] >= MAX_ILLEGAL_ACTIONS)

    def ends(self, indices: Array) -> dict[str, Array]:
        """How the games ``indices``, all of them over, ended for their learners; arrays [K].

        Returns:
            ``is_success``, bool, and ``winner``, ``points``, ``end`` and in a match ``score``, int64: what the info of
            :class:`uno_env.envs.gym_env.UnoEnv` says.

        Raises:
            ValueError: there is no such game.
        """
        indices = checked_wholes("indices", indices, 0, self.num_games - 1)
        results, seats = self._results[indices].astype(np.int64), self._seats[indices]
        rows, winner, players = np.arange(len(indices)), results[:, 1], self.rules.players
        infos = {
            "is_success": winner == seats,
            "winner": np.where(winner == NOBODY, NOBODY, (winner - seats) % players),
            "points": results[rows, 4 + seats],
            "end": results[:, 2],
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

    def _checked_indices(self, indices: Any) -> Array:
        chosen = checked_wholes("indices", indices, 0, self.num_games - 1)
        if len(chosen) < 2:
            return chosen
        listed = np.zeros(self.num_games, bool)
        listed[chosen] = True
        if np.count_nonzero(listed) < len(chosen):
            raise ValueError("a game is listed twice: list each at most once")
        return chosen

    def _checked_step(self, indices: Array, actions: Array) -> tuple[Array, Array]:
        """What is to be stepped, as int64; or an error that says what is wrong with it."""
        games, chosen = self._checked_indices(indices), checked_wholes("actions", actions, 0, NUM_ACTIONS - 1)
        if len(chosen) != len(games):
            raise ValueError(f"{len(chosen)} actions are not one for each of {len(games)} games")
        for index in games[self._over[games] != 0][:1]:
            raise ValueError(f"game {index} is over: deal it before step()")
        return games, chosen

    def _judge(self, indices: Array, actions: Array, found: Array) -> tuple[Array, Array]:
        """What is done instead of the illegal actions, whose entries of the list are ``found``."""
        games = indices[found]
        if self.options.illegal_action in ("penalty", "terminate"):
            self._reward[games] += self.options.reward_of_illegal_action
            self._count_illegal_actions(games)
            legal = np.delete(np.arange(len(indices)), found)
            return indices[legal], actions[legal]
        if self.options.illegal_action == "random":
            self._reward[games] += self.options.illegal_reward
            actions = actions.copy()
            learner_batch.substitute_random(self._mask, self._random, indices, actions, found)
        elif self.rules.illegal_action == "raise":
            names = ", ".join(map(action_name, np.flatnonzero(self._mask[games[0]]).tolist()))
            raise IllegalActionError(f"action {actions[found[0]]} is illegal in game {games[0]}: legal are {names}")
        return indices, actions

    def _count_illegal_actions(self, games: Array) -> None:
        self._illegal_actions[games] += 1
        cut = games[self._illegal_actions[games] == self.options.most_illegal_actions]
        self._over[cut], self._mask[cut] = 1, 0
        self._results[cut] = 0
        self._results[cut, 1], self._results[cut, 2] = NOBODY, ILLEGAL
        if self.options.match:
            self._results[cut, 4 + self.rules.players :] = self._games["scores"][cut, : self.rules.players]

    def _play_others(self) -> None:
        """Let the opponents decide until every game waits for its learner or is over.

        Games in which one of them fails are over: they must be dealt again.
        """
        try:
            self._ask_others()
        except BaseException:
            for player in np.flatnonzero(self._lengths):
                left = self._lists[player, : self._lengths[player]]
                self._over[left], self._mask[left], self._results[left] = 1, 0, 0
            self._lengths[:] = 0
            raise

    def _ask_others(self) -> None:
        while self._lengths.any():
            for player, agent in enumerate(self.opponents.agents, 1):
                asked = int(self._lengths[player])
                if asked:
                    buffers = (self._rows, self._masks) if agent.only_reads else self._shown
                    rows, masks = (each[player, :asked] for each in buffers)
                    shown = self._histories_for(agent, self._lists[player, :asked])
                    actions = np.asarray(agent.act_batch(rows, masks, *shown))
                    self._check_choices(agent, self._masks[player, :asked], actions)
                    self._act(player, np.ascontiguousarray(actions, np.int64))

    def _histories_for(self, agent: Player, indices: Array) -> tuple[Array, ...]:
        """Histories of the games ``indices``, in which an agent is to move, or nothing if it reads none."""
        if not agent.history:
            return ()
        shown, seats = self._histories.shown[: len(indices)], self._games["to_move"][indices].astype(np.int8)
        some = tuple(array[indices] for array in self._histories.arrays)
        view_histories(some, seats, shown, 0, len(indices))
        return (shown,)

    def _act(self, player: int, actions: Array) -> None:
        self.decisions += len(actions)
        history = self._histories.arrays
        learner_batch.act_listed(self._bytes, self._rules, player, actions, self._table, self._outcome, history)

    def _check_choices(self, agent: Player, masks: Array, actions: Array) -> None:
        whole = actions.shape == masks.shape[:1] and actions.dtype.kind in "iu"
        chosen = np.ascontiguousarray(actions, np.int64) if whole else actions
        if not whole or learner_batch.find_unmarked(masks, self._all[: len(masks)], chosen, self._found):
            raise ValueError(f"the opponent {agent!r} chose an action that is not legal, or not one for each game")
