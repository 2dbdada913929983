"""Translations of functions to LLVM's language, kept on disk for the functions of later processes that call them.

Numba's front end takes most of the time of compiling, and a process that compiles one more function would translate
all that it calls once more. The file of a translation holds the function with all that it calls.
"""

import itertools
import secrets
from collections.abc import Iterable
from typing import Any

import llvmlite.binding as llvm
from numba.core.bytecode import FunctionIdentity
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompileResult, compile_result

from uno_env.core.jit.cache import SharedCache

# The names of Numba's own functions end in a number that each process counts; those of two processes must differ.
FunctionIdentity._unique_ids = itertools.count(secrets.randbits(48) << 12)

FEWEST_CALLED = 8
"""Functions that a translation calls, directly or not, from which on it is kept; fewer are translated again sooner."""


class TranslatedLibrary(JITCodeLibrary):
    """A translated function with all functions that it calls, neither optimised nor assembled."""

    def add_llvm_module(self, ll_module: Any) -> None:
        ll_module.data_layout = self._codegen._data_layout
        self._final_module.link_in(ll_module)

    def finalize(self) -> None:
        self._finalized = True


def all_called(libraries: Iterable[Any]) -> list[Any]:
    """Libraries and the libraries that they call, each once, callers first."""
    found: dict[Any, None] = {}
    waiting = list(libraries)[::-1]
    while waiting:
        library = waiting.pop()
        if library not in found:
            found[library] = None
            waiting.extend(library._linking_libraries[::-1])
    return list(found)


def linked(libraries: Iterable[Any]) -> Any:
    """A new module with the functions of one library or more, each once.

    LLVM leaves out a function of the linkage ``linkonce`` that nothing in the module calls yet. A later library may
    call it, if an earlier one's function of the same name was taken in place of its own. So all are kept meanwhile.
    """
    module, *others = (library._get_module_for_linking().clone() for library in libraries)
    for each in (module, *others):
        _replace_linkage(each, llvm.Linkage.linkonce_odr, llvm.Linkage.weak_odr)
    for other in others:
        module.link_in(other)
    _replace_linkage(module, llvm.Linkage.weak_odr, llvm.Linkage.linkonce_odr)
    return module


def _replace_linkage(module: Any, old: llvm.Linkage, new: llvm.Linkage) -> None:
    for function in module.functions:
        if function.linkage == old and not function.is_declaration:
            function.linkage = new


class TranslationCache(SharedCache):
    """The translations of one function."""

    prefix = "translation-"

    def can_be_saved(self, cres: Any) -> bool:
        called = all_called([cres.library])
        fixed = not any(library.has_dynamic_globals or library._reload_init for library in called)
        return len(called) > FEWEST_CALLED and fixed

    def reduce(self, cres: Any) -> Any:
        own, *called = all_called([cres.library])
        module = own._get_module_for_linking().clone()
        module.link_in(linked(called))
        cres.fndesc.typemap = cres.fndesc.calltypes = None  # as in Numba's own cache: they are needed no more
        return own.name, module.as_bitcode(), cres.fndesc, cres.signature

    def rebuild(self, target_context: Any, code: Any) -> CompileResult:
        name, bitcode, fndesc, signature = code
        library = TranslatedLibrary(target_context.codegen(), name)
        library._final_module = llvm.parse_bitcode(bitcode)
        library.finalize()
        return compile_result(
            library=library, entry_point=object(), fndesc=fndesc, signature=signature, objectmode=False,
            target_context=target_context, typing_context=target_context.typing_context,
        )  # fmt: skip
