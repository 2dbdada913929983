"""uno_env/core/jit/translations.py: what was translated once is not translated again, and is never another function."""

import os
import subprocess
import sys
from pathlib import Path

import llvmlite.binding as llvm
import pytest

from uno_env.core.jit.njit import INTERPRETED, uses_linker
from uno_env.core.jit.translations import linked

pytestmark = pytest.mark.skipif(INTERPRETED or not uses_linker(), reason="nothing is translated")

KERNEL = """
from uno_env.core.jit.njit import njit

STEP = 1


def ground(start):
    @njit
    def first(number):
        return number + start + STEP

    return first


def floor(below):
    @njit
    def one(number):
        return below(number) + 1

    return one


def tower(start):
    top = ground(start)
    for _ in range(10):
        top = floor(top)
    return top


low, high = tower(0), tower(100)


@njit
def doubled(number):
    return 2 * low(number)


@njit
def tripled(number):
    return 3 * low(number)


@njit
def raised(number):
    return 2 * high(number)


@njit
def both(number):
    return low(number) + 1000 * high(number)
"""
SCRIPT = """
import sys
sys.path.insert(0, sys.argv[1])
import kernel
print(getattr(kernel, sys.argv[2])(1))
print([sum(top._translated._cache_hits.values()) for top in (kernel.low, kernel.high)])
"""


def _run(folder: Path, function: str) -> tuple[int, list[int]]:
    """What a function returns in a process of its own, and how often a translation of each tower was read."""
    environment = {**os.environ, "UNO_ENV_CACHE_DIR": str(folder / "cache"), "NUMBA_DISABLE_JIT": "0"}
    line = [sys.executable, "-c", SCRIPT, str(folder), function]
    done = subprocess.run(line, env=environment, capture_output=True, text=True, check=True)
    result, read = done.stdout.splitlines()
    return int(result), [int(number) for number in read.strip("[]").split(",")]


@pytest.mark.thorough
def test_another_process_reads_what_was_translated_until_it_changes(tmp_path: Path) -> None:
    (tmp_path / "kernel.py").write_text(KERNEL)
    assert _run(tmp_path, "doubled") == (24, [0, 0])
    assert _run(tmp_path, "tripled") == (36, [1, 0])
    (tmp_path / "kernel.py").write_text(KERNEL.replace("STEP = 1", "STEP = 3"))
    assert _run(tmp_path, "doubled") == (28, [0, 0])


@pytest.mark.thorough
def test_functions_of_one_name_are_told_apart(tmp_path: Path) -> None:
    (tmp_path / "kernel.py").write_text(KERNEL)
    assert _run(tmp_path, "doubled") == (24, [0, 0])
    assert _run(tmp_path, "raised") == (224, [0, 0])
    assert _run(tmp_path, "both") == (112_012, [1, 1])


RECORDS = """
import sys
import numpy as np
from numba import from_dtype
from uno_env.core.jit.njit import njit

SHORT, LONG = np.dtype([("wanted", "i8")]), np.dtype([("other", "i8"), ("wanted", "i8")])


@njit
def first(record):
    return record.wanted


def floor(below):
    @njit
    def one(record):
        return below(record) + 1

    return one


top = first
for _ in range(10):
    top = floor(top)


@njit
def short(record, other):
    return top(record)


@njit
def both(record, other):
    return 1000 * top(other) + top(record)


met_first = from_dtype(LONG if sys.argv[1] == "both" else SHORT)  # each process counts types as it meets them
print(globals()[sys.argv[1]](np.array([(1,)], SHORT)[0], np.array([(2, 3)], LONG)[0]))
"""


@pytest.mark.thorough
def test_a_function_of_two_records_is_told_apart_in_processes_that_met_them_in_another_order(tmp_path: Path) -> None:
    program = tmp_path / "records.py"
    program.write_text(RECORDS)
    environment = {**os.environ, "UNO_ENV_CACHE_DIR": str(tmp_path / "cache"), "NUMBA_DISABLE_JIT": "0"}
    for function, result in (("short", "11"), ("both", "13011")):
        line = [sys.executable, str(program), function]
        done = subprocess.run(line, env=environment, capture_output=True, text=True, check=True)
        assert done.stdout.strip() == result


class _Library:
    """A library of one module, as Numba's."""

    def __init__(self, text: str) -> None:
        self._module = llvm.parse_assembly(text)

    def _get_module_for_linking(self) -> llvm.ModuleRef:
        return self._module


def test_a_function_is_linked_though_its_first_caller_was_replaced_by_another_of_its_name() -> None:
    """As where ``shared`` of one process, read from disk, comes before that of this one, with another ``helper``."""
    made = "define linkonce_odr i64 @{}() {{\n %x = call i64 @{}()\n ret i64 %x\n}}\ndeclare i64 @{}()"
    leaf = "define linkonce_odr i64 @{}() {{\n ret i64 {}\n}}"
    read = made.format("shared", "theirs", "theirs").replace("declare i64 @theirs()", leaf.format("theirs", 1))
    texts = [
        read,
        made.format("shared", "helper", "helper"),
        leaf.format("helper", 2),
        made.format("late", *["helper"] * 2),
    ]
    module = linked(map(_Library, texts))
    assert {each.name for each in module.functions if not each.is_declaration} == {"shared", "theirs", "helper", "late"}
    assert {each.linkage for each in module.functions} == {llvm.Linkage.linkonce_odr}
