"""The cache of compiled code: kept while nothing changes, and never stale.

Numba by itself looks only at the file that a function stands in, so a change in a *called* function of another file
would go unnoticed. Here ``finish_turn`` (going_out.py) is called, and ``card_points`` (points.py), which it
reaches, is changed.
"""

import importlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import agents
import uno_env
from uno_env.core.jit import folders, linker, njit

SCRIPT = """
import numpy as np
import uno_env
from uno_env.core.rules.going_out import finish_turn
from uno_env.core.record import GAME
from uno_env.rules import Rules
from uno_env.cards import parse_card

game, rules = np.zeros(1, GAME), Rules(players=2)
game["seats"]["hand"][0, 1, parse_card("rs")] = game["seats"]["hand_size"][0, 1] = 1
finish_turn(game[0], rules.record, 0)
print(uno_env.__file__, game["points"][0, 0])
"""


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


class _Copy:
    """A copy of the package, in which sources can be changed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        source = Path(uno_env.__file__).parent
        shutil.copytree(source, folder / "uno_env", ignore=shutil.ignore_patterns("__pycache__"))

    @property
    def caches(self) -> list[Path]:
        """The folders of compiled code."""
        return sorted(self.folder.glob("uno_env/core/__pycache__/numba/core-*"))

    def files(self) -> dict[str, int]:
        """All files of compiled code, with the time at which each was written."""
        files = [path for cache in self.caches for path in cache.rglob("*") if path.is_file()]
        return {str(path.relative_to(self.folder)): path.stat().st_mtime_ns for path in files}

    def change(self, module: str, old: str, new: str) -> None:
        """Change a source."""
        path = self.folder / "uno_env" / module
        text = path.read_text()
        assert text.count(old) == 1
        path.write_text(text.replace(old, new))

    def run(self) -> str:
        """Run the script on the copy; what it prints after the package's place."""
        environment = {name: value for name, value in os.environ.items() if name != "UNO_ENV_CACHE_DIR"}
        environment |= {"PYTHONPATH": str(self.folder), "NUMBA_DISABLE_JIT": "0"}
        command = [sys.executable, "-c", SCRIPT]
        done = subprocess.run(command, env=environment, cwd=self.folder, capture_output=True, text=True, check=True)
        place, _, printed = done.stdout.strip().partition(" ")
        assert Path(place).is_relative_to(self.folder)
        return printed


@pytest.fixture
def copy(tmp_path: Path) -> _Copy:
    return _Copy(tmp_path)


def test_the_cache_is_kept_while_nothing_changes_and_left_when_a_called_function_does(copy: _Copy) -> None:
    assert copy.run() == "20"
    cold = copy.files()
    assert any("going_out.finish_turn" in name for name in cold)

    assert copy.run() == "20"
    assert copy.files() == cold

    copy.change("core/rules/points.py", "ACTION_POINTS = 20", "ACTION_POINTS = 30")
    assert copy.run() == "30"
    assert len(copy.caches) == 2


def _name_folders_from(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Have folders named from a copy of the sources in this process; without what is remembered of earlier."""
    monkeypatch.setattr(folders, "CORE", folder / "core")
    monkeypatch.setattr(folders, "VOCABULARY", (folder / "cards.py", folder / "actions.py"))
    monkeypatch.delenv("UNO_ENV_CACHE_DIR", raising=False)
    return folder


@pytest.fixture
def sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the sources of a test's own."""
    return _name_folders_from(_Copy(tmp_path).folder / "uno_env", monkeypatch)


@pytest.fixture(scope="module")
def shared_copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the sources for tests that only add to them."""
    return _Copy(tmp_path_factory.mktemp("shared")).folder / "uno_env"


@pytest.fixture
def growing_sources(shared_copy: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The copy that is shared."""
    return _name_folders_from(shared_copy, monkeypatch)


def _cache_folder(sources: Path) -> Path:
    folder: Path = folders.cache_folder.__wrapped__(sources / "core", "")
    return folder


def _append(path: Path, text: str) -> None:
    path.write_text(f"{path.read_text()}\n{text}\n")


@pytest.mark.parametrize("module", [*CORE_FILES, "cards.py", "actions.py"])
def test_a_change_in_any_source_of_compiled_code_begins_a_new_folder(growing_sources: Path, module: str) -> None:
    before = _cache_folder(growing_sources)
    assert _cache_folder(growing_sources) == before
    _append(growing_sources / module, "# changed")
    assert _cache_folder(growing_sources) != before


def test_so_does_a_new_source_in_a_folder_of_the_core(growing_sources: Path) -> None:
    before = _cache_folder(growing_sources)
    (growing_sources / "core" / "rules" / "kernel.py").write_text("")
    assert _cache_folder(growing_sources) != before


def test_sources_above_the_core_have_none(sources: Path) -> None:
    before = _cache_folder(sources)
    _append(sources / "game.py", "# changed")
    assert _cache_folder(sources) == before


def test_old_folders_are_deleted(sources: Path) -> None:
    for number in range(7):
        _append(sources / "core" / "rules" / "points.py", f"# {number}")
        newest = _cache_folder(sources)
        os.utime(newest, (number, number))
    left = list(newest.parent.glob("core-*"))
    assert len(left) == folders.SAVED_CACHES == 4
    assert newest in left


def test_the_folder_can_be_chosen(sources: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNO_ENV_CACHE_DIR", str(tmp_path / "elsewhere"))
    assert _cache_folder(sources).parent == tmp_path / "elsewhere"


def test_an_unwritable_package_has_its_cache_elsewhere(
    sources: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (sources / "core" / "__pycache__").write_text("a file where the folder would be")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert _cache_folder(sources).parent == tmp_path / "home" / ".cache" / "uno_env"


def test_one_that_cannot_be_written_is_named_and_another_one_used(
    sources: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("a file where the folder would be")
    monkeypatch.setenv("UNO_ENV_CACHE_DIR", str(tmp_path / "file" / "cache"))
    usual = sources / "core" / "__pycache__" / "numba"
    assert _cache_folder(sources).parent == usual
    assert capsys.readouterr().err == (
        f"uno-env: compiled code is not kept in {str(tmp_path / 'file' / 'cache')!r}, as it cannot be written "
        f"(Not a directory); {str(usual)!r} is used instead\n"
    )


def test_without_a_home_a_folder_beside_temporary_files_is_used(
    sources: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (sources / "core" / "__pycache__").write_text("a file where the folder would be")
    monkeypatch.setenv("HOME", str(sources / "core" / "__pycache__"))
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(tmp_path))
    assert _cache_folder(sources).parent == tmp_path / f"uno_env-{os.geteuid()}"
    shutil.rmtree(tmp_path / f"uno_env-{os.geteuid()}")
    (tmp_path / f"uno_env-{os.geteuid()}").write_text("somebody was there before")
    assert _cache_folder(sources).parent.name.startswith("uno_env_cache_")


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
