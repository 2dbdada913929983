"""A user's own files beside a script: called ``agents`` or ``train`` they break nothing, or one sentence names them."""

import os
import subprocess
import sys
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


@pytest.mark.parametrize("package", ["agents", "train"])
def test_the_command_says_what_hides_its_packages(package: str, tmp_path: Path) -> None:
    (tmp_path / f"{package}.py").write_text("")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), str(ROOT)])}
    script = "import sys, uno_command; sys.argv[1:] = ['agents']; sys.exit(uno_command.main())"
    line = [sys.executable, "-c", script]
    done = subprocess.run(line, env=environment, cwd=ROOT.parent, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith(f"uno: {str(tmp_path / f'{package}.py')!r} hides the package {package!r}")
