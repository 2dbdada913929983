"""Many games in each of which one seat learns and agents play the others: :class:`LearnerGames`.

The environments for one learner and many games use it (:mod:`uno_env.envs.vector_env`, :mod:`uno_env.envs.sb3`).
"""

from typing import Any

import numpy as np

from uno_env.actions import name as action_name
from uno_env.actions import number_of
from uno_env.common.calls import exclusive
from uno_env.common.numbers import checked_indices, checked_seed, checked_seeds
from uno_env.core.arrays import Array
from uno_env.core.loops import learner_batch
from uno_env.core.observe.history import view_histories
from uno_env.core.record import ILLEGAL, NOBODY
from uno_env.envs.learner_arrays import LearnerArrays
from uno_env.envs.single_agent_options import MAX_UNSEEN_HANDS, NEVER_ASKED
from uno_env.game import IllegalActionError
from uno_env.player import Player, checked_choices

_INT64 = np.dtype(np.int64)


class LearnerGames(LearnerArrays):
    """Games under the same rules, played from one decision of their learner to its next.

    An episode is a hand, or with ``match`` a match. What the others decide is played inside, asking each agent about
    all the games that wait for it at once. Hands that end before their learner has decided anything are not seen.
    Forced decisions are asked like all others. Games that are over wait to be dealt again. Raises ValueError if an
    argument is not allowed.

    Args:
        num_games: number of games N, 1 or more.
        options: who plays by which rules, and what the learner sees; with ``seat=None``, the learner of game i starts
            at seat i, counted round the table.

    Attributes:
        rules: the rules in force.
        rows: uint8 [N, D], what each learner sees, in integer form; of a game that is over, what it saw at the end.
        mask: uint8 [N, A], what each learner may do; of a game that is over, nothing. With the option ``symmetry``,
            :meth:`observe` and :meth:`action_masks` show the canonical form, and :meth:`real_actions` leads back.
        seats: int64 [N], the learners' seats.
        over: uint8 [N], 1 for games that are over.
        decisions: decisions of all seats so far.
        failures: calls so far in which an opponent failed.

    All arrays are views of the games' own, read-only and overwritten by the next call: copy what you keep. One thread
    at a time may use them; a call during another one is refused with RuntimeError. After a call that was interrupted
    they are as before, as after, or must be reset, which ValueErrors say. Copies and pickles go on as the games would,
    with opponents of their own.
    """

    @exclusive
    def reset(self, seed: int | Array, indices: Array | None = None) -> None:
        """Seed games and deal them; the opponents' random generators restart, too.

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
        if self._unready and len(every) < self.num_games:
            raise ValueError(f"{self._unready}: call reset() for all games")
        if not every.size:
            return
        if self._unready:  # lists and rows are as an interrupted call has left them
            self._lengths[:] = 0
            self._known[:] = 1
        self._checked = None
        with self._changing("reset"):
            learner_batch.seed_chosen(self._bytes, self._rules, every, seeds, numbers)
            self.opponents.reset(int(seeds[0]))
            learner_batch.seed_substitutes(self._random, every, seeds, numbers)
            self._seats[every] = every - 1 if self.options.seat is None else self.options.seat
            self._deal(every)

    @exclusive
    def deal(self, indices: Array) -> None:
        """Deal the games ``indices`` again, integers [K], each at most once, and play until each waits for its learner.
        Raises ValueError if there is no such game, or it is listed twice; or in a game, the learner never gets to
        decide anything.
        """
        waiting = self._checked_indices(indices)
        self._check_ready("deal")
        self._checked = None
        with self._changing("deal"):
            self._deal(waiting)

    def _deal(self, waiting: Array) -> None:
        for _ in range(MAX_UNSEEN_HANDS):
            if not waiting.size:
                return
            if self.options.seat is None:
                self._seats[waiting] = (self._seats[waiting] + 1) % self.rules.players
            self._reward[waiting], self._over[waiting], self._illegal_actions[waiting] = 0, 0, 0
            learner_batch.deal_listed(self._bytes, self._rules_array, waiting, self._table, self._histories.arrays)
            self._play_others()
            waiting = waiting[self._over[waiting] != 0]
        self._unready = ""  # these games are over
        raise ValueError(NEVER_ASKED)

    @exclusive
    def step(self, indices: Array, actions: Array) -> None:
        """Act for the learners of the games ``indices``, none of them over, and play until they have to act again.

        Args:
            indices: integers [K], each game at most once.
            actions: integers [K].

        Raises:
            IllegalActionError: an action is illegal and is refused; no game was stepped.
            ValueError: there is no such action or game, a game is listed twice, is over or was not dealt yet, or the
                two are not lists of the same length; no game was stepped.
        """
        self._step(*self._checked_step(indices, actions))

    @exclusive
    def check_step(self, indices: Array, actions: Array) -> None:
        """Raise what :meth:`step` would refuse; nothing is stepped. :meth:`step_checked` is then the step itself."""
        self._checked = self._checked_step(indices, actions)

    @exclusive
    def step_checked(self) -> None:
        """Do the step that :meth:`check_step` has just let pass, without another check. Raises ValueError if none has
        passed since the games were last changed; no game was stepped.
        """
        if self._checked is None:
            raise ValueError("no step was checked since the games changed: call check_step() before step_checked()")
        self._check_ready("step")
        self._step(*self._checked)

    def _step(self, indices: Array, chosen: Array, found: Array) -> None:
        self._checked = None
        with self._changing("step"):
            stepped = indices
            if found.size:
                indices, chosen = self._judge(indices, chosen, found)
            self._illegal_actions[indices] = 0
            self._lists[learner_batch.LEARNER, : len(indices)] = indices
            self._lengths[learner_batch.LEARNER] = len(indices)
            self._act(learner_batch.LEARNER, chosen)
            self._play_others()
        ended = stepped[self._over[stepped] != 0]
        self._hand_length.hands += int(np.maximum(1, self._games["hands_played"][ended]).sum())

    def warn_of_long_hands(self) -> None:
        """Warn once if the first hands took too many decisions, see :class:`uno_env.envs.hand_length.HandLengthCheck`;
        a UserWarning.
        """
        self._hand_length.decisions = self.decisions
        if self._hand_length.is_due:  # hands of matches that are not over are not counted yet
            self._hand_length.hands += int(self._games["hands_played"][self._over == 0].sum())
        self._hand_length.warn_if_due()

    def _checked_step(self, indices: Array, actions: Array) -> tuple[Array, Array, Array]:
        """Check a step. Return copies of games and actions as int64, and the entries of illegal actions."""
        self._checked = None  # the list of what is illegal is one
        self._check_ready("step")
        indices, chosen = np.asarray(indices), np.asarray(actions)
        number = -1
        if indices.ndim == 1 and indices.shape == chosen.shape and indices.dtype == chosen.dtype == _INT64:
            indices, chosen = indices.copy(), chosen.copy()  # what is checked stays as it is
            self._stamp += 1
            seen = self._mask, self._over, indices, chosen, self._found, self._stamps, self._stamp
            number = learner_batch.find_refused_step(*seen)
        if number < 0:
            indices, chosen = self._checked_slowly(indices, chosen)
            number = learner_batch.find_unmarked(self._mask, indices, chosen, self._found)
        found = self._found[:number]
        if number and self.options.illegal_action in ("raise", "rules") and self.rules.illegal_action == "raise":
            game = indices[found[0]]
            names = ", ".join(map(action_name, np.flatnonzero(self._mask[game]).tolist()))
            raise IllegalActionError(f"action {chosen[found[0]]} is illegal in game {game}: legal are {names}")
        return indices, chosen, found

    def _checked_indices(self, indices: Any) -> Array:
        chosen = checked_indices("indices", indices, self.num_games)
        if len(chosen) < 2:
            return chosen
        listed = np.zeros(self.num_games, bool)
        listed[chosen] = True
        if np.count_nonzero(listed) < len(chosen):
            raise ValueError("a game is listed twice: list each at most once")
        return chosen

    def _checked_slowly(self, indices: Array, actions: Array) -> tuple[Array, Array]:
        """Return games and actions of any form as int64. Raises an error that says what is wrong with them."""
        games, chosen = self._checked_indices(indices), checked_indices("actions", actions, number_of(self.rules))
        if len(chosen) != len(games):
            raise ValueError(f"{len(chosen)} actions are not one for each of {len(games)} games")
        for index in games[self._over[games] != 0][:1]:
            raise ValueError(f"game {index} is over: deal it before step()")
        return games, chosen

    def _judge(self, indices: Array, actions: Array, found: Array) -> tuple[Array, Array]:
        """Replace the illegal actions, the entries ``found`` of the list."""
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
        while self._lengths.any():
            for player, agent in enumerate(self.opponents.agents, 1):
                asked = int(self._lengths[player])
                if asked:
                    buffers = (self._rows, self._masks) if agent.only_reads else self._shown
                    rows, masks = (each[player, :asked] for each in buffers)
                    shown = self._histories_for(agent, self._lists[player, :asked])
                    try:
                        chosen = agent.act_batch(rows, masks, *shown)
                        chosen = checked_choices(agent.name, chosen, self._masks[player, :asked])
                    except Exception:
                        self._give_up()
                        raise
                    self._act(player, chosen)

    def _give_up(self) -> None:
        """End all games in which it is for an opponent to decide."""
        for player in np.flatnonzero(self._lengths):
            left = self._lists[player, : self._lengths[player]]
            self._over[left], self._mask[left], self._results[left] = 1, 0, 0
        self._lengths[:] = 0
        self._unready = ""
        self.failures += 1

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
        learner_batch.act_listed(self._bytes, self._rules_array, player, actions, self._table, self._outcome, history)
