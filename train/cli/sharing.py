"""``--address``: the work of a command, shared out to a Ray cluster: :func:`sharing`."""

import contextlib
from collections.abc import Iterable, Iterator

from train.cli.errors import run_errors, user_input
from train.common.processes import Mapper


@contextlib.contextmanager
def sharing(address: str, workers: int, threads: int = 1) -> Iterator[int | Mapper]:
    """Share the work of a ``with`` block among ``workers`` processes, or in the cluster of an address. There, each task
    has ``threads`` CPUs.
    """
    if not address:
        yield workers
        return
    with run_errors(), contextlib.ExitStack() as stack:
        with user_input():
            from train.algorithms.ray.shared_out import shared_out

            mapper = stack.enter_context(shared_out(address, threads))
        yield mapper


def has_chat(specs: Iterable[str]) -> bool:
    """True if one of the agents is a language model behind an address."""
    return any(spec.startswith("chat:") for spec in specs)


def check_shareable(address: str, specs: Iterable[str]) -> None:
    """Raise ValueError if an address is given, but one process must keep the budget of a language model."""
    if address and has_chat(specs):
        raise ValueError("--address is not allowed with chat:… agents: they play in one process here")
