"""uno_env/core/jit/interrupts.py: an interrupt ends a compile between two functions, and breaks nothing."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest
from numba.core import event

from tests.helpers.marks import thorough
from uno_env.core.jit.interrupts import RESTART, held_back

KERNEL = """
from uno_env.core.jit.njit import njit

@njit
def double(number):
    return number + number
"""
SCRIPT = """
import ctypes, signal, sys, threading
from numba.core import pythonapi
sys.path.insert(0, sys.argv[1])
import kernel

class Registry(dict):
    "Numba's, in which an interrupt comes just when a part of Numba that is being imported has entered a type."

    def __setitem__(self, kind, function):
        super().__setitem__(kind, function)
        if kind.__name__ == "DictType":
            {interrupt}

pythonapi._boxers.functions = Registry(pythonapi._boxers.functions)
for _ in range(2):
    try:
        print(kernel.double(2))
    except KeyboardInterrupt:
        print("interrupted,", len(kernel.double.overloads), "compiled")
    except RuntimeError as error:
        print(error)
assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
"""
BY_SIGNAL = "signal.raise_signal(signal.SIGINT)"
BY_THREAD = """ctypes.pythonapi.PyThreadState_SetAsyncExc(
                ctypes.c_ulong(threading.get_ident()), ctypes.py_object(KeyboardInterrupt)
            )"""


def _run(folder: Path, interrupt: str, plain: str = "0") -> "subprocess.CompletedProcess[str]":
    (folder / "kernel.py").write_text(KERNEL)
    environment = {**os.environ, "UNO_ENV_CACHE_DIR": str(folder / "cache"), "NUMBA_DISABLE_JIT": "0"}
    line = [sys.executable, "-c", SCRIPT.format(interrupt=interrupt), str(folder)]
    return subprocess.run(
        line, env={**environment, "UNO_ENV_PLAIN_NJIT": plain}, capture_output=True, text=True, check=True
    )


@pytest.mark.parametrize("plain", ["0", *thorough("1")])
def test_an_interrupt_within_a_function_waits_until_it_is_compiled(tmp_path: Path, plain: str) -> None:
    done = _run(tmp_path, BY_SIGNAL, plain)
    assert done.stdout.splitlines() == ["interrupted, 1 compiled", "4"]


TOWER = """
from uno_env.core.jit.njit import njit

def ground(number):
    return number

def floor(below):
    @njit
    def one(number):
        return below(number) + 1
    return one

tower = njit(ground)
for _ in range(9):
    tower = floor(tower)
"""


class _Raising(event.Listener):
    """Raises a signal when a number of functions is compiled; counts them."""

    def __init__(self, due: int) -> None:
        self.due, self.compiled = due, 0

    def on_start(self, started: event.Event) -> None:
        """Nothing."""

    def on_end(self, ended: event.Event) -> None:
        """Count, and raise it when it is due."""
        if not any(ended._exc_details or ()):
            self.compiled += 1
            if self.compiled == self.due:
                signal.raise_signal(signal.SIGTERM)


@pytest.mark.parametrize("raises", [True, False])
def test_an_interrupt_ends_a_compile_between_two_functions(
    raises: bool, tmp_path: Path, import_anew: Callable[[str], ModuleType]
) -> None:
    """Its handler is called there; if it returns, or the function is called again, the compile goes on from there."""
    (tmp_path / "kernel.py").write_text(TOWER)
    tower, heard = import_anew("kernel").tower, list[int]()

    def handle(*_: object) -> None:
        heard.append(listener.compiled)
        if raises:
            raise SystemExit

    before = signal.signal(signal.SIGTERM, handle)
    try:
        with event.install_listener("numba:compile", _Raising(4)) as listener:
            if raises:
                with pytest.raises(SystemExit):
                    tower(1)
                assert listener.compiled == 4
            assert tower(1) == 10
    finally:
        signal.signal(signal.SIGTERM, before)
    assert heard == [4]
    assert listener.compiled == 10


def test_an_exception_of_another_thread_cannot_wait_and_later_compiles_say_restart(tmp_path: Path) -> None:
    done = _run(tmp_path, BY_THREAD)
    assert done.stdout.splitlines() == ["interrupted, 0 compiled", RESTART]


def test_the_handlers_of_a_program_are_called_once_each_and_put_back() -> None:
    called: list[int] = []
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        for number in before:
            signal.signal(number, lambda number, _: called.append(number))
        with held_back():
            for _ in range(3):
                signal.raise_signal(signal.SIGTERM)
                signal.raise_signal(signal.SIGINT)
            with held_back():  # a function that is compiled for another
                signal.raise_signal(signal.SIGINT)
            assert called == []
        assert called == [signal.SIGTERM, signal.SIGINT]
        signal.raise_signal(signal.SIGINT)
        assert called[2:] == [signal.SIGINT]
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def test_other_threads_may_compile() -> None:
    done: list[bool] = []

    def compile_there() -> None:
        with held_back():
            done.append(True)

    thread = threading.Thread(target=compile_there)
    thread.start()
    thread.join()
    assert done == [True]
