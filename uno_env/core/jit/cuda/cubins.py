"""Machine code of kernels for a GPU (*cubins*): made once, and kept on disk as that of the processor is.

Where it is found, no compiler is loaded, and NVIDIA's need not be installed.
"""

import hashlib
import time
from importlib.metadata import version
from pathlib import Path
from typing import Any

from uno_env.core.jit.cache import read_content, write_content
from uno_env.core.jit.cuda import Capability
from uno_env.core.jit.cuda.requirements import check_compiler
from uno_env.core.jit.notice import NOTICE
from uno_env.core.jit.places import Blocks, Each
from uno_env.core.jit.reach import reached_digest

COMPILERS = ("numba", "numba-cuda")
"""Packages whose versions are in the name of a file. NVIDIA's are not: what they have made does not need them."""
_SOURCES = [Path(__file__).with_name(f"{name}.py").read_bytes() for name in ("compiler", "functions", "intrinsics")]


def cubin(kernel: Each | Blocks, kinds: tuple[Any, ...], capability: Capability) -> bytes:
    """Machine code of a kernel for arguments of these kinds; read from disk if it was made before, for this capability
    or for the first one of the same number before the dot: the GPU runs that, too.

    Raises DeviceUnavailableError if it was not, and NVIDIA's compiler is not installed.
    """
    for each in (capability, (capability[0], 0)):
        saved = read_content(_name(kernel, kinds, each))
        if saved is not None:
            return bytes(saved)
    check_compiler()
    from uno_env.core.jit.cuda import compiler

    began = time.monotonic()
    NOTICE.tell(f"uno-env: compiling {kernel.name} for the GPU, once for this machine and version; up to a minute")
    made = compiler.assembled(compiler.ptx(compiler.lowered_kernel(kernel, kinds), capability), capability)
    write_content(_name(kernel, kinds, capability), made)
    NOTICE.tell(f"uno-env: {kernel.name} took {time.monotonic() - began:.0f} s")
    return made


def _name(kernel: Each | Blocks, kinds: tuple[Any, ...], capability: Capability) -> str:
    """The name of a file of machine code; another one for all that makes other machine code."""
    reached = [reached_digest(function.py_func) for function in kernel]
    key = (reached, kinds, capability, [(name, version(name)) for name in COMPILERS])
    digest = hashlib.sha256(repr(key).encode() + b"".join(_SOURCES)).hexdigest()[:16]
    return f"cuda-{kernel.name}-{digest}.cubin"
