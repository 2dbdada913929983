"""The users who may write compiled code: it runs when it is read, so they may run programs as its reader.

These are root, this user and everybody who may write ``uno_env``'s sources: they can run such programs anyway.
Windows does not say who owns a file in these terms: there, every folder and file is trusted.
"""

import os
import stat
from functools import cache
from pathlib import Path

SOURCES = Path(__file__).resolve().parents[1]
"""Folder of the core's sources."""


def reason_against(folder: Path) -> str | None:
    """Return why compiled code in a folder is not trusted, as a part of a sentence, or None if it is.

    Raises OSError if there is no such folder.
    """
    status = os.stat(folder)
    if not _has_trusted_owner(status):
        return f"{str(folder)!r} belongs to {_user_name(status.st_uid)}"
    if _others_may_write(status):
        return f"other users may write to {str(folder)!r}"
    return None


def read_trusted(path: Path) -> bytes | None:
    """Return the content of a file that nobody else could have written, or None if there is none, or it is of another
    kind.

    Each file is checked itself: its folder may have been open to others before, or may be another one by now.
    """
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    try:
        with open(os.open(path, flags), "rb") as file:
            status = os.fstat(file.fileno())
            if stat.S_ISREG(status.st_mode) and _has_trusted_owner(status) and not _others_may_write(status):
                return file.read()
    except OSError:
        pass
    return None


@cache
def _sources() -> os.stat_result:
    return os.stat(SOURCES)


def _has_trusted_owner(status: os.stat_result) -> bool:
    return not hasattr(os, "geteuid") or status.st_uid in {0, os.geteuid(), _sources().st_uid}


def _others_may_write(status: os.stat_result) -> bool:
    group = stat.S_IWGRP
    if _sources().st_mode & group and _sources().st_gid == status.st_gid:
        group = 0  # it may write the sources, as where pip installs with the umask 002
    return hasattr(os, "geteuid") and bool(status.st_mode & (group | stat.S_IWOTH))


def _user_name(user: int) -> str:
    import pwd  # which Windows lacks

    try:
        return f"the user {pwd.getpwuid(user).pw_name!r}"
    except KeyError:
        return f"the user with the number {user}"
