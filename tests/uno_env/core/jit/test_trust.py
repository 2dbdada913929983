"""uno_env/core/jit/trust.py: compiled code is read only from where nobody else could have put it."""

import os
import pickle
import stat
from collections.abc import Callable
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

from uno_env.core.jit import trust
from uno_env.core.jit.cache import _digest
from uno_env.core.jit.trust import read_trusted, reason_against

pytestmark = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="nobody can say who owns a file")

SOMEBODY = 4_000_000
"""A user who is not there."""


@pytest.fixture(autouse=True)
def sources_of_root(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if the package were installed for all users of the machine."""
    monkeypatch.setattr(trust, "_sources", lambda: SimpleNamespace(st_uid=0, st_gid=0, st_mode=0o755))


def _give_away(path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Make somebody else the owner; whom the sentence names."""
    if os.geteuid() == 0:
        os.chown(path, SOMEBODY, -1)
        return f"the user with the number {SOMEBODY}"
    owner = trust._user_name(os.geteuid())
    monkeypatch.setattr(os, "geteuid", lambda: SOMEBODY)  # only root can give files away: become another
    return owner


def test_a_folder_is_trusted_if_no_other_user_may_write_to_it(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    assert reason_against(tmp_path) is None
    for mode in (0o777, 0o757, 0o775, 0o1777):
        tmp_path.chmod(mode)
        assert reason_against(tmp_path) == f"other users may write to {str(tmp_path)!r}"


def test_one_of_another_user_is_not_unless_the_sources_are_theirs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As where a container's root works on files of the user outside."""
    (tmp_path / "theirs").mkdir(0o755)
    name = _give_away(tmp_path / "theirs", monkeypatch)
    assert reason_against(tmp_path / "theirs") == f"{str(tmp_path / 'theirs')!r} belongs to {name}"
    monkeypatch.setattr(trust, "_sources", (tmp_path / "theirs").stat)
    assert reason_against(tmp_path / "theirs") is None


def test_a_group_that_may_write_the_sources_may_write_compiled_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Or the code that a wheel carries would not be used where pip installs for a group."""
    for name in ("sources", "compiled"):
        (tmp_path / name).mkdir()
        (tmp_path / name).chmod(0o775)
    monkeypatch.setattr(trust, "_sources", (tmp_path / "sources").stat)
    assert reason_against(tmp_path / "compiled") is None
    (tmp_path / "compiled").chmod(0o777)
    assert reason_against(tmp_path / "compiled") is not None
    (tmp_path / "compiled").chmod(0o775)
    (tmp_path / "sources").chmod(0o755)
    assert reason_against(tmp_path / "compiled") is not None


def test_files_are_read_if_nobody_else_could_have_written_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder may have been open to others before."""
    file = tmp_path / "file"
    file.write_bytes(b"code")
    file.chmod(0o644)
    (tmp_path / "link").symlink_to(file)
    os.mkfifo(tmp_path / "pipe")
    assert read_trusted(file) == b"code"
    assert [read_trusted(tmp_path / name) for name in ("link", "pipe", "none", ".")] == [None] * 4
    for mode in (0o666, 0o664):
        file.chmod(mode)
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


class _Planted:
    def __init__(self, ran: Path) -> None:
        self.ran = ran

    def __reduce__(self) -> tuple[object, tuple[Path]]:
        return Path.touch, (self.ran,)


def test_planted_code_does_not_run(
    tmp_path: Path,
    cache_folder: Path,
    import_anew: Callable[[str], ModuleType],
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "kernel.py").write_text(KERNEL)
    assert import_anew("kernel").double(2) == 4
    (file,) = cache_folder.iterdir()
    assert [stat.S_IMODE(each.stat().st_mode) for each in (cache_folder, file)] == [0o755, 0o644]
    planted = pickle.dumps(_Planted(tmp_path / "ran"))
    file.write_bytes(_digest(file.name, planted) + planted)
    cache_folder.chmod(0o777)
    assert import_anew("kernel").double(2) == 4
    assert not (tmp_path / "ran").exists()
    sentence = f"uno-env: compiled code is not kept: other users may write to {str(cache_folder)!r}\n"
    assert capsys.readouterr().err == sentence
    cache_folder.chmod(0o755)
    with pytest.raises(TypeError):
        import_anew("kernel").double(2)
    assert (tmp_path / "ran").exists()  # it is code that would have run
