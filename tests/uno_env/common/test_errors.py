"""An error says in a sentence what is not allowed, and to programs in a code and facts."""

import copy
import pickle

import pytest

from uno_env import Rules
from uno_env.common.errors import NotAllowedError
from uno_env.rules import RulesError


def test_rules_that_are_not_allowed_are_told_in_a_sentence_a_code_and_facts() -> None:
    with pytest.raises(ValueError, match=r"^hand_size=0 is not allowed: choose a whole number from 1 to 64$") as caught:
        Rules(hand_size=0)
    error = caught.value
    assert isinstance(error, RulesError)
    assert (error.code, error.facts) == ("number", {"field": "hand_size", "value": 0, "low": 1, "high": 64})


@pytest.mark.parametrize("again", [copy.copy, lambda error: pickle.loads(pickle.dumps(error))])
def test_an_error_of_another_process_has_its_facts(again: object) -> None:
    assert callable(again)
    error = again(RulesError("no", "deck_size", there=200, most=128))
    assert (type(error), str(error), error.code, error.facts) == (
        RulesError,
        "no",
        "deck_size",
        {"there": 200, "most": 128},
    )


def test_a_sentence_is_enough() -> None:
    error = NotAllowedError("no")
    assert (error.code, error.facts) == ("", {})
