"""Interrupts calls for a while: ``python -m tests.interrupts.interrupting --minutes 60``.

A call is interrupted by an exception of its own or another's class: raised at one instruction of Python in it, by a
signal after some time, or thrown by another thread into the one that plays. What is left of the object must play on as
a twin that was not called, or as one whose call was not interrupted, or say that it must be reset; once it is reset, it
must be as a new one.
"""

import argparse
import contextlib
import copy
import ctypes
import faulthandler
import random
import signal
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import gymnasium

from tests.interrupts.subjects import SUBJECTS, Subject, plain

ROOT = Path(__file__).parents[2]
OURS = tuple(str(ROOT / name) for name in ("uno_env", "agents"))
COMPILER = str(ROOT / "uno_env/core/jit")
LONGEST = 300
"""Seconds after which a call counts as one that never comes back."""
CALLS_ON = 3
"""Calls by which twins are compared."""


class Stop(BaseException):
    """An interrupt as Ctrl-C is one."""


class AlarmError(Exception):
    """An interrupt as programs raise it out of a signal when time is up."""


class WrongStateError(AssertionError):
    """What an interrupt must not leave."""


def _is_ours(frame: Any) -> bool:
    name = frame.f_code.co_filename
    return name.startswith(OURS) and not name.startswith(COMPILER)


@contextlib.contextmanager
def at_instruction(number: int, kind: type[BaseException]) -> Iterator[list[int]]:
    """Raise before the instruction of our Python of that number; the list has how many there were."""
    count = [0]

    def trace(frame: Any, event: str, _argument: Any) -> Any:
        if not _is_ours(frame):
            return None
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        if event == "opcode":
            count[0] += 1
            if count[0] == number:
                sys.settrace(None)
                raise kind
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        yield count
    finally:
        sys.settrace(before)


@contextlib.contextmanager
def by_signal(seconds: float, kind: type[BaseException]) -> Iterator[None]:
    """Raise out of a signal after some time."""
    armed = True

    def handle(*_: Any) -> None:
        if armed:
            raise kind

    before = signal.signal(signal.SIGALRM, handle)
    try:
        signal.setitimer(signal.ITIMER_REAL, max(seconds, 1e-6))
        yield
    finally:
        armed = False
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@contextlib.contextmanager
def by_thread(seconds: float, kind: type[BaseException]) -> Iterator[None]:
    """Throw an exception from another thread into this one after some time, as debuggers and notebooks do."""
    here, begun, over, thrown = threading.get_ident(), [False], [False], [False]
    switching = sys.getswitchinterval()
    throw = ctypes.pythonapi.PyThreadState_SetAsyncExc

    def wait_and_throw() -> None:
        while not begun[0]:
            time.sleep(0)
        time.sleep(seconds)
        if not over[0]:
            throw(ctypes.c_ulong(here), ctypes.py_object(kind))
        thrown[0] = True

    threading.Thread(target=wait_and_throw).start()
    try:
        sys.setswitchinterval(1e-6)
        try:
            begun[0] = True
            yield
        finally:
            with contextlib.suppress(Stop, AlarmError):  # it may come after the call
                over[0] = True
                while not thrown[0]:
                    time.sleep(1e-4)
                time.sleep(0)
    finally:
        sys.setswitchinterval(switching)


def outcome(call: Callable[[], Any]) -> Any:
    """What a call gives, or that it asks for a reset."""
    try:
        return call()
    except (ValueError, RuntimeError, gymnasium.error.ResetNeeded) as error:
        if "was interrupted" in str(error) and "call reset(" in str(error):
            return "must be reset"
        raise


def plays_on(subject: Subject, thing: Any) -> list[Any]:
    """What an object shows and does from now on."""
    told: list[Any] = []
    for number in range(CALLS_ON):
        told += [plain(outcome(lambda: subject.shown(thing)))]
        told += [plain(outcome(lambda number=number: subject.play(thing, 11 + number)))]  # type: ignore[misc]
    return told


