"""RLCard's deep Monte Carlo (DMC) as a player, from weights that are data.

``python -m tools.rlcard train`` trains with the trainer of RLCard, version 1.2.0, and keeps the weights
(:mod:`tools.rlcard.network_file`): for each of RLCard's two positions a network of 5 hidden layers of 512 with ReLUs
between, which gives the value of an action. Names are RLCard's behind the position, ``0.fc_layers.2.weight``; inputs
are the 4×4×15 planes of :mod:`uno_env.encodings`, then the action, one-hot.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from agents.policy.policy_agent import layer_of
from tools.rlcard.network_file import NUM_RLCARD_ACTIONS, PLANES, POSITIONS, NetworkFile
from uno_env.core.arrays import Singles

HIDDEN = (512,) * 5


def weight_shapes() -> dict[str, tuple[int, ...]]:
    """Name and shape of every weight, in the order of the forward pass."""
    shapes: dict[str, tuple[int, ...]] = {}
    for position in range(POSITIONS):
        inputs = PLANES + NUM_RLCARD_ACTIONS
        for layer, outputs in enumerate((*HIDDEN, 1)):
            name = _layer_name(position, layer)
            shapes[f"{name}.weight"], shapes[f"{name}.bias"] = (outputs, inputs), (outputs,)
            inputs = outputs
    return shapes


class DMCPlayer:
    """Plays the action of the highest value, as RLCard's own ``DMCAgent.eval_step`` does; the first among equals.

    Args:
        weights: float32 arrays with the names and shapes of :func:`weight_shapes`.
    """

    use_raw = False

    def __init__(self, weights: Mapping[str, Singles]) -> None:
        self._networks = [
            [layer_of(weights, _layer_name(position, layer)) for layer in range(len(HIDDEN) + 1)]
            for position in range(POSITIONS)
        ]

    def eval_step(self, state: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        """The action, from 0 to 60, of RLCard's state of the player to move."""
        actions = list(state["legal_actions"])
        return actions[int(self.values(state).argmax())], {}

    def values(self, state: dict[str, Any]) -> Singles:
        """The value of each of the state's legal actions, float32, in their order."""
        first, *others = self._networks[state["raw_obs"]["current_player"]]
        planes = np.asarray(state["obs"], np.float32).ravel()
        matrix, bias = first
        # The planes are the same for all actions, and an action is one row of the matrix.
        features = matrix[PLANES + np.array(list(state["legal_actions"]))] + (planes @ matrix[:PLANES] + bias)
        for matrix, bias in others:
            features = np.maximum(features, 0) @ matrix + bias
        return features[:, 0]


def _layer_name(position: int, layer: int) -> str:
    return f"{position}.fc_layers.{2 * layer}"  # ReLUs have the odd numbers


DMC_FILE = NetworkFile("DMC", weight_shapes())
