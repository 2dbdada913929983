"""What is installed is pinned, and checked by hashes."""

import re
import tomllib
from itertools import chain

import pytest

from tests.helpers import ROOT
from tools.requirements import APART, FOLDER, TORCH, parse, read

INSTALL, CPU, EVERYWHERE = (read(FOLDER / f"{name}.txt") for name in ("install", "torch_cpu", "torch"))
BESIDES = {name: read(FOLDER / f"{name}.txt") for name in APART}


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _versions(text: str) -> set[tuple[str, str]]:
    pins = re.findall(r"^([\w.-]+)==([\w.]+)", text, re.MULTILINE)
    return {(_normal(name), version) for name, version in pins}


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.txt")), ids=lambda path: path.name)
def test_every_requirement_is_one_version_with_hashes(path):
    text = path.read_text(encoding="utf-8")
    assert "://" not in text, "it says what is installed, not from where"
    for pin, (_, hashes) in read(path).items():
        assert re.fullmatch(r"[\w.-]+==[\w.+]+( ; .+)?", pin)
        assert hashes
        assert all(re.fullmatch(r"sha256:[0-9a-f]{64}", each) for each in hashes)


def test_the_versions_are_those_of_the_constraints():
    constraints = _versions((ROOT / "constraints.txt").read_text(encoding="utf-8"))
    torch = {pin for pin, (name, _) in EVERYWHERE.items() if name == "torch"}
    here = {
        pin
        for pin in {*INSTALL, *chain.from_iterable(BESIDES.values()), *torch}
        if "os_name == 'nt'" not in pin and "'win32'" not in pin
    }
    assert _versions("\n".join(here)) == constraints


def test_what_the_project_asks_for_is_there():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    (everything,) = extras["all"]
    names = re.fullmatch(r"uno-env\[(.+)\]", everything)[1].split(",")
    asked = [*project["dependencies"], *(each for name in names for each in extras[name])]
    there = {_normal(name) for name, _ in (INSTALL | EVERYWHERE).values()}
    assert {_normal(re.match(r"[\w.-]+", each)[0]) for each in asked} <= there
    for name, more in BESIDES.items():
        named = {_normal(re.match(r"[\w.-]+", each)[0]) for extra in APART[name] for each in extras[extra]}
        assert named - {"uno-env"} <= {_normal(name) for name, _ in (more | INSTALL | EVERYWHERE).values()}


@pytest.mark.parametrize(
    "path", sorted((ROOT / "tests/adapters/requirements").glob("*.txt")), ids=lambda path: path.stem
)
def test_an_adapter_is_tested_with_pinned_versions_of_all_that_the_project_needs(path):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    pinned = {name for name, _ in _versions(path.read_text(encoding="utf-8"))}
    assert {_normal(re.match(r"[\w.-]+", each)[0]) for each in project["dependencies"]} <= pinned


def test_torch_is_one_version_and_apart_with_its_gigabytes_of_cuda():
    (version,) = (pin.partition("==")[2] for pin, (name, _) in EVERYWHERE.items() if name == "torch")
    assert set(CPU) == {f"torch=={version}+cpu"}
    assert all(TORCH.match(name) for name, _ in EVERYWHERE.values())
    assert not any(TORCH.match(name) for name, _ in INSTALL.values())


def test_a_file_of_hashes_is_read():
    assert parse("# head\na==1 ; x == 'y' \\\n    --hash=sha256:1 \\\n    --hash=sha256:2\n") == {
        "a==1 ; x == 'y'": ("a", {"sha256:1", "sha256:2"})
    }
