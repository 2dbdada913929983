"""train/common/processes.py: tasks are done in other processes, which leave Numba's cache as it is."""

import os
import subprocess
import sys
import time

import pytest

from train.common.processes import cores, map_unordered


def square(number):
    return number**2, os.getpid()


def fail(number):
    if number == 3:
        raise ValueError("three")
    time.sleep(0.01)
    return number


def test_cores_are_those_that_the_process_may_use(monkeypatch):
    monkeypatch.setattr(os, "cpu_count", lambda: 64)
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: {1, 5, 7}, raising=False)
    assert cores() == 3
    monkeypatch.delattr(os, "sched_getaffinity")
    assert cores() == 64
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert cores() == 1


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="this system keeps no process to some cores")
def test_cores_of_a_process_that_is_kept_to_one():
    script = (
        "import os; from train.common.processes import cores\n"
        "os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})\n"
        "assert cores() == 1"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


@pytest.mark.parametrize("workers", [1, 3])
def test_every_task_is_done_once(workers):
    done = list(map_unordered(square, range(20), workers))
    assert sorted((task, result) for task, (result, _) in done) == [(task, task**2) for task in range(20)]
    processes = {process for _, (_, process) in done}
    assert (os.getpid() in processes) == (workers == 1)


@pytest.mark.parametrize("workers", [1, 2])
def test_errors_arrive(workers):
    with pytest.raises(ValueError, match="three"):
        list(map_unordered(fail, range(30), workers))


def test_who_stops_early_waits_for_nobody():
    began = time.monotonic()
    for _ in map_unordered(time.sleep, [0.01, 60, 60, 60], 2):
        break
    assert time.monotonic() - began < 30


@pytest.fixture
def kernel(tmp_path):
    """A function to compile; what runs a script that can import it, and the number of times it is in the cache."""
    module = tmp_path / "fresh" / "kernel.py"
    module.parent.mkdir()
    module.write_text("from uno_env.core.jit.njit import njit\n@njit\ndef double(number):\n    return 2 * number\n")
    environment = {**os.environ, "UNO_ENV_CACHE_DIR": str(tmp_path / "cache")}

    def run(script):
        begin = f"import sys; sys.path.insert(0, {str(module.parent)!r})\nimport kernel\n"
        begin += "from train.common.processes import *\n"
        subprocess.run([sys.executable, "-c", begin + script], check=True, env=environment)
        return len(list((tmp_path / "cache").rglob("kernel.double*.nbc")))

    return run


def test_a_worker_writes_nothing_to_the_cache(kernel):
    assert kernel("only_read_cache()\nassert kernel.double(4) == 8") == 0
    assert kernel("assert kernel.double(4) == 8") == 1


def test_who_compiles_alone_writes_to_the_cache_until_done(kernel):
    assert kernel("with compiling_alone(): kernel.double(4)\nkernel.double(4.0)") == 1


def test_nobody_compiles_alone_beside_another(tmp_path):
    script = "import time\nfrom train.common.processes import compiling_alone\nwith compiling_alone(): time.sleep(0.5)"
    environment = {**os.environ, "UNO_ENV_CACHE_DIR": str(tmp_path)}
    began = time.monotonic()
    both = [subprocess.Popen([sys.executable, "-c", script], env=environment) for _ in range(2)]
    assert [process.wait() for process in both] == [0, 0]
    assert time.monotonic() - began >= 1
