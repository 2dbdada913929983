"""Names of cards and actions: every table there and back."""

import pytest

from uno_env import Rules, actions, cards
from uno_env.core.rules.double_play import pair_kind


def test_texts_round_trip() -> None:
    kinds, ids = range(cards.NUM_KINDS), range(actions.NUM_ACTIONS)
    assert [cards.parse_card(cards.card_text(kind)) for kind in kinds] == [*kinds]
    assert [actions.parse(actions.name(action)) for action in ids] == [*ids]


def test_names_are_different() -> None:
    assert len(set(cards.CARD_TEXTS)) == len(set(cards.CARD_NAMES)) == cards.NUM_KINDS == 58
    assert len(set(actions.ACTION_TEXTS)) == len(set(actions.ACTION_NAMES)) == actions.NUM_ACTIONS == 132


@pytest.mark.parametrize(
    ("text", "kind", "name"),
    [
        ("r0", 0, "red 0"),
        ("y4", 17, "yellow 4"),
        ("gs", 36, "green Skip"),
        ("br", 50, "blue Reverse"),
        ("b+2", 51, "blue Draw Two"),
        ("w", 52, "Wild"),
        ("w+4", 53, "Wild Draw Four"),
        ("wsh", 54, "Wild Shuffle Hands"),
        ("wd2", 57, "Wild Downpour Two"),
    ],
)
def test_some_cards_by_hand(text: str, kind: int, name: str) -> None:
    assert (cards.parse_card(text), cards.card_name(kind)) == (kind, name)


@pytest.mark.parametrize(
    ("text", "action", "name"),
    [
        ("r5", 5, "play red 5"),
        ("w:r", 52, "play Wild, declare red"),
        ("w+4:g", 58, "play Wild Draw Four, declare green"),
        ("r1x2", 76, "play two red 1"),
        ("b9x2", 111, "play two blue 9"),
        ("draw", 112, "draw"),
        ("catch", 117, "catch the missing UNO call"),
        ("swap9", 127, "swap hands with player 9 to the left"),
        ("colour:b", 131, "declare blue"),
    ],
)
def test_some_actions_by_hand(text: str, action: int, name: str) -> None:
    assert (actions.parse(text), actions.ACTION_NAMES[action]) == (action, name)


def test_the_wild_and_pair_helpers_agree_with_the_texts() -> None:
    for kind in range(cards.FIRST_WILD, cards.NUM_KINDS):
        for colour, letter in enumerate("rygb"):
            assert actions.name(actions.wild_action(kind, colour)) == f"{cards.card_text(kind)}:{letter}"
    for action in range(actions.PLAY_PAIR, actions.DRAW):
        kind = cards.parse_card(actions.name(action).removesuffix("x2"))
        assert pair_kind(Rules().record, action - actions.PLAY_PAIR) == kind


@pytest.mark.parametrize("text", ["", "r", "r10", "x1", "w:", "w+4", "r5x3", "swap0", "swap10", "colour:x"])
def test_a_text_that_is_no_action(text: str) -> None:
    with pytest.raises(ValueError, match=f"^{text!r} is no action: write a card".replace("+", r"\+")):
        actions.parse(text)


@pytest.mark.parametrize("text", ["", "r", "r10", "x1", "w+2", "red 5"])
def test_a_text_that_is_no_card(text: str) -> None:
    with pytest.raises(ValueError, match=f"^{text!r} is no card: write a colour letter".replace("+", r"\+")):
        cards.parse_card(text)


@pytest.mark.parametrize("action", [-1, 132])
def test_an_id_that_is_no_action(action: int) -> None:
    with pytest.raises(ValueError, match=f"{action} is no action: ids go from 0 to 131"):
        actions.name(action)


def test_texts_of_several_cards() -> None:
    kinds = cards.parse_cards("r5 g+2  w\n w+4")
    assert cards.cards_text(kinds) == "r5 g+2 w w+4"
    counts = cards.count_cards([53, 5, 5])
    assert (counts[53], counts[5], sum(counts), len(counts)) == (1, 2, 3, cards.NUM_KINDS)


@pytest.mark.parametrize(("text", "colour"), [("r0", 0), ("y+2", 1), ("w", -1), ("wd2", -1)])
def test_colours(text: str, colour: int) -> None:
    assert cards.colour_of(cards.parse_card(text)) == colour
