"""What all tests share."""

import contextlib
import functools
import gc
import importlib
import os
import re
import signal
from pathlib import Path

import pytest

# PyTorch's threads wait for each other on a busy machine; it is imported after this.
os.environ.setdefault("OMP_NUM_THREADS", "1")

# Ray's workers give way to all other processes: on a busy machine each needs minutes to start.
os.environ.setdefault("RAY_worker_niceness", "0")

# The programs that tests start write as they do anywhere, whatever the shell says.
os.environ.pop("PYTHONUNBUFFERED", None)

# A shell that starts a command in the background lets it ignore Ctrl-C, and so the processes that the tests interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_configure(config: pytest.Config) -> None:
    """Before there are worker processes: RLCard unpacks its data when it is first imported, and two cannot at once."""
    if not hasattr(config, "workerinput"):
        with contextlib.suppress(ImportError):
            importlib.import_module("rlcard.games.doudizhu")


WHERE = {
    "workshop": (
        "tools", "studies", "examples", "project/test_pages.py", "project/test_installed.py",
        "adapters/test_foreign_programs.py",
    ),
    "thorough": (
        "agents/policy/test_hostile_onnx.py", "agents/scripted/test_dispatch.py", "agents/search/test_cheating.py",
        "agents/test_impossible_rows.py", "fuzz", "train/algorithms/parts/device",
        "train/algorithms/test_device_training.py", "train/algorithms/test_self_play.py",
        "train/algorithms/test_shared_out.py", "train/benchmarks/test_algorithms.py",
        "train/benchmarks/test_exploit.py", "train/cli/test_video.py", "train/common/test_processes.py",
        "train/evaluation/exact/test_measure.py", "train/runs/test_evaluator.py",
        "train/runs/test_wrong_checkpoints.py", "twin/test_lock_step.py", "uno_env/core/test_lockstep.py",
        "uno_env/envs/test_device_games.py", "uno_env/test_warm_up.py", "uno_table/table/test_timing.py",
        "uno_table/test_terminal_sizes.py",
    ),
    "slow": ("train/algorithms/test_distributed_ppo.py", "train/algorithms/test_replicas.py"),
    "peers": (
        "adapters/test_rlcard", "adapters/test_foreign_rlcard.py", "adapters/test_open_spiel.py",
        "adapters/test_rllib.py", "tools/rlcard",
    ),
}  # fmt: skip
"""Marks that follow from where a test stands: beginnings of paths, within this folder."""


@functools.cache
def _marks_of(path: Path) -> set[str]:
    """The marks that all tests of a file have."""
    within = path.relative_to(Path(__file__).parent).as_posix()
    return {mark for mark, beginnings in WHERE.items() if within.startswith(beginnings)}


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark tests by where they stand, before marks choose which tests run."""
    for item in items:
        for mark in _marks_of(item.path):
            item.add_marker(mark)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Do not read the files whose tests all have a mark that ``-m`` leaves out: that takes each worker seconds."""
    left_out = re.fullmatch(r"not \(([\w ]+)\)", config.option.markexpr)
    if left_out and _marks_of(collection_path) & set(left_out[1].split(" or ")):
        return True
    return None


def pytest_collection() -> None:
    """What is collected stays until the end: the garbage collector need not look through it again and again."""
    gc.disable()


def pytest_collection_finish() -> None:
    """From here on garbage is collected, as for everybody who uses the packages."""
    gc.freeze()
    gc.enable()


@pytest.fixture(scope="session", autouse=True)
def _compiling_is_not_told() -> None:
    """What commands write is compared to the letter, whether something was compiled before or not."""
    importlib.import_module("uno_env.core.jit.notice").PATIENCE = 10_000.0
