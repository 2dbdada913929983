"""The types of arrays that all packages name."""

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Array: TypeAlias = npt.NDArray[Any]
"""An array of any type; docstrings give its shape and dtype."""
Bytes: TypeAlias = npt.NDArray[np.uint8]
"""Observations in integer form, masks and histories: one (a row) or many."""
Ints: TypeAlias = npt.NDArray[np.int64]
"""Actions, indices and counts."""
Floats: TypeAlias = npt.NDArray[np.float64]
"""Scores, values and probabilities, in double precision."""
Singles: TypeAlias = npt.NDArray[np.float32]
"""Inputs and outputs of networks, in single precision."""
Flags: TypeAlias = npt.NDArray[np.bool_]
"""Flags by name."""
