"""``--address``: the work of a command, shared out to a Ray cluster: :func:`sharing`."""

import contextlib
from collections.abc import Iterator

from train.cli.errors import run_errors, user_input
from train.common.processes import Mapper


@contextlib.contextmanager
def sharing(address: str, workers: int, threads: int = 1) -> Iterator[int | Mapper]:
    """What shares the work in a ``with`` block: so many processes or, if there is an address, the cluster there. Each
    task takes ``threads`` CPUs of it.
    """
    if not address:
        yield workers
        return
    with run_errors(), contextlib.ExitStack() as stack:
        with user_input():
            from train.algorithms.ray.shared_out import shared_out

            mapper = stack.enter_context(shared_out(address, threads))
        yield mapper
