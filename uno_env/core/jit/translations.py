"""Translations of functions to LLVM's language, kept on disk for the functions of later processes that call them.

Numba's front end takes most of the time of compiling, and a process that compiles one more function would translate
all that it calls once more. The file of a translation holds the function, those that it calls and that have no file of
their own, and the names of the files of the others.
"""

import itertools
import pickle
import secrets
from collections.abc import Collection, Iterable
from typing import Any

import llvmlite.binding as llvm
from numba.core.bytecode import FunctionIdentity
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompileResult, compile_result

from uno_env.core.jit import level
from uno_env.core.jit.cache import SharedCache, read_content

# The names of Numba's own functions end in a number that each process counts; those of two processes must differ.
FunctionIdentity._unique_ids = itertools.count(secrets.randbits(48) << 12)

FEWEST_CALLED = 8
"""Functions that a translation calls, directly or not, from which on it is kept; fewer are translated again sooner."""


class TranslatedLibrary(JITCodeLibrary):
    """A translated function, neither optimised nor assembled, and those that its file holds with it."""

    def add_llvm_module(self, ll_module: Any) -> None:
        ll_module.data_layout = self._codegen._data_layout
        self._final_module.link_in(ll_module)

    def finalize(self) -> None:
        self._finalized = True


def all_called(libraries: Iterable[Any], stop_at: Collection[Any] = ()) -> list[Any]:
    """Libraries and the libraries that they call, each once, callers first; of those in ``stop_at``, not the called."""
    found: dict[Any, None] = {}
    waiting = list(libraries)[::-1]
    while waiting:
        library = waiting.pop()
        if library not in found:
            found[library] = None
            if library not in stop_at:
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

    def codegen(self, target_context: Any) -> Any:
        return level.codegen(target_context)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The translation for a signature, or None if there is none that can be used."""
        found = super().load_overload(sig, target_context)
        if found is not None:
            _remember(found.library, self.name(sig, found.library.codegen))
        return found

    def save_overload(self, sig: Any, data: Any) -> None:
        """Save a translation; those of its callers then do not hold it once more."""
        super().save_overload(sig, data)
        if self.can_be_saved(data):
            _remember(data.library, self.name(sig, data.library.codegen))

    def can_be_saved(self, cres: Any) -> bool:
        called = all_called([cres.library])
        fixed = not any(library.has_dynamic_globals or library._reload_init for library in called)
        return len(called) > FEWEST_CALLED and fixed

    def reduce(self, cres: Any) -> Any:
        saved = {library for library in all_called([cres.library]) if _FILES.get(library)}
        reached = all_called([cres.library], stop_at=saved)
        own, *others = (library for library in reached if library not in saved)
        module = own._get_module_for_linking().clone()
        if others:
            module.link_in(linked(others))
        files = [_FILES[library] for library in reached if library in saved]
        cres.fndesc.typemap = cres.fndesc.calltypes = None  # as in Numba's own cache: they are needed no more
        return own.name, module.as_bitcode(), files, cres.fndesc, cres.signature

    def rebuild(self, target_context: Any, code: Any) -> CompileResult | None:
        library = _library(self.codegen(target_context), code)
        if library is None:
            return None
        *_, fndesc, signature = code
        return compile_result(
            library=library, entry_point=object(), fndesc=fndesc, signature=signature, objectmode=False,
            target_context=target_context, typing_context=target_context.typing_context,
        )  # fmt: skip


_FILES = dict[Any, str]()
"""The names of the files that hold libraries of this process."""
_LIBRARIES = dict[str, Any]()
"""The libraries that files hold."""


def _remember(library: Any, file: str) -> None:
    _FILES[library] = file
    _LIBRARIES[file] = library


def _library(codegen: Any, code: Any) -> TranslatedLibrary | None:
    """The library of a translation, with those that it calls, or None if one of their files cannot be read."""
    name, bitcode, files, *_ = code
    library = TranslatedLibrary(codegen, name)
    for file in files:
        if file not in _LIBRARIES:
            content = read_content(file)
            called = None if content is None else _library(codegen, pickle.loads(content)[1])
            if called is None:
                return None
            _remember(called, file)
        library._linking_libraries.append(_LIBRARIES[file])
    library._final_module = llvm.parse_bitcode(bitcode)
    library.finalize()
    return library
