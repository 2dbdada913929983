"""The public names for TorchRL: :class:`BatchedUnoEnv` and :func:`random_policy` of :mod:`uno_env.envs.torchrl`."""

from uno_env.envs.torchrl import BatchedUnoEnv, random_policy

__all__ = ["BatchedUnoEnv", "random_policy"]
