"""Memory that is free: :func:`free_memory`."""

import contextlib
from pathlib import Path

_GROUP = Path("/sys/fs/cgroup")


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


def in_gigabytes(number: float) -> str:
    """Bytes as a text, such as ``0.35 GB``."""
    return f"{number / 1e9:.2g} GB"
