"""Numba dispatchers that make machine code only for what Python calls.

Numba optimises and assembles every function it meets, and again within each of its callers. Here a function that is met
on the way is only translated (to LLVM's language), once for each kind of argument; small integers count as int64. Only
the function that Python calls is optimised, assembled and cached, with all functions that it calls. This saves 24 of
the first step's 35 seconds of compiling, and the machine code is the same or better. A translation of many functions
is kept on disk, too (:mod:`uno_env.core.jit.translations`).

Nothing else calls the functions that are linked in, so LLVM may inline a long function that has one caller. It may also
assume that arguments of the core's functions never overlap. Together this makes a step a tenth faster.
"""

import hashlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import CodeType
from typing import Any

from numba.core import event, types
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import PassManager, register_pass
from numba.core.registry import CPUDispatcher
from numba.core.sigutils import normalize_signature
from numba.core.typed_passes import NativeLowering, NopythonRewrites
from numba.core.untyped_passes import InlineClosureLikes

from uno_env.core.jit import level
from uno_env.core.jit.entries import EntryCache, EntryLibrary
from uno_env.core.jit.interrupts import InterruptibleDispatcher, let_signals_in
from uno_env.core.jit.reach import reached_digest
from uno_env.core.jit.translations import TranslatedLibrary, TranslationCache

NEVER_OVERLAPPING = Path(__file__).parents[1]
"""Folder of functions whose arguments share no byte that the function writes."""


@cache
def _digest_of_type(name: str) -> str:
    return hashlib.sha256(name.encode()).hexdigest()[:24]


def _name_in_symbols(record: types.Record) -> tuple[str, tuple[str]]:
    """A record's part of the name of a symbol: one text for one type, in all processes.

    Numba writes a number that each process counts. Translations that two processes have kept could then be linked under
    one name although they read records of different layouts.
    """
    return "Record", (_digest_of_type(record.name),)


types.Record.mangling_args = property(_name_in_symbols)  # type: ignore[assignment, method-assign]


def _text_once(write: Callable[[types.Record], str]) -> Callable[[types.Record], str]:
    """The same text of a record's type, which is written once.

    Numba writes the texts of a function's arguments for each of its passes, a tenth of the time of compiling.
    """
    texts: dict[int, str] = {}

    def text(record: types.Record) -> str:
        code = record._code  # type: ignore[attr-defined]  # one number for one type, in this process
        if code not in texts:
            texts[code] = write(record)
        return texts[code]

    return text


types.Record.__repr__ = _text_once(types.Record.__repr__)  # type: ignore[assignment, method-assign]


class Dispatcher(InterruptibleDispatcher):
    """A compiled function, made by :func:`uno_env.core.jit.njit.njit`.

    Args:
        function: what to compile.
        options: Numba's target options; with ``_nrt=False`` it may make no arrays and no references are counted, which
            took a third of a step's time.
        key: part of the key of the cache: how the function is compiled.
    """

    def __init__(self, function: Callable[..., Any], options: dict[str, Any], key: Any) -> None:
        super().__init__(function, targetoptions=options, pipeline_class=_Assembler)
        self._cache = EntryCache(function, key)
        self._translated = _TranslatedDispatcher(function, targetoptions=options, pipeline_class=_Translator)
        self._translated._cache = TranslationCache(function, key)

    @property
    def _numba_type_(self) -> types.Dispatcher:
        """The function's Numba type, for other compiled functions."""
        return types.Dispatcher(self._translated)


class _TranslatedDispatcher(CPUDispatcher):
    """A function as other compiled functions call it; Python cannot call it."""

    def compile(self, sig: Any) -> Any:
        """Same as Numba's, without the timers of each function, which hear of all that happens in those it calls."""
        args, return_type = normalize_signature(sig)
        with self._compiling_counter:
            if args not in self.overloads:
                found = self._cache.load_overload(sig, self.targetctx)
                if found is None:
                    with event.trigger_event("numba:compile", data={"dispatcher": self}):
                        found = self._compiler.compile(args, return_type)
                    self._cache.save_overload(sig, found)
                else:
                    self._cache_hits[sig] += 1
                    self.targetctx.insert_user_function(found.entry_point, found.fndesc, [found.library])
                self.add_overload(found)
                let_signals_in()
            return self.overloads[args].entry_point

    def get_call_template(self, args: tuple[Any, ...], kws: dict[str, Any]) -> Any:
        return super().get_call_template(tuple(map(_widened, args)), kws)

    def add_overload(self, cres: Any) -> None:
        self.overloads[tuple(cres.signature.args)] = cres


def _widened(kind: Any) -> Any:
    plain = getattr(kind, "literal_type", kind)
    return types.int64 if isinstance(plain, types.Integer) and plain not in (types.int64, types.uint64) else plain


def _set_noalias(state: Any) -> None:
    """Tell LLVM that arguments do not overlap, for the functions where this holds."""
    state.flags.noalias = Path(state.func_id.filename).is_relative_to(NEVER_OVERLAPPING)


@register_pass(mutates_CFG=True, analysis_only=False)
class _Translation(NativeLowering):
    """Numba's own lowering, without the wrapper for calls from Python."""

    _name = "translation"

    def run_pass(self, state: Any) -> bool:
        state.library = TranslatedLibrary(level.codegen(state.targetctx), state.func_id.func_qualname)
        state.flags.no_cpython_wrapper = True
        state.flags.no_compile = True
        _set_noalias(state)
        super().run_pass(state)
        key = object()  # callers find the function by it
        state["cr"] = state["cr"]._replace(cfunc=key)
        state.targetctx.insert_user_function(key, state["cr"].fndesc, [state.library])
        return True


@register_pass(mutates_CFG=True, analysis_only=False)
class _Assembly(NativeLowering):
    """Numba's own lowering, into an :class:`.EntryLibrary`."""

    _name = "assembly"

    def run_pass(self, state: Any) -> bool:
        state.library = EntryLibrary(level.codegen(state.targetctx), state.func_id.func_qualname)
        state.library.enable_object_caching()
        _set_noalias(state)
        return bool(super().run_pass(state))


class _Translator(CompilerBase):
    lowering = _Translation

    def define_pipelines(self) -> list[PassManager]:
        # A part of the names of its symbols: one name in all processes, and another one for other code.
        self.state.func_id.unique_id = int(reached_digest(self.state.func_id.func)[:12], 16)
        passes = PassManager(self.lowering._name)
        for step, description in DefaultPassBuilder.define_nopython_pipeline(self.state).passes:
            if self._finds_work(step):
                passes.add_pass(self.lowering if step is NativeLowering else step, description)
        passes.finalize()
        return [passes]

    def _finds_work(self, step: Any) -> bool:
        """Return False for a pass that finds nothing to do, and takes a while to do so: the one for functions within a
        function, and the one for expressions that make arrays.
        """
        makes_arrays, code = self.state.flags.nrt, self.state.func_id.code
        if step is InlineClosureLikes:
            return makes_arrays or any(isinstance(constant, CodeType) for constant in code.co_consts)
        return makes_arrays or step is not NopythonRewrites


class _Assembler(_Translator):
    lowering = _Assembly
