"""The requirements of the core on a GPU: :func:`check_cuda` says in one sentence what is missing, and what to do."""

import ctypes
import importlib.util
from typing import Any

from uno_env.core.jit.cuda import OLDEST_CUDA, OLDEST_GPU

DRIVERS = ("libcuda.so.1", "nvcuda.dll")
"""Names of the library of NVIDIA's driver."""
MODULES = {"numba_cuda": "numba-cuda", "cuda.bindings": "cuda-bindings", "cuda.pathfinder": "cuda-pathfinder"}
"""Modules of the compiler, and the packages that hold them."""
INSTALL = "pip install 'uno-env[gpu]'"


class DeviceUnavailableError(RuntimeError):
    """Games cannot be on the device that was asked for; the sentence says why, and what to do."""


def check_cuda(number: int) -> None:
    """Raise :class:`DeviceUnavailableError` if the core cannot run on GPU ``number`` of this machine."""
    check_driver(number)
    check_torch()
    check_modules()


def check_driver(number: int) -> None:
    """The driver and the GPU themselves; needs no package."""
    driver = _driver()
    version = _number(driver.cuDriverGetVersion)
    found = (version // 1000, version % 1000 // 10)
    if found < OLDEST_CUDA:
        raise DeviceUnavailableError(
            f"NVIDIA's driver here is for CUDA {_dotted(found)}, and the kernels need {_dotted(OLDEST_CUDA)}: "
            "install a newer driver"
        )
    if status := driver.cuInit(0):
        raise DeviceUnavailableError(
            f"NVIDIA's driver finds no GPU (cuInit answers {status}): see what nvidia-smi says, "
            "or use BatchedGames, whose games are on the processor"
        )
    count = _number(driver.cuDeviceGetCount)
    if number >= count:
        raise DeviceUnavailableError(f"there is no GPU number {number} here: choose one below {count}")
    major, minor = (_number(driver.cuDeviceGetAttribute, attribute, number) for attribute in (75, 76))
    if (major, minor) < OLDEST_GPU:
        raise DeviceUnavailableError(
            f"GPU number {number} has the compute capability {major}.{minor}, and the compiler makes code for "
            f"{_dotted(OLDEST_GPU)} and newer: use another GPU"
        )


def check_torch() -> None:
    """PyTorch, which holds the memory."""
    if importlib.util.find_spec("torch") is None:
        raise DeviceUnavailableError(f"games on a GPU are PyTorch's tensors, and PyTorch is not installed: {INSTALL}")
    import torch

    if torch.version.cuda is None:
        raise DeviceUnavailableError(
            f"PyTorch {torch.__version__} is built without CUDA: install the build for your driver, see pytorch.org"
        )
    if not torch.cuda.is_available():
        raise DeviceUnavailableError(
            f"PyTorch {torch.__version__} cannot use the GPU with this driver: install the build for your driver, "
            "see pytorch.org"
        )


def check_modules() -> None:
    """Check for the packages that load kernels. Raises :class:`DeviceUnavailableError` if one is missing."""
    _ask_for([package for module, package in MODULES.items() if not _has(module)])


def check_compiler() -> None:
    """Check for the packages that compile for a GPU. Raises :class:`DeviceUnavailableError` if one is missing.

    They are not needed for machine code that was made before, here or elsewhere.
    """
    from cuda import pathfinder

    missing = []
    try:
        pathfinder.load_nvidia_dynamic_lib("nvvm")
        pathfinder.find_bitcode_lib("device")
    except (pathfinder.DynamicLibNotFoundError, pathfinder.BitcodeLibNotFoundError):
        missing.append("nvidia-nvvm")
    if pathfinder.find_nvidia_binary_utility("ptxas") is None:
        missing.append("nvidia-cuda-nvcc")
    _ask_for(missing)


def _ask_for(missing: list[str]) -> None:
    if missing:
        raise DeviceUnavailableError(f"the compiler for GPUs is not installed ({', '.join(missing)}): {INSTALL}")


def _driver() -> Any:
    """NVIDIA's driver itself."""
    for name in DRIVERS:
        try:
            return ctypes.CDLL(name)
        except OSError:
            continue
    raise DeviceUnavailableError(
        "NVIDIA's driver is not installed here, so there is no GPU to use: install it, "
        "or use BatchedGames, whose games are on the processor"
    )


def _number(call: Any, *arguments: int) -> int:
    """The number that a function of the driver writes to its first argument."""
    answer = ctypes.c_int()
    call(ctypes.byref(answer), *arguments)
    return answer.value


def _has(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:  # the package around it is missing
        return False


def _dotted(version: tuple[int, int]) -> str:
    return ".".join(map(str, version))
