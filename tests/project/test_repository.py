"""The files that a hosting service reads: workflows, forms, hooks, the image and the citation."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

import uno_env
from tests.helpers import ROOT
from tests.project.test_installed import PROJECT

GITHUB = ROOT / ".github"
WORKFLOWS = sorted((GITHUB / "workflows").glob("*.yml"))
FORMS = sorted(set((GITHUB / "ISSUE_TEMPLATE").glob("*.yml")) - {GITHUB / "ISSUE_TEMPLATE" / "config.yml"})
SCHEMAS = [
    ("vendor.github-workflows", WORKFLOWS),
    ("custom.github-workflows-require-timeout", WORKFLOWS),
    ("vendor.github-issue-forms", FORMS),
    ("vendor.github-issue-config", [GITHUB / "ISSUE_TEMPLATE" / "config.yml"]),
    ("vendor.citation-file-format", [ROOT / "CITATION.cff"]),
]


def _read(path: Path) -> Any:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


JOBS = {(path.stem, name): job for path in WORKFLOWS for name, job in _read(path)["jobs"].items()}


@pytest.mark.thorough
@pytest.mark.parametrize(("schema", "files"), SCHEMAS, ids=[schema for schema, _ in SCHEMAS])
def test_files_follow_their_schemas(schema: str, files: list[Path]) -> None:
    pytest.importorskip("check_jsonschema")
    assert files
    line = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", schema, *map(str, files)]
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_workflows_and_the_image_install_extras_that_exist() -> None:
    commands = [step.get("run", "") for job in JOBS.values() for step in job["steps"]]
    lines = [*commands, *(ROOT / "Dockerfile").read_text(encoding="utf-8").splitlines()]
    named = {
        extra
        for line in lines
        for found in re.findall(r"pip install.*\[([\w,-]+)\]", line)
        for extra in found.split(",")
    }
    assert {"train", "test"} <= named <= set(PROJECT["optional-dependencies"])


def test_linux_runs_every_version_of_python_that_is_promised() -> None:
    run = set(JOBS["tests", "linux"]["strategy"]["matrix"]["python"])
    promised = {found[1] for each in PROJECT["classifiers"] if (found := re.search(r":: (3\.\d+)$", each))}
    assert promised <= run


def test_actions_are_pinned_and_jobs_may_write_only_what_they_publish() -> None:
    used = [line.strip() for path in WORKFLOWS for line in path.read_text().splitlines() if "uses:" in line]
    pinned = re.compile(r"(?:- )?uses: [\w-]+/[\w-]+@[0-9a-f]{40}  # v\d+\.\d+\.\d+")
    # Its makers ask for the branch: whatever uploads to PyPI has to follow PyPI.
    assert {line for line in used if not pinned.fullmatch(line)} == {"- uses: pypa/gh-action-pypi-publish@release/v1"}
    assert all(_read(path)["permissions"] == {"contents": "read"} for path in WORKFLOWS)
    writing = {name: job["permissions"] for name, job in JOBS.items() if "permissions" in job}
    assert writing == {
        ("docs", "deploy"): {"pages": "write", "id-token": "write"},
        ("release", "publish"): {"id-token": "write"},
    }


def test_the_image_is_that_of_the_page() -> None:
    page = (ROOT / "docs" / "howto" / "install.md").read_text(encoding="utf-8")
    (shown,) = re.findall(r"^```dockerfile\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    assert (ROOT / "Dockerfile").read_text(encoding="utf-8") == shown


def test_the_citation_names_the_version() -> None:
    assert str(_read(ROOT / "CITATION.cff")["version"]) == uno_env.__version__
    assert f"version = {{{uno_env.__version__}}}" in (ROOT / "docs" / "cite.md").read_text(encoding="utf-8")
