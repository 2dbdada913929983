"""Limits of names, folders and sizes, checked before a run makes anything."""

import itertools
import os
import stat
from collections.abc import Mapping
from pathlib import Path

from train.common.processes import machine_memory
from uno_env.common.files import MAX_BYTES, reason_of, verify_writable
from uno_env.common.validation import short_repr

LONGEST_NAME = 200
"""Bytes of a run's name: a number may follow, and 255 is what file systems allow."""
_GIB = 1 << 30


def check_name(name: str) -> None:
    """Raise :class:`ValueError` if a run cannot have this name: it must be that of one folder."""
    bare = name == Path(name).name and "\\" not in name and name.isprintable()
    if name and (not bare or name in (".", "..") or len(name.encode()) > LONGEST_NAME):
        raise ValueError(
            f"name={short_repr(name)} is not allowed: choose a name for a folder, without / and \\, of at most "
            f"{LONGEST_NAME} bytes"
        )


def check_folder(folder: str) -> None:
    """Raise :class:`ValueError` if nothing can be written in a folder, or where it is to be made."""
    try:
        for path in (Path(folder), *Path(folder).absolute().parents):
            try:
                status = os.stat(path)
            except FileNotFoundError:
                continue
            if not stat.S_ISDIR(status.st_mode):
                raise ValueError(f"{str(path)!r} is no folder")
            verify_writable(path / "config.yaml")
            break
    except (OSError, ValueError) as error:
        raise ValueError(f"folder={short_repr(folder)} is not allowed: {reason_of(error)}") from None


def check_layers(inputs: int, hidden: tuple[int, ...], outputs: int) -> None:
    """Raise :class:`ValueError` if a policy with these layers would be too large a file to be read."""
    sizes = [inputs, *hidden, outputs]
    needed = 4 * sum((before + 1) * after for before, after in itertools.pairwise(sizes))
    if needed > MAX_BYTES:
        raise ValueError(
            f"hidden={short_repr(list(hidden))} is not allowed: the policy would have {needed:,} bytes, and at most "
            f"{MAX_BYTES:,} are read; choose fewer or smaller layers"
        )


def check_memory(needs: Mapping[str, int]) -> None:
    """Raise :class:`ValueError` if this machine has less memory than ``needs``, bytes by the fields that decide."""
    there = machine_memory()
    for fields, needed in needs.items():
        if there is not None and needed > there:
            raise ValueError(
                f"{fields} is not allowed: that takes {needed / _GIB:,.0f} GiB of memory or more, and this machine has "
                f"{there / _GIB:,.1f}; choose less"
            )
