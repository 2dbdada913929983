"""The promises of the layout: imports run one way, without a circle; folders and files are small and described."""

import ast

import pytest

from tests.project.imports import PACKAGES, circle, folders, module_imports, modules, siblings

MOST_FILES, MOST_LINES = 16, 400
A_LIST_BY_NATURE = {"uno_env.core.rules"}
"""Folders that may hold more files: one for each rule of the game."""


@pytest.mark.parametrize("package", PACKAGES)
def test_imports_run_one_way(package: str) -> None:
    above = PACKAGES[PACKAGES.index(package) + 1 :]
    inside = [name for name in modules() if name.partition(".")[0] == package]
    upwards = [(name, other) for name in inside for other in module_imports(name) if other.partition(".")[0] in above]
    assert upwards == []


@pytest.mark.parametrize("folder", folders())
def test_no_circle_among_what_stands_in_a_folder(folder: str) -> None:
    graph = siblings(folder)
    # what a folder's __init__ offers comes from what stands in it, so nothing there imports the folder itself
    assert circle(graph) == []


@pytest.mark.parametrize("folder", folders())
def test_folders_are_small_and_say_who_lives_there(folder: str) -> None:
    path = modules()[folder]
    files = [file for file in path.parent.glob("*.py") if file.name != "__init__.py"]
    assert len(files) <= MOST_FILES or folder in A_LIST_BY_NATURE
    sentence = (ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or "").partition("\n\n")[0]
    assert sentence.endswith("."), f"{folder} does not say in a sentence who lives there"


@pytest.mark.parametrize("module", modules())
def test_files_are_short(module: str) -> None:
    assert len(modules()[module].read_text(encoding="utf-8").splitlines()) <= MOST_LINES
