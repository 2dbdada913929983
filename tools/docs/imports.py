"""The imports between modules, read from the sources: :func:`module_imports`, and the graph of siblings in a folder."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tools import ROOT

PACKAGES = ("uno_env", "agents", "train", "uno_table")
"""In the order of their layers, the lowest first."""
COMMAND = "uno_command"
"""The module of the script ``uno``, above all packages."""
PROGRAMS = ("studies", "tools", "examples")
"""Programs beside the packages. None imports another. The wheel has the examples, to be copied."""

_NAMED = re.compile(r"[a-z]\w*(?:\.\w+)+(?::\w+)?")
"""A module, or a thing in a module, that a string names: ``"train.algorithms.ppo:PPO"``."""


@cache
def modules() -> dict[str, Path]:
    """The modules of all packages and programs by dotted name; an ``__init__`` under the folder's name."""
    found = {COMMAND: ROOT / f"{COMMAND}.py"}
    for package in (*PACKAGES, *PROGRAMS):
        for path in sorted(ROOT.joinpath(package).rglob("*.py")):
            parts = path.relative_to(ROOT).with_suffix("").parts
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


@cache
def module_imports(name: str) -> frozenset[str]:
    """The modules of ours that a module imports: in functions and by strings too, but not for type checking alone."""
    tree = ast.parse(modules()[name].read_text(encoding="utf-8"))
    return frozenset(imported_by(tree)) - {name}


def imported_by(node: ast.AST) -> Iterator[str]:
    """The modules of ours that a piece of source imports, see :func:`module_imports`."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
            for alternative in child.orelse:
                yield from imported_by(alternative)
        elif isinstance(child, ast.Import):
            yield from (module for alias in child.names if (module := _module_of(alias.name)))
        elif isinstance(child, ast.ImportFrom):
            assert child.level == 0, f"a relative import: {ast.unparse(child)}"
            for alias in child.names:
                if module := _module_of(f"{child.module}.{alias.name}"):
                    yield module
        elif isinstance(child, ast.Constant) and isinstance(child.value, str):
            name = child.value.partition(":")[0]
            if _NAMED.fullmatch(child.value) and name in modules():
                yield name
        else:
            yield from imported_by(child)


def _module_of(dotted: str) -> str:
    """The module that a dotted name stands for or stands in; nothing for other libraries."""
    while dotted and dotted not in modules():
        dotted = dotted.rpartition(".")[0]
    return dotted


def siblings(folder: str) -> dict[str, set[str]]:
    """For each module and folder right in a folder (dotted names), the siblings that it imports anything of.

    The folder's own ``__init__`` stands for itself, and as a sibling it has the name of the folder.
    """
    graph: dict[str, set[str]] = {}
    inside = [name for name in modules() if name == folder or name.startswith(f"{folder}.")]
    for name in inside:
        own = _sibling(folder, name)
        targets = graph.setdefault(own, set())
        for imported in module_imports(name):
            if imported in inside and (other := _sibling(folder, imported)) != own:
                targets.add(other)
    return graph


def _sibling(folder: str, name: str) -> str:
    return folder if name == folder else f"{folder}.{name.removeprefix(folder + '.').partition('.')[0]}"


def folders() -> list[str]:
    """All folders of the packages, dotted."""
    return [name for name, path in modules().items() if path.name == "__init__.py"]


def circle(graph: dict[str, set[str]]) -> list[str]:
    """Names that import each other in a circle, or nothing."""
    stuck: list[str] = []
    levels(graph, stuck)
    return stuck


def levels(graph: dict[str, set[str]], stuck: list[str] | None = None) -> list[list[str]]:
    """Names in layers: each imports only from layers before its own. What stands in or on a circle is left out."""
    left, layers, done = {name: set(targets) for name, targets in graph.items()}, [], set[str]()
    while layer := sorted(name for name, targets in left.items() if targets <= done):
        layers.append(layer)
        done.update(layer)
        for name in layer:
            del left[name]
    if stuck is not None:
        stuck.extend(sorted(left))
    return layers
