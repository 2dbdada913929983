"""The maintainers' workshop: programs that make what the repository holds, ``python -m tools.NAME`` in a checkout."""

import resource
from pathlib import Path

ROOT = Path(__file__).parents[1]
"""The folder of the repository."""


def children_seconds() -> float:
    """Seconds of the processor that all processes took that were started from here and are over."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
