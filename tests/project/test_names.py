"""Every dotted name of the packages that a page mentions can be imported, and so can the adapters of libraries."""

import ast
import importlib
import re
from pathlib import Path

import pytest

import uno_env
from agents import custom_agents
from tests.project.test_layers import ADAPTERS
from tools.docs.imports import modules
from tools.docs.tables import PAGES
from train.algorithms import registry

DOTTED = re.compile(r"(?<![\w./-])(?:uno_env|agents|train|uno_table)(?:\.[A-Za-z_]\w*)+")
NO_OBJECTS = {custom_agents.ENTRY_POINTS, registry.ENTRY_POINTS, "agents.py", "train.py", "uno_env.py", "agents.json"}
NO_OBJECTS |= {"uno_env.examples"}
"""Groups of entry points, files of a user's, and the package that only a wheel has (``test_installed.py``)."""


def _exists(name: str) -> bool:
    module, names = name, list[str]()
    while module not in modules():
        module, _, last = module.rpartition(".")
        names.insert(0, last)
    try:
        found = importlib.import_module(module)
    except ImportError:  # a library that has an environment of its own: what the file says has to do
        return not names or names[0] in _names_of(modules()[module])
    for each in names:
        if not hasattr(found, each):
            return False
        found = getattr(found, each)
    return True


def _names_of(file: Path) -> set[str]:
    """What a module defines or imports."""
    body = ast.parse(file.read_text(encoding="utf-8")).body
    imported = {alias.name for node in body if isinstance(node, ast.ImportFrom) for alias in node.names}
    return imported | {node.name for node in body if isinstance(node, (ast.ClassDef, ast.FunctionDef))}


def test_names_on_pages_exist() -> None:
    named = {(page.name, name) for page in PAGES for name in DOTTED.findall(page.read_text(encoding="utf-8"))}
    assert [(page, name) for page, name in sorted(named) if name not in NO_OBJECTS and not _exists(name)] == []


@pytest.mark.parametrize("name", sorted(ADAPTERS))
def test_adapters_only_give_names(name: str) -> None:
    body = ast.parse(modules()[name].read_text(encoding="utf-8")).body
    assert all(isinstance(node, (ast.Expr, ast.ImportFrom, ast.Assign)) for node in body)
    try:
        adapter = importlib.import_module(name)
    except ImportError:
        pytest.skip("its library is not installed: make test-adapters")
    assert getattr(uno_env, name.rpartition(".")[2]) is adapter
    assert adapter.__all__
