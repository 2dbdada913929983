"""A GPU as a machine that runs kernels: :class:`Cuda`."""

import ctypes
from typing import Any

import numpy as np
import torch
from cuda.bindings import driver

from uno_env.core.jit.cuda import ENTRY
from uno_env.core.jit.cuda.arguments import RecordOnDevice, kind_of, values_of
from uno_env.core.jit.cuda.cubins import cubin
from uno_env.core.jit.places import LANES, Blocks, Bound, Each


class Cuda:
    """A GPU of NVIDIA; see :class:`uno_env.core.jit.places.Machine`.

    Kernels are put on PyTorch's current stream, so they come after what PyTorch was asked for before, and a CUDA graph
    of PyTorch captures them. Check first with :func:`uno_env.core.jit.cuda.requirements.check_cuda` that all is there.

    Args:
        device: the GPU, with its number.
    """

    def __init__(self, device: Any) -> None:
        self.device = device
        self._capability = torch.cuda.get_device_capability(device)
        self._functions: dict[Any, Any] = {}

    def record(self, value: Any) -> Any:
        """A copy of the record in the GPU's memory."""
        memory = torch.frombuffer(bytearray(value.tobytes()), dtype=torch.uint8)
        return RecordOnDevice(memory.to(self.device), value.dtype)

    def bind(self, kernel: Each | Blocks, number: int, arguments: tuple[Any, ...], shared: int = 0) -> Bound:
        """A launch of the kernel; it is compiled here if it never was."""
        function = self._function(kernel, tuple(map(kind_of, arguments)))
        numbers = [number, *values_of(arguments)]
        values = (ctypes.c_uint64 * len(numbers))(*(each % 2**64 for each in numbers))
        begin = ctypes.addressof(values)
        addresses = (ctypes.c_uint64 * len(numbers))(*range(begin, begin + 8 * len(numbers), 8))
        blocks = -(-number // LANES)

        def launch(_kept: Any = (arguments, values)) -> None:
            with torch.cuda.device(self.device):
                stream = torch.cuda.current_stream().cuda_stream
                _checked(
                    driver.cuLaunchKernel(
                        function, blocks, 1, 1, LANES, 1, 1, shared, stream, ctypes.addressof(addresses), 0
                    )
                )

        return launch

    def _function(self, kernel: Each | Blocks, kinds: tuple[Any, ...]) -> Any:
        """The driver's function of a kernel for arguments of these kinds."""
        if (kernel, kinds) not in self._functions:
            image = cubin(kernel, kinds, self._capability)
            with torch.cuda.device(self.device):
                self._functions[kernel, kinds] = _loaded(image)
        return self._functions[kernel, kinds]


def _loaded(image: bytes) -> Any:
    """A kernel's function, from its machine code, on the current GPU."""
    torch.cuda.current_stream()
    memory = np.frombuffer(image, np.uint8)
    module = _checked(driver.cuModuleLoadData(memory.ctypes.data))
    return _checked(driver.cuModuleGetFunction(module, ENTRY.encode()))


def _checked(answer: tuple[Any, ...]) -> Any:
    """The driver's answer without its status. Raises RuntimeError if the status says that something failed."""
    status, *values = answer
    if int(status):
        raise RuntimeError(f"NVIDIA's driver answers {status.name}")
    return values[0] if values else None
