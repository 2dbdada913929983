"""The packages that are installed beside ``uno_env``: ``agents`` and ``train``, whose names others use, too.

A script of a user's may be called ``train.py``. It breaks nothing as long as nobody asks for a module of ours in it:
then :func:`watch_imports` has it named, where Python says that "'train' is not a package".
"""

import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, PathFinder
from importlib.metadata import EntryPoint, packages_distributions
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

HOME = Path(__file__).parents[2]
"""Folder that the packages stand in."""

OTHERS = ("agents", "train", "uno_table")
"""The packages beside this one."""

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


def watch_imports() -> None:
    """Have imports of our modules raise HiddenPackageError where a file hides their package, whichever comes first."""
    if not any(isinstance(finder, _Watcher) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Watcher())
    for name in OTHERS:
        if (module := sys.modules.get(name)) is not None and not hasattr(module, "__path__"):
            module.__path__ = []  # it is being imported: Python then asks the watcher for what is in it


class _Watcher:
    """Asked first for each module that Python imports."""

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Answer for a file that hides a package of ours; any other module is left to Python."""
        package, _, inside = name.partition(".")
        if package not in OTHERS or not (HOME / package).is_dir():
            return None
        found = PathFinder.find_spec(name, path, target)
        if inside and found is None and _is_ours(package, inside):
            verify_not_hidden(package)
        if inside or found is None or found.submodule_search_locations is not None:
            return None
        found.submodule_search_locations = []  # Python then asks for what is in it, too
        return found


def _is_ours(package: str, inside: str) -> bool:
    path = HOME / package / inside.replace(".", "/")
    return path.is_dir() or path.with_suffix(".py").is_file()
