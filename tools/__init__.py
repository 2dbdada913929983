"""The maintainers' workshop: programs that make what the repository holds, ``python -m tools.NAME`` in a checkout."""

from pathlib import Path

ROOT = Path(__file__).parents[1]
"""The folder of the repository."""
