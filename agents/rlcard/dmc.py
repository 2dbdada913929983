"""RLCard's deep Monte Carlo (DMC) as a player, from weights that are data: ``rlcard:dmc=FILE``.

RLCard, version 1.2.0, saves its own as pickles. ``uno train-rlcard`` trains with RLCard's trainer and keeps the weights
in a safetensors file: for each of RLCard's two positions a network of 5 hidden layers of 512 with ReLUs between, which
says what an action brings. Names are RLCard's behind the position, ``0.fc_layers.2.weight``; inputs are the 4×4×15
planes of :mod:`uno_env.encodings`, then the action, one-hot. The metadata say how it was trained, in JSON under
``rlcard_dmc``.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save as to_safetensors

from agents.policy.policy_agent import layer_of
from uno_env.common.files import check_file, reason_of, replace_file

POSITIONS = 2
PLANES = 4 * 4 * 15
NUM_RLCARD_ACTIONS = 61
HIDDEN = (512,) * 5
METADATA_KEY = "rlcard_dmc"

Floats = npt.NDArray[np.float32]
Weights = dict[str, Floats]


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

    def __init__(self, weights: Mapping[str, Floats]) -> None:
        self._networks = [
            [layer_of(weights, _layer_name(position, layer)) for layer in range(len(HIDDEN) + 1)]
            for position in range(POSITIONS)
        ]

    def eval_step(self, state: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        """The action, from 0 to 60, of RLCard's state of the player to move."""
        actions = list(state["legal_actions"])
        return actions[int(self.values(state).argmax())], {}

    def values(self, state: dict[str, Any]) -> Floats:
        """What each of the state's legal actions brings, float32, in their order."""
        first, *others = self._networks[state["raw_obs"]["current_player"]]
        planes = np.asarray(state["obs"], np.float32).ravel()
        matrix, bias = first
        # The planes are the same for all actions, and an action is one row of the matrix.
        features = matrix[PLANES + np.array(list(state["legal_actions"]))] + (planes @ matrix[:PLANES] + bias)
        for matrix, bias in others:
            features = np.maximum(features, 0) @ matrix + bias
        return features[:, 0]


def save_dmc(path: Path, weights: Mapping[str, npt.NDArray[Any]], info: Mapping[str, Any]) -> None:
    """Write a player to one file, atomically.

    Args:
        path: the file; its folder is made if it does not exist.
        weights: arrays with the names and shapes of :func:`weight_shapes`.
        info: what trained it; plain values for JSON.
    """
    arrays = {name: np.ascontiguousarray(weights[name], np.float32) for name in weight_shapes()}
    replace_file(path, to_safetensors(arrays, {METADATA_KEY: json.dumps(info, allow_nan=False)}))


def load_dmc(path: str | Path) -> DMCPlayer:
    """The player that a file holds; nothing in it is run.

    Raises:
        ValueError: the file is missing, damaged, or no such player.
    """
    try:
        return DMCPlayer(_read(Path(path)))
    except (OSError, ValueError, SafetensorError) as error:
        raise ValueError(f"{str(path)!r} holds no DMC of RLCard's: {reason_of(error)}") from None


def _read(path: Path) -> Weights:
    if not path.exists():
        raise ValueError("there is no such file; `uno train-rlcard --save FILE` makes one")
    check_file(path)
    weights: Weights = {}
    with safe_open(path, framework="np") as file:
        if METADATA_KEY not in (file.metadata() or {}):
            raise ValueError(f"its metadata lack {METADATA_KEY!r}")
        names = set(file.keys())
        for name, shape in weight_shapes().items():
            if name not in names:
                raise ValueError(f"it lacks the weight {name!r}")
            found = file.get_slice(name)
            if found.get_dtype() != "F32" or tuple(found.get_shape()) != shape:
                raise ValueError(f"{name} is {found.get_dtype()} {found.get_shape()} instead of F32 {list(shape)}")
            weights[name] = file.get_tensor(name)
            if not np.isfinite(weights[name]).all():
                raise ValueError(f"{name} holds values that are not finite")
    return weights


def _layer_name(position: int, layer: int) -> str:
    return f"{position}.fc_layers.{2 * layer}"  # ReLUs have the odd numbers
