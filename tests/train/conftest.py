"""What tests of training share."""

import numpy as np
import pytest


@pytest.fixture(autouse=True)
def _games_are_one_pixel(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of each evaluation, TensorBoard shows a game. Drawing it takes longer than a small training.

    The picture itself is tested in ``runs/test_tensorboard_log.py``.
    """
    monkeypatch.setattr("train.runs.tensorboard_log.strip", lambda replay: np.zeros((1, 1, 3), np.uint8))
