"""Networks that RLCard's trainers made, as data: a safetensors file of weights, with JSON about the training in its
metadata. RLCard itself saves pickles, and unpickling a file runs code of its author.
"""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save as to_safetensors

from uno_env.common.files import check_file, reason_of, replace_file
from uno_env.core.arrays import Array, Singles

POSITIONS = 2
"""RLCard's UNO is for two, and each position has a network of its own."""
PLANES = 4 * 4 * 15
"""Numbers of an observation of RLCard's, see :mod:`uno_env.encodings`."""
NUM_RLCARD_ACTIONS = 61

Weights = dict[str, Singles]


@dataclass(frozen=True)
class NetworkFile:
    """The contents of one kind of file."""

    algorithm: str
    """RLCard's name of the algorithm, such as ``DMC``."""
    shapes: Mapping[str, tuple[int, ...]]
    """Name and shape of every weight, float32."""

    @property
    def key(self) -> str:
        """The key of the metadata that says how it was trained."""
        return f"rlcard_{self.algorithm.lower()}"

    def save(self, path: Path, weights: Mapping[str, Array], info: Mapping[str, Any]) -> None:
        """Write weights to one file, atomically.

        Args:
            path: the file; its folder is made if it does not exist.
            weights: arrays with the names and shapes of :attr:`shapes`.
            info: what trained them; plain values for JSON.
        """
        arrays = {name: np.ascontiguousarray(weights[name], np.float32) for name in self.shapes}
        replace_file(path, to_safetensors(arrays, {self.key: json.dumps(info, allow_nan=False)}))

    def load(self, path: str | Path) -> Weights:
        """The weights in a file; nothing in it is run.

        Raises:
            ValueError: the file is missing, damaged, or holds something else.
        """
        try:
            return self._read(Path(path))
        except (OSError, ValueError, SafetensorError) as error:
            raise ValueError(f"{str(path)!r} holds no {self.algorithm} of RLCard's: {reason_of(error)}") from None

    def _read(self, path: Path) -> Weights:
        if not os.path.exists(path):
            raise ValueError("there is no such file; `python -m tools.rlcard train --save FILE` makes one")
        check_file(path)
        weights: Weights = {}
        with safe_open(path, framework="np") as file:
            if self.key not in (file.metadata() or {}):
                raise ValueError(f"its metadata lack {self.key!r}")
            names = set(file.keys())
            for name, shape in self.shapes.items():
                if name not in names:
                    raise ValueError(f"it lacks the weight {name!r}")
                found = file.get_slice(name)
                if found.get_dtype() != "F32" or tuple(found.get_shape()) != shape:
                    raise ValueError(f"{name} is {found.get_dtype()} {found.get_shape()} instead of F32 {list(shape)}")
                weights[name] = file.get_tensor(name)
                if not np.isfinite(weights[name]).all():
                    raise ValueError(f"{name} holds values that are not finite")
        return weights
