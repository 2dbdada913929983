"""SB3's MaskablePPO on games that end at the largest number of decisions: :class:`ExactSB3PPO`."""

from typing import Any

import numpy as np

from train.algorithms.sb3.env import LearnerEnv
from train.algorithms.sb3.ppo import SB3PPO
from uno_env.core.arrays import Array
from uno_env.encodings import Observations


class EndsAtTheLimit(LearnerEnv):
    """Hands end at the largest number of decisions, with a reward of 0, as in the tree.

    Otherwise SB3 would add the value of what might have come, and learn another game.
    """

    def step_wait(self) -> tuple[Observations, Array, Array, list[dict[str, Any]]]:
        """Same as :meth:`LearnerEnv.step_wait`, but no hand is told as truncated."""
        observations, rewards, dones, infos = super().step_wait()
        for index in np.flatnonzero(dones):
            infos[index]["TimeLimit.truncated"] = False
        return observations, rewards, dones, infos


class ExactSB3PPO(SB3PPO):
    """MaskablePPO of hands that end at the limit."""

    env_class = EndsAtTheLimit