def check(subject: Subject, thing: Any, before: Any, after: Any, kind: type[BaseException]) -> str:
    """What an interrupted object is like: as before, as after, or to be reset.

    Raises:
        WrongStateError: it is none of these.
    """
    found = plays_on(subject, thing)
    if "must be reset" in found:
        verdict = "must be reset"
        if subject.reset is None or (set(map(str, found)) - {"must be reset"} and not subject.asks_players):
            raise WrongStateError("it says that it must be reset, and plays on")
    else:
        ends = [plays_on(subject, copy.deepcopy(twin)) for twin in (before, after)]
        verdict = "as before" if found == ends[0] else "as after" if found == ends[1] else "other"
        if verdict == "other" and not (subject.asks_players and kind is AlarmError):
            raise WrongStateError("it plays on neither as before the call nor as after it")
    if subject.reset is not None:
        subject.reset(thing, 77)
        new = subject.make()
        subject.reset(new, 77)
        if plays_on(subject, thing) != plays_on(subject, new):
            raise WrongStateError("after reset(seed=77) it is not as a new one")
    return verdict


def interrupt(name: str, way: str, chance: random.Random) -> str:
    """Interrupt one call of an object of this name; what came of it."""
    subject = SUBJECTS[name]
    thing = subject.make()
    for number in range(chance.choice((0, 1, 5, 20, 60))):
        subject.play(thing, number)
    method = chance.choice(["play"] * 3 + sorted(subject.others) + ["reset"] * (subject.reset is not None))
    number = chance.randrange(50)

    def call(twin: Any) -> Any:
        if method == "reset" and subject.reset is not None:
            return subject.reset(twin, number)
        return subject.play(twin, number) if method == "play" else subject.others[method](twin, number)

    before, after, rehearsed = (copy.deepcopy(thing) for _ in range(3))
    kind = chance.choice((Stop, Stop, AlarmError))
    begun = time.perf_counter()
    call(after)
    lasted = time.perf_counter() - begun
    if way == "instruction":
        with at_instruction(0, kind) as count:
            call(rehearsed)
        interruption: Any = at_instruction(1 + chance.randrange(max(count[0], 1)), kind)
    else:
        after_time = by_signal if way == "signal" else by_thread
        interruption = after_time(chance.random() * lasted * 1.1, kind)
    raised = False
    try:
        with interruption:
            call(thing)
    except (Stop, AlarmError):
        raised = True
    try:
        verdict = check(subject, thing, before, after, kind)
    except Exception as error:
        raise WrongStateError(f"{name}, {method}, {way}, {kind.__name__}: {type(error).__name__}: {error}") from error
    return verdict if raised else "not interrupted"


WAYS = ("instruction", "signal", "thread")


def main() -> int:
    """Interrupt for a while; 1 if something wrong was left."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=1)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="", help="part of the names of what is interrupted")
    parser.add_argument("--ways", nargs="*", choices=WAYS, default=WAYS, help="how calls are interrupted")
    options = parser.parse_args()
    chance, found, wrong = random.Random(options.seed), Counter[tuple[str, str]](), Counter[str]()
    names = [name for name in SUBJECTS if options.only in name]
    end = time.monotonic() + 60 * options.minutes
    while time.monotonic() < end:
        for name in names:
            faulthandler.dump_traceback_later(LONGEST, exit=True)
            try:
                found[name, interrupt(name, chance.choice(options.ways), chance)] += 1
            except WrongStateError as error:
                wrong[str(error)[:150]] += 1
                print(error, flush=True)
    for (name, verdict), times in sorted(found.items()):
        print(f"{times:8} {name}: {verdict}")
    for sentence, times in wrong.most_common():
        print(f"{times:8} wrong: {sentence}")
    print(f"{found.total() + wrong.total()} calls, {wrong.total()} wrong")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
