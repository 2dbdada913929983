"""The environment that the algorithms of SB3 learn on: :class:`LearnerEnv`."""

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from train.networks.policy_network import Network
from uno_env.core.arrays import Array
from uno_env.encodings import Observations
from uno_env.envs.sb3 import UnoVecEnv
from uno_env.envs.single_agent_games import LearnerGames

if TYPE_CHECKING:
    from train.algorithms.sb3.base import SB3Config


class LearnerEnv(UnoVecEnv):
    """:class:`uno_env.envs.sb3.UnoVecEnv` with the columns and actions alone that the rules leave, in integer form. It
    counts the learner's decisions, its ``choices`` among two or more, hands, and their rewards before costs.
    """

    def __init__(self, num_envs: int, config: "SB3Config", network: Network, **options: Any) -> None:
        self._columns, self._actions = network.columns, network.actions
        lineups = [[opponent] for opponent in config.opponents]
        options |= {"seed": config.seed, "obs_dtype": "uint8", "symmetry": network.symmetry}
        super().__init__(num_envs, config.game_rules(), lineups, **options)
        self._truncated = -1 / (self.rules.players - 1) if config.truncated_is_lost else 0.0
        self.observation_space = spaces.Box(0, 255, (len(self._columns),), np.uint8)
        self.action_space = spaces.Discrete(len(self._actions))
        self._choice_cost = np.float32(config.choice_cost)
        self._has_choice = np.zeros(num_envs, bool)
        self.learner_decisions = self.choices = self.hands = 0
        self.reward = 0.0

    def step_async(self, actions: Array) -> None:
        """Take note of an action for each game, integers [N] below the number of actions that the rules leave."""
        self._has_choice = self.action_masks().sum(axis=1) > 1
        self.learner_decisions += self.num_envs
        self.choices += int(self._has_choice.sum())
        super().step_async(self._actions[actions])

    def step_wait(self) -> tuple[Observations, Array, Array, list[dict[str, Any]]]:
        """Same as :meth:`uno_env.envs.sb3.UnoVecEnv.step_wait`, with truncated hands lost and costs subtracted."""
        observations, rewards, dones, infos = super().step_wait()
        self.hands += int(dones.sum())
        self.reward += float(rewards.sum())
        for index in np.flatnonzero(dones) if self._truncated else ():
            if infos[index]["TimeLimit.truncated"]:  # without it SB3 adds no value of what might have come
                rewards[index], infos[index]["TimeLimit.truncated"] = self._truncated, False
        return observations, rewards - self._choice_cost * self._has_choice, dones, infos

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """The learners' legal actions, bool [N, A]."""
        return super().action_masks()[:, self._actions]

    def observe_table(self, games: LearnerGames, indices: Array | slice = slice(None)) -> Observations:
        """Same as :meth:`uno_env.envs.sb3.UnoVecEnv.observe_table`, with the columns that the rules leave."""
        observations: Any = super().observe_table(games, indices)
        return observations[:, self._columns]
