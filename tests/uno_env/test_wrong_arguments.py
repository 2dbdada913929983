"""Doors of the library say in a sentence that an argument is of another kind; nothing of Numba's reaches users."""

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from uno_env import Game, actions, encodings, invariants
from uno_env.events import events_seen_by
from uno_env.history import history_of
from uno_env.invariants import find_faults
from uno_env.observation import rules_of
from uno_env.player import checked_choices
from uno_env.policy_columns import policy_columns
from uno_env.sb3 import UnoVecEnv

GAME = Game("duel", seed=1)
EVENTS = GAME.events


@pytest.fixture(scope="module")
def env() -> UnoVecEnv:
    env = UnoVecEnv(2, "duel", opponents=["random"], seed=1)
    env.reset()
    return env


def test_modules_offer_no_compiled_functions_that_check_nothing() -> None:
    for module in (encodings, invariants):
        offered = [value for name, value in vars(module).items() if not name.startswith("_") and callable(value)]
        assert not [each for each in offered if each.__module__.startswith("uno_env.core.loops")]
        assert not [each for each in offered if each.__module__.startswith("uno_env.core.observe.planes")]


@pytest.mark.parametrize("text", [None, 3, [], {}, object(), np.zeros(3), "", b"\xff", "\ud800"])
def test_what_is_no_saved_game_is_refused(text: Any) -> None:
    with pytest.raises(ValueError, match="no saved game"):
        Game.from_json(text)


@pytest.mark.parametrize("seed", ["x", [1], {}, b"x", True, 1.5, -1, 2**64])
def test_a_vector_environment_refuses_what_is_no_seed(env: UnoVecEnv, seed: Any) -> None:
    before = env.get_state()
    with pytest.raises(ValueError, match=r"seed=.* is not allowed"):
        env.seed(seed)
    assert np.array_equal(env.get_state()[0]["games"], before[0]["games"])
    env.seed(3)
    assert (env.reset() == UnoVecEnv(2, "duel", opponents=["random"], seed=3).reset()).all()


@pytest.mark.parametrize("states", [None, 3, object(), {}, [], "x", [None], [3], [{}], [[]]])
def test_a_vector_environment_refuses_what_is_no_state(env: UnoVecEnv, states: Any) -> None:
    before = env.get_state()
    with pytest.raises(ValueError, match="does not fit"):
        env.set_state(states)
    assert np.array_equal(env.get_state()[0]["games"], before[0]["games"])


@pytest.mark.parametrize("value", [None, 2.5, True, [], {}, np.array([3, 4]), 132, -1])
def test_an_id_and_a_text_of_an_action_are_told_apart_from_other_things(value: Any) -> None:
    for ask in (actions.name, actions.parse):
        with pytest.raises(ValueError, match=re.escape(f"{value!r} is no action")):
            ask(value)
    with pytest.raises(ValueError, match="5 is no action: write a card"):
        actions.parse(5)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="'r5' is no action: ids go"):
        actions.name("r5")  # type: ignore[arg-type]
    assert actions.name(np.int64(5)) == "r5"  # type: ignore[arg-type]


@pytest.mark.parametrize("table", [None, 3, "x", GAME])
def test_a_vector_environment_observes_tables_alone(env: UnoVecEnv, table: Any) -> None:
    with pytest.raises(ValueError, match="is no table of this environment"):
        env.observe_table(table)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        *((lambda events=events: history_of(events, 0, 1), "no events") for events in (None, 3, "ab", [1], {}, GAME)),
        *((lambda seat=seat: history_of(EVENTS, seat, 1), "observer=") for seat in ("x", 2, -1, None, 0.5)),
        *((lambda size=size: history_of(EVENTS, 0, size), "length=") for size in (0, -1, "x", 1.5, 10**12)),
        *((lambda game=game: find_faults(game, GAME.rules), "no game's record") for game in (None, 3, "x", {}, GAME)),
        *((lambda events=events: events_seen_by(events, 0), "no events") for events in (None, 3, "ab", [1])),
        *((lambda rules=rules: policy_columns(rules), "rules=") for rules in (None, 3, "duel", [], [1], np.zeros(3))),
        *((lambda row=row: rules_of(row), "observation must") for row in (None, 3, np.zeros(3), [0])),
        *((lambda masks=masks: checked_choices("x", [1], masks), "action_masks must") for masks in (None, [1], "x")),
        (lambda: find_faults(np.zeros(3), GAME.rules), "no game's record"),
        (lambda: find_faults(GAME.record, None), "its rules"),  # type: ignore[arg-type]
    ],
)
def test_functions_refuse_other_things(call: Callable[[], object], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        call()
