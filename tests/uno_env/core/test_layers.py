"""The core is a layer: what it may import, where each switch is read, and that all of it is compiled."""

import ast
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

import uno_env
from uno_env.core.record import ALL_SWITCHES, FLAGS, NUMBERS, table_fields
from uno_env.editions.classic import CLASSIC

PACKAGE = Path(uno_env.__file__).parent
CORE = sorted(PACKAGE.joinpath("core").rglob("*.py"))
JIT = PACKAGE / "core" / "jit"
LIBRARIES = ("numpy", "numba", "llvmlite")
LIBRARIES_OF_THE_GPU = (*LIBRARIES, "cuda", "torch")
"""What ``core/jit/cuda`` may import, when a GPU is asked for."""
TABLES = {name for name, _, _ in table_fields(CLASSIC)}
READ_ANYWHERE = {"players", "hand_size", "deck", "match", *TABLES}
"""Not switches but the table, the cards and whether a match is played."""
SWITCH_NAMES = {*ALL_SWITCHES, *FLAGS, *NUMBERS, "reflexes", "reward_points"} - READ_ANYWHERE
TEXTS_OF_RULE_TESTS = [
    path.read_text() for path in (Path(__file__).parent / "rules").glob("test_s*.py") if path.stem != "test_s11_presets"
]
TABLES_AND_TOOLS = {
    "__init__", "arrays", "edition", "history_layout", "layout", "packed_games", "record", "record_type"
}  # fmt: skip
COMPILED = [path for path in CORE if JIT not in path.parents and path.stem not in TABLES_AND_TOOLS]
"""All other modules of the core."""


def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(), str(path))


def _imports(path: Path) -> Iterator[str]:
    for node in ast.walk(_tree(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path.name} imports relatively"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
            yield from names if node.module == "uno_env" else [str(node.module)]


def _is_outside(module: str, own: tuple[str, ...], libraries: tuple[str, ...] = ()) -> bool:
    top = module.split(".")[0]
    if top in ("uno_env", "agents", "train", "uno_table", "tests"):
        return not any(module == name or module.startswith(f"{name}.") for name in own)
    return top not in libraries and top not in sys.stdlib_module_names


def test_the_core_imports_only_the_vocabulary_and_itself() -> None:
    allowed = ("uno_env.cards", "uno_env.actions", "uno_env.core", "uno_env.editions")
    outside = {
        path.name: [name for name in _imports(path) if _is_outside(name, allowed, _libraries(path))] for path in CORE
    }
    assert {file: names for file, names in outside.items() if names} == {}


def _libraries(path: Path) -> tuple[str, ...]:
    return LIBRARIES_OF_THE_GPU if path.parent == JIT / "cuda" else LIBRARIES


@pytest.mark.parametrize("module", ["cards", "actions"])
def test_the_vocabulary_imports_nothing_above_it(module: str) -> None:
    assert [name for name in _imports(PACKAGE / f"{module}.py") if _is_outside(name, ("uno_env.editions",))] == []


def _readers() -> dict[str, set[str]]:
    """For each switch, the modules of the core that read ``rules.<switch>``."""
    readers = defaultdict(set)
    for path in CORE:
        for node in ast.walk(_tree(path)):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "rules":
                readers[node.attr].add(path.stem)
    return readers


def test_each_switch_is_read_in_one_module() -> None:
    readers = _readers()
    assert {switch: sorted(readers[switch]) for switch in SWITCH_NAMES if len(readers[switch]) != 1} == {}


def test_each_switch_is_set_in_a_test_of_the_rules() -> None:
    texts = "\n".join(TEXTS_OF_RULE_TESTS)
    switches = SWITCH_NAMES - {"reward_points"}
    assert [switch for switch in switches if f"{switch}=" not in texts and f'"{switch}":' not in texts] == []


def test_the_core_reads_no_rule_that_there_is_not() -> None:
    assert set(_readers()) <= SWITCH_NAMES | READ_ANYWHERE


def _functions(path: Path) -> list[ast.FunctionDef]:
    return [node for node in ast.walk(_tree(path)) if isinstance(node, ast.FunctionDef)]


def test_every_function_of_the_core_is_compiled() -> None:
    compiled = {"njit", "njit_with_gil", "njit_wraparound"}
    functions = [(path.stem, function) for path in COMPILED for function in _functions(path)]
    assert [
        f"{stem}.{function.name}"
        for stem, function in functions
        if not compiled & {ast.unparse(decorator) for decorator in function.decorator_list}
    ] == []


def test_every_module_and_function_of_the_core_says_what_it_does() -> None:
    described = [(path.stem, node) for path in COMPILED for node in (_tree(path), *_functions(path))]
    assert [f"{stem}.{getattr(node, 'name', '')}" for stem, node in described if not ast.get_docstring(node)] == []


def test_the_module_that_reads_a_switch_names_it_in_its_docstring() -> None:
    readers = _readers()
    docstrings = {path.stem: ast.get_docstring(_tree(path)) or "" for path in PACKAGE.glob("core/rules/*.py")}
    switches = SWITCH_NAMES - {"reward_points"}
    assert [each for each in switches if f"``{each}``" not in docstrings[next(iter(readers[each]))]] == []
