"""train/common/processes.py: tasks are done in other processes."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from train.common.processes import cores, machine_memory, map_unordered, torch_threads


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


@pytest.mark.skipif("SC_PHYS_PAGES" not in getattr(os, "sysconf_names", {}), reason="this system does not say")
def test_the_memory_is_that_of_the_machine_or_the_least_that_a_container_leaves(monkeypatch):
    monkeypatch.setattr(Path, "read_text", lambda path: "max\n")
    whole = machine_memory()
    assert whole == os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    monkeypatch.setattr(Path, "read_text", lambda path: "1000000\n")
    assert machine_memory() == 1_000_000
    monkeypatch.delattr(os, "sysconf")
    assert machine_memory() is None


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="this system keeps no process to some cores")
def test_cores_of_a_process_that_is_kept_to_one():
    script = (
        "import os; from train.common.processes import cores\n"
        "os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})\n"
        "assert cores() == 1"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


def threads_of_a_process(_: object) -> tuple[int, str | None]:
    import torch  # not at the top: each process of the other tests would load it

    return torch.get_num_threads(), os.environ.get("OMP_NUM_THREADS")


@pytest.mark.parametrize("before", [None, "7"])
def test_pytorch_has_the_threads_that_it_is_given(before, monkeypatch):
    monkeypatch.setattr("train.common.processes.cores", lambda: 1)
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    if before:
        monkeypatch.setenv("OMP_NUM_THREADS", before)
    outer = threads_of_a_process(None)
    assert outer[1] == before
    for number, expected in ((2, 2), (0, 1)):
        with torch_threads(number):
            assert threads_of_a_process(None) == (expected, str(expected))
            for _, told in map_unordered(matrix_threads, range(2), 2):
                assert told == str(expected)
        assert threads_of_a_process(None) == outer
    given = {told for _, told in map_unordered(matrix_threads, range(2), 2)}
    assert given == {before or "1"}


def test_pytorch_has_the_threads_that_its_process_is_given(monkeypatch):
    monkeypatch.setattr("train.common.processes.cores", lambda: 1)
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    with torch_threads(2):
        for _, told in map_unordered(threads_of_a_process, range(2), 2):
            assert told == (2, "2")


@pytest.mark.parametrize("workers", [1, 3])
def test_every_task_is_done_once(workers):
    done = list(map_unordered(square, range(20), workers))
    assert sorted((task, result) for task, (result, _) in done) == [(task, task**2) for task in range(20)]
    processes = {process for _, (_, process) in done}
    assert (os.getpid() in processes) == (workers == 1)


@pytest.mark.parametrize("workers", [1, 2])
def test_an_error_in_a_process_is_raised_here(workers):
    with pytest.raises(ValueError, match="three"):
        list(map_unordered(fail, range(30), workers))


def test_who_stops_early_waits_for_nobody():
    began = time.monotonic()
    for _ in map_unordered(time.sleep, [0.01, 60, 60, 60], 2):
        break
    assert time.monotonic() - began < 30


@pytest.mark.parametrize("set_by_user", [None, "3"])
def test_each_process_has_one_thread_for_matrix_products(monkeypatch, set_by_user):
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    if set_by_user:
        monkeypatch.setenv("OMP_NUM_THREADS", set_by_user)
    assert {found for _, found in map_unordered(matrix_threads, range(2), 2)} == {set_by_user or "1"}
    assert os.environ.get("OMP_NUM_THREADS") == set_by_user


def matrix_threads(_: int) -> str | None:
    return os.environ.get("OMP_NUM_THREADS")
