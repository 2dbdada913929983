"""The kernels of games on a GPU, as they are bound to their arguments."""

from typing import Any

import numpy as np
import pytest

from tests.helpers.recorded_kernels import Recorder
from uno_env import DeviceGames
from uno_env.core.jit.places import Blocks, Each


@pytest.fixture(scope="session")
def bound() -> dict[str, tuple[Each | Blocks, tuple[Any, ...]]]:
    """Every kernel of :class:`DeviceGames` with its arguments, by its name."""
    recorder = Recorder()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("uno_env.envs.device_games.machine_of", lambda device: recorder)
        games = DeviceGames(4, "house", players=4, device="cpu", history=3)
        games.reset()
        games.deal([0], np.ones(1, np.uint64))
        DeviceGames(4, "house", device="cpu", encoding="planes")
        DeviceGames(4, "classic", device="cpu", encoding="rlcard")
        patch.setattr("uno_env.placed_games.verify_games", lambda *given: None)
        games.set_state(games.get_state())
    return recorder.bound
