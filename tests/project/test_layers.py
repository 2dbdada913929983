"""The promises of the layout: imports run one way, without a circle; folders and files are small and described.

No package imports the programs beside the packages, and a study imports only what is documented.
"""

import ast
import re

import pytest

from tests.helpers import ROOT
from tests.project.test_installed import arguments_of_setup
from tools.docs.imports import (
    COMMAND,
    PACKAGES,
    PROGRAMS,
    circle,
    folders,
    imported_by,
    module_imports,
    modules,
    siblings,
)
from tools.docs.reference import PACKAGES as DOCUMENTED
from tools.docs.reference import directives

MOST_FILES, MOST_LINES = 16, 400
A_LIST_BY_NATURE = {"uno_env.core.rules", "agents.scripted"}
"""Folders that may hold more files: one for each rule of the game, one for each strategy."""
NAMED_COMMANDS = {("train.cli.main", "uno_table.commands")}
"""The list of commands names those of people's table; nothing else below it knows the table."""

ADAPTERS = {f"uno_env.{library}" for library in ("openspiel", "rllib", "sb3", "torchrl")}
"""Names of libraries, as people guess them: a few lines that import from elsewhere (``test_names.py``)."""


LAYERS = (*PACKAGES, COMMAND)


def test_everything_that_is_installed_is_read() -> None:
    setup = arguments_of_setup(ROOT)
    places = [ROOT / setup["package_dir"].get(name, name.replace(".", "/")) for name in setup["packages"]]
    installed = {path for place in places for path in place.glob("*.py")}
    installed |= {ROOT / f"{name}.py" for name in setup["py_modules"]}
    assert {ROOT / "uno_command.py", ROOT / "uno_table" / "commands.py"} <= installed
    assert installed <= set(modules().values())


def test_imports_run_one_way() -> None:
    floors = {package: floor for floor, package in enumerate(LAYERS)}
    upwards = {
        (name, other)
        for name in modules()
        for other in module_imports(name)
        if -1 < floors.get(name.partition(".")[0], -1) < floors.get(other.partition(".")[0], -1)
    }
    assert upwards - NAMED_COMMANDS == set()


def test_compilers_are_used_in_the_folder_of_the_compiler_alone() -> None:
    foreign = re.compile(r"^\s*(?:import|from) (?:numba|llvmlite)\b", re.MULTILINE)
    users = {name for name, path in modules().items() if foreign.search(path.read_text(encoding="utf-8"))}
    assert {name for name in users if not name.startswith("uno_env.core.jit.")} == set()
    assert users


def test_no_package_imports_a_program_and_no_program_another() -> None:
    wrong = [
        (name, other)
        for name in modules()
        for other in module_imports(name)
        if other.partition(".")[0] in PROGRAMS and other.partition(".")[0] != name.partition(".")[0]
    ]
    assert wrong == []


def documented() -> set[str]:
    """The modules that have a reference page, those of which a page shows a part, and the packages themselves."""
    names = [name for _, sections in DOCUMENTED.values() for listed in sections.values() for name in listed]
    shown = "\n".join(map(directives, names))
    named = re.findall(r"^\.\. auto(module|class|function|data):: ([\w.]+)", shown, re.MULTILINE)
    return {*PACKAGES, *names, *(name if kind == "module" else name.rpartition(".")[0] for kind, name in named)}


def test_what_is_documented_exists() -> None:
    assert documented() <= set(modules())


def test_a_study_imports_only_what_is_documented() -> None:
    imported = {other for name in modules() if name.partition(".")[0] == "studies" for other in module_imports(name)}
    assert {name for name in imported if name.partition(".")[0] in PACKAGES} <= documented()


@pytest.mark.parametrize("text", ["import tools.zoo", "def f():\n    import tools.zoo", "A = {'x': 'tools.zoo:Add'}"])
def test_lazy_imports_and_names_in_strings_count(text: str) -> None:
    assert set(imported_by(ast.parse(text))) == {"tools.zoo"}


def test_no_circle_among_what_stands_in_a_folder() -> None:
    # what a folder's __init__ offers comes from what stands in it, so nothing there imports the folder itself
    assert {folder: found for folder in folders() if (found := circle(siblings(folder)))} == {}


def test_folders_are_small() -> None:
    files = {
        folder: [
            file.stem
            for file in modules()[folder].parent.glob("*.py")
            if file.stem != "__init__" and f"{folder}.{file.stem}" not in ADAPTERS
        ]
        for folder in folders()
        if folder not in A_LIST_BY_NATURE
    }
    assert {folder: names for folder, names in files.items() if len(names) > MOST_FILES} == {}


def test_folders_say_in_a_sentence_who_lives_there() -> None:
    texts = {
        folder: ast.get_docstring(ast.parse(modules()[folder].read_text(encoding="utf-8"))) for folder in folders()
    }
    sentences = {folder: (text or "").partition("\n\n")[0] for folder, text in texts.items()}
    assert [folder for folder, sentence in sentences.items() if not sentence.endswith(".")] == []


def test_files_are_short() -> None:
    lines = {name: len(path.read_text(encoding="utf-8").splitlines()) for name, path in modules().items()}
    assert {name: number for name, number in lines.items() if number > MOST_LINES} == {}
