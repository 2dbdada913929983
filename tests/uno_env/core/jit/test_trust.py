"""uno_env/core/jit/trust.py and folders.py: compiled code is read only from where nobody else could have put it."""

import os
import pickle
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from uno_env.core.jit import folders, trust
from uno_env.core.jit.cache import _digest
from uno_env.core.jit.trust import read_trusted, reason_against

pytestmark = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="nobody can say who owns a file")

SOMEBODY = 4_000_000
"""A user who is not there."""


@pytest.fixture(autouse=True)
def sources_of_root(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if the package were installed for all users of the machine."""
    status = os.stat_result((stat.S_IFDIR | 0o755, 0, 0, 0, 0, 0, 0, 0, 0, 0))
    monkeypatch.setattr(trust, "_sources", lambda: status)


def _give_away(path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Make somebody else the owner; whom the sentence names."""
    if os.geteuid() == 0:
        os.chown(path, SOMEBODY, -1)
        return f"the user with the number {SOMEBODY}"
    owner = trust._user_name(os.geteuid())
    monkeypatch.setattr(os, "geteuid", lambda: SOMEBODY)  # only root can give files away: become another
    return owner


def test_a_folder_of_ones_own_is_trusted(tmp_path: Path) -> None:
    (tmp_path / "own").mkdir(0o755)
    assert reason_against(tmp_path / "own") is None


def test_one_of_another_user_is_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "theirs" / "below").mkdir(0o755, parents=True)
    name = _give_away(tmp_path / "theirs", monkeypatch)
    for each in ("theirs", "theirs/below"):
        reason = reason_against(tmp_path / each)
        assert reason is not None
        assert reason.endswith(f"belongs to {name}")


@pytest.mark.parametrize("mode", [0o777, 0o757, 0o1777])
def test_nor_is_one_that_others_may_write_to(tmp_path: Path, mode: int) -> None:
    open_to_all = tmp_path / "open"
    open_to_all.mkdir()
    open_to_all.chmod(mode)
    assert reason_against(open_to_all) == f"other users may write to {str(open_to_all)!r}"


def test_nor_one_below_such_a_folder_unless_nobody_can_replace_what_is_in_it(tmp_path: Path) -> None:
    (tmp_path / "open" / "own").mkdir(0o755, parents=True)
    (tmp_path / "open").chmod(0o777)
    assert reason_against(tmp_path / "open" / "own") == f"other users may write to {str(tmp_path / 'open')!r}"
    (tmp_path / "open").chmod(0o1777)  # as /tmp
    assert reason_against(tmp_path / "open" / "own") is None


def test_a_link_is_judged_by_what_it_points_to(tmp_path: Path) -> None:
    (tmp_path / "open").mkdir()
    (tmp_path / "open").chmod(0o777)
    (tmp_path / "link").symlink_to(tmp_path / "open")
    assert reason_against(tmp_path / "link") == f"other users may write to {str(tmp_path / 'open')!r}"


def test_a_group_may_write_if_this_user_is_its_only_member_or_it_may_write_the_sources(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o775)
    monkeypatch.setattr(trust, "_is_own_group", lambda group: False)
    assert reason_against(shared) == f"other users may write to {str(shared)!r}"
    monkeypatch.setattr(trust, "_is_own_group", lambda group: group == shared.stat().st_gid)
    assert reason_against(shared) is None
    monkeypatch.setattr(trust, "_is_own_group", lambda group: False)
    monkeypatch.setattr(trust, "_sources", shared.stat)
    assert reason_against(shared) is None


def test_whoever_owns_the_sources_is_trusted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As where a container's root works on files of the user outside."""
    (tmp_path / "theirs").mkdir(0o755)
    _give_away(tmp_path / "theirs", monkeypatch)
    monkeypatch.setattr(trust, "_sources", (tmp_path / "theirs").stat)
    assert reason_against(tmp_path / "theirs") is None


def test_folders_above_the_sources_are_not_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever may change them may change the sources."""
    (tmp_path / "open" / "package" / "cache").mkdir(0o755, parents=True)
    (tmp_path / "open").chmod(0o777)
    assert reason_against(tmp_path / "open" / "package" / "cache") is not None
    monkeypatch.setattr(trust, "SOURCES", tmp_path / "open" / "package")
    assert reason_against(tmp_path / "open" / "package" / "cache") is None


def test_files_are_read_if_nobody_else_could_have_written_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder may have been open to others before."""
    file = tmp_path / "file"
    file.write_bytes(b"code")
    file.chmod(0o644)
    (tmp_path / "link").symlink_to(file)
    os.mkfifo(tmp_path / "pipe")
    assert read_trusted(file) == b"code"
    assert [read_trusted(tmp_path / name) for name in ("link", "pipe", "none", ".")] == [None] * 4
    file.chmod(0o666)
    assert read_trusted(file) is None
    file.chmod(0o644)
    _give_away(file, monkeypatch)
    assert read_trusted(file) is None


KERNEL = """
from uno_env.core.jit.njit import njit

@njit
def double(number):
    return number + number
"""
SCRIPT = """
import sys
from pathlib import Path
from uno_env.core.jit import folders
folders._usual_bases = lambda: [Path(sys.argv[1], "private")]
sys.path.insert(0, sys.argv[1])
import kernel
print(kernel.double(2))
"""


class _Planted:
    def __init__(self, ran: Path) -> None:
        self.ran = ran

    def __reduce__(self) -> tuple[object, tuple[Path]]:
        return Path.touch, (self.ran,)


def _run(folder: Path) -> "subprocess.CompletedProcess[str]":
    (folder / "kernel.py").write_text(KERNEL)
    environment = {**os.environ, "UNO_ENV_CACHE_DIR": str(folder / "cache"), "NUMBA_DISABLE_JIT": "0"}
    line = [sys.executable, "-c", SCRIPT, str(folder)]
    return subprocess.run(line, env=environment, capture_output=True, text=True, check=False)


def test_planted_code_does_not_run(tmp_path: Path) -> None:
    assert _run(tmp_path).stdout == "4\n"
    (file,) = (tmp_path / "cache").rglob("*.nbc")
    planted = pickle.dumps(_Planted(tmp_path / "ran"))
    file.write_bytes(_digest(file.name, planted) + planted)
    (tmp_path / "cache").chmod(0o777)
    for _ in range(2):
        done = _run(tmp_path)
        assert (done.returncode, done.stdout) == (0, "4\n")
        open_to_all = str(tmp_path / "cache")
        sentence = f"uno-env: compiled code is not kept in {open_to_all!r}, as other users may write to {open_to_all!r}"
        assert done.stderr.startswith(f"{sentence}; {str(folders.CORE / '__pycache__' / 'numba')!r} is used instead")
        assert done.stderr.count("\n") == 1
    assert not (tmp_path / "ran").exists()
    assert len(list((tmp_path / "private").rglob("*.nbc"))) == 1
    (tmp_path / "cache").chmod(0o755)
    _run(tmp_path)
    assert (tmp_path / "ran").exists()  # it is code that would have run
