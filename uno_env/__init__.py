"""UNO as an environment for multi-agent reinforcement learning.

UNO is a trademark of Mattel; this project is not affiliated with Mattel.
"""

from uno_env.batched import BatchedGames
from uno_env.game import Game, IllegalActionError
from uno_env.rules import PRESETS, Rules

__version__ = "0.1.0"

__all__ = ["PRESETS", "BatchedGames", "Game", "IllegalActionError", "Rules"]
