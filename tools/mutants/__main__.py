"""``python -m tools.mutants``: which small mistakes in the code does a suite of tests notice?

    python -m tools.mutants FOLDER fast -m "not (slow or browser or gpu or workshop or peers or thorough)"
    python -m tools.mutants FOLDER rest -m "workshop or peers or thorough" --after fast

Draws 300 mistakes at random in a copy of HEAD, which stands in FOLDER, and runs against each the tests that call the
function in which it is made: those that call the fewest functions first, and no more than take ``--seconds``. Which
tests these are is found out in the beginning, in two runs of all of them: once as they are, and once in plain Python
for code that is otherwise compiled. ``--after fast`` tries only what ``fast`` did not notice. Ctrl-C loses the mistake
that is being tried; the same command goes on, and prints what nobody noticed.
"""

import argparse
import os
import re
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tools import ROOT, children_seconds
from tools.exact_curves.runs import add_line, read_lines
from tools.mutants.calls import Callers
from tools.mutants.limits import ASLEEP, EACH
from tools.mutants.mistakes import CODE, Mutant, draw

FAILED = re.compile(r"^(?:FAILED|ERROR) (tests/\S+?\.py(?:::.*?)?)(?: - (.*))?$", re.MULTILINE)
FEW = 12
"""Tests that run first, since to import all files of tests takes longer than most of the tests."""
WATCHED_SECONDS = {False: 0, True: 1}
"""After so many seconds a test that is watched is interrupted; with 0 none is. In plain Python most take too long. As
they are, some compile, and LLVM's lock is never released if that is interrupted: a thread that waits for it hangs.
"""


class Suite:
    """Tests that are run against mutants in ``FOLDER/tree``; their outcomes stand in ``FOLDER/NAME.jsonl``."""

    def __init__(self, root: Path, folder: Path, name: str, marks: str, seconds: float) -> None:
        self.tree, self.marks, self.seconds = folder / "tree", marks, seconds
        self.file = folder / f"{name}.jsonl"
        if not self.tree.exists():
            subprocess.run(["git", "clone", "-q", "--shared", str(root), str(self.tree.absolute())], check=True)
        subprocess.run(["git", "checkout", "-q", "."], cwd=self.tree, check=True)
        self.outcomes = read(self.file)
        self._left = 0.0
        self._calls: dict[bool, Callers] = {}

    def try_mutant(self, mutant: Mutant) -> dict[str, Any]:
        """Run the tests that call the changed function, until one fails, and save the outcome."""
        self._left = self.seconds
        plain = "@njit" in (self.tree / mutant.file).read_text(encoding="utf-8")
        tests = self.calls(plain).of(mutant, self.tree)
        tried = (self._first_that_fails(mutant, each, plain) for each in (tests[:FEW], tests[FEW:]) if each)
        by, reason = next(filter(None, tried), ("", ""))
        passed = ("survived" if self._left > 0 else "out of time") if tests else "not called"
        outcome = {"mutant": mutant.number, "outcome": "killed" if by else passed, "by": by, "reason": reason}
        add_line(self.file, {}, outcome)
        self.outcomes[mutant.number] = outcome
        return outcome

    def calls(self, plain: bool) -> Callers:
        """Which tests call which functions, as they are or in plain Python."""
        if plain not in self._calls:
            file = self.file.with_suffix(".plain.json" if plain else ".calls.json")
            if not file.exists():
                line = self._line(["-p", "tools.mutants.calls"])
                watch = {
                    "MUTANT_CALLS": str(file.absolute()),
                    "MUTANT_EACH": str(WATCHED_SECONDS[plain]),
                    "MUTANT_SECONDS": "inf",
                }
                subprocess.run(line, cwd=self.tree, env=self._environment(plain) | watch, check=False)
            self._calls[plain] = Callers.read(file)
        return self._calls[plain]

    def _first_that_fails(self, mutant: Mutant, tests: Sequence[str], plain: bool) -> tuple[str, str] | None:
        """The first test that fails with the mistake, and what it says."""
        if self._left <= 0:
            return None
        subprocess.run(["git", "apply", "-"], cwd=self.tree, input=mutant.diff.encode(), check=True)
        changed_at = mutant.number  # a time of its own, as bytecode is kept by the second and size of its source
        os.utime(self.tree / mutant.file, (changed_at, changed_at))
        try:
            return self._pytest(tests, plain)
        finally:
            subprocess.run(["git", "checkout", "-q", "."], cwd=self.tree, check=True)

    def _pytest(self, tests: Sequence[str], plain: bool) -> tuple[str, str] | None:
        before = children_seconds()
        with subprocess.Popen(
            self._line(["-x", *tests]), cwd=self.tree, env=self._environment(plain), stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", start_new_session=True,
        ) as process:  # fmt: skip
            try:
                out, _ = process.communicate(timeout=ASLEEP * (self._left + EACH))
            except subprocess.TimeoutExpired:
                return tests[0], "it hangs"
            finally:
                if process.poll() is None:
                    os.killpg(process.pid, signal.SIGKILL)  # with all that it has started
                    process.wait()
                self._left -= children_seconds() - before
        found = FAILED.search(out)
        if found:
            return found[1], found[2] or ""
        return None if process.returncode in (0, 5) else (tests[0], out.strip()[-300:])

    def _line(self, options: Sequence[str]) -> list[str]:
        line = [sys.executable, "-m", "pytest", "-q", "-rfE", "--tb=line", "-p", "no:cacheprovider"]
        return [*line, "-p", "tools.mutants.limits", "-m", self.marks, *options]

    def _environment(self, plain: bool) -> dict[str, str]:
        return {
            **os.environ,
            "MUTANT_SECONDS": str(self._left),
            "UNO_ENV_CACHE_DIR": str(self.tree.absolute().with_name("cache")),
            "PYTHONPATH": f"{self.tree.absolute()}{os.pathsep}{ROOT}",
            "NUMBA_DISABLE_JIT": str(+plain),
        }


