"""The machine of a device of PyTorch: :func:`machine_of`."""

from functools import cache
from typing import Any

from uno_env.core.jit.places import Machine, Processor


def machine_of(device: Any) -> Machine:
    """The machine that runs a device's kernels. Raises
    :class:`uno_env.core.jit.cuda.requirements.DeviceUnavailableError` if it is a GPU that cannot be used.
    """
    if device.type == "cpu":
        return Processor()
    from uno_env.core.jit.cuda.requirements import check_cuda

    check_cuda(device.index)
    return _gpu(device)


@cache
def _gpu(device: Any) -> Machine:
    """The one of a GPU, which loads the machine code of each kernel once."""
    from uno_env.core.jit.cuda.machine import Cuda

    return Cuda(device)
