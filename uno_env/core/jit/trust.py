"""Who may write compiled code: it runs when it is read, so whoever may write it may run programs as its reader.

Whoever may change the sources of ``uno_env`` can do that anyway. So a folder is trusted if it can be changed only by
root, by this user, and by those who may change the sources. Windows does not say who owns a file in these terms: there
every folder is trusted.
"""

import os
import stat
from functools import cache
from pathlib import Path

SOURCES = Path(__file__).resolve().parents[1]
"""Folder of the core's sources."""


def reason_against(folder: Path) -> str | None:
    """Return why compiled code in a folder is not trusted, as a part of a sentence, or None if it is.

    Looks at the folder and at those above it. In a folder with the sticky bit, such as ``/tmp``, nobody can replace a
    folder of somebody else's. Raises OSError if there is no such folder.
    """
    real = Path(os.path.realpath(folder))
    for each in (real, *real.parents):
        if SOURCES.is_relative_to(each):  # whoever may change it may change the sources
            return None
        status = os.stat(each)
        if not _has_trusted_owner(status):
            return f"{str(each)!r} belongs to {_user_name(status.st_uid)}"
        is_sticky = each != real and status.st_mode & stat.S_ISVTX
        if _others_may_write(status) and not is_sticky:
            return f"other users may write to {str(each)!r}"
    return None


def read_trusted(path: Path) -> bytes | None:
    """Return the content of a file that nobody else could have written, or None if there is none, or it is of another
    kind.
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
    """Whether somebody may write who is neither an owner of :func:`_has_trusted_owner` nor able to change sources."""
    if not hasattr(os, "geteuid"):
        return False
    more = status.st_mode & ~_sources().st_mode
    group = status.st_mode & stat.S_IWGRP and (more & stat.S_IWGRP or status.st_gid != _sources().st_gid)
    return bool(more & stat.S_IWOTH or (group and not _is_own_group(status.st_gid)))


@cache
def _is_own_group(group: int) -> bool:
    """Whether a group has this user as its only member, as Linux distributions make one for each user."""
    import grp  # neither module is there on Windows
    import pwd

    try:
        user, found = pwd.getpwuid(os.geteuid()), grp.getgrgid(group)
    except KeyError:
        return False
    return (user.pw_gid, user.pw_name) == (group, found.gr_name) and set(found.gr_mem) <= {user.pw_name}


def _user_name(user: int) -> str:
    import pwd

    try:
        return f"the user {pwd.getpwuid(user).pw_name!r}"
    except KeyError:
        return f"the user with the number {user}"
