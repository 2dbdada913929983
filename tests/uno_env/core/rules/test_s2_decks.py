"""GUIDE.md 2: decks."""

import numpy as np
import pytest

from uno_env import Game, Rules
from uno_env.cards import DECKS, NUM_KINDS, count_cards, parse_cards

CLASSIC = " ".join(
    [f"{colour}0" for colour in "rygb"]
    + [f"{colour}{rank}" for colour in "rygb" for rank in (*range(1, 10), "s", "r", "+2") for _ in range(2)]
    + ["w"] * 4
    + ["w+4"] * 4
)


@pytest.mark.parametrize(
    ("deck", "cards", "number"),
    [
        ("classic", CLASSIC, 108),
        ("edition_2018", CLASSIC + " wsh wcu wcu wcu", 112),
        ("h2o", CLASSIC + " wd1 wd1 wd2 wd2", 112),
    ],
)
def test_2_named_decks(deck: str, cards: str, number: int) -> None:
    assert DECKS[deck] == count_cards(parse_cards(cards))
    assert sum(DECKS[deck]) == number


@pytest.mark.parametrize("seed", range(5))
def test_2_all_cards_of_the_deck_are_in_the_game(seed: int) -> None:
    record = Game("classic", players=3, seed=seed).record
    pile = np.bincount(record.pile[record.pile_next : record.pile_end], minlength=NUM_KINDS)
    assert tuple(record.seats["hand"].sum(axis=0) + record.discards + pile) == DECKS["classic"]


@pytest.mark.parametrize(
    "deck",
    ["r1 r1 b2 g3 w", {"r1": 2, "b2": 1, "g3": 1, "w": 1}, count_cards(parse_cards("r1 r1 b2 g3 w")),
     list(count_cards(parse_cards("r1 r1 b2 g3 w")))],
)  # fmt: skip
def test_2_a_deck_of_ones_own_as_text_mapping_or_counts(deck: object) -> None:
    rules = Rules(players=2, hand_size=1, deck=deck)  # type: ignore[arg-type]
    assert rules.deck_counts == count_cards(parse_cards("r1 r1 b2 g3 w"))
    assert Game(rules, deck="r1 g3 b2").hand(0) != []


def test_2_the_largest_deck() -> None:
    rules = Rules(players=10, hand_size=12, deck={"r1": 64, "b2": 64})
    record = Game(rules, seed=1).record
    assert record.pile_end - record.pile_next + 10 * 12 + 1 == 128
