"""Checkpoints: arrays and plain values in one safetensors file, so that loading one parses data and runs no code.

The file has a checksum over all of its content.
"""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from uno_env.common.files import check_file, reason_of, replace_file
from uno_env.core.arrays import Array

METADATA_KEY, CHECKSUM_KEY = "uno_checkpoint", "sha256"
LARGEST = 1 << 40
WEIGHTS = ("network.", "optimizer.", "magnet.", "league.", "asked.", "model.")
"""Prefixes of the names of arrays that hold weights or moments."""


class DamagedError(ValueError):
    """A file that is no checkpoint, or was changed or cut off; the message names it."""


def save_checkpoint(path: Path, arrays: dict[str, Array], values: dict[str, Any]) -> None:
    """Write a checkpoint atomically; ``values`` are plain values for JSON."""
    plain = {name: np.array(array, order="C") for name, array in arrays.items()}
    text = json.dumps(values)
    replace_file(path, save(plain, {METADATA_KEY: text, CHECKSUM_KEY: _checksum(plain, text)}))


def load_checkpoint(path: Path) -> tuple[dict[str, Array], dict[str, Any]]:
    """Arrays and values of a checkpoint. Raises DamagedError, or ValueError if the file cannot be read."""
    try:
        check_file(path, LARGEST)
        with safe_open(path, framework="np") as file:
            metadata = file.metadata() or {}
            arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
        text = metadata.pop(METADATA_KEY)
        if metadata != {CHECKSUM_KEY: _checksum(arrays, text)}:
            raise ValueError("its checksum is not that of its content")
        return arrays, json.loads(text)
    except OSError as error:
        raise ValueError(f"the checkpoint {str(path)!r} cannot be read: {reason_of(error)}") from None
    except (AttributeError, KeyError, RecursionError, TypeError, ValueError, SafetensorError) as error:
        reason = f"it lacks {error}" if isinstance(error, KeyError) else error
        raise DamagedError(f"the checkpoint {str(path)!r} is damaged: {reason}") from None


def check_finite(arrays: Mapping[str, Array]) -> None:
    """Raise :class:`ValueError` if weights or moments are not finite."""
    for name, array in arrays.items():
        if name.startswith(WEIGHTS) and not np.isfinite(array).all():
            raise ValueError(f"{name} holds numbers that are not finite")


def _checksum(arrays: Mapping[str, Array], text: str) -> str:
    digest = hashlib.sha256(text.encode())
    for name, array in sorted(arrays.items()):
        digest.update(f"\0{name}\0{array.dtype}\0{array.shape}\0".encode())
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()


def optimizer_arrays(optimizer: torch.optim.Optimizer) -> dict[str, Array]:
    """The state of an optimizer, copied, as arrays named ``"{parameter}.{name}"``."""
    return {
        f"{parameter}.{name}": tensor.cpu().numpy().copy()
        for parameter, state in optimizer.state_dict()["state"].items()
        for name, tensor in state.items()
    }


def load_optimizer(optimizer: torch.optim.Optimizer, arrays: dict[str, Array]) -> None:
    """Load a state of :func:`optimizer_arrays`; settings such as the learning rate stay as they are. Raises ValueError
    if the state is one of other parameters, with which PyTorch would read and write out of bounds, or has impossible
    numbers.
    """
    state: dict[int, dict[str, torch.Tensor]] = {}
    for key, array in arrays.items():
        parameter, name = key.split(".")
        state.setdefault(int(parameter), {})[name] = torch.from_numpy(array.copy())
    parameters = [parameter for group in optimizer.param_groups for parameter in group["params"]]
    names = {frozenset(each) for each in state.values()}
    if state and (state.keys() != set(range(len(parameters))) or len(names) > 1):
        raise ValueError("the optimizer's state is not one for each of the network's parameters")
    for number, own in state.items():
        for name, tensor in own.items():
            shape = () if name == "step" else parameters[number].shape
            lowest = 0.0 if name in ("step", "exp_avg_sq") else -torch.inf
            if tensor.shape != shape or tensor.dtype != torch.float32:
                raise ValueError(f"{name!r} of the optimizer's state differs in shape or type from parameter {number}")
            if not bool((torch.isfinite(tensor) & (tensor >= lowest)).all()):
                raise ValueError(f"{name!r} of the optimizer's state has impossible numbers")
    optimizer.load_state_dict({"state": state, "param_groups": optimizer.state_dict()["param_groups"]})


def load_generator(rng: np.random.Generator, state: Any) -> None:
    """Set the state of a generator of random numbers. Raises ValueError if it is not such a state."""
    try:
        rng.bit_generator.state = state
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:
        raise ValueError(f"the state of a generator of random numbers is not one ({error})") from None


def under(prefix: str, arrays: Mapping[str, Array]) -> dict[str, Array]:
    """The arrays whose names begin with a prefix, by the rest of their names."""
    return {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}


def as_bytes(array: Array) -> Array:
    """An array of any type, records too, as uint8 [N, bytes]."""
    return np.ascontiguousarray(array).view(np.uint8).reshape(len(array), -1)


def from_bytes(array: Array, like: Array) -> Array:
    """The inverse of :func:`as_bytes`, with the type and shape of ``like``."""
    return array.view(like.dtype).reshape(like.shape)
