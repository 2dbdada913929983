"""The cache of compiled code: kept while nothing changes, and never stale.

Numba by itself looks only at the file that a function stands in, so a change in a *called* function of another file
would go unnoticed. Here ``finish_turn`` (going_out.py) is called, and ``card_points`` (points.py), which it
reaches, is changed.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import uno_env
from uno_env.core.jit import njit

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


@pytest.fixture
def sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the sources, from which folders are named in this process; without what is remembered of earlier."""
    folder = _Copy(tmp_path).folder / "uno_env"
    monkeypatch.setattr(njit, "CORE", folder / "core")
    monkeypatch.setattr(njit, "VOCABULARY", (folder / "cards.py", folder / "actions.py"))
    monkeypatch.setattr(njit, "_writable_base", njit._writable_base.__wrapped__)
    monkeypatch.delenv("UNO_ENV_CACHE_DIR", raising=False)
    return folder


def _cache_folder(sources: Path) -> Path:
    folder: Path = njit.cache_folder.__wrapped__(sources / "core")
    return folder


def _append(path: Path, text: str) -> None:
    path.write_text(f"{path.read_text()}\n{text}\n")


@pytest.mark.parametrize(
    "module",
    [
        "core/rules/points.py",
        "core/rng.py",
        "core/loops/batch.py",
        "core/observe/encode.py",
        "core/jit/linker.py",
        "cards.py",
        "actions.py",
    ],
)
def test_each_source_of_compiled_code_has_its_part_in_the_folders_name(sources: Path, module: str) -> None:
    before = _cache_folder(sources)
    assert _cache_folder(sources) == before
    _append(sources / module, "# changed")
    assert _cache_folder(sources) != before


def test_sources_above_the_core_have_none(sources: Path) -> None:
    before = _cache_folder(sources)
    _append(sources / "game.py", "# changed")
    assert _cache_folder(sources) == before


def test_old_folders_are_deleted(sources: Path) -> None:
    for number in range(7):
        _append(sources / "core" / "rules" / "points.py", f"# {number}")
        newest = _cache_folder(sources)
        os.utime(newest, (number, number))
    folders = list(newest.parent.glob("core-*"))
    assert len(folders) == njit.SAVED_CACHES == 4
    assert newest in folders


def test_the_folder_can_be_chosen(sources: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNO_ENV_CACHE_DIR", str(tmp_path / "elsewhere"))
    assert _cache_folder(sources).parent == tmp_path / "elsewhere"


def test_an_unwritable_package_has_its_cache_elsewhere(
    sources: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (sources / "core" / "__pycache__").write_text("a file where the folder would be")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert _cache_folder(sources).parent == tmp_path / "home" / ".cache" / "uno_env"
