"""Kernels of a test's own, with a cache of its own, which are imported anew as by another process."""

import importlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest

from uno_env.core.jit import folders, reach
from uno_env.core.jit.njit import INTERPRETED
from uno_env.core.jit.notice import NOTICE

Import = Callable[[str], ModuleType]


def forget() -> None:
    """Forget what this process has found out about files."""
    for remembered in (folders.candidates, folders.readable, folders.writable, reach._source_digest, reach._own_facts):
        remembered.cache_clear()


@pytest.fixture
def cache_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The empty folder of compiled code."""
    monkeypatch.setenv("UNO_ENV_CACHE_DIR", str(tmp_path / "cache"))
    forget()
    yield tmp_path / "cache"
    monkeypatch.undo()
    forget()


@pytest.fixture
def import_anew(tmp_path: Path, cache_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Import]:
    """Imports a module of ``tmp_path`` as a new process does: with all other modules that are there."""
    if INTERPRETED:
        pytest.skip("nothing is compiled")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)

    def leave() -> None:
        for name, module in list(sys.modules.items()):
            if (getattr(module, "__file__", None) or "").startswith(str(tmp_path)) or name in ("near", "far"):
                del sys.modules[name]

    def import_it(name: str) -> ModuleType:
        leave()
        forget()
        importlib.invalidate_caches()
        return importlib.import_module(name)

    yield import_it
    leave()


@pytest.fixture
def newly_compiled() -> Callable[[], int]:
    """Returns how many functions were compiled since the last call."""
    before = [NOTICE.compiled]

    def count() -> int:
        before.append(NOTICE.compiled)
        return before[-1] - before[-2]

    return count
