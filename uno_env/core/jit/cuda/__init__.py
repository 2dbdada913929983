"""The compiler of the core for an NVIDIA GPU, and its machine; all but ``devices`` is loaded only for games on one."""

OLDEST_CUDA = (13, 0)
"""The least version of CUDA that a driver must know."""
OLDEST_GPU = (7, 5)
"""The least compute capability of a GPU: CUDA 13 makes no machine code for older ones."""
ENTRY = "uno_kernel"
"""Name of a kernel's function in its machine code."""
Capability = tuple[int, int]
"""A GPU's compute capability, such as (9, 0)."""
