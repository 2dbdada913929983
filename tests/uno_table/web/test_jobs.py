"""uno_table/web/jobs.py: work goes on as long as somebody asks how far it is, and is found again where it was."""

import asyncio
import threading
import time

from uno_env.common.phrases import Phrase
from uno_table.web import jobs
from uno_table.web.background import Background
from uno_table.web.jobs import Jobs


class Work:
    """Steps that are counted; each waits until it is let go."""

    def __init__(self, steps, free=False):
        self.steps, self.made, self.done, self.gate = steps, 0, 0, threading.Semaphore(steps if free else 0)

    def make(self):
        self.made += 1
        return self._work()

    def _work(self):
        for step in range(self.steps):
            self.gate.acquire()
            self.done = step + 1
            yield {"done": step + 1}


async def until(condition):
    end = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < end, "that never came"
        await asyncio.sleep(0.005)


def test_a_job_begins_when_somebody_asks_and_ends_with_its_last_state():
    async def look():
        work, all_jobs = Work(3, free=True), Jobs(Background())
        job = all_jobs.start("hand", work.make)
        await asyncio.sleep(0.05)
        assert work.done == 0
        assert all_jobs.state(job) == {"over": False}
        await until(lambda: all_jobs.state(job) == {"done": 3, "over": True})
        assert all_jobs.start("hand", work.make) == job
        assert work.made == 1, "it is done once"
        assert all_jobs.state("another") is None

    asyncio.run(look())


def test_a_job_of_a_page_that_is_closed_rests_and_goes_on_where_it_was(monkeypatch):
    monkeypatch.setattr(jobs, "PATIENCE", 0.1)

    async def look():
        work, all_jobs = Work(100), Jobs(Background())
        job = all_jobs.start("hand", work.make)
        all_jobs.state(job)
        await asyncio.sleep(0.3)  # nobody asks meanwhile
        work.gate.release(50)
        await until(lambda: not all_jobs._working)
        assert work.done == 1, "the step that was being done, and no more"
        assert all_jobs.state(job)["done"] == 1
        work.gate.release(100)
        await until(lambda: all_jobs.state(job)["over"])
        assert (work.done, work.made) == (100, 1)

    asyncio.run(look())


def test_a_job_that_is_paused_or_forgotten_does_no_further_step():
    async def look():
        all_jobs = Jobs(Background())
        for is_forgotten in (False, True):
            work = Work(100)
            job = all_jobs.start("hand", work.make)
            all_jobs.state(job)
            work.gate.release(2)
            await until(lambda work=work: work.done == 2)
            if is_forgotten:
                all_jobs.forget("hand")
            else:
                all_jobs.pause(job)
            work.gate.release(100)
            await until(lambda: not all_jobs._working)
            assert work.done == 3
            all_jobs.forget("hand")
        assert all_jobs.state(job) is None

    asyncio.run(look())


def test_a_job_that_fails_says_so(caplog):
    def fails():
        yield {"done": 1}
        raise RuntimeError("a secret")

    async def look():
        all_jobs = Jobs(Background())
        job = all_jobs.start("hand", fails)
        await until(lambda: all_jobs.state(job)["over"])
        assert all_jobs.state(job)["error"].startswith("this failed; ")
        assert isinstance(all_jobs.state(job)["error"], Phrase)
        assert "secret" not in str(all_jobs.state(job))

    asyncio.run(look())


def test_the_oldest_jobs_are_forgotten(monkeypatch):
    monkeypatch.setattr(jobs, "MOST_JOBS", 2)

    async def look():
        all_jobs = Jobs(Background())
        ids = [all_jobs.start(key, Work(1, free=True).make) for key in range(4)]
        assert [all_jobs.state(each) is None for each in ids] == [True, True, False, False]

    asyncio.run(look())
