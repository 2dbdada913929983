"""Machine code of kernels for a GPU: made once, and kept on disk as that of the processor is.

Numba makes LLVM's language of the core's functions, NVIDIA's libNVVM makes PTX of that, and ``ptxas`` machine code
(a *cubin*). No GPU is needed for any of it.
"""

import hashlib
import subprocess
import tempfile
import time
from importlib.metadata import version
from pathlib import Path
from typing import Any

from cuda.pathfinder import find_bitcode_lib, find_nvidia_binary_utility
from numba import cuda
from numba.core import types
from numba.core.types.containers import BaseTuple
from numba.cuda.compiler import kernel_fixup
from numba.cuda.cudadrv import nvvm

from uno_env.core.jit.cache import read_content, write_content
from uno_env.core.jit.cuda.functions import device_function, lowered
from uno_env.core.jit.cuda.requirements import check_compiler
from uno_env.core.jit.notice import NOTICE
from uno_env.core.jit.places import Blocks, Each
from uno_env.core.jit.reach import reached_digest

ENTRY = "uno_kernel"
"""Name of a kernel's function in its machine code."""
COMPILERS = ("numba", "numba-cuda")
"""Packages whose versions are in the name of a file. NVIDIA's are not: what they have made does not need them."""
_SOURCES = [Path(__file__).with_name(f"{name}.py").read_bytes() for name in ("cubins", "functions", "intrinsics")]

Capability = tuple[int, int]
"""A GPU's compute capability, such as (9, 0)."""


def cubin(kernel: Each | Blocks, kinds: tuple[Any, ...], capability: Capability) -> bytes:
    """Machine code of a kernel for arguments of these types; read from disk if it was made before.

    Raises DeviceUnavailableError if it was not, and NVIDIA's compiler is not installed.
    """
    name = f"cuda-{kernel.name}-{_digest(kernel, kinds, capability)}.cubin"
    saved = read_content(name)
    if saved is not None:
        return bytes(saved)
    check_compiler()
    began = time.monotonic()
    NOTICE.tell(f"uno-env: compiling {kernel.name} for the GPU, once for this machine and version; up to a minute")
    made = assembled(ptx(lowered_kernel(kernel, kinds), capability), capability)
    write_content(name, made)
    NOTICE.tell(f"uno-env: {kernel.name} took {time.monotonic() - began:.0f} s")
    return made


def lowered_kernel(kernel: Each | Blocks, kinds: tuple[Any, ...]) -> Any:
    """A kernel with all that it calls in LLVM's language, as Numba's library."""
    entry = _each_entry(kernel) if isinstance(kernel, Each) else _blocks_entry(kernel)
    result = lowered(entry, (types.int64, BaseTuple.from_types(kinds)), types.void)
    function = result.library.get_function(result.fndesc.llvm_func_name)
    function.attributes.discard("noinline")  # which a kernel may not have
    kernel_fixup(function, debug=False)
    return result.library


def ptx(library: Any, capability: Capability) -> str:
    """The PTX of a kernel, in which its function is :data:`ENTRY`. Products and sums are rounded one by one, as on the
    processor.
    """
    unit = nvvm.CompilationUnit({"arch": f"compute_{_number(capability)}", "opt": 3, "fma": False})
    for module in library.llvm_strs:
        unit.add_module(nvvm.llvm_replace(module).encode())
    unit.verify()
    unit.lazy_add_module(Path(find_bitcode_lib("device")).read_bytes())  # powers and logarithms
    text = str(unit.compile().decode().strip("\x00"))
    own_name = text.partition(".visible .entry ")[2].partition("(")[0]
    return text.replace(own_name, ENTRY)


def assembled(text: str, capability: Capability) -> bytes:
    """Machine code of PTX. Raises RuntimeError with the assembler's sentence if it refuses it."""
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder, "kernel.ptx"), Path(folder, "kernel.cubin")
        source.write_text(text)
        command = [str(find_nvidia_binary_utility("ptxas")), f"-arch=sm_{_number(capability)}", "-O3", "--fmad=false"]
        done = subprocess.run([*command, str(source), "-o", str(target)], capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(f"ptxas cannot assemble a kernel: {done.stderr.strip().splitlines()[-1]}")
        return target.read_bytes()


def _number(capability: Capability) -> str:
    return "".join(map(str, capability))


def _digest(kernel: Each | Blocks, kinds: tuple[Any, ...], capability: Capability) -> str:
    reached = [reached_digest(function.py_func) for function in kernel]
    key = (reached, str(kinds), capability, [(name, version(name)) for name in COMPILERS])
    return hashlib.sha256(repr(key).encode() + b"".join(_SOURCES)).hexdigest()[:16]


def _each_entry(kernel: Each) -> Any:
    loop = device_function(kernel.loop.py_func)

    def entry(number, arguments):
        index = cuda.grid(1)
        if index < number:
            loop(*arguments, index, index + 1)

    return entry


def _blocks_entry(kernel: Blocks) -> Any:
    alone, together = (device_function(function.py_func) for function in kernel)

    def entry(number, arguments):
        shared = cuda.shared.array(0, types.uint8)
        block, lane = cuda.blockIdx.x * cuda.blockDim.x, cuda.threadIdx.x
        alone(block, lane, shared, *arguments)
        cuda.syncthreads()
        together(block, lane, shared, *arguments)

    return entry