def read(file: Path) -> dict[int, dict[str, Any]]:
    """The outcomes that are saved, by the number of the mutant."""
    return {outcome["mutant"]: outcome for outcome in read_lines(file)}


def main(arguments: Sequence[str] | None = None, root: Path = ROOT) -> int:
    """Read the command line and run. ``root``: the project."""
    parser = argparse.ArgumentParser(
        "python -m tools.mutants", None, __doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("folder", type=Path, help="where the copy of the project and the outcomes are")
    parser.add_argument("suite", help="the name under which the outcomes are saved")
    parser.add_argument("-m", dest="marks", default="", help="the tests that run, as for pytest")
    parser.add_argument("--after", help="try what that suite did not notice")
    parser.add_argument("--number", type=int, default=300, help="mistakes that are drawn")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, help="try that many of them (default: all)")
    parser.add_argument("--seconds", type=float, default=40.0, help="of the processor, for the tests of one mistake")
    chosen = parser.parse_args(arguments)
    chosen.folder.mkdir(parents=True, exist_ok=True)
    suite = Suite(root, chosen.folder, chosen.suite, chosen.marks, chosen.seconds)
    mutants = draw(suite.tree, chosen.number, chosen.seed, CODE)[: chosen.first]
    if chosen.after:
        earlier = read(chosen.folder / f"{chosen.after}.jsonl")
        mutants = [each for each in mutants if earlier.get(each.number, {}).get("outcome") != "killed"]
    for mutant in mutants:
        if mutant.number not in suite.outcomes:
            outcome = suite.try_mutant(mutant)
            print(
                f"{mutant.number} {mutant.file}: {outcome['outcome']} {outcome['by']} {outcome['reason']}", flush=True
            )
    survivors = [mutant for mutant in mutants if suite.outcomes[mutant.number]["outcome"] != "killed"]
    print(f"{chosen.suite} noticed {len(mutants) - len(survivors)} of {len(mutants)} mistakes. It did not notice:")
    for mutant in survivors:
        print(f"\n{mutant.number}: {suite.outcomes[mutant.number]['outcome']}\n{mutant.diff}", end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
