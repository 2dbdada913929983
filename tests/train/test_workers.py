"""train/workers.py: tasks are done in other processes, which leave Numba's cache as it is."""

import os
import subprocess
import sys
import time

import pytest

from train.workers import map_unordered


def square(number):
    return number**2, os.getpid()


def fail(number):
    if number == 3:
        raise ValueError("three")
    time.sleep(0.01)
    return number


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


def test_a_worker_writes_nothing_to_the_cache(tmp_path):
    module = tmp_path / "fresh" / "kernel.py"
    module.parent.mkdir()
    module.write_text(
        "from uno_env.core.compiled import compiled\n@compiled\ndef double(number):\n    return 2 * number\n"
    )
    script = (
        f"import sys; sys.path.insert(0, {str(module.parent)!r})\n"
        "from train.workers import only_read_cache\n"
        "if sys.argv[1:]: only_read_cache()\n"
        "import kernel\nassert kernel.double(4) == 8"
    )
    environment = {**os.environ, "UNO_ENV_CACHE_DIR": str(tmp_path / "cache")}
    for arguments, kept in ((["worker"], 0), ([], 1)):
        subprocess.run([sys.executable, "-c", script, *arguments], check=True, env=environment)
        assert len(list((tmp_path / "cache").rglob("kernel.double*.nbc"))) == kept
