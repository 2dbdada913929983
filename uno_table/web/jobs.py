"""Work of which a browser shows how far it is: :class:`Jobs`."""

import asyncio
import logging
import secrets
import time
from collections.abc import Callable, Hashable, Iterator
from typing import Any

from uno_table.table.sentences import TABLE_SENTENCES
from uno_table.web.background import Background, ClosingError

_say = TABLE_SENTENCES.phrase

MOST_JOBS = 100
"""Beyond, the oldest are forgotten."""
PATIENCE = 5.0
"""Seconds after which nobody wants a job any more whose state nobody has asked for."""

_log = logging.getLogger(__name__)


class Job:
    """Work in steps, each of which takes a moment and yields the job's state, plain values for JSON."""

    def __init__(self, steps: Iterator[dict[str, Any]]) -> None:
        self.state: dict[str, Any] = {}
        """That of the last step; ``over`` says that there is none any more, and ``error`` why it has failed."""
        self.asked_at = -PATIENCE
        """The last time that somebody asked for the state, by the monotonic clock."""
        self._steps = steps

    @property
    def is_wanted(self) -> bool:
        """True if somebody still looks."""
        return time.monotonic() - self.asked_at < PATIENCE

    @property
    def is_over(self) -> bool:
        """True if nothing is left to do."""
        return bool(self.state.get("over"))

    def work(self) -> None:
        """Do one step after the other as long as the job is wanted. Call it again to go on."""
        while self.is_wanted and not self.is_over:
            try:
                self.state = {**next(self._steps), "over": False}
            except StopIteration:
                self.state = {**self.state, "over": True}
            except Exception:
                _log.exception("a job failed")
                self.state = {"over": True, "error": _say("refused.failed")}


class Jobs:
    """Jobs behind ids that nobody can guess. A job works in the background, but only as long as somebody asks how far
    it is: so a page that is closed costs nothing, and one that is loaded again finds the job where it was.
    """

    def __init__(self, background: Background) -> None:
        self._background = background
        self._jobs: dict[str, Job] = {}
        self._ids: dict[Hashable, str] = {}
        """By what the job is for."""
        self._working: dict[str, asyncio.Task[None]] = {}

    def start(
        self,
        key: Hashable,
        make: Callable[[], Iterator[dict[str, Any]]],
        anew: bool = False,
    ) -> str:
        """Return the id of the job for ``key``, which is made if there is none. Whoever asks for its state starts it.

        Args:
            key: what the job is for; somebody who asks for the same gets the same job.
            make: makes the job's steps.
            anew: whether a job that is over is made once more.
        """
        if anew and key in self._ids and self._jobs[self._ids[key]].is_over:
            self.forget(key)
        job_id = self._ids.get(key)
        if job_id is None:
            job_id = self._ids[key] = secrets.token_urlsafe(16)
            self._jobs[job_id] = Job(make())
            for oldest in list(self._ids)[:-MOST_JOBS]:
                self.forget(oldest)
        return job_id

    def state(self, job_id: str) -> dict[str, Any] | None:
        """The state of a job by its id, or None if there is none. The job goes on."""
        job = self._jobs.get(job_id)
        if job is None:
            return None
        job.asked_at = time.monotonic()
        if not job.is_over and job_id not in self._working:
            task = asyncio.get_running_loop().create_task(self._work(job))
            self._working[job_id] = task
            task.add_done_callback(lambda _: self._working.pop(job_id))
        return {"over": False, **job.state}

    def pause(self, job_id: str) -> None:
        """Let a job do no further step before somebody asks for its state again."""
        if job_id in self._jobs:
            self._jobs[job_id].asked_at = -PATIENCE

    def forget(self, key: Hashable) -> None:
        """Drop the job for ``key``, which does no further step."""
        job_id = self._ids.pop(key, None)
        if job_id is not None:
            self.pause(job_id)
            del self._jobs[job_id]

    async def _work(self, job: Job) -> None:
        try:
            await self._background.run(job.work)
        except ClosingError:
            job.asked_at = -PATIENCE
