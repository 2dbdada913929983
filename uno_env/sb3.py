"""Stable-Baselines3's vectorised environment: one seat learns, agents play the others: :class:`UnoVecEnv`."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from stable_baselines3.common.vec_env import VecEnv
from stable_baselines3.common.vec_env.base_vec_env import VecEnvIndices

import agents
from uno_env.actions import NUM_ACTIONS
from uno_env.batched import BatchedGames
from uno_env.core.record import WENT_OUT
from uno_env.core.rng import stream
from uno_env.observation import SCALES
from uno_env.rules import Rules

Array = npt.NDArray[Any]


class UnoVecEnv(VecEnv):
    """Many games, each with one seat for the learner; an episode is a hand.

    A step does the learner's action in every game, then the others' until each game waits for its learner again. The
    reward is that of the learner's seat at the end of its hand, also when another's action ended it, and 0 before. A
    finished game is dealt anew in the same step; hands that end before their learner has decided anything are not
    seen. Forced decisions are asked like all others.

    An info holds, at the end of a hand, ``terminal_observation``, ``is_success`` (whether the learner went out) and
    ``TimeLimit.truncated`` (whether the hand was cut off).

    Args:
        num_envs: number of games.
        rules: rules, a preset's name or a mapping of fields.
        opponents: who plays the other seats, by place to the learner's left: agents, or names for
            :func:`agents.load`; a single one plays all of them.
        seat: the learner's seat; None: each game's moves one place to the left after every hand.
        seed: decides the games and the chance of agents given by name.
        threads: threads that share the games.

    Attributes:
        decisions: decisions of all seats so far.

    Raises:
        ValueError: an argument is not allowed.
    """

    def __init__(
        self,
        num_envs: int,
        rules: Rules | str | Mapping[str, Any] = "duel",
        opponents: Sequence[Any] = ("random-play",),
        seat: int | None = None,
        seed: int = 0,
        threads: int = 1,
    ) -> None:
        self.games = BatchedGames(num_envs, rules, seed, threads, obs_dtype="uint8")
        self.rules = self.games.rules
        if seat is not None and not 0 <= seat < self.rules.players:
            raise ValueError(f"seat={seat!r} is no seat of {self.rules.players} players: 0 to {self.rules.players - 1}")
        self.opponents = _seated(opponents, self.rules, seed)
        self.decisions = 0
        self._next_seed = self.games.seed
        self._fixed_seat = seat
        self._learner = np.zeros(num_envs, np.int64)
        self._chosen = np.zeros(num_envs, np.int64)
        self._rewards = np.zeros(num_envs, np.float32)
        self._infos: list[dict[str, Any]] = []
        high = np.float32(255) * SCALES
        super().__init__(num_envs, spaces.Box(np.zeros_like(high), high), spaces.Discrete(NUM_ACTIONS))

    def reset(self) -> Array:
        """Deal every game: float32 [num_envs, D]; after ``seed(s)`` as a new environment with that seed does."""
        if self._seeds[0] is not None:
            self._next_seed = self._seeds[0]
        self._reset_seeds()
        self._reset_options()
        every = np.arange(self.num_envs)
        self._learner[:] = every % self.rules.players if self._fixed_seat is None else self._fixed_seat
        self._view = self.games.reset(self._next_seed)
        self._next_seed = int(stream(np.uint64(self._next_seed), np.uint64(2**63)))
        self._ended = np.ones(self.num_envs, bool)  # hands that end before a learner's first decision are not seen
        self._play_others()
        return self._observations()

    def step_async(self, actions: Array) -> None:
        """Take note of an action for each game, integers [num_envs]."""
        self._chosen[:] = actions

    def step_wait(self) -> tuple[Array, Array, Array, list[dict[str, Any]]]:
        """Do them: observations float32 [num_envs, D], rewards float32, dones bool and infos [num_envs]."""
        self._ended[:] = False
        self._rewards = np.zeros(self.num_envs, np.float32)
        self._infos = [{} for _ in range(self.num_envs)]
        self._act(np.arange(self.num_envs), self._chosen)
        self._play_others()
        return self._observations(), self._rewards, self._ended.copy(), self._infos

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """What each learner may do, bool [num_envs, A]; a copy."""
        return self._view[1].astype(bool)

    def close(self) -> None:
        """Nothing is held open."""

    def has_attr(self, attr_name: str) -> bool:
        """Whether every game has the attribute: the environment does."""
        return hasattr(self, attr_name)

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        """The environment's attribute, once for each of some games."""
        value = None if attr_name == "render_mode" else getattr(self, attr_name)
        return [value for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: VecEnvIndices = None) -> None:
        """Set the environment's attribute, the same for all games."""
        setattr(self, attr_name, value)

    def env_method(
        self, method_name: str, *method_args: Any, indices: VecEnvIndices = None, **method_kwargs: Any
    ) -> list[Any]:
        """Of some games, their parts of what the environment's method returns; ``action_masks`` is one."""
        result = getattr(self, method_name)(*method_args, **method_kwargs)
        return [result[index] for index in self._get_indices(indices)]

    def env_is_wrapped(self, wrapper_class: type, indices: VecEnvIndices = None) -> list[bool]:
        """No game is wrapped."""
        return [False for _ in self._get_indices(indices)]

    def _observations(self) -> Array:
        observations: Array = self._view[0] * SCALES
        return observations

    def _play_others(self) -> None:
        """Let the opponents decide until every game waits for its learner."""
        while True:
            obs, mask, seat = self._view
            place = (seat - self._learner) % self.rules.players
            waiting = np.flatnonzero(place)
            if not waiting.size:
                return
            actions = np.zeros(self.num_envs, np.int64)
            for number, opponent in enumerate(self.opponents, 1):
                asked = np.flatnonzero(place == number)
                if asked.size:
                    actions[asked] = opponent.act_batch(obs[asked], mask[asked])
            self._act(waiting, actions[waiting])

    def _act(self, index: Array, actions: Array) -> None:
        obs, mask, seat, reward, done = self.games.step_chosen(index, actions)
        self._view = obs, mask, seat
        self.decisions += len(index)
        over = np.flatnonzero(done)
        if over.size:
            self._report(over[~self._ended[over]], reward)
            if self._fixed_seat is None:
                self._learner[over] = (self._learner[over] + 1) % self.rules.players

    def _report(self, over: Array, reward: Array) -> None:
        """Report the ends of hands, but for a second one in the same step, of which the learner saw nothing."""
        seats = self._learner[over]
        self._ended[over] = True
        self._rewards[over] = reward[over, seats]
        last = self.games.final_observations(over, seats) * SCALES
        for place, game in enumerate(over.tolist()):
            self._infos[game] = {
                "terminal_observation": last[place],
                "is_success": bool(self.games.winner[game] == seats[place]),
                "TimeLimit.truncated": bool(self.games.end[game] != WENT_OUT),
            }


def _seated(opponents: Sequence[Any], rules: Rules, seed: int) -> list[Any]:
    others = rules.players - 1
    if isinstance(opponents, str) or len(opponents) not in (1, others):
        allowed = "1" if others == 1 else f"1 or {others}"
        raise ValueError(f"opponents={opponents!r} is not allowed: list {allowed} for {rules.players} players")
    listed = list(opponents) * (others if len(opponents) == 1 else 1)
    return [
        agents.load(opponent, int(stream(np.uint64(seed), np.uint64(2**63 + 1 + place))), rules)
        if isinstance(opponent, str)
        else opponent
        for place, opponent in enumerate(listed)
    ]
