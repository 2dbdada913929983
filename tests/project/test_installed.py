"""What is built and installed works as README.md shows, far from the sources, with the dependencies that are here."""

import os
import re
import runpy
import shlex
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

import uno_env
from tools import first_minute
from tools.wheel import build
from train.cli.main import COMMANDS
from uno_env.core.jit import level

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
BUILD = "import sys; from setuptools import build_meta; print(getattr(build_meta, 'build_' + sys.argv[1])(sys.argv[2]))"
SMALL = (
    "--total-timesteps 8192 --num-envs 32 --num-steps 64 --minibatch-size 1024 --hidden [16] --threads 1 --device cpu"
)
"""Options that make a run a matter of seconds."""


def _run(line: list[str], folder: Path, typed: str = "", **environment: str) -> "subprocess.CompletedProcess[str]":
    kept = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "UNO_ENV_CACHE_DIR")}
    done = subprocess.run(
        line, cwd=folder, env={**kept, **environment}, input=typed, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{' '.join(line)}\n{done.stdout[-2000:]}\n{done.stderr[-4000:]}"
    return done


def _build(kind: str, source: Path, folder: Path) -> Path:
    name = _run([sys.executable, "-c", BUILD, kind, str(folder)], source).stdout.splitlines()[-1]
    return folder / name


def _sources(folder: Path) -> Path:
    """The files of the repository, without what git ignores: building writes beside them."""
    folder.mkdir()
    listed = _run(["git", "ls-files", "-z"], ROOT).stdout.split("\0")
    for name in filter(None, listed):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes((ROOT / name).read_bytes())
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["wheel", "sdist"])
def test_what_is_installed_trains_evaluates_plays_and_benchmarks(kind: str, tmp_path: Path) -> None:
    installed = first_minute.install(_build(kind, _sources(tmp_path / "sources"), tmp_path), tmp_path / "venv")
    python, uno = str(installed.python), installed.uno
    site = str(tmp_path / "venv" / "lib")
    empty = tmp_path / "empty"
    empty.mkdir()

    where = _run([python, "-c", "import uno_env, agents, train; print(uno_env.__file__)"], empty).stdout
    assert where.startswith(site)
    assert _run([uno, "--version"], empty).stdout.startswith(f"uno-env {uno_env.__version__}, python ")
    assert "training: " in _run([python, "-m", "uno_env.warm_up"], empty).stdout
    warm = [_run([uno, "train", "ppo_duel-2p", *SMALL.split(), "--name", "first", "--eval-deals", "8"], empty)]
    policy = str(empty / "runs" / "first" / "policy.safetensors")
    evaluation = [policy, "--against", "greedy", "zoo:duel-2p", "--deals", "10", "--json", "out.json"]
    warm.append(_run([uno, "evaluate", *evaluation], empty))
    assert (empty / "out.json").exists()
    warm.append(_run([uno, "play", "greedy", "--plain", "--seed", "1"], empty, typed="draw\nq\n"))
    assert "You" in warm[-1].stdout
    assert not any("compiling" in done.stderr for done in warm)
    _run([python, "-m", "uno_env.examples"], empty)
    _run([uno, "tournament", "examples/my_agent.py:Saver", "greedy", "--deals", "10"], empty)
    budget = ["duel-2p", "--budget", "4096", "--seeds", "1", "--algorithms", "ppo", "--deals", "200"]
    _run([uno, "benchmark", "run", *budget, "--save", "runs/algorithms"], empty)
    _run([uno, "train", "demo", *SMALL.split(), "--name", "demo", "--eval-deals", "8"], empty)
    assert "You" in _run([uno, "play", "runs/demo/policy.safetensors", "--plain"], empty, typed="q\n").stdout
    blocks = re.findall(r"^```python\n(.*?)^```", (ROOT / "README.md").read_text(encoding="utf-8"), re.M | re.S)
    assert len(blocks) >= 2
    _run([python, "-c", "\n".join(blocks)], empty)


FIRST_STEP = "import uno_env; uno_env.BatchedGames(4, 'duel').reset()"
COMPILED = "from uno_env.core.jit.notice import NOTICE; print(NOTICE.compiled)"


@pytest.mark.slow
@pytest.mark.skipif(not level.is_used(), reason="no code is made for the level here")
def test_a_wheel_with_compiled_code_compiles_nothing_until_a_source_changes(tmp_path: Path) -> None:
    """Installed where nobody may write, and with an empty cache."""
    _build("sdist", _sources(tmp_path / "sources"), tmp_path)
    wheel = build.build(tmp_path)
    assert re.search(
        rf"-cp3{sys.version_info.minor}-cp3{sys.version_info.minor}-manylinux_2_\d+_x86_64\.whl$", wheel.name
    )
    assert wheel.stat().st_size < 40e6
    python = first_minute.install(wheel, tmp_path / "venv").python
    package = next((tmp_path / "venv").glob("lib/python*/site-packages/uno_env"))
    for path in (package, *package.rglob("*")):
        path.chmod(0o555 if path.is_dir() else 0o444)

    def run(*line: str) -> str:
        cache = tmp_path / "cache"
        shutil.rmtree(cache, ignore_errors=True)
        return _run([str(python), *line], tmp_path, UNO_ENV_CACHE_DIR=str(cache), HOME=str(tmp_path)).stdout

    assert run("-m", "uno_env.warm_up").splitlines()[-1].startswith("no functions compiled in ")
    assert run("-c", f"{FIRST_STEP}; {COMPILED}") == "0\n"
    source = package / "core" / "rng.py"
    source.chmod(0o644)
    source.write_text(source.read_text(encoding="utf-8") + "# another version\n", encoding="utf-8")
    assert run("-c", f"{FIRST_STEP}; {COMPILED}") != "0\n"


