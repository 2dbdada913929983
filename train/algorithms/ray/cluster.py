"""The Ray cluster of a run: an existing one, or one of its own on this machine.

A cluster of its own asks for a secret token, as Ray's clusters on one machine do, and has no dashboard. Its logs are in
Ray's folder for temporary files, and it ends with the run. Ray's processes unpickle each other's messages, and trust
everybody who reaches their ports and knows the token: clusters of several machines belong in a separate network, with
``RAY_AUTH_MODE=token`` on each machine.
"""

import contextlib
import os
import secrets
import socket
from collections.abc import Iterator
from typing import Any

import ray

from train.runs.learner import RunError
from train.runs.run_folder import console

LEAST_STORE = 200_000_000
"""Least number of bytes of shared memory for the objects of an own cluster."""


def check_address(address: str) -> None:
    """Raise :class:`ValueError` if no cluster answers there."""
    if address in ("", "auto"):
        return
    host, _, port = address.rpartition(":")
    if not host or "/" in host or not port.isdecimal():
        raise ValueError(
            f"address={address!r} is not allowed: choose HOST:PORT of a Ray cluster's head, auto, or nothing"
        )
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=5).close()
    except (OSError, OverflowError) as error:
        raise ValueError(f"address={address!r} is not allowed: no Ray cluster answers there ({error})") from None


@contextlib.contextmanager
def joined(address: str, workers: int, store: int = LEAST_STORE) -> Iterator[None]:
    """Make this process a member of a cluster for a ``with`` block; a member of a cluster stays in that cluster.

    With an empty address it is a cluster of its own, of ``workers`` CPUs, with ``store`` bytes of shared memory. Raises
    RunError if the cluster cannot be joined, or is too small.
    """
    if ray.is_initialized():
        _check_size(workers)
        yield
        return
    console.print(f"Joining the Ray cluster at {address}" if address else "Starting Ray on this machine")
    if not address:  # Ray would write one into the home folder, where others may read it
        os.environ.setdefault("RAY_AUTH_TOKEN", secrets.token_hex(32))
    _init(address, {"num_cpus": workers, "include_dashboard": False, "object_store_memory": store})
    try:
        _check_size(workers)
        yield
    finally:
        ray.shutdown()


def _init(address: str, own: dict[str, Any]) -> None:
    """Start or join a cluster. Raises RunError if that fails."""
    try:
        # Without an address Ray would join any cluster that it finds.
        options = {"address": address} if address else {"address": "local", **own}
        ray.init(**options, log_to_driver=False, logging_level="ERROR")
    except Exception as error:  # a node that does not start in time is a bare Exception
        first = str(error).strip().partition("\n")[0]
        if not address:
            raise RunError(f"Ray cannot be started: {first}") from error
        hint = "if it asks for a token, set RAY_AUTH_MODE=token"
        raise RunError(f"the Ray cluster at {address!r} cannot be joined ({hint}): {first}") from error


def _check_size(workers: int) -> None:
    """Raise :class:`RunError` if the cluster has fewer CPUs than workers."""
    cpus = int(ray.cluster_resources().get("CPU", 0))
    if cpus < workers:
        raise RunError(f"workers={workers} is not allowed: the cluster has {cpus} CPUs, and each worker takes one")
