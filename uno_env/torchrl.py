"""The environment for TorchRL by its public name: :class:`BatchedUnoEnv` of :mod:`uno_env.envs.torchrl`."""

from uno_env.envs.torchrl import BatchedUnoEnv

__all__ = ["BatchedUnoEnv"]
