"""Functions that Python calls: their machine code, with all that they call, and how it is kept on disk.

Numba keeps LLVM's language beside the machine code, for callers to take it in, and a text for each type. Nothing takes
an entry in, so its file has neither: it is a fifth as long, and read sooner.
"""

from typing import Any

from llvmlite.binding import Linkage
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompileResult, compile_result

from uno_env.core.jit import level
from uno_env.core.jit.cache import SharedCache
from uno_env.core.jit.translations import all_called, linked


class EntryLibrary(JITCodeLibrary):
    """A function that Python calls, with all functions that it calls."""

    def finalize(self) -> None:
        if called := all_called(self._linking_libraries):
            self._reload_init.update(*(library._reload_init for library in called))
            self._final_module.link_in(linked(called))
        self._linking_libraries: list[Any] = []
        super().finalize()

    def _optimize_final_module(self) -> None:
        for function in self._final_module.functions:
            if function.linkage == Linkage.linkonce_odr:  # linked in, not this library's own
                function.linkage = Linkage.internal
        super()._optimize_final_module()

    def machine_code(self) -> tuple[bytes, list[str]]:
        """The machine code, once, and the functions that it has."""
        return self._get_compiled_object(), [function.name for function in self.get_defined_functions()]

    @classmethod
    def of_machine_code(cls, codegen: Any, name: str, code: bytes, functions: list[str]) -> "EntryLibrary":
        """The library of what :meth:`machine_code` returned."""
        library = cls(codegen, name)
        library.enable_object_caching()
        library._set_compiled_object(code)
        library._finalize_final_module()
        codegen._engine._defined_symbols.update(functions)
        return library


class EntryCache(SharedCache):
    """The machine code of one function."""

    def codegen(self, target_context: Any) -> Any:
        return level.codegen(target_context)

    def reduce(self, cres: Any) -> Any:
        cres.fndesc.typemap = cres.fndesc.calltypes = None  # as in Numba's own cache: they are needed no more
        return (
            cres.library.name, *cres.library.machine_code(), cres.fndesc, cres.environment, cres.signature,
            cres.reload_init, cres._find_referenced_environments(),
        )  # fmt: skip

    def rebuild(self, target_context: Any, code: Any) -> CompileResult:
        name, machine_code, functions, fndesc, environment, signature, reload_init, environments = code
        for initialize in reload_init:
            initialize()
        library = EntryLibrary.of_machine_code(self.codegen(target_context), name, machine_code, functions)
        entry_point = target_context.get_executable(library, fndesc, environment)
        for each in environments:
            library.codegen.set_env(each.env_name, each)
        return compile_result(
            library=library, entry_point=entry_point, fndesc=fndesc, signature=signature, objectmode=False, lifted=(),
            environment=environment, reload_init=reload_init, referenced_envs=environments,
            target_context=target_context, typing_context=target_context.typing_context,
        )  # fmt: skip
