"""uno_env/core/jit/level.py and the folder that a wheel carries: its code runs on most processors, and is used."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import llvmlite.binding as llvm
import pytest
from numba.core import config, event
from numba.core.registry import cpu_target

from uno_env.core.jit import folders, level
from uno_env.core.jit.njit import INTERPRETED, uses_linker

KERNEL = """
from uno_env.core.jit.njit import njit

@njit
def total(numbers):
    result = 0.0
    for number in numbers:
        result += 2 * number
    return result
"""


class _Compiles(event.Listener):
    """Counts what Numba begins to compile."""

    def __init__(self) -> None:
        self.number = 0

    def on_start(self, started: event.Event) -> None:
        """Count."""
        self.number += 1

    def on_end(self, ended: event.Event) -> None:
        """Nothing."""


def test_code_that_is_carried_is_used_until_its_source_changes_or_it_is_torn(
    tmp_path: Path,
    cache_folder: Path,
    import_anew: Callable[[str], ModuleType],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    carried = tmp_path / "compiled"
    monkeypatch.setattr(folders, "CARRIED", carried)
    (tmp_path / "kernel.py").write_text(KERNEL)

    def run() -> tuple[float, bool]:
        """The result in a process with an empty cache, and whether anything was compiled for it."""
        shutil.rmtree(cache_folder, ignore_errors=True)
        with event.install_listener("numba:compile", _Compiles()) as compiles:
            return import_anew("kernel").total((1.0, 2.0)), compiles.number > 0

    assert run() == (6.0, True)
    shutil.copytree(cache_folder, carried)
    (file,) = carried.iterdir()
    code, before = file.read_bytes(), file.stat().st_mtime
    assert run() == (6.0, False)
    assert not cache_folder.exists()
    (tmp_path / "kernel.py").write_text(KERNEL.replace("2 *", "3 *"))
    assert run() == (9.0, True)
    (tmp_path / "kernel.py").write_text(KERNEL)
    assert run() == (6.0, False)
    assert (file.read_bytes(), file.stat().st_mtime) == (code, before)
    file.write_bytes(code[:-1])
    assert run() == (6.0, True)
    file.write_bytes(code)
    carried.chmod(0o777)
    assert run() == (6.0, True)


@pytest.fixture
def asked_anew() -> Iterator[None]:
    """Processors and settings are looked at again, as in another process."""
    level.is_used.cache_clear()
    yield
    level.is_used.cache_clear()


def test_a_processor_of_another_level_and_what_the_user_asks_of_numba_are_compiled_for(
    asked_anew: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    features = {**dict.fromkeys(level._MADE_OF, True), "avx512f": True}
    monkeypatch.setattr(config, "ENABLE_AVX", 1)
    for number, (changes, settings) in enumerate([
        ({}, {}), ({"avx2": False}, {}), ({}, {"CPU_NAME": "generic"}), ({}, {"CPU_FEATURES": ""}),
        ({}, {"ENABLE_AVX": 0}),
    ]):  # fmt: skip
        with monkeypatch.context() as patched:
            patched.setattr(llvm, "get_host_cpu_features", lambda found=features | changes: found)
            for name in ("CPU_NAME", "CPU_FEATURES"):
                patched.setattr(config, name, None)
            for name, value in settings.items():
                patched.setattr(config, name, value)
            level.is_used.cache_clear()
            assert level.is_used() == (number == 0)


@pytest.mark.skipif(INTERPRETED or not uses_linker() or not level.is_used(), reason="no code is made for the level")
def test_the_engine_is_compiled_for_the_level_and_other_code_for_the_processor(
    tmp_path: Path, import_anew: Callable[[str], ModuleType]
) -> None:
    (tmp_path / "kernel.py").write_text(KERNEL)
    total = import_anew("kernel").total
    total((1.0, 2.0))
    (compiled,) = total.overloads.values()
    assert compiled.library.codegen.magic_tuple()[1:] == (level.LEVEL, "")
    assert cpu_target.target_context.codegen().magic_tuple()[1] == llvm.get_host_cpu_name()
