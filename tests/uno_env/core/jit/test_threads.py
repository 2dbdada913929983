"""uno_env/core/jit/threads.py: parts done side by side, and what becomes of a work that fails."""

import gc
import threading
import time

import numpy as np
import pytest

from uno_env import BatchedGames
from uno_env.core.jit.threads import Threads

PARTS = [(0, 3), (3, 6), (6, 10)]


def fill(out, value, first, end):
    out[first:end] = value


def ours():
    return [thread for thread in threading.enumerate() if thread.name == "uno_env"]


def test_every_part_is_done_once():
    out, who = np.zeros(10, np.int64), set()
    team = Threads(PARTS)

    def add(first, end):
        out[first:end] += 1
        who.add(threading.get_ident())
        time.sleep(0.01)

    for times in range(1, 20):
        team.each(add)
        assert (out == times).all()
    assert len(who) == 3
    assert threading.get_ident() in who


@pytest.mark.parametrize("failing", PARTS)
def test_a_failure_is_raised_once_all_are_done_and_nothing_is_left_of_it(failing):
    team, done = Threads(PARTS), []

    def fail(first, end):
        time.sleep(0.01 * (1 + first))  # whoever fails is done before the parts behind it
        done.append(first)
        if (first, end) == failing:
            raise RuntimeError(f"part {first}")

    with pytest.raises(RuntimeError, match=f"part {failing[0]}"):
        team.each(fail)
    assert sorted(done) == [0, 3, 6]
    out = np.zeros(10, np.int64)
    team.each(fill, out, 7)
    assert (out == 7).all()


def test_the_threads_end_with_the_batch():
    before = set(ours())
    batch = BatchedGames(8, "duel", threads=3)
    begun = set(ours()) - before
    assert len(begun) == 2
    batch.reset()
    del batch
    gc.collect()
    for thread in begun:
        thread.join(30)
        assert not thread.is_alive()
