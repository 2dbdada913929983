"""The compiler of kernels for a GPU; it is loaded only where machine code is made.

Numba makes LLVM's language of the core's functions, NVIDIA's libNVVM makes PTX of that, and ``ptxas`` machine code
(a *cubin*). No GPU is needed for any of it.
"""

import subprocess
import tempfile
from pathlib import Path
from typing import Any

from cuda.pathfinder import find_bitcode_lib, find_nvidia_binary_utility
from numba import cuda
from numba.core import types
from numba.core.types.containers import BaseTuple
from numba.cuda.compiler import kernel_fixup
from numba.cuda.cudadrv import nvvm
from numba.cuda.np.numpy_support import from_dtype

from uno_env.core.jit.cuda import ENTRY, Capability
from uno_env.core.jit.cuda.arguments import ArrayKind, TupleKind
from uno_env.core.jit.cuda.functions import device_function, lowered
from uno_env.core.jit.places import Blocks, Each


def type_of(kind: Any) -> Any:
    """The compiler's type of an argument of a kind (:func:`uno_env.core.jit.cuda.arguments.kind_of`)."""
    if isinstance(kind, ArrayKind):
        return types.Array(from_dtype(kind.dtype), kind.dimensions, "C")
    if isinstance(kind, TupleKind):
        return BaseTuple.from_types(tuple(map(type_of, kind.kinds)), kind.named)
    return from_dtype(kind)


def lowered_kernel(kernel: Each | Blocks, kinds: tuple[Any, ...]) -> Any:
    """A kernel for arguments of these kinds, with all that it calls, in LLVM's language, as Numba's library."""
    entry = _each_entry(kernel) if isinstance(kernel, Each) else _blocks_entry(kernel)
    result = lowered(entry, (types.int64, BaseTuple.from_types(tuple(map(type_of, kinds)))), types.void)
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
