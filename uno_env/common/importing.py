"""Objects that users name: ``module:Class``, or ``path/to/file.py:Class``: :func:`import_object`.

Importing runs code. Only names from who may run code here come this far: those on a command line, given by Python, or
in a file that the user trusts; never those out of saved games, policies or messages of a browser.
"""

import hashlib
import importlib
import importlib.util
import os
import re
import sys
import threading
import traceback
from pathlib import Path
from types import ModuleType
from typing import Any

from uno_env.common.spelling import did_you_mean

_NAME = r"[^\W\d]\w*(?:\.[^\W\d]\w*)*"
_FORM = re.compile(rf"(?P<source>.+\.py|{_NAME}):(?P<name>{_NAME})")


def names_object(text: str) -> bool:
    """Return whether a text has the form ``module:name`` or ``file.py:name``."""
    return _FORM.fullmatch(text) is not None


def import_object(text: str) -> Any:
    """Return the object that a text of :func:`names_object` names. Its module is imported, once.

    Modules are looked for where Python does, and then in the current folder; a file's own folder is searched for what
    it imports. Raises ValueError if there is no such module, file or name, or importing it fails; one sentence says
    where.
    """
    form = _FORM.fullmatch(text)
    if form is None:
        raise ValueError(f"{text!r} names no object: write module:name, or path/to/file.py:name")
    source, name = form["source"], form["name"]
    found: Any = _module_of_file(Path(source)) if source.endswith(".py") else _module(source)
    for part in name.split("."):
        if not hasattr(found, part):
            public = [each for each in vars(found) if not each.startswith("_")]
            raise ValueError(f"{source!r} has no {name!r}{did_you_mean(part, public)}")
        found = getattr(found, part)
    return found


def source_file(text: str) -> Path | None:
    """Return the file of the module in a text of :func:`names_object`, or None for other texts, and where there is
    none.

    A folder above the module is imported to find it, the module is not.
    """
    form = _FORM.fullmatch(text)
    if form is None:
        return None
    if form["source"].endswith(".py"):
        path = Path(form["source"])
    else:
        search_in(Path.cwd())
        try:
            spec = importlib.util.find_spec(form["source"])
        except (ImportError, RecursionError, ValueError):
            return None
        path = Path(spec.origin) if spec is not None and spec.origin is not None else Path()
    return path if os.path.isfile(path) else None


def failure(error: BaseException) -> str:
    """An error in somebody else's code, with its place, in one sentence: ``KeyError: 'x' (agent.py, line 12)``."""
    words = " ".join(f"{type(error).__name__}: {error}".split()).rstrip(": ")
    frames = traceback.extract_tb(error.__traceback__)
    if isinstance(error, SyntaxError) and error.filename:
        return words if error.filename in words or "line" in words else f"{words} ({error.filename})"
    return f"{words} ({Path(frames[-1].filename).name}, line {frames[-1].lineno})" if frames else words


def _module(name: str) -> ModuleType:
    search_in(Path.cwd())
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{name}.".startswith(f"{error.name}."):
            raise _broken(name, error) from error
        raise ValueError(f"there is no module {error.name!r}, neither installed nor in the current folder") from None
    except (Exception, SystemExit) as error:
        raise _broken(name, error) from error


_LOADING = threading.RLock()
"""Held while a file is executed, so that no thread takes a module that has only begun."""


def _module_of_file(path: Path) -> ModuleType:
    if not os.path.isfile(path):
        raise ValueError(f"there is no file {str(path)!r}")
    path = path.resolve()
    with _LOADING:
        name = f"{path.stem}_{hashlib.sha256(str(path).encode()).hexdigest()[:12]}"
        if name in sys.modules:
            return sys.modules[name]
        spec = importlib.util.spec_from_file_location(name, path)
        assert spec is not None
        assert spec.loader is not None
        module = sys.modules[name] = importlib.util.module_from_spec(spec)
        search_in(path.parent)
        try:
            spec.loader.exec_module(module)
        except (Exception, SystemExit) as error:
            del sys.modules[name]
            raise _broken(path.name, error) from error
        return module


def search_in(folder: Path) -> None:
    """Look for modules in a folder, too; behind all others, so that nothing that is installed is hidden."""
    if str(folder) not in sys.path:
        sys.path.append(str(folder))


def _broken(module: str, error: BaseException) -> ValueError:
    return ValueError(f"importing {module!r} fails: {failure(error)}")
