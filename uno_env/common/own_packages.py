"""The packages that are installed beside ``uno_env``: ``agents`` and ``train``, whose names others use, too."""

from importlib.metadata import EntryPoint, packages_distributions
from importlib.util import find_spec
from pathlib import Path
from typing import Any

HOME = Path(__file__).parents[2]
"""Folder that the packages stand in."""

MARK = "Part of uno-env"
"""A line in ``__init__.py`` of each of our packages."""


class HiddenPackageError(ImportError):
    """Another file has the name of one of this project's packages, and comes first."""


def load_own(entry: EntryPoint) -> Any:
    """The object of an entry point. Raises HiddenPackageError if a file hides the package of ours that has it."""
    try:
        return entry.load()
    except (ImportError, AttributeError):
        verify_not_hidden(entry.module.partition(".")[0])
        raise


def verify_not_hidden(package: str) -> None:
    """Check that Python finds this project's package of that name, not another one. Raises HiddenPackageError if it
    finds another file first, or another distribution has overwritten this project's.
    """
    if not (HOME / package).is_dir():
        return
    spec = find_spec(package)
    found = Path((spec and spec.origin) or next(iter((spec and spec.submodule_search_locations) or ()), HOME / package))
    elsewhere = not found.resolve().is_relative_to((HOME / package).resolve())
    if not elsewhere and found.is_file() and MARK in found.read_text(encoding="utf-8"):
        return
    if elsewhere and not {"site-packages", "dist-packages"} & set(found.parts):
        raise HiddenPackageError(
            f"{str(found)!r} hides the package {package!r} of uno-env: rename it, or start Python from another folder"
        )
    others = sorted({*packages_distributions().get(package, ())} - {"uno-env"})
    raise HiddenPackageError(
        f"{' and '.join(others) or 'another distribution'} {'hides' if elsewhere else 'has overwritten'} the package "
        f"{package!r} of uno-env: use an environment for each, or uninstall the other one, and then install this one "
        "again: pip install --force-reinstall --no-deps uno-env"
    )
