"""Rules that are refused: each time one sentence that names the value and what is allowed."""

import inspect
import json
import re
from collections.abc import Callable
from dataclasses import fields
from typing import Any

import numpy as np
import pytest

from uno_env import BatchedGames, Game, Rules
from uno_env.core.record import FLAGS, SWITCHES, SWITCHES_OF_EDITIONS
from uno_env.rules import as_rules


def _refusal(**changes: Any) -> str:
    """The sentence with which rules are refused."""
    with pytest.raises(ValueError) as caught:
        Rules(**changes)
    sentence = str(caught.value)
    assert "\n" not in sentence
    return sentence


@pytest.mark.parametrize("switch", SWITCHES)
@pytest.mark.parametrize("value", ["always", None, 1, True, ["off"]])
def test_a_value_that_a_switch_does_not_have(switch: str, value: object) -> None:
    allowed = ", ".join(map(repr, (*SWITCHES[switch], *SWITCHES_OF_EDITIONS.get(switch, ()))))
    assert _refusal(**{switch: value}) == f"{switch}={value!r} is not allowed: choose one of {allowed}"


@pytest.mark.parametrize("flag", FLAGS)
@pytest.mark.parametrize("value", [0, 1, "yes", None])
def test_a_flag_that_is_neither_true_nor_false(flag: str, value: object) -> None:
    allowed = "True or False or 'two_or_more'" if flag == "double_play" else "True or False"
    assert _refusal(**{flag: value}) == f"{flag}={value!r} is not allowed: choose {allowed}"


@pytest.mark.parametrize(
    ("name", "low", "high"),
    [
        ("players", 2, 10),
        ("hand_size", 1, 64),
        ("dealer_seat", 0, 9),
        ("uno_penalty", 0, 20),
        ("special_wild_points", 0, 100),
        ("target", 1, 1_000),
        ("max_decisions", 1, 30_000),
    ],
)
def test_a_number_out_of_range_or_not_whole(name: str, low: int, high: int) -> None:
    for value in (low - 1, high + 1, 2.0, "3", None, True):
        sentence = _refusal(**{name: value})
        assert sentence == f"{name}={value!r} is not allowed: choose a whole number from {low} to {high}"


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"players": 10, "hand_size": 12}, "the deck has 108 cards, but 10 players with hand_size=12 need 121"),
        ({"deck": "r1 r2", "hand_size": 1}, "the deck has 2 cards, but 4 players with hand_size=1 need 5"),
        ({"players": 2, "dealer_seat": 2}, "dealer_seat=2 is no seat of 2 players: 0 to 1"),
        ({"deck": "rs rs rs rs rs rs", "hand_size": 1, "first_card": "number", "dealer": "random"},
         "no card of the deck may lie first under first_card='number'"),
        ({"deck": "w w w w w w", "hand_size": 1, "first_card": "effects_no_wild", "dealer": "random"},
         "no card of the deck may lie first under first_card='effects_no_wild'"),
        ({"deck": "w+4 w+4 w+4 w+4 w+4", "hand_size": 1, "dealer": "random"},
         "no card of the deck may lie first under first_card='effects'"),
        ({"deck": "r1 rs rs rs rs rs", "hand_size": 1}, "dealer='high_card' needs a number card"),
        ({"reflexes": (1, 2)}, r"reflexes=(1, 2) is not allowed: give 4 weights, one a player, not all 0"),
        ({"reflexes": (0, 0, 0, 0)}, "reflexes=(0, 0, 0, 0) is not allowed: give 4 weights"),
        ({"reflexes": (1, 2, 3, 256)}, "give each seat a whole number from 0 to 255"),
        ({"reflexes": 3}, "reflexes=3 is not allowed"),
    ],
)  # fmt: skip
def test_a_combination_that_cannot_be_played(changes: dict[str, Any], sentence: str) -> None:
    assert sentence in _refusal(**changes)


@pytest.mark.parametrize(
    ("deck", "sentence"),
    [
        ("clasic", "deck='clasic' is not allowed ('clasic' is no card"),
        ("r1 r2 p3", "'p3' is no card"),
        ({"r1": 5, "x": 2}, "'x' is no card"),
        ({"r1": -1, "r2": 9}, "the number of cards of a kind is a whole number, 0 or more"),
        ({"r1": 1.5, "r2": 9}, "the number of cards of a kind is a whole number, 0 or more"),
        ({"r1": 100, "r2": 29}, "the deck has 129 cards, and there is room for 128"),
        ((1, 2, 3), "deck=(1, 2, 3) is not allowed: choose 'classic'"),
        (None, "deck=None is not allowed"),
    ],
)
def test_a_deck_that_is_none(deck: object, sentence: str) -> None:
    assert sentence in _refusal(deck=deck, hand_size=1)


def test_an_unknown_preset() -> None:
    with pytest.raises(ValueError, match=r"unknown preset 'clasic' \(did you mean 'classic'\?\): there are classic, "):
        Rules.preset("clasic")


@pytest.mark.parametrize(
    "make",
    [
        Rules.from_dict,
        Game,
        lambda values: Rules.preset("duel", **values),
        lambda values: Rules().replace(**values),
        lambda values: BatchedGames(2, values),
    ],
)
def test_an_unknown_field(make: Callable[[dict[str, str]], object]) -> None:
    with pytest.raises(ValueError, match=r"^unknown rule 'staking' \(did you mean 'stacking'\?\): there are players, "):
        make({"staking": "same"})


@pytest.mark.parametrize("name", ["name", "cls", "self", 5, None, ("players",)])
def test_a_field_of_any_name_is_refused_in_a_sentence(name: object) -> None:
    values: Any = {name: 5}
    makers: list[Callable[[], object]] = [lambda: as_rules(values), lambda: Rules.from_dict(values)]
    if isinstance(name, str):
        makers += [lambda: Rules.preset("duel", **values), lambda: Rules(**values), lambda: Rules().replace(**values)]
    for make in makers:
        with pytest.raises(ValueError, match=re.escape(f"unknown rule {name!r}")):
            make()


def test_the_constructor_shows_its_fields() -> None:
    assert list(inspect.signature(Rules).parameters) == [field.name for field in fields(Rules)]


def test_numbers_of_numpy_become_plain_ones() -> None:
    rules = Rules(players=np.int64(2), reflexes=np.array([1, 2]).tolist(), deck=tuple(np.array(Rules().deck_counts)))  # type: ignore[arg-type]
    assert json.loads(json.dumps(rules.to_dict())) == rules.to_dict()