@pytest.mark.slow
def test_the_wheel_of_the_sdist_is_that_of_the_sources(tmp_path: Path) -> None:
    sources = _sources(tmp_path / "sources")
    wheel, sdist = _build("wheel", sources, tmp_path), _build("sdist", sources, tmp_path)
    _run(["tar", "xzf", str(sdist)], tmp_path)
    (tmp_path / "again").mkdir()
    again = _build("wheel", tmp_path / sdist.name.removesuffix(".tar.gz"), tmp_path / "again")
    names, names_again = (sorted(zipfile.ZipFile(file).namelist()) for file in (wheel, again))
    assert names == names_again
    folders = {name.partition("/")[0] for name in names if "/" in name and ".dist-info/" not in name}
    assert folders == {"uno_env", "agents", "train", "uno_table"}
    assert {"train/configs/ppo/duel-2p.yaml", "train/configs/demo.yaml", "uno_env/GUIDE.md"} <= set(names)
    data = set(_run(["git", "ls-files", "uno_env", "agents", "train", "configs"], ROOT).stdout.split())
    data = {f"train/{name}" if name.startswith("configs/") else name for name in data}
    assert [name for name in data - set(names) if not name.endswith((".svg", ".webp"))] == []
    examples = {f"uno_env/{name}" for name in _run(["git", "ls-files", "examples"], ROOT).stdout.split()}
    assert examples == {name for name in names if name.startswith("uno_env/examples/")}
    with zipfile.ZipFile(wheel) as opened:
        (metadata,) = (opened.read(name).decode() for name in names if name.endswith(".dist-info/METADATA"))
    assert metadata.partition("\n\n")[2].strip() == arguments_of_setup(ROOT)["long_description"].strip()
    assert f"Version: {uno_env.__version__}\n" in metadata
    with tarfile.open(sdist) as unpacked:
        there = {name.partition("/")[2] for name in unpacked.getnames()}
    tracked = [file.relative_to(sources).as_posix() for file in sources.rglob("*") if file.is_file()]
    assert {name for name in tracked if name.startswith(("docs/", "examples/", "tests/", ".github/"))} <= there
    assert not [name for name in there if name.startswith("docs/_build") or name.endswith((".pyc", ".nbi"))]


def arguments_of_setup(folder: Path) -> Any:
    """What setup.py in a folder hands to setuptools."""
    with mock.patch("setuptools.setup") as called:
        runpy.run_path(str(folder / "setup.py"))
    return called.call_args.kwargs


def test_the_description_on_pypi_needs_no_other_file() -> None:
    described = arguments_of_setup(ROOT)["long_description"]
    assert described.startswith("# uno-env\n")
    assert not re.findall(r"<img|!\[|\]\((?!https?:)|checkout|on PyPI|\bmake\b", described)
    assert described.index("pip install") < described.index("```python")
    (typed,) = re.findall(r"^```bash\n(.*?)^```", described, re.M | re.S)
    commands = [shlex.split(line, comments=True) for line in typed.splitlines()]
    assert commands[0][:2] == ["pip", "install"]
    for program, name, *_ in commands[1:]:
        assert program == "uno"
        assert name in COMMANDS or name == "--help"


def test_addresses_are_made_from_the_one_that_the_citation_names(tmp_path: Path) -> None:
    for name in ("setup.py", "README.md"):
        shutil.copy(ROOT / name, tmp_path)
    (tmp_path / "CITATION.cff").write_text('# repository-code: "https://not.one"\ntitle: it\n')
    assert arguments_of_setup(tmp_path)["project_urls"] == {}
    (tmp_path / "CITATION.cff").write_text('title: it\nrepository-code: "https://host.example/name/"\n')
    urls = arguments_of_setup(tmp_path)["project_urls"]
    assert urls["Source"] == "https://host.example/name"
    assert all(url.startswith("https://host.example/name") for url in urls.values())


PACKAGES = """
import runpy, setuptools
setuptools.setup = lambda **options: print(*options["packages"])
runpy.run_path("setup.py")
"""


def test_the_wheel_holds_the_packages_alone() -> None:
    """No study, no tool, no test."""
    packages = _run([sys.executable, "-c", PACKAGES], ROOT).stdout.split()
    assert {name.partition(".")[0] for name in packages} == {"uno_env", "agents", "train", "uno_table"}


def test_every_version_of_python_that_is_promised_has_a_classifier() -> None:
    minor = int(re.fullmatch(r">=3\.(\d+)", PROJECT["requires-python"])[1])  # type: ignore[index]
    named = [int(found[1]) for each in PROJECT["classifiers"] if (found := re.search(r":: 3\.(\d+)$", each))]
    assert named == list(range(minor, minor + len(named)))
    assert any(each.startswith("Operating System :: ") for each in PROJECT["classifiers"])
