"""``python -m tools.first_minute WHEEL``: how long a new user of a wheel waits for the first result of each kind.

The wheel is installed into an environment of its own, with the dependencies that are installed here. Every row is a new
process, with an empty cache of compiled code: what the wheel does not carry is compiled.
"""

import argparse
import asyncio
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tools import children_seconds
from tools.table_load import Person, post
from train.common.table import MarkdownTable, show_lines

FIRST_STEP = """
import uno_env
batch = uno_env.BatchedGames(64, "duel")
batch.reset()
batch.step(batch.sample_actions())
"""
A_HAND = """
import uno_env
env = uno_env.env()
env.reset(seed=1)
for name in env.agent_iter():
    observation, _, terminated, truncated, _ = env.last()
    over = terminated or truncated
    env.step(None if over else env.action_space(name).sample(observation["action_mask"]))
"""
FIRST_NETWORK = """
import sys
from uno_env.examples import first_network
def learn(*_):
    print("begins to learn", flush=True)
    sys.exit()
first_network.learn = learn
next(first_network.curve())
"""
QUICK = "medium"
"""The level of "Play now" that is chosen at first."""


@dataclass(frozen=True)
class Installed:
    """A wheel in an environment of its own."""

    python: Path

    @property
    def uno(self) -> str:
        """The program ``uno``."""
        return str(self.python.with_name("uno"))

    def run(self, *line: str, folder: Path) -> None:
        """Run a command to its end."""
        subprocess.run(line, cwd=folder, env=_with_no_cache(folder), check=True, stdout=subprocess.DEVNULL)

    @contextmanager
    def started(self, *line: str, folder: Path) -> Iterator[Any]:
        """A command, and what it prints. It is killed at the end."""
        piped = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
        with subprocess.Popen(line, cwd=folder, env=_with_no_cache(folder), **piped) as process:  # type: ignore[call-overload]
            try:
                yield process.stdout
            finally:
                process.kill()


def _with_no_cache(folder: Path) -> dict[str, str]:
    return {**os.environ, "UNO_ENV_CACHE_DIR": str(folder / "cache"), "HOME": str(folder), "PYTHONPATH": ""}


def install(wheel: Path, folder: Path) -> Installed:
    """Install a wheel into a new environment in a folder."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    python = folder / "bin" / "python"
    site = subprocess.run(
        [str(python), "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"],
        check=True, capture_output=True, text=True,
    ).stdout.strip()  # fmt: skip
    # The dependencies that are installed here, but not this project: an editable install is a hook of its own.
    Path(site, "dependencies.pth").write_text("\n".join(path for path in sys.path if path.endswith("site-packages")))
    options = ["--quiet", "--no-deps", "--no-build-isolation", "--no-index", "--force-reinstall"]
    pip = [sys.executable, "-m", "pip", "--python", str(python), "install", *options, str(wheel)]
    subprocess.run(pip, check=True)
    return Installed(python)


def _program(text: str) -> Callable[[Installed, Path], float]:
    def measure(installed: Installed, folder: Path) -> float:
        began = time.perf_counter()
        installed.run(str(installed.python), "-c", text, folder=folder)
        return time.perf_counter() - began

    return measure


def _evaluate(installed: Installed, folder: Path) -> float:
    began = time.perf_counter()
    line = ["evaluate", "zoo:classic-4p", "--against", "random-play", "--deals", "100"]
    installed.run(installed.uno, *line, folder=folder)
    return time.perf_counter() - began


def _train(installed: Installed, folder: Path) -> float:
    began = time.perf_counter()
    with installed.started(installed.uno, "train", "ppo_duel-2p", folder=folder) as lines:
        next(line for line in lines if re.search(r" decisions  .* % v ", line))
        return time.perf_counter() - began


def _play_now(installed: Installed, folder: Path) -> tuple[float, float]:
    """Seconds from "Play now" to the cards, and from the wish for hints to the first one."""
    with installed.started(installed.uno, "play", "--web", "--port", "0", "--forget", folder=folder) as lines:
        address = next(line for line in lines if "http://" in line)
        server, key = address.split("http://")[1].split()[0].split("/#key=")
        return asyncio.run(_first_moves(server, key))


async def _first_moves(server: str, key: str) -> tuple[float, float]:
    began = time.perf_counter()
    from uno_table.table.levels import table_values

    opened = await asyncio.to_thread(post, server, "", {"name": "You", **table_values(QUICK)}, key)
    person = Person(server, opened["table"], opened["token"])
    await person.open_tabs(1)
    await person.state(lambda state: bool(state["hand"]))
    dealt = time.perf_counter()
    await person.say(type="hints", on=True)
    await person.state(lambda state: bool(state.get("hints") and state["hints"]["actions"]))
    return dealt - began, time.perf_counter() - dealt


ROWS: Mapping[str, tuple[float | None, Callable[[Installed, Path], Any]]] = {
    "`import torch` alone": (None, _program("import torch")),
    "`import uno_env`, a first step of `BatchedGames`": (2, _program(FIRST_STEP)),
    "`env()` and a hand": (2, _program(A_HAND)),
    "`uno evaluate zoo:classic-4p --against random-play --deals 100`": (4, _evaluate),
    "`uno train ppo_duel-2p` to its first row": (8, _train),
    "`examples/first_network.py` until it begins to learn": (5, _program(FIRST_NETWORK)),
    "`uno play --web`, *Play now* to the cards": (2, lambda *where: _play_now(*where)[0]),
    "`uno play --web`, the first hint": (2, lambda *where: _play_now(*where)[1]),
}
"""The things that a user waits for, with the seconds that each may take."""


def measure(installed: Installed, repeats: int) -> dict[str, list[tuple[float, float]]]:
    """The seconds of each row, and those of the processor from the start of the process on."""
    seconds: dict[str, list[tuple[float, float]]] = {name: [] for name in ROWS}
    for _ in range(repeats):
        for name, (_, row) in ROWS.items():
            with tempfile.TemporaryDirectory() as folder:
                before = children_seconds()
                waited = row(installed, Path(folder))
                seconds[name].append((waited, children_seconds() - before))
    return seconds


def main() -> None:
    """Print a table, and how busy the machine is."""
    parser = argparse.ArgumentParser("python -m tools.first_minute", description=(__doc__ or "").partition(": ")[2])
    parser.add_argument("wheel", type=Path)
    parser.add_argument("--repeats", type=int, default=3, help="how often each row is measured (default 3)")
    plan = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = measure(install(plan.wheel, Path(folder)), plan.repeats)
    rows = []
    for name, seconds in found.items():
        medians = [f"{statistics.median(each):.1f}" for each in zip(*seconds, strict=True)]
        rows.append([name, *medians, "" if (most := ROWS[name][0]) is None else f"{most:g}"])
    headings = ("", "seconds", "of the processor", "at most")
    MarkdownTable(f"Medians of {plan.repeats}", headings, rows, words=(0,)).show()
    show_lines([f"load of the machine: {os.getloadavg()[0]:.1f} processes on {os.cpu_count()} cores"])


if __name__ == "__main__":
    main()
