"""RLCard's neural fictitious self-play (NFSP) as a player, from weights that are data.

``python -m tools.rlcard train --algorithm nfsp`` trains RLCard's agents, version 1.2.0, and keeps their average
policies (:mod:`tools.rlcard.network_file`): for each of RLCard's two positions a batch normalisation of the planes,
two hidden layers with ReLUs, and a logit for each of RLCard's actions. Names are RLCard's behind the position,
``0.mlp.2.weight``.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from agents.policy.policy_agent import layer_of
from tools.rlcard.network_file import NUM_RLCARD_ACTIONS, PLANES, POSITIONS, NetworkFile
from uno_env.core.arrays import Singles

HIDDEN = (64, 64)
NORM_EPSILON = 1e-5
"""The term that PyTorch's batch normalisation adds to the variance."""
_NORM = ("weight", "bias", "running_mean", "running_var")
_LAYERS = ("mlp.2", "mlp.4", "mlp.6")


def weight_shapes() -> dict[str, tuple[int, ...]]:
    """Name and shape of every weight, in the order of the forward pass."""
    shapes: dict[str, tuple[int, ...]] = {}
    for position in range(POSITIONS):
        shapes |= {f"{position}.mlp.1.{name}": (PLANES,) for name in _NORM}
        inputs = PLANES
        for layer, outputs in zip(_LAYERS, (*HIDDEN, NUM_RLCARD_ACTIONS), strict=True):
            shapes[f"{position}.{layer}.weight"], shapes[f"{position}.{layer}.bias"] = (outputs, inputs), (outputs,)
            inputs = outputs
    return shapes


NFSP_FILE = NetworkFile("NFSP", weight_shapes())


class NFSPPlayer:
    """Draws actions from the average policy, as RLCard's own ``NFSPAgent.eval_step`` does, by NumPy's own generator.

    Args:
        weights: float32 arrays with the names and shapes of :func:`weight_shapes`.
    """

    use_raw = False

    def __init__(self, weights: Mapping[str, Singles]) -> None:
        self._norms, self._networks = [], []
        for position in range(POSITIONS):
            scale, shift, mean, variance = (weights[f"{position}.mlp.1.{name}"] for name in _NORM)
            factor = scale / np.sqrt(variance + np.float32(NORM_EPSILON))
            self._norms.append((factor, shift - mean * factor))
            self._networks.append([layer_of(weights, f"{position}.{layer}") for layer in _LAYERS])

    def eval_step(self, state: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        """The action, from 0 to 60, of RLCard's state of the player to move."""
        actions = list(state["legal_actions"])
        return int(np.random.choice(actions, p=self.probabilities(state))), {}  # noqa: NPY002

    def probabilities(self, state: dict[str, Any]) -> Singles:
        """Probability of each of the state's legal actions, float64, in their order."""
        position = state["raw_obs"]["current_player"]
        factor, shift = self._norms[position]
        features = np.asarray(state["obs"], np.float32).ravel() * factor + shift
        *hidden, (matrix, bias) = self._networks[position]
        for each, its_bias in hidden:
            features = np.maximum(features @ each + its_bias, 0)
        logits = (features @ matrix + bias)[list(state["legal_actions"])].astype(np.float64)
        weights = np.exp(logits - logits.max())
        return weights / weights.sum()
