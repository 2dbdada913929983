"""Small runs, what they have saved, and comparing it."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from agents.policy.policy_file import load_policy
from train.runs.checkpoint import load_checkpoint

TINY = {
    "preset": "duel",
    "deck": "r1 r2 r3 g1 g2 g3 b1 b2 b3 w w r+2 g+2 b+2",
    "hand_size": 3,
    "max_decisions": 60,
}
"""Rules of short hands, on which a run learns in seconds."""


def weights(folder: Path) -> dict[str, Any]:
    """The weights of a run's policy."""
    return load_policy(folder / "policy.safetensors")[0]


def last_checkpoint(folder: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """The arrays and the values of a run's last checkpoint."""
    return load_checkpoint(sorted((folder / "checkpoints").iterdir())[-1])


def assert_equal(ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> None:
    """Check that two mappings have the same arrays."""
    assert ours.keys() == theirs.keys()
    for name, array in ours.items():
        np.testing.assert_array_equal(array, theirs[name], err_msg=name)
