"""Calls every public function and class of the documented modules with wrong arguments, some thousand times:
``python -m tests.fuzz.functions --calls 100000``.

Each call works or raises one of :data:`tests.fuzz.calls.DOCUMENTED`, or an error that the docstring names. All else
is printed, and the exit code is 1. With ``NUMBA_BOUNDSCHECK=1`` compiled code has bounds, and what is out of them is an
IndexError. Compiled functions themselves (``uno_env.core``) check nothing, and are left out: their callers do.
"""

import argparse
import contextlib
import faulthandler
import importlib
import inspect
import io
import os
import sys
import tempfile
import traceback
import warnings
from collections.abc import Callable
from typing import Any

from tests.fuzz.calls import DOCUMENTED, LONGEST
from tests.fuzz.values import SCALARS, Values
from tools.docs.reference import PACKAGES
from uno_env import BatchedGames, Game, Rules

MODULES = [
    module
    for package in ("uno_env", "agents")
    for names in PACKAGES[package][1].values()
    for module in names
    if not module.startswith("uno_env.core.")
] + ["uno_env.encodings"]
LEFT_OUT = {
    "uno_env.extensive_form.game_tree.tree_of": "may grow a tree of hundreds of megabytes",
    "uno_env.extensive_form.game_tree.grow": "may grow a tree of hundreds of megabytes",
    "uno_env.events.asks_unseen": "goes by a game's record, as compiled functions do",
    "uno_env.events.deal_event": "goes by a game's record, as compiled functions do",
    "uno_env.events.event_of": "goes by a game's record, as compiled functions do",
    "uno_env.events.let_go_event": "goes by a game's record, as compiled functions do",
    "agents.policy.policy_agent.layer_of": "goes by the weights of a network, which were checked",
    "uno_env.batched.last_of_each": "goes by arrays that its callers have checked",
    "uno_env.cards.card_name": "looks up what it is given, in a table",
    "uno_env.cards.card_text": "looks up what it is given, in a table",
    "uno_env.cards.cards_text": "looks up what it is given, in a table",
    "uno_env.cards.count_cards": "looks up what it is given, in a table",
}


def functions() -> dict[str, Callable[..., Any]]:
    """What is called, by its full name."""
    found = {}
    for module in map(importlib.import_module, MODULES):
        for name, value in vars(module).items():
            called = f"{module.__name__}.{name}"
            of_python = inspect.isfunction(value) or (inspect.isclass(value) and not issubclass(value, Exception))
            if (
                of_python
                and value.__module__ == module.__name__
                and not name.startswith("_")
                and called not in LEFT_OUT
            ):
                found[called] = value
    return dict(sorted(found.items()))


def wrong(values: Values) -> Any:
    """Anything; things of this project among them, where something else is meant."""
    kind = values.chance.randrange(10)
    if kind == 0:
        return values.chance.choice(
            (Game("duel", 1), Rules.preset("house"), BatchedGames(2, "duel"), Game("duel", 1).events)
        )
    if kind == 1:
        return values.chance.choice(("duel", "greedy", "zoo:duel-2p", "\ud800", "r5", "player_0", "x" * 10_000, "../x"))
    if kind == 2:
        return values.chance.choice(SCALARS)
    return values.hostile("length")


def arguments(function: Callable[..., Any], values: Values) -> tuple[list[Any], dict[str, Any]]:
    """Arguments of a call. Raises ValueError if the function has no signature."""
    given, named = [], {}
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        if parameter.default is not parameter.empty and values.chance.random() < 0.5:
            break
        if parameter.kind is parameter.KEYWORD_ONLY:
            named[name] = wrong(values)
        else:
            given.append(wrong(values))
    return given, named


def fuzz(calls: int, seed: int) -> int:
    """Call all functions in turn; how many places went wrong."""
    values, places = Values(seed), dict[str, int]()
    called = [*functions().items()]
    for number in range(calls):
        name, function = called[number % len(called)]
        given, named = arguments(function, values)
        faulthandler.dump_traceback_later(LONGEST, exit=True)
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                function(*given, **named)
            continue
        except DOCUMENTED as error:
            found = "" if str(error) or isinstance(error, NotImplementedError) else f"{error!r} says nothing"
        except Exception as error:
            is_told = any(kind.__name__ in (function.__doc__ or "") for kind in type(error).__mro__[:-3])
            found = "" if is_told else traceback.format_exc(limit=-4)
        finally:
            faulthandler.cancel_dump_traceback_later()
        if found:
            place = f"{name}: {found.strip().splitlines()[-1][:150]}"
            places[place] = places.get(place, 0) + 1
            if places[place] == 1:
                print(f"--- {place}\n{given!r:.500} {named!r:.500}\n{found}", flush=True)
    print(f"{calls:,} calls of {len(called)} functions")
    for place, times in sorted(places.items()):
        print(f"{times} × {place}")
    return len(places)


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    plan = parser.parse_args()
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        return int(fuzz(plan.calls, plan.seed) > 0)


if __name__ == "__main__":
    sys.exit(main())
