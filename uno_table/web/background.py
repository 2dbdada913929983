"""Work that may take a while, such as an agent's thinking: :class:`Background`."""

import asyncio
import contextlib
import threading
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any, TypeVar

_T = TypeVar("_T")


class ClosingError(Exception):
    """The server is closing, and nobody waits for the work any more."""


class Background:
    """Runs each piece of work in a daemon thread of its own.

    So work that takes long, or never ends, holds up neither other work nor the end of the process.
    """

    def __init__(self) -> None:
        self._waiting: set[asyncio.Future[Any]] = set()
        self._reading: set[asyncio.Task[Any]] = set()
        self._closed = False

    async def run(self, work: Callable[[], _T], seconds: float | None = None) -> _T:
        """Do the work in another thread and return its result, or raise its error.

        Raises TimeoutError if it takes more than ``seconds``, and ClosingError if the server is closing. Longer
        work continues without a listener.
        """
        if self._closed:
            raise ClosingError("the server is closing")
        loop = asyncio.get_running_loop()
        future: asyncio.Future[_T] = loop.create_future()
        self._waiting.add(future)
        future.add_done_callback(self._waiting.discard)

        def call() -> None:
            try:
                done = partial(_settle, future, result=work())
            except Exception as error:
                done = partial(_settle, future, error=error)
            with contextlib.suppress(RuntimeError):  # the loop has ended
                loop.call_soon_threadsafe(done)

        threading.Thread(target=call, name="background", daemon=True).start()
        return await asyncio.wait_for(future, seconds)

    async def wait_for(self, work: Coroutine[Any, Any, _T]) -> _T:
        """The result of work that waits for somebody else, such as for the rest of a request. Raises its error, and
        ClosingError if the server closes before.
        """
        task = asyncio.get_running_loop().create_task(work)
        self._reading.add(task)
        task.add_done_callback(self._reading.discard)
        try:
            return await task
        except asyncio.CancelledError:
            if self._closed:
                raise ClosingError("the server is closing") from None
            raise

    def close(self) -> None:
        """Wait for nothing any more."""
        self._closed = True
        for task in list(self._reading):
            task.cancel()
        for future in list(self._waiting):
            _settle(future, error=ClosingError("the server is closing"))


def _settle(future: asyncio.Future[Any], result: Any = None, error: Exception | None = None) -> None:
    if future.done():  # nobody waits
        return
    if error is None:
        future.set_result(result)
    else:
        future.set_exception(error)
