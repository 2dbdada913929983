"""The packages that are installed beside ``uno_env``: ``agents`` and ``train``, whose names others use, too."""

from importlib.metadata import EntryPoint
from importlib.util import find_spec
from pathlib import Path
from typing import Any

HOME = Path(__file__).parents[2]
"""Folder that the packages stand in."""


class HiddenPackageError(ImportError):
    """Another file has the name of one of this project's packages, and comes first."""


def load_own(entry: EntryPoint) -> Any:
    """What an entry point stands for.

    Raises:
        HiddenPackageError: its package is one of this project's, but a file of that name comes first on the path.
    """
    try:
        return entry.load()
    except (ImportError, AttributeError):
        verify_not_hidden(entry.module.partition(".")[0])
        raise


def verify_not_hidden(package: str) -> None:
    """Check that Python finds this project's package of that name, not another one.

    Raises:
        HiddenPackageError: it finds another file first.
    """
    if not (HOME / package).is_dir():
        return
    spec = find_spec(package)
    found = Path((spec and spec.origin) or next(iter((spec and spec.submodule_search_locations) or ()), HOME / package))
    if not found.resolve().is_relative_to((HOME / package).resolve()):
        raise HiddenPackageError(
            f"{str(found)!r} hides the package {package!r} of uno-env: rename it, or start Python from another folder"
        )
