"""The public names for Stable-Baselines3: :class:`UnoVecEnv` of :mod:`uno_env.envs.sb3`, and :class:`ModelPlayer` of
:mod:`uno_env.envs.sb3_player`.
"""

from uno_env.envs.sb3 import UnoVecEnv
from uno_env.envs.sb3_player import ModelPlayer

__all__ = ["ModelPlayer", "UnoVecEnv"]
