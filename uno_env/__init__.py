"""UNO as an environment for multi-agent reinforcement learning.

Importing this registers the PettingZoo environment ``uno_env/uno-v0`` and the Gymnasium environment ``uno_env/Uno-v0``.

UNO is a trademark of Mattel; this project is not affiliated with Mattel.
"""

import importlib
from typing import TYPE_CHECKING, Any

import gymnasium
import pettingzoo

from uno_env.batched import BatchedGames
from uno_env.core.record import END_NAMES
from uno_env.game import Game, IllegalActionError
from uno_env.rules import PRESETS, Rules

if TYPE_CHECKING:
    from uno_env import render, text
    from uno_env.envs.device_games import DeviceGames as DeviceGames
    from uno_env.envs.pettingzoo_env import env, parallel_env, raw_env

__version__ = "0.1.0"

__all__ = [
    "END_NAMES",
    "PRESETS",
    "BatchedGames",
    "Game",
    "IllegalActionError",
    "Rules",
    "env",
    "parallel_env",
    "raw_env",
    "render",
    "text",
]

_LAZY_NAMES = dict.fromkeys(("env", "parallel_env", "raw_env"), "uno_env.envs.pettingzoo_env")
_LAZY_NAMES["DeviceGames"] = "uno_env.envs.device_games"
_LAZY_MODULES = ("openspiel", "render", "rllib", "sb3", "text", "torchrl")

pettingzoo.register("aec", "uno_env/uno-v0", entry_point="uno_env.envs.pettingzoo_env:env")
gymnasium.register(
    "uno_env/Uno-v0",
    entry_point="uno_env.envs.gym_env:UnoEnv",
    vector_entry_point="uno_env.envs.vector_env:UnoVectorEnv",
)


def __getattr__(name: str) -> Any:
    if name in _LAZY_NAMES:
        return getattr(importlib.import_module(_LAZY_NAMES[name]), name)
    if name in _LAZY_MODULES:
        return importlib.import_module(f"uno_env.{name}")
    raise AttributeError(f"module 'uno_env' has no attribute {name!r}")
