"""The environment for RLlib by its public name: :class:`UnoMultiAgentEnv` of :mod:`uno_env.envs.rllib`."""

from uno_env.envs.rllib import UnoMultiAgentEnv

__all__ = ["UnoMultiAgentEnv"]
