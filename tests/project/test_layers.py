"""The promises of the layout: imports run one way, without a circle; folders and files are small and described.

The programs beside the packages: what they may import, and that they are not installed.
"""

import ast
import re

import pytest

from tools.docs.imports import PACKAGES, PROGRAMS, circle, folders, imported_by, module_imports, modules, siblings
from tools.docs.reference import PACKAGES as DOCUMENTED
from tools.docs.reference import directives

MOST_FILES, MOST_LINES = 16, 400
A_LIST_BY_NATURE = {"uno_env.core.rules"}
"""Folders that may hold more files: one for each rule of the game."""
TOOLS_MAY_IMPORT = {
    "agents.rlcard.bridge",
    "agents.scripted.agent",
    "agents.scripted.tuned",
    "agents.scripted.dispatch",
    "train.algorithms.dmc",
    "train.algorithms.ray.distributed_ppo",
    "train.algorithms.ray.worker_pool",
    "train.algorithms.sb3.base",
    "train.algorithms.sb3.env",
    "train.algorithms.sb3.ppo",
    "train.benchmarks.algorithms",
    "train.benchmarks.chat_report",
    "train.benchmarks.comparison",
    "train.benchmarks.exploit",
    "train.benchmarks.leaderboard",
    "train.benchmarks.plans",
    "train.cli.evaluating",
    "train.cli.main",
    "train.evaluation.crosstable",
    "train.evaluation.exact.sweeps",
    "train.evaluation.game_recorder",
    "train.evaluation.lineups",
    "train.evaluation.choices.action_values",
    "train.evaluation.choices.own_hands",
    "train.evaluation.choices.positions",
    "train.evaluation.tournament_report",
    "train.networks.policy_network",
    "train.plots.algorithms",
    "train.plots.runs",
    "train.runs.checkpoint",
    "train.runs.config",
    "uno_env.common.files",
    "uno_env.core.arrays",
    "uno_env.common.spelling",
    "uno_env.encodings",
    "uno_env.envs.rllib",
    "uno_env.extensive_form",
    "uno_env.guide",
    "uno_env.render.card_art",
    "uno_env.render.drawing",
    "uno_env.render.page",
    "uno_env.render.svg",
    "agents.search.playout",
    "train.evaluation.luck.draws",
    "uno_env.common.numbers",
    "uno_env.core.legal",
    "uno_env.core.observe.encode",
    "uno_env.core.observe.layout",
    "uno_env.core.rng",
    "uno_env.core.rules.deal",
}
"""Insides of the packages that the maintainers' tools use, besides what is documented."""

ADAPTERS = {f"uno_env.{library}" for library in ("openspiel", "rllib", "sb3", "torchrl")}
"""Names of libraries, as people guess them: a few lines that import from elsewhere (``test_names.py``)."""


@pytest.mark.parametrize("package", PACKAGES)
def test_imports_run_one_way(package: str) -> None:
    above = PACKAGES[PACKAGES.index(package) + 1 :]
    inside = [name for name in modules() if name.partition(".")[0] == package]
    upwards = [(name, other) for name in inside for other in module_imports(name) if other.partition(".")[0] in above]
    assert upwards == []


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


def insides(program: str) -> set[str]:
    """What a program imports of the packages that is not documented."""
    imported = {other for name in modules() if name.partition(".")[0] == program for other in module_imports(name)}
    return {name for name in imported if name.partition(".")[0] in PACKAGES} - documented()


def test_a_study_imports_only_what_is_documented() -> None:
    assert insides("studies") == set()


def test_tools_import_only_the_insides_that_are_listed() -> None:
    assert insides("tools") == TOOLS_MAY_IMPORT


@pytest.mark.parametrize("text", ["import tools.zoo", "def f():\n    import tools.zoo", "A = {'x': 'tools.zoo:Add'}"])
def test_lazy_imports_and_names_in_strings_count(text: str) -> None:
    assert set(imported_by(ast.parse(text))) == {"tools.zoo"}


@pytest.mark.parametrize("folder", folders())
def test_no_circle_among_what_stands_in_a_folder(folder: str) -> None:
    graph = siblings(folder)
    # what a folder's __init__ offers comes from what stands in it, so nothing there imports the folder itself
    assert circle(graph) == []


@pytest.mark.parametrize("folder", folders())
def test_folders_are_small_and_say_who_lives_there(folder: str) -> None:
    path = modules()[folder]
    files = [
        file for file in path.parent.glob("*.py") if f"{folder}.{file.stem}" not in {*ADAPTERS, f"{folder}.__init__"}
    ]
    assert len(files) <= MOST_FILES or folder in A_LIST_BY_NATURE
    sentence = (ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or "").partition("\n\n")[0]
    assert sentence.endswith("."), f"{folder} does not say in a sentence who lives there"


@pytest.mark.parametrize("module", modules())
def test_files_are_short(module: str) -> None:
    assert len(modules()[module].read_text(encoding="utf-8").splitlines()) <= MOST_LINES
