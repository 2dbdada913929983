"""uno_env/core/jit/interrupts.py: an interrupt in the middle of a compile waits until it has ended."""

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from uno_env.core.jit.interrupts import RESTART, WAITING, held_back

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


@pytest.mark.parametrize("plain", ["0", "1"])
def test_an_interrupt_in_the_middle_of_a_compile_is_raised_at_its_end(tmp_path: Path, plain: str) -> None:
    done = _run(tmp_path, BY_SIGNAL, plain)
    assert done.stdout.splitlines() == ["interrupted, 1 compiled", "4"]
    assert done.stderr == f"\n{WAITING}\n"


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
