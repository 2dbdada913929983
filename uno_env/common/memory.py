"""Memory that is free: :func:`free_memory`, :func:`check_room`."""

import contextlib
from pathlib import Path

_GROUP = Path("/sys/fs/cgroup")
_ADDRESSES = 2**47
"""Bytes that a process can address, on the machines of today."""


def free_memory() -> int | None:
    """Return the bytes that this process can still take, also in a container, or None where the system does not say."""
    free = None
    with contextlib.suppress(OSError, ValueError, IndexError):
        lines = dict(line.split(":", 1) for line in Path("/proc/meminfo").read_text().splitlines())
        free = 1024 * int(lines.get("MemAvailable", "").split()[0])
    with contextlib.suppress(OSError, ValueError):  # ValueError: "max", there is no limit
        limit = int((_GROUP / "memory.max").read_text()) - int((_GROUP / "memory.current").read_text())
        free = limit if free is None else min(free, limit)
    return free


def check_room(name: str, number: int, bytes_each: int) -> None:
    """Raise ValueError if ``number`` things of ``bytes_each`` bytes take more memory than is free; the sentence names
    the argument ``name``.
    """
    free, needed = free_memory(), number * bytes_each
    free = _ADDRESSES if free is None else free
    if needed > free:
        raise ValueError(
            f"{name}={number} is not allowed: it takes {in_gigabytes(needed)} of memory, and {in_gigabytes(free)} are "
            "free"
        )


def in_gigabytes(number: float) -> str:
    """Bytes as a text, such as ``0.35 GB`` or ``1,200 GB``."""
    return f"{number / 1e9:.2g} GB" if number < 1e11 else f"{number / 1e9:,.0f} GB"
