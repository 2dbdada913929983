"""The PPO of ``examples/cleanrl_ppo.py``, by the name that its scores and trials of the suite have."""

from pathlib import Path
from typing import Any

from train.algorithms.registry import find_algorithm

FILE = Path(__file__).parents[2] / "examples" / "cleanrl_ppo.py"
CleanRLPPO: Any = find_algorithm(f"{FILE}:CleanRLPPO")
CleanRLConfig: Any = CleanRLPPO.config_class
