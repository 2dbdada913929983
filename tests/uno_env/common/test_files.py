"""uno_env/common/files.py: what is no file is refused at once, and files are replaced whole or not at all."""

import contextlib
import errno
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from uno_env.common import files
from uno_env.common.files import (
    check_file,
    read_file,
    read_json,
    read_text,
    remove_temporary_files,
    replace_file,
    verify_writable,
    write_json,
)


def special(folder: Path) -> Iterator[Path]:
    """Paths at which there is something that is no file."""
    os.mkfifo(folder / "pipe")
    (folder / "link").symlink_to(folder / "pipe")
    (folder / "loop").symlink_to(folder / "loop")
    with contextlib.closing(socket.socket(socket.AF_UNIX)) as listener:
        listener.bind(os.path.relpath(folder / "socket"))
    yield from (folder / "pipe", folder / "link", folder / "loop", folder / "socket", folder)
    yield from map(Path, ("/dev/zero", "/dev/null", "/dev/stdin", "nul\0byte", "x" * 300))


@pytest.mark.parametrize("read", [check_file, read_file, read_text, read_json])
def test_what_is_no_file_is_refused_at_once(read: Any, tmp_path: Path) -> None:
    for path in special(tmp_path):
        with pytest.raises(OSError) as caught:
            read(path)
        assert caught.value.strerror, path


def test_files_of_more_bytes_than_are_read_are_refused(tmp_path: Path) -> None:
    (tmp_path / "ten").write_bytes(bytes(10))
    assert read_file(tmp_path / "ten", 10) == bytes(10)
    with pytest.raises(OSError, match="it has 10 bytes, and at most 9 are read"):
        read_file(tmp_path / "ten", 9)
    with (tmp_path / "vast").open("wb") as file:
        file.truncate(1 << 40)  # a hole: it takes no room
    with pytest.raises(OSError, match="at most 268,435,456 are read"):
        read_file(tmp_path / "vast")


@pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="files that do not say how large they are")
def test_a_file_that_does_not_say_how_large_it_is_is_read_so_far(tmp_path: Path) -> None:
    assert os.stat("/proc/self/maps").st_size == 0
    with pytest.raises(OSError, match="it has more than 100 bytes"):
        read_file("/proc/self/maps", 100)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"\xff\xfe", "it is no text in UTF-8: byte 0 is 0xff"),
        (b"[1", "it is not JSON: Expecting"),
        (b"[" * 100_000, "it is not JSON: it is nested too deeply"),
        (b"9" * 5_000, "it is not JSON: it is nested too deeply, or too long"),
    ],
)
def test_what_is_no_json_is_one_sentence(data: bytes, message: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(data)
    with pytest.raises(ValueError, match=message):
        read_json(tmp_path / "file")


def test_only_files_are_replaced(tmp_path: Path) -> None:
    for path in special(tmp_path):
        before = set(path.parent.iterdir()) if path.parent == tmp_path else set()
        with pytest.raises(OSError):
            replace_file(path, b"new")
        with pytest.raises(ValueError, match=r"cannot be written|is a folder: name a file"):
            verify_writable(path)
        assert before <= set(tmp_path.iterdir())
    assert not Path("/dev/null").is_file()


def test_a_link_stays_and_its_file_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("old")
    (tmp_path / "link").symlink_to("file")
    replace_file(tmp_path / "link", b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "file").read_text() == "new"


def test_a_name_may_be_as_long_as_the_system_allows(tmp_path: Path) -> None:
    path = tmp_path / ("x" * 255)
    verify_writable(path)
    assert list(tmp_path.iterdir()) == []
    replace_file(path, b"new")
    assert path.read_bytes() == b"new"


@pytest.mark.parametrize("failing", ["fsync", "write"])
def test_a_full_disk_leaves_the_old_file_and_nothing_else(
    failing: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_json(tmp_path / "file", {"a": 1})

    def full(*_: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    if failing == "fsync":
        monkeypatch.setattr(os, "fsync", full)
        with pytest.raises(OSError, match="No space left") as raised:
            write_json(tmp_path / "file", {"a": 2})
        assert raised.value.filename == str(tmp_path / "file")
    else:
        code = (
            "import resource, signal, sys; from pathlib import Path; from uno_env.common.files import replace_file\n"
            "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000)); replace_file(Path(sys.argv[1]), bytes(5000))"
        )
        done = subprocess.run(
            [sys.executable, "-c", code, str(tmp_path / "file")], capture_output=True, text=True, check=False
        )
        assert f"File too large: '{tmp_path / 'file'}'" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
    assert read_json(tmp_path / "file") == {"a": 1}


def test_the_file_and_its_folder_are_on_the_disk_when_it_is_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced = []
    monkeypatch.setattr(files.os, "fsync", lambda descriptor: synced.append(os.fstat(descriptor).st_mode))
    replace_file(tmp_path / "file", b"new")
    assert synced == [(tmp_path / "file").stat().st_mode, tmp_path.stat().st_mode]


def test_left_over_temporary_files_are_removed_and_no_others(tmp_path: Path) -> None:
    (tmp_path / "below").mkdir()
    for name in (".a.json.123.tmp", "below/.b.7.tmp", "a.json", "note.tmp", ".hidden"):
        (tmp_path / name).write_text("")
    remove_temporary_files(tmp_path)
    kept = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*")}
    assert kept == {"below", "a.json", "note.tmp", ".hidden"}
