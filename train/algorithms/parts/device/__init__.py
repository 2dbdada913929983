"""Self-play on a GPU: :mod:`.rollout` plays there what :mod:`train.algorithms.parts.rollout` plays on the processor."""
