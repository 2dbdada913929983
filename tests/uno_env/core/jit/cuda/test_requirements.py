"""uno_env/core/jit/cuda/requirements.py: each thing that is missing gives one sentence, which says what to do."""

import ctypes
import importlib
import importlib.util
import sys
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from uno_env import DeviceGames
from uno_env.core.jit.cuda import OLDEST_CUDA, requirements
from uno_env.core.jit.cuda.requirements import DeviceUnavailableError

MAJOR, MINOR = 75, 76
"""The driver's numbers of the two parts of a compute capability."""


class _Driver:
    """A driver of a version, with GPUs of some compute capabilities."""

    def __init__(self, version: int, *capabilities: tuple[int, int]) -> None:
        self._version, self._capabilities = version, capabilities

    def cuInit(self, flags: int) -> int:  # noqa: N802
        return 0 if self._capabilities else 100

    def cuDriverGetVersion(self, answer: Any) -> int:  # noqa: N802
        return _write(answer, self._version)

    def cuDeviceGetCount(self, answer: Any) -> int:  # noqa: N802
        return _write(answer, len(self._capabilities))

    def cuDeviceGetAttribute(self, answer: Any, attribute: int, number: int) -> int:  # noqa: N802
        return _write(answer, self._capabilities[number][(MAJOR, MINOR).index(attribute)])


def _write(answer: Any, value: int) -> int:
    answer._obj.value = value
    return 0


NEWEST = 1000 * OLDEST_CUDA[0] + 90


@pytest.mark.parametrize(
    ("driver", "sentence"),
    [
        (_Driver(12_080, (9, 0)), "NVIDIA's driver here is for CUDA 12.8, and the kernels need 13.0: install a newer"),
        (_Driver(NEWEST), "NVIDIA's driver finds no GPU (cuInit answers 100): see what nvidia-smi says, or use Batch"),
        (_Driver(NEWEST, (9, 0)), "there is no GPU number 1 here: choose one below 1"),
        (_Driver(NEWEST, (9, 0), (7, 0)), "GPU number 1 has the compute capability 7.0, and the compiler makes code f"),
    ],
)
def test_drivers_and_gpus_that_do_not_do(driver: _Driver, sentence: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(requirements, "_driver", lambda: driver)
    with pytest.raises(DeviceUnavailableError) as raised:
        DeviceGames(4, "duel", device="cuda:1")
    assert str(raised.value).startswith(sentence)


def test_without_a_driver_one_sentence_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(requirements, "DRIVERS", ("libcuda_that_is_not_there.so.1",))
    with pytest.raises(DeviceUnavailableError, match=r"^NVIDIA's driver is not installed here, so there is no GPU to"):
        DeviceGames(4, "duel")


def test_a_driver_is_asked_in_its_own_language(monkeypatch: pytest.MonkeyPatch) -> None:
    """A function of C writes where it is told to: memmove, given a number's address and another's."""
    number = ctypes.c_int(13_020)
    monkeypatch.setattr(requirements, "_driver", lambda: SimpleNamespace(cuDriverGetVersion=_copy_from(number)))
    assert requirements._number(requirements._driver().cuDriverGetVersion) == 13_020


def _copy_from(number: ctypes.c_int) -> Any:
    return lambda answer: ctypes.memmove(answer, ctypes.byref(number), 4)


def test_pytorch_without_cuda(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(requirements, "_driver", lambda: _Driver(NEWEST, (9, 0)))
    monkeypatch.setattr(torch.version, "cuda", None)
    with pytest.raises(DeviceUnavailableError, match=r"^PyTorch \S+ is built without CUDA: install the build for your"):
        DeviceGames(4, "duel")


def test_pytorch_for_another_driver(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.version, "cuda", "13.0")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(DeviceUnavailableError, match=r"^PyTorch \S+ cannot use the GPU with this driver: install"):
        requirements.check_torch()


def test_without_pytorch_one_sentence_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    monkeypatch.delitem(sys.modules, "uno_env.envs.device_games", raising=False)
    monkeypatch.delattr("uno_env.envs.device_games", raising=False)
    with pytest.raises(ModuleNotFoundError, match=r"^DeviceGames needs PyTorch: pip install 'uno-env\[gpu\]'$"):
        importlib.import_module("uno_env.envs.device_games")


def test_without_a_compiler_one_sentence_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    real = importlib.util.find_spec

    def find_spec(name: str, package: str | None = None) -> Any:
        if name == "numba_cuda":
            return None
        if name == "cuda.bindings":
            raise ModuleNotFoundError("No module named 'cuda'")
        return real(name, package)

    monkeypatch.setattr(importlib.util, "find_spec", find_spec)
    with pytest.raises(
        DeviceUnavailableError, match=r"not installed \(numba-cuda, cuda-bindings.*pip install 'uno-env"
    ):
        requirements.check_modules()


@pytest.mark.parametrize(
    ("found", "error", "package"),
    [
        ("load_nvidia_dynamic_lib", "DynamicLibNotFoundError", "nvidia-nvvm"),
        ("find_bitcode_lib", "BitcodeLibNotFoundError", "nvidia-nvvm"),
        ("find_nvidia_binary_utility", None, "nvidia-cuda-nvcc"),
    ],
)
def test_no_part_of_the_compiler(found: str, error: str | None, package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("numba_cuda", reason="needs the compiler of the extra 'gpu'")
    pathfinder = importlib.import_module("cuda.pathfinder")

    def find(name: str) -> None:
        if error:
            raise getattr(pathfinder, error)(f"no {name}")

    requirements.check_compiler()
    monkeypatch.setattr(pathfinder, found, find)
    with pytest.raises(DeviceUnavailableError, match=rf"is not installed \({package}\): pip install 'uno-env\[gpu\]'$"):
        requirements.check_compiler()
