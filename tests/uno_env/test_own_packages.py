"""A user's own files beside a script: called ``agents`` or ``train`` they break nothing, or one sentence names them."""

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SCRIPT = """
import sys
import uno_env
from importlib.metadata import EntryPoint
from uno_env.common.own_packages import HiddenPackageError, load_own
assert uno_env.Game("duel").legal_actions()
for target in ("agents:load", "train.cli.main:main"):
    try:
        load_own(EntryPoint("name", target, "group"))
        print("ours")
    except HiddenPackageError as error:
        print(error)
"""


@pytest.mark.parametrize("own", [(), ("agents/__init__.py", "train.py"), ("agents.py", "train/notes.txt")])
def test_files_of_the_same_name_are_named(tmp_path: Path, own: tuple[str, ...]) -> None:
    for name in own:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("")
    (tmp_path / "script.py").write_text(SCRIPT)
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    line = [sys.executable, "script.py"]
    done = subprocess.run(line, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)
    hidden = [
        f"{str(tmp_path / name)!r} hides the package {name[:6].strip('./')!r} of uno-env: rename it, "
        "or start Python from another folder"
        for name in own
        if name.endswith(".py")
    ]
    # A folder without __init__.py hides nothing: packages come first, wherever they are on the path.
    expected = [line.replace("'train.'", "'train'") for line in hidden] + ["ours"] * (2 - len(hidden))
    assert done.stdout.splitlines() == expected


@pytest.mark.parametrize("package", ["agents", "train", "uno_env"])
def test_the_command_says_what_hides_its_packages(package: str, tmp_path: Path) -> None:
    (tmp_path / f"{package}.py").write_text("")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), str(ROOT)])}
    script = "import sys, uno_command; sys.argv[1:] = ['agents']; sys.exit(uno_command.main())"
    line = [sys.executable, "-c", script]
    done = subprocess.run(line, env=environment, cwd=ROOT.parent, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith(f"uno: {str(tmp_path / f'{package}.py')!r} hides the package {package!r}")


OWN_SCRIPTS = {
    "train.py": "import uno_env\nprint('theirs')\nfrom train.evaluate import evaluate",
    "agents.py": "import uno_env\nprint('theirs')\nfrom agents.loading import load",
    "uno_env.py": "print('theirs')\nfrom agents import load",
}
"""Scripts of users that are called as our packages are."""


@pytest.mark.parametrize("script", OWN_SCRIPTS)
@pytest.mark.parametrize("line", ["run", "imported by another script", "python -m train.cli"])
def test_scripts_called_as_our_packages_are_named_when_they_ask_for_ours(
    tmp_path: Path, script: str, line: str
) -> None:
    (tmp_path / script).write_text(OWN_SCRIPTS[script])
    first = OWN_SCRIPTS[script].splitlines()[-1]
    (tmp_path / "sibling.py").write_text(f"{first}\nprint('ours')")
    typed = {"run": [script], "imported by another script": ["sibling.py"], "python -m train.cli": ["-m", "train.cli"]}
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, *typed[line], *(["agents"] if line == "python -m train.cli" else [])]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    package = script.removesuffix(".py")
    assert (
        f"{str(tmp_path / script)!r} hides the package {package!r} of uno-env: rename it, or start Python "
        in (done.stderr.splitlines()[-1])
    )


@pytest.mark.parametrize("script", ["train.py", "agents.py"])
def test_scripts_called_as_our_packages_work_as_long_as_they_do_not_ask_for_ours(tmp_path: Path, script: str) -> None:
    (tmp_path / script).write_text("import uno_env\nhere = uno_env.Game('duel').to_move\nprint(here)")
    name = script.removesuffix(".py")
    (tmp_path / "sibling.py").write_text(f"import uno_env\nimport {name}\nassert {name}.here in (0, 1)")
    for each in (script, "sibling.py"):
        line = [sys.executable, each]
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        subprocess.run(line, cwd=tmp_path, env=environment, check=True)


COMMAND = "import sys, uno_command; sys.argv[1:] = ['agents']; sys.exit(uno_command.main())"
LIBRARY = "import uno_env; uno_env.player.load_player('greedy')"
OTHER = "__getattr__ = lambda name: exec(f'raise AttributeError({name!r})')\n"
"""A package that has none of our names, and says so itself."""


@pytest.mark.parametrize("order", ["theirs last", "ours last", "theirs removed"])
@pytest.mark.parametrize("same_folder", [True, False])
def test_another_distribution_with_our_package_is_named(tmp_path: Path, order: str, same_folder: bool) -> None:
    """As pip leaves it: one folder holds the files of both, and whichever came last wins; or theirs comes first."""
    site, ours = tmp_path / "site-packages", tmp_path / ("site-packages" if same_folder else "checkout")
    for name in ("uno_env", "agents", "train", "uno_table"):
        ignored = shutil.ignore_patterns("__pycache__", "*.safetensors")
        shutil.copytree(ROOT / name, ours / name, ignore=ignored)
    shutil.copy(ROOT / "uno_command.py", ours)
    if order == "theirs last" or not same_folder:
        (site / "agents").mkdir(parents=True, exist_ok=True)
        (site / "agents" / "__init__.py").write_text(OTHER)
    if order == "theirs removed":
        (site / "agents" / "__init__.py").unlink(missing_ok=True)
    if order != "theirs removed":
        _describe(site, "openai_agents", "openai-agents", "agents")
    _describe(ours, "uno_env", "uno-env", "uno_env", "agents", "train", "uno_table")
    entry = "[uno_env.players]\nload = agents:load\n"
    (ours / "uno_env-1.dist-info" / "entry_points.txt").write_text(entry)
    path = [site, ours] if order == "theirs last" else [ours, site]
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(map(str, [*dict.fromkeys(path), sysconfig.get_path("purelib")])),
        "NUMBA_DISABLE_JIT": "1",
    }
    works = order == "ours last" or (order == "theirs removed" and not same_folder)
    for script in (COMMAND, LIBRARY):
        line = [sys.executable, "-S", "-c", script]
        done = subprocess.run(line, env=environment, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert (done.returncode == 0) == works, done.stderr
        if not works:
            said = done.stderr.splitlines()[-1]
            who = "another distribution" if order == "theirs removed" else "openai-agents"
            did = "has overwritten" if same_folder else "hides"
            assert f"{who} {did} the package 'agents' of uno-env: use an environment for each" in said
            assert script == LIBRARY or done.stderr.count("\n") == 1


def _describe(folder: Path, stem: str, name: str, *packages: str) -> None:
    """What pip writes about a distribution."""
    (folder / f"{stem}-1.dist-info").mkdir(parents=True)
    (folder / f"{stem}-1.dist-info" / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1\n")
    (folder / f"{stem}-1.dist-info" / "top_level.txt").write_text("\n".join(packages))
