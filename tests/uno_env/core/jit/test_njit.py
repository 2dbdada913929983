"""uno_env/core/jit/njit.py: how functions are compiled, by the project's linker and by Numba alone."""

import importlib
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import agents
import uno_env
from uno_env.core.jit import linker, njit

PACKAGE = Path(uno_env.__file__).parent
CORE_FILES = sorted(path.relative_to(PACKAGE).as_posix() for path in (PACKAGE / "core").rglob("*.py"))

SMALL_KERNELS = """
import numpy as np
from uno_env.core.jit.njit import uses_linker
from uno_env.core.record import GAME
from uno_env.core.rules.dealer import choose_dealer
from uno_env.core.rules.deck import shuffle_pile
from uno_env.rules import Rules

print(uses_linker())
games, rules = np.zeros(20, GAME), Rules().record
for seed, game in enumerate(games):
    game.rng = seed
    game.dealer = choose_dealer(game, rules)
    shuffle_pile(game)
    print(game.dealer, game.rng, game.pile.tolist())
"""


def _run(script: str, **environment: str) -> list[str]:
    command = [sys.executable, "-W", "error", "-c", script]
    done = subprocess.run(
        command,
        env={**os.environ, "NUMBA_DISABLE_JIT": "0", **environment},
        cwd=PACKAGE.parent,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.splitlines()


@pytest.mark.thorough
def test_plain_njit_gives_the_same_results_as_the_linker() -> None:
    """Small functions only; ``test_lockstep.py`` plays whole games, which takes plain njit minutes to compile."""
    plain, linked = (_run(SMALL_KERNELS, UNO_ENV_PLAIN_NJIT=plain) for plain in ("1", "0"))
    assert (plain[0], linked[0]) == ("False", "True")
    assert plain[1:] == linked[1:]
    assert len(set(plain)) == 21


def _modules_with_compiled_code(package: Any) -> Iterator[Any]:
    folder = Path(package.__file__).parent
    for path in sorted(folder.rglob("*.py")):
        if "njit import njit" in path.read_text():
            yield importlib.import_module(".".join((package.__name__, *path.relative_to(folder).with_suffix("").parts)))


def _dispatchers(module: Any) -> list[linker.Dispatcher]:
    """What is compiled of a module's own functions."""
    values = [value for value in vars(module).values() if isinstance(value, linker.Dispatcher)]
    return [value for value in values if value.py_func.__module__ == module.__name__]


@pytest.mark.skipif(njit.INTERPRETED, reason="nothing is compiled")
@pytest.mark.parametrize("package", [uno_env.core, agents], ids=["core", "agents"])
def test_functions_of_all_folders_of_the_core_and_the_agents_make_no_arrays(package: Any) -> None:
    compiled = [each for module in _modules_with_compiled_code(package) for each in _dispatchers(module)]
    assert len({each.py_func.__module__.rpartition(".")[0] for each in compiled}) > 1
    assert [each.__name__ for each in compiled if each.targetoptions["_nrt"]] == []


def _noalias(path: Path) -> bool:
    """Whether LLVM is told of a function in a file that what it is given never overlaps."""
    state = SimpleNamespace(flags=SimpleNamespace(), func_id=SimpleNamespace(filename=str(path)))
    linker._set_noalias(state)
    return bool(state.flags.noalias)


@pytest.mark.parametrize("module", CORE_FILES)
def test_arguments_of_all_files_of_the_core_never_overlap(module: str) -> None:
    assert _noalias(PACKAGE / module)


def test_arguments_of_other_files_may(tmp_path: Path) -> None:
    assert not _noalias(PACKAGE / "game.py")
    assert not _noalias(Path(agents.__file__).parent / "scripted" / "greedy.py")
    assert not _noalias(tmp_path / "kernel.py")
