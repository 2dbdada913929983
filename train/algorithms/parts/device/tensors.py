"""Arrays of ordinary memory as tensors on a device: :func:`tensor_on`, :func:`tensors_on`."""

from functools import cache
from typing import Any

import numpy as np
import torch
from torch import Tensor

from uno_env.core.arrays import Array
from uno_env.symmetry.tables import TABLES, Tables


def tensor_on(device: torch.device, array: Array) -> Tensor:
    """An array as a tensor on a device."""
    return torch.from_numpy(np.ascontiguousarray(array)).to(device)


def tensors_on(device: torch.device, arrays: Any) -> Any:
    """A NamedTuple with its arrays as tensors on a device; other values stay as they are."""
    return type(arrays)(*(tensor_on(device, each) if isinstance(each, np.ndarray) else each for each in arrays))


@cache
def tables_on(device: torch.device) -> Tables:
    """The tables of the canonical form on a device, once for all who read them."""
    tables: Tables = tensors_on(device, TABLES)
    return tables
