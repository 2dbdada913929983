"""uno_env/core/jit/cuda: every kernel compiles for the GPUs that people have; no GPU is needed for it."""

import ctypes
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch

from tests.helpers.recorded_kernels import AMPERE, HOPPER, assert_compiles
from uno_env.actions import NUM_ACTIONS
from uno_env.core.jit import bits
from uno_env.core.loops import kernels

pytest.importorskip("numba_cuda", reason="needs the compiler of the extra 'gpu'")
from uno_env.core.jit.cuda import compiler, cubins, devices, intrinsics, machine
from uno_env.core.jit.cuda.arguments import RecordOnDevice, kind_of, values_of
from uno_env.core.jit.cuda.requirements import DeviceUnavailableError

KERNELS = sorted(
    kernel.name
    for kernel in vars(kernels).values()
    if isinstance(kernel, (kernels.Each, kernels.Blocks)) and kernel is not kernels.STEP
)
"""All but the step of the processor."""


def test_all_kernels_are_listed(bound: dict[str, Any]) -> None:
    assert sorted(bound) == KERNELS


@pytest.mark.parametrize("name", KERNELS)
def test_every_kernel_compiles(bound: dict[str, Any], name: str) -> None:
    assert_compiles(*bound[name])


def test_machine_code_is_kept(
    cache_folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    masks = torch.zeros((2, NUM_ACTIONS), dtype=torch.uint8)
    kinds = tuple(map(kind_of, (masks, masks[:, 0].long().view(torch.uint64), torch.zeros(2, dtype=torch.int64))))
    made = cubins.cubin(kernels.SAMPLE, kinds, HOPPER)
    assert "compiling sample_legal for the GPU, once for this machine" in capsys.readouterr().err
    with monkeypatch.context() as patch:
        patch.setattr("cuda.pathfinder.find_nvidia_binary_utility", lambda name: None)
        assert cubins.cubin(kernels.SAMPLE, kinds, HOPPER) == made
        with pytest.raises(DeviceUnavailableError, match=r"is not installed \(nvidia-cuda-nvcc\): pip install"):
            cubins.cubin(kernels.SAMPLE, kinds, AMPERE)
    (file,) = cache_folder.glob("*.cubin")
    file.write_bytes(file.read_bytes()[:-1])
    whole = len(made)
    assert len(cubins.cubin(kernels.SAMPLE, kinds, HOPPER)) == whole  # what was torn is made anew
    assert file.stat().st_size > whole
    cubins.cubin(kernels.SAMPLE, kinds, AMPERE)
    assert len(list(cache_folder.glob("*.cubin"))) == 2


def test_what_cannot_be_assembled_is_one_sentence() -> None:
    with pytest.raises(RuntimeError, match=r"^ptxas cannot assemble a kernel: ptxas fatal"):
        compiler.assembled("this is no PTX", HOPPER)


def test_bits_are_counted_and_found_as_on_the_processor() -> None:
    marks = np.random.default_rng(0).integers(0, 2, (50, 200), np.uint8) * 7
    for first, row in enumerate(marks):
        expected = bits._marked_bits_interpreted(row, first)
        assert int(intrinsics.marked_bits(row, first)) % 2**64 == expected


def test_the_driver_is_handed_every_value(monkeypatch: pytest.MonkeyPatch) -> None:
    """Seven values of an array, its lengths and strides; a record's address; numbers; in this order."""
    launched: list[Any] = []

    def launch(function: str, *given: Any) -> tuple[int]:
        *sizes, addresses, _ = given
        pointers = (ctypes.c_uint64 * count).from_address(addresses)
        values = [ctypes.c_uint64.from_address(pointer).value for pointer in pointers]
        launched.append((function, sizes, values))
        return (0,)

    rows = torch.arange(6, dtype=torch.int32).reshape(2, 3)
    record = RecordOnDevice(torch.zeros(8, dtype=torch.uint8), np.dtype([("a", np.int64)]))
    arguments = (rows, (record, -1), np.uint64(2**64 - 1), 2.0)
    count = 1 + len(values_of(arguments))
    gpu = machine.Cuda.__new__(machine.Cuda)
    gpu.device = torch.device("cuda", 0)
    monkeypatch.setattr(gpu, "_function", lambda kernel, kinds: "function", raising=False)
    monkeypatch.setattr(machine, "driver", SimpleNamespace(cuLaunchKernel=launch))
    monkeypatch.setattr(torch.cuda, "device", lambda device: pytest.MonkeyPatch.context())
    monkeypatch.setattr(torch.cuda, "current_stream", lambda: SimpleNamespace(cuda_stream=77))
    gpu.bind(kernels.SAMPLE, 70, arguments, shared=1024)()
    address = rows.data_ptr(), record.memory.data_ptr()
    values = [70, 0, 0, 6, 4, address[0], 2, 3, 12, 4, address[1], 2**64 - 1, 2**64 - 1, 1 << 62]
    assert launched == [("function", [3, 1, 1, 32, 1, 1, 1024, 77], values)]


def test_machine_code_is_loaded_once_for_all_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("uno_env.core.jit.cuda.requirements.check_cuda", lambda number: None)
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda device: HOPPER)
    monkeypatch.setattr(devices, "_gpu", cache(devices._gpu.__wrapped__))  # another test may have a GPU
    one, other = (torch.device("cuda", number) for number in (0, 1))
    assert devices.machine_of(one) is devices.machine_of(torch.device("cuda", 0))
    assert devices.machine_of(one) is not devices.machine_of(other)


def test_tensors_with_gaps_are_refused() -> None:
    with pytest.raises(TypeError, match=r"^a tensor of shape \[4\] has gaps"):
        kind_of(torch.zeros((4, 2))[:, 0])


def test_what_the_driver_refuses_is_one_sentence() -> None:
    class Status(int):
        name = "CUDA_ERROR_INVALID_VALUE"

    with pytest.raises(RuntimeError, match=r"^NVIDIA's driver answers CUDA_ERROR_INVALID_VALUE$"):
        machine._checked((Status(1),))
