"""``uno play``: in the browser, in the terminal, over a pipe."""

import os
import re
import select
import signal
import subprocess
import sys
import tomllib
from contextlib import contextmanager

import httpx
import pytest

from tests.helpers import ROOT

COMMAND = [sys.executable, "-m", "train.cli", "play"]


@contextmanager
def started(folder, *arguments):
    """A process that keeps its tables below a folder."""
    process = subprocess.Popen(
        [*COMMAND, *arguments],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()


@pytest.mark.thorough
def test_web_prints_an_address_that_works_and_ends_with_ctrl_c(tmp_path):
    line = ("greedy", "random", "--web", "--port", "0", "--rules", "house,stacking=any", "--seed", "5")
    with started(tmp_path, *line) as process:
        address = re.search(r"http://127\.0\.0\.1:\d+/#key=\S+", process.stdout.readline())[0]
        base, key = address.split("/#key=")
        form = httpx.get(f"{base}/api/form", headers={"authorization": f"Bearer {key}"}).json()
        assert form["defaults"]["agents"] == ["greedy", "random"]
        assert form["defaults"]["preset"] == "house"
        assert form["defaults"]["rules"]["stacking"] == "any"
        assert form["defaults"]["seed"] == 5
        assert "setup.title" in httpx.get(base).text
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
        assert process.returncode == 130
        assert err.strip() == "Interrupted."


@pytest.mark.thorough
def test_a_terminal_gets_the_table_of_textual():
    pty = pytest.importorskip("pty")
    leader, follower = pty.openpty()
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "100", "LINES": "30"}
    process = subprocess.Popen([*COMMAND, "--seed", "1"], stdin=follower, stdout=follower, stderr=follower,
                               env=environment, start_new_session=True)  # fmt: skip
    os.close(follower)
    seen = b""
    try:
        while b"Top card" not in seen:
            assert select.select([leader], [], [], 60)[0], seen[-2000:]
            seen += os.read(leader, 65536)
        os.write(leader, b"q")
        while process.poll() is None:
            if select.select([leader], [], [], 0.1)[0]:
                try:
                    os.read(leader, 65536)
                except OSError:
                    break
        assert process.wait(60) == 0
    finally:
        process.kill()
        os.close(leader)


@pytest.mark.thorough
def test_a_pipe_is_asked_line_by_line():
    for more in ((), ("--plain",)):
        done = subprocess.run([*COMMAND, *more, "--seed", "1"], input="q\n", capture_output=True, text=True, check=True)
        assert done.stdout.startswith("At the table")
        assert done.stderr == ""


def test_pages_of_the_package_are_installed_with_it():
    """setuptools takes only the endings that pyproject.toml lists."""
    listed = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["package-data"]["*"]
    for file in (ROOT / "uno_table" / "web" / "pages").rglob("*.*"):
        assert f"**/*{file.suffix}" in listed, file.name
    assert "**/*.tcss" in listed
