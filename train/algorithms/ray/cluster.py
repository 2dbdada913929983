"""The Ray cluster of a run: an existing one, or one of its own on this machine.

A cluster of its own listens on the loopback interface only, asks for a secret token, has no dashboard and sends no
usage reports. Its logs are in Ray's folder for temporary files, and it ends with the run. Ray's processes unpickle each
other's messages, and trust everybody who reaches their ports and knows the token: clusters of several machines belong
in a separate network, with ``RAY_AUTH_MODE=token`` on each machine.
"""

import contextlib
import importlib
import os
import secrets
import select
import socket
import sys
import threading
from collections.abc import Iterator, Mapping
from typing import Any

import ray
from ray import _raylet
from ray._private import ray_constants

from train.runs.learner import RunError
from train.runs.run_folder import console

_MODE, _TOKEN = "RAY_AUTH_MODE", "RAY_AUTH_TOKEN"

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
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    if ray.is_initialized():
        _check_size(workers)
        yield
        return
    _listen_on_loopback(address == "" or address.rpartition(":")[0] in ("127.0.0.1", "localhost"))
    own: dict[str, Any] = {"num_cpus": workers, "include_dashboard": False, "object_store_memory": store}
    console.print(f"Joining the Ray cluster at {address}" if address else "Starting Ray on this machine")
    with contextlib.nullcontext() if address else _token_of_its_own():
        _init(address, own)
        watch = _watched() if not address and hasattr(os, "pidfd_open") else contextlib.nullcontext()
        try:
            with watch:
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
    except (ConnectionError, RuntimeError, ValueError, ray.exceptions.RayError) as error:
        first = str(error).strip().partition("\n")[0]
        if not address:
            raise RunError(f"Ray cannot be started: {first}") from error
        hint = "if it asks for a token, set RAY_AUTH_MODE=token"
        raise RunError(f"the Ray cluster at {address!r} cannot be joined ({hint}): {first}") from error


@contextlib.contextmanager
def _watched() -> Iterator[None]:
    """End this process in one sentence and exit code 2 when Ray itself, which started on this machine, is killed.

    Ray would end it a moment later without any: whatever holds objects of a raylet that has died cannot go on. So the
    kernel has to tell of it, which Linux alone does; elsewhere nothing is watched.
    """
    psutil: Any = importlib.import_module("psutil")  # Ray brings it
    node: Any = ray._private.worker._global_node
    kinds = (ray_constants.PROCESS_TYPE_RAYLET, ray_constants.PROCESS_TYPE_GCS_SERVER)
    processes = [psutil.Process(each.process.pid) for kind in kinds for each in node.all_processes[kind]]
    agents = [each for process in processes for each in process.children() if "Agent" in "".join(each.cmdline())]
    # Listed now: to look for them when one has died takes so long that Ray ends this process first, with exit code 1.
    all_of_ray = psutil.Process().children(recursive=True)
    ended, poll = threading.Event(), select.poll()

    def watch() -> None:
        while not poll.poll(100):
            if ended.is_set():
                return
        if not ended.is_set():
            sys.stderr.write("\nuno: Ray was killed: go on from the last checkpoint with uno train RUN\n")
            sys.stderr.flush()
            for each in all_of_ray:
                with contextlib.suppress(Exception):
                    each.kill()
            os._exit(2)

    with contextlib.ExitStack() as files:
        for each in (*agents, *processes):
            try:
                file = os.pidfd_open(each.pid)
            except ProcessLookupError:
                raise RunError("Ray has ended while it started") from None
            files.callback(os.close, file)
            poll.register(file, select.POLLIN)
        watcher = threading.Thread(target=watch, name="watch Ray", daemon=True)
        watcher.start()
        try:
            yield
        finally:
            ended.set()
            watcher.join()


@contextlib.contextmanager
def _token_of_its_own() -> Iterator[None]:
    """Protect the cluster that Ray starts in a ``with`` block with a new token, which only its processes know."""
    before = {name: os.environ.get(name) for name in (_MODE, _TOKEN)}
    try:
        _set_authentication({_MODE: "token", _TOKEN: secrets.token_hex(32)})
        yield
    finally:
        _set_authentication(before)


def _set_authentication(values: Mapping[str, str | None]) -> None:
    """Set or remove variables of the environment, and make Ray, which read them when imported, read them again."""
    for name, value in values.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value
    compiled: Any = _raylet
    compiled.Config.initialize("")
    compiled.AuthenticationTokenLoader.instance().reset_cache()


def _listen_on_loopback(only: bool) -> None:
    """Make Ray listen on the loopback interface only, as on systems where it must not form clusters.

    Ray has no public option for this: it replaces 127.0.0.1 by the machine's address in the network.
    """
    os.environ[ray_constants.ENABLE_RAY_CLUSTERS_ENV_VAR] = str(int(not only))
    ray_constants.ENABLE_RAY_CLUSTER = not only


def _check_size(workers: int) -> None:
    """Raise :class:`RunError` if the cluster has fewer CPUs than workers."""
    cpus = int(ray.cluster_resources().get("CPU", 0))
    if cpus < workers:
        raise RunError(f"workers={workers} is not allowed: the cluster has {cpus} CPUs, and each worker takes one")
