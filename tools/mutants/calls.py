"""Which tests call which functions of the project: :class:`Callers`, found by a plugin of pytest, which is this module.

At the end of the run, ``MUTANT_CALLS`` has a JSON object with the tests that passed and, for each function, the numbers
of those that call it. A function is named by its file and the line at which its definition begins, decorators included.
What a fixture calls counts for the test that it is made for.
"""

import ast
import json
import os
import re
import sys
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, FrameType
from typing import Self

import pytest

from tools.mutants.mistakes import CODE, Mutant

LONGEST = 20.0
"""A test that takes more seconds of the processor while it is watched is not run against mistakes."""


class Callers:
    """The tests that call a function, those that call the fewest functions first.

    Args:
        tests: the names of the tests that passed.
        callers: by function, the numbers of the tests that call it.
    """

    def __init__(self, tests: list[str], callers: dict[str, list[int]]) -> None:
        self._tests, self._callers = tests, callers
        self._called = Counter(test for each in callers.values() for test in each)

    @classmethod
    def read(cls, file: Path) -> Self:
        """Read what a run has saved."""
        return cls(**json.loads(file.read_text(encoding="utf-8")))

    def of(self, mutant: Mutant, tree: Path) -> list[str]:
        """The tests that call the function with a mistake. If it stands in none, those that call a function of its
        file, or of a file that imports it. Those named after its file come with them, since programs that tests start
        are not watched.
        """
        function = _function_at(mutant.line, (tree / mutant.file).read_text(encoding="utf-8"))
        if function is not None:
            numbers = set(self._callers.get(f"{mutant.file}:{function}", ()))
        else:
            files = {mutant.file, *_importers(mutant.file, tree)}
            numbers = {test for name, each in self._callers.items() if name.partition(":")[0] in files for test in each}
        own = f"/test_{Path(mutant.file).stem}.py::"
        numbers.update(number for number, test in enumerate(self._tests) if own in test)
        return [self._tests[number] for number in sorted(numbers, key=lambda number: (self._called[number], number))]


def _function_at(line: int, source: str) -> int | None:
    """The line at which the innermost function around a line begins, with its decorators. None if there is none, or
    its results are kept: only the first of the tests that need them calls it.
    """
    around = [
        each
        for each in ast.walk(ast.parse(source))
        if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)
        and each.lineno <= line <= (each.end_lineno or each.lineno)
    ]
    if not around or any("cache" in ast.unparse(part) for each in around for part in each.decorator_list):
        return None
    return min(part.lineno for part in (around[-1], *around[-1].decorator_list))


def _importers(file: str, tree: Path) -> list[str]:
    path = Path(file).with_suffix("")
    folder, name = ".".join(path.parent.parts), path.name
    imports = re.compile(rf"^\s*(?:from {folder}\.{name} import|from {folder} import .*\b{name}\b)", re.MULTILINE)
    found = (each for part in CODE for each in tree.glob(f"{part}/**/*.py" if not part.endswith(".py") else part))
    return [each.relative_to(tree).as_posix() for each in found if imports.search(each.read_text(encoding="utf-8"))]


class Calls:
    """Watches tests, and saves what they call in a file."""

    def __init__(self, file: Path, root: Path) -> None:
        self._file, self._root = file, f"{root}{os.sep}"
        self._tests: list[str] = []
        self._callers: dict[str, list[int]] = defaultdict(list)
        self._passed = False

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """Watch a test with its fixtures."""
        called: dict[int, CodeType] = {}

        def watch(frame: FrameType, _event: str, _argument: object) -> None:
            called[id(frame.f_code)] = frame.f_code

        self._passed, begun = True, time.process_time()
        threading.settrace(watch)
        sys.settrace(watch)
        try:
            return (yield)
        finally:
            sys.settrace(None)
            threading.settrace(None)
            if self._passed and time.process_time() - begun <= LONGEST:
                self._add(item.nodeid, list(called.values()))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take note of a test that fails or is left out."""
        self._passed &= report.passed

    def _add(self, test: str, called: list[CodeType]) -> None:
        for code in called:
            where = code.co_filename.removeprefix(self._root)
            if where.startswith(CODE):
                self._callers[f"{where}:{code.co_firstlineno}"].append(len(self._tests))
        self._tests.append(test)

    def pytest_sessionfinish(self, exitstatus: int) -> None:
        """Save all, unless the run was cut short: what is saved is not made again."""
        if exitstatus not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
            return
        self._file.write_text(json.dumps({"tests": self._tests, "callers": self._callers}), encoding="utf-8")


def pytest_configure(config: pytest.Config) -> None:
    """Begin to watch."""
    config.pluginmanager.register(Calls(Path(os.environ["MUTANT_CALLS"]), config.rootpath))
