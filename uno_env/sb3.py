"""The view for Stable-Baselines3 by its public name: :class:`UnoVecEnv` of :mod:`uno_env.envs.sb3`."""

from uno_env.envs.sb3 import UnoVecEnv

__all__ = ["UnoVecEnv"]
