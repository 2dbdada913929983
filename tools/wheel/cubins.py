"""``python -m tools.wheel.cubins``: the machine code for GPUs that a wheel carries, written to the cache.

It is made without a GPU, by the compiler of the extra ``gpu``: for :data:`CAPABILITIES`, what ``DeviceGames`` needs
for each edition, and what training with the configs for a GPU needs.
"""

import argparse
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np

from train.algorithms.parts.backends import CudaBackend
from train.algorithms.parts.config import SelfPlayConfig
from train.algorithms.ppo import PPO, PPOConfig
from train.runs.config import SHIPPED, make_config, read_yaml
from uno_env import DeviceGames
from uno_env.core.jit.cuda.arguments import kind_of
from uno_env.core.jit.cuda.cubins import cubin
from uno_env.core.jit.places import Blocks, Bound, Each, Processor
from uno_env.editions import EDITIONS

CAPABILITIES = (8, 0), (9, 0), (10, 0)
"""Compute capabilities whose machine code is carried: GPUs of NVIDIA with 8, 9 or 10 before the dot run one of them."""
SMALL = {"num_envs": 32, "num_steps": 8, "minibatch_size": 64, "hidden": (8,), "precision": "float32"}
"""Changes of a config that make an iteration as short as it can be."""
ITERATIONS = 2
"""Iterations after which every opponent was met."""


class CubinMaker(Processor):
    """The processor, as a machine that makes the machine code for GPUs of each kernel that it is to run."""

    def bind(self, kernel: Each | Blocks, number: int, arguments: tuple[Any, ...], shared: int = 0) -> Bound:
        """A call of the kernel on the processor."""
        for capability in CAPABILITIES:
            cubin(kernel, tuple(map(kind_of, arguments)), capability)
        return super().bind(kernel, number, arguments, shared)


def make_for_games(rules: str) -> None:
    """Make what games by the rules of an edition need."""
    games = DeviceGames(4, rules, device="cpu", history=1)
    games.reset()
    games.step(games.sample_actions())
    games.deal([0], np.ones(1, np.uint64))
    games.set_state(games.get_state())


def make_for_training(config: Path) -> None:
    """Make what training with a config needs."""
    with tempfile.TemporaryDirectory() as folder:
        values = {**read_yaml(config), **SMALL, "folder": folder, "device": "cpu"}
        with PPO(make_config(PPOConfig, values)) as learner:
            learner.begin()
            for _ in range(ITERATIONS):
                learner.iterate(0.5)


def main() -> None:
    """Make all; say how long each part took."""
    configs = sorted(SHIPPED.glob("ppo/*_gpu.yaml"))
    parts: dict[str, Callable[[], None]] = {f"games of {rules}": partial(make_for_games, rules) for rules in EDITIONS}
    parts |= {f"training with {config.stem}": partial(make_for_training, config) for config in configs}
    with (
        mock.patch("uno_env.envs.device_games.machine_of", return_value=CubinMaker()),
        mock.patch.object(SelfPlayConfig, "new_backend", return_value=CudaBackend("cpu")),
    ):
        for name, make in parts.items():
            began = time.monotonic()
            make()
            print(f"{name}: {time.monotonic() - began:.0f} s", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser("python -m tools.wheel.cubins", description=(__doc__ or "").partition(": ")[2])
    parser.parse_args()
    main()
