"""``python -m tools.mutants``: which small mistakes in the code does a suite of tests notice?

    python -m tools.mutants FOLDER fast -m "not (slow or browser or gpu or workshop or peers or thorough)"
    python -m tools.mutants FOLDER rest -m "workshop or peers or thorough" --after fast

Draws 300 mistakes at random in a copy of HEAD, which stands in FOLDER, and runs against each the tests that are nearest
to the changed file: those that name it, then golden games for the engine, those beside them, those of its package.
Tests of compiled code run in plain Python, since compiling takes longer than they do. ``--after fast`` tries only what
``fast`` did not notice. Ctrl-C loses the mistake that is being tried; the same command goes on, and prints what nobody
noticed.
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
from tools.mutants.limits import ASLEEP, EACH
from tools.mutants.mistakes import CODE, Mutant, draw

FAILED = re.compile(r"^(?:FAILED|ERROR) (tests/\S+?\.py(?:::.*?)?)(?: - (.*))?$", re.MULTILINE)
ENGINE, GOLDEN = "uno_env/core/", "tests/golden/"
ALSO = {"uno_env": (GOLDEN, "tests/twin/")}
"""Folders of tests that are about a package, beside the one of its name."""


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
        self._sound, self._unsound = set[tuple[str, bool]](), set[tuple[str, bool]]()

    def try_mutant(self, mutant: Mutant) -> dict[str, Any]:
        """Run the tests that are nearest, until one fails that passes without the mistake, and save the outcome."""
        self._left = self.seconds
        plain = mutant.file.startswith(ENGINE) or "@njit" in (self.tree / mutant.file).read_text(encoding="utf-8")
        tried = (self._first_that_fails(mutant, tests, plain) for tests in self.nearest(mutant.file))
        by, reason = next(filter(None, tried), ("", ""))
        passed = "survived" if self._left > 0 else "out of time"
        outcome = {"mutant": mutant.number, "outcome": "killed" if by else passed, "by": by, "reason": reason}
        add_line(self.file, {}, outcome)
        self.outcomes[mutant.number] = outcome
        return outcome

    def nearest(self, file: str) -> list[list[str]]:
        """Tests that name a file of the code, golden games, those beside it, those of its package; short ones first."""
        path = Path(file)
        mirror, names = f"tests/{path.parent.as_posix()}/", {f"test_{path.stem}.py", f"test_{path.parent.name}.py"}
        word = re.compile(rf"(?<![a-zA-Z]){re.escape(path.stem)}(?![a-zA-Z])")
        module = re.compile(rf"\b{re.escape('.'.join(path.with_suffix('').parts))}\b")
        stages: list[list[str]] = [[], [], [], []]
        for test in sorted(self.tree.glob("tests/**/test_*.py"), key=lambda test: test.stat().st_size):
            text, where = test.read_text(encoding="utf-8"), test.relative_to(self.tree).as_posix()
            in_package = where.startswith((f"tests/{path.parts[0]}/", *ALSO.get(path.parts[0], ())))
            beside = where.startswith(mirror)
            if (test.name in names and in_package) or (beside and word.search(text)) or module.search(text):
                stages[0].append(where)
            elif where.startswith(GOLDEN) and file.startswith(ENGINE):
                stages[1].append(where)
            elif in_package:
                stages[2 if beside else 3].append(where)
        return [stage for stage in stages if stage]

    def _first_that_fails(self, mutant: Mutant, tests: Sequence[str], plain: bool) -> tuple[str, str] | None:
        while self._left > 0:
            subprocess.run(["git", "apply", "-"], cwd=self.tree, input=mutant.diff.encode(), check=True)
            changed_at = mutant.number  # a time of its own, as bytecode is kept by the second and size of its source
            os.utime(self.tree / mutant.file, (changed_at, changed_at))
            failed = self._pytest(tests, plain)
            subprocess.run(["git", "checkout", "-q", "."], cwd=self.tree, check=True)
            if not failed:
                return None
            if (failed[0], plain) not in self._sound:
                if self._pytest(failed[:1], plain):
                    self._unsound.add((failed[0], plain))  # not for the mistake: left out from now on
                    continue
                self._sound.add((failed[0], plain))
            return failed
        return None

    def _pytest(self, tests: Sequence[str], plain: bool) -> tuple[str, str] | None:
        """The first test that fails, and what it says."""
        left_out = [f"--deselect={test}" for test, each in self._unsound if each == plain]
        line = [sys.executable, "-m", "pytest", "-x", "-q", "-rfE", "--tb=line", "-p", "no:cacheprovider",
                "-p", "tools.mutants.limits", "-m", self.marks, *left_out, *tests]  # fmt: skip
        cache = str(self.tree.absolute().with_name("cache"))
        environment = {
            **os.environ,
            "MUTANT_SECONDS": str(self._left),
            "UNO_ENV_CACHE_DIR": cache,
            "PYTHONPATH": f"{self.tree.absolute()}{os.pathsep}{ROOT}",
            "NUMBA_DISABLE_JIT": str(+plain),
        }
        before = children_seconds()
        with subprocess.Popen(
            line, cwd=self.tree, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, errors="replace", start_new_session=True,
        ) as process:  # fmt: skip
            try:
                out, _ = process.communicate(timeout=ASLEEP * (max(0.0, self._left) + EACH))
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
