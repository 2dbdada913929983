"""Calls every public method with hostile arguments for a while: ``python -m tests.fuzz.calls --seconds 600``.

Each call works or raises one of :data:`DOCUMENTED`; anything else is printed, and the exit code is 1. What does not
come back within :data:`LONGEST` seconds ends the process with a traceback, as a crash does; the last line of the file
``--log`` is then the call that did it. With ``NUMBA_DISABLE_JIT=1`` the core runs as plain Python, whose arrays have
bounds; with ``NUMBA_BOUNDSCHECK=1`` compiled code has them, too, and what is out of them is an IndexError, which
nothing documents.
"""

import argparse
import faulthandler
import inspect
import itertools
import sys
import time
import traceback
import warnings
from pathlib import Path
from typing import Any

import gymnasium

from tests.fuzz.subjects import LEFT_OUT, SUBJECTS, Arguments
from tests.fuzz.values import Values

DOCUMENTED = (ValueError, TypeError, RuntimeError, OverflowError, AttributeError, gymnasium.error.Error)
"""Errors that bad arguments may raise; OverflowError is NumPy's for numbers that no dtype holds, AttributeError
Python's for an object of another class than was asked for."""
LONGEST = 300
LIVES = 15
"""Calls of one object at most."""


def methods_of(subject: Any) -> list[str]:
    """Its public methods that are ours."""
    names = []
    for name, method in inspect.getmembers(type(subject), callable):
        if not name.startswith("_") and name not in LEFT_OUT and not inspect.isclass(method):
            names.append(name)
    return names


def arguments_of(method: Any, subject: Any, values: Values) -> tuple[list[Any], dict[str, Any]]:
    """Arguments of a call: each as it may be meant, or anything."""
    given, named = [], {}
    meant = Arguments(subject, values)
    for name, parameter in inspect.signature(method).parameters.items():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        if parameter.default is not parameter.empty and values.chance.random() < 0.5:
            break
        value = values.hostile(name) if values.chance.random() < 0.25 else meant.named(name)
        if parameter.kind is parameter.KEYWORD_ONLY:
            named[name] = value
        else:
            given.append(value)
    return given, named


def call_once(subject: Any, name: str, values: Values, log: Any) -> str | None:
    """Call a method; what is wrong with how that went, or None."""
    method = getattr(subject, name)
    try:
        given, named = arguments_of(method, subject, values)
    except ValueError:  # of a method that has no signature
        return None
    log.seek(0)
    log.write(f"{type(subject).__name__}.{name}({given!r}, {named!r})"[:5_000])
    log.truncate()
    log.flush()
    faulthandler.dump_traceback_later(LONGEST, exit=True)
    try:
        method(*given, **named)
    except DOCUMENTED as error:
        return None if str(error) or isinstance(error, NotImplementedError) else f"{error!r} says nothing"
    except Exception:
        return traceback.format_exc(limit=-6)
    finally:
        faulthandler.cancel_dump_traceback_later()
    return None


def fuzz(seconds: float, seed: int, names: list[str], log: Any) -> int:
    """Call each subject once over, which compiles what they need, then until the time is over; how many went wrong."""
    values, end = Values(seed), float("inf")
    calls: dict[str, int] = dict.fromkeys(names, 0)
    wrong: dict[str, int] = {}
    for turn, name in enumerate(itertools.cycle(names)):
        if turn == len(names):
            end = time.monotonic() + seconds
        if time.monotonic() > end:
            break
        subject = SUBJECTS[name](values)
        methods = methods_of(subject)
        for _ in range(LIVES):
            method = values.chance.choice(methods)
            found = call_once(subject, method, values, log)
            calls[name] += 1
            if found:
                place = f"{type(subject).__name__}.{method}: {found.strip().splitlines()[-1][:150]}"
                wrong[place] = wrong.get(place, 0) + 1
                if wrong[place] == 1:
                    log.seek(0)
                    print(f"--- {place}\n{log.read()[:600]}\n{found}", flush=True)
                break
    print(f"{sum(calls.values()):,} calls, at least {min(calls.values())} of each of {len(calls)} subjects")
    for place, number in sorted(wrong.items()):
        print(f"{number} × {place}")
    return len(wrong)


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--log", type=Path, default=Path("fuzz.log"))
    parser.add_argument("--only", nargs="*", default=list(SUBJECTS), choices=list(SUBJECTS))
    plan = parser.parse_args()
    warnings.simplefilter("ignore")
    with plan.log.open("w+") as log:
        return int(fuzz(plan.seconds, plan.seed, plan.only, log) > 0)


if __name__ == "__main__":
    sys.exit(main())
