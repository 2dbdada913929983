"""GUIDE.md 5.2: Wild Shuffle Hands, Wild Customizable and the Downpours. Switch: ``customizable_effect``."""

from collections import Counter
from typing import Any

import numpy as np
import pytest

from tests.helpers.chance import looks_uniform
from tests.helpers.table import Table


def _table(*hands: str | None, deck: str = "edition_2018", **changes: Any) -> Table:
    return Table(*hands, deck=deck, **{"uno_call": "automatic", **changes})


@pytest.mark.parametrize(
    ("wild", "deck"), [("wsh", "edition_2018"), ("wcu", "edition_2018"), ("wd1", "h2o"), ("wd2", "h2o")]
)
class TestAsAWild:
    """What all of them share with a Wild."""

    def test_5_it_may_be_played_on_anything_and_declares_a_colour(self, wild: str, deck: str) -> None:
        table = _table(f"{wild} r1 g2", None, None, deck=deck)
        assert {wild, "r1"} <= table.legal
        table.go(f"0 {wild}:b")
        assert (table.top, table.colour, table.to_move) == (wild, "blue", 1)

    def test_5_after_it_only_the_declared_colour_matches(self, wild: str, deck: str) -> None:
        table = _table("g1 b1", f"r1 {wild}", deck=deck, dealer=0).go(f"1 {wild}:b")
        playable = {card for card in table.hand(0).split() if card[0] in "bw"}
        assert table.legal == playable | {"draw"}

    def test_3_3_turned_up_first_it_goes_back(self, wild: str, deck: str) -> None:
        table = _table("r1 r2", None, first=f"{wild} r9", deck=deck)
        assert (table.top, table.discards) == ("r9", "r9")
        assert wild in table.pile.split()

    def test_8_1_it_can_be_the_last_card(self, wild: str, deck: str) -> None:
        game = _table(wild, "b1", "y2", deck=deck).go(f"0 {wild}:b").game
        assert (game.end, game.winner) == ("went_out", 0)


def _shuffled(hands: tuple[str | None, ...], seed: int, **changes: Any) -> Table:
    table = _table(*hands, **changes)
    table.game._array[0].rng = np.uint64(seed * 0x9E37_79B9)
    return table.go("0 wsh:b")


def test_5_shuffle_hands_all_hands_are_collected_shuffled_and_dealt_out_again() -> None:
    hands = ("wsh r1 r2", "y1 y2 y3", "g1 g2 g3")
    table = _shuffled(hands, 1)
    assert sorted(" ".join(map(table.hand, range(3))).split()) == ["g1", "g2", "g3", "r1", "r2", "y1", "y2", "y3"]
    assert table.to_move == 1


def test_5_shuffle_hands_the_first_dealt_to_get_the_odd_cards() -> None:
    """Eight cards are dealt from seat 1 on: seats 1 and 2 get three, the player two."""
    assert _shuffled(("wsh r1 r2", "y1 y2 y3", "g1 g2 g3"), 1).sizes == [2, 3, 3]
    assert _shuffled(("wsh r1 r2", "y1 y2 y3", "g1 g2 g3", "b1 b2 b3"), 1).sizes == [2, 3, 3, 3]


def test_5_shuffle_hands_who_had_many_may_have_few() -> None:
    table = _table("wsh r+2 r1", "b1 b2 b3", "y1 y2 y3", pile="g5 g6 g7").go("0 r+2, 2 draw")
    assert table.sizes == [2, 5, 4]
    table.go("0 wsh:b")
    assert table.sizes == [3, 4, 3]


def test_5_shuffle_hands_counter_clockwise_cards_are_dealt_from_the_left_all_the_same() -> None:
    table = Table("b1 b2 b3", "y1 y2 y3", "wsh r1 r2", first="rr", deck="edition_2018").go("2 wsh:b")
    assert table.sizes == [3, 3, 2]
    assert table.to_move == 1


def test_5_shuffle_hands_every_card_is_equally_likely_everywhere() -> None:
    held = Counter()
    for seed in range(2_000):
        table = _shuffled(("wsh r1", "y1 y2", "g1 g2"), seed)
        held.update((seat, card) for seat in range(3) for card in table.hand(seat).split())
    for seat, size in ((0, 1), (1, 2), (2, 2)):
        counts = [held[seat, card] for card in ["r1", "y1", "y2", "g1", "g2"]]
        assert sum(counts) == 2_000 * size
        assert looks_uniform(counts)


def test_5_shuffle_hands_nothing_is_known_of_the_new_hands_and_calls_lapse() -> None:
    table = Table("w+4 wsh r1 r2", "y1 y2 y3 y4", "g1 g2 g3 g4", deck="edition_2018").go("0 w+4:b, 1 challenge")
    assert table.knows(1, 0) == "r1 r2 wsh"
    table.go("1 draw, 2 draw, 0 wsh:r")
    assert [table.knows(seat, other) for seat in range(3) for other in range(3) if seat != other] == [""] * 6
    assert not table.sees(0, "drew_on").any()
    table = Table("wsh g1", None, None, deck="edition_2018").go("0 call, 0 wsh:b")
    assert table.called == set()


def test_5_shuffle_hands_not_if_it_was_the_last_card() -> None:
    table = _table("wsh", "b1", "y2").go("0 wsh:b")
    assert table.hands == ["", "b1", "y2"]


def test_5_customizable_none_a_plain_wild() -> None:
    table = _table("wcu r1 g2", "b1 b2 b3", "y1 y2 y3").go("0 wcu:b")
    assert (table.to_move, table.phase, table.sizes) == (1, "play", [2, 3, 3])


@pytest.mark.parametrize("players", [2, 3, 10])
def test_5_customizable_skip_all_play_again_after_each_of_them(players: int) -> None:
    table = _table("wcu wcu b1 g2", *[None] * (players - 1), customizable_effect="skip_all").go("0 wcu:r, 0 wcu:b")
    assert (table.to_move, table.phase, table.colour) == (0, "play", "blue")
    assert "b1" in table.legal


@pytest.mark.parametrize("place", [1, 2, 3])
def test_5_customizable_swap_hands_with_a_player_of_your_choice(place: int) -> None:
    hands = ["wcu r1 r2", "y1 y2 y3", "g1 g2 g3", "b1 b2 b3"]
    table = _table(*hands, customizable_effect="swap_hands").go("0 wcu:b")
    assert (table.phase, table.to_move, table.legal) == ("swap", 0, {"swap1", "swap2", "swap3"})
    table.go(f"0 swap{place}")
    assert (table.hand(0), table.hand(place), table.to_move) == (hands[place], "r1 r2", 1)
    assert (table.knows(0, place), table.knows(place, 0)) == ("r1 r2", hands[place])


def test_5_customizable_swap_hands_not_if_it_was_the_last_card() -> None:
    table = _table("wcu", "b1", "y2", customizable_effect="swap_hands").go("0 wcu:b")
    assert (table.game.over, table.game.winner, table.hand(1)) == (True, 0, "b1")


def _everyone_draws(card: str, players: int, hand: str = "") -> Table:
    deck = "edition_2018" if card == "wcu" else "h2o"
    hands = [f"{card} {hand}".strip(), *[None] * (players - 1)]
    return _table(*hands, deck=deck, pile="g9 g8 g7 g6", customizable_effect="everyone_draws").go(f"0 {card}:b")


@pytest.mark.parametrize(("card", "number"), [("wcu", 1), ("wd1", 1), ("wd2", 2)])
@pytest.mark.parametrize("players", [2, 3, 10])
def test_5_customizable_everyone_draws_and_downpours_every_other_player_draws(
    card: str, number: int, players: int
) -> None:
    table = _everyone_draws(card, players, "r1 g2")
    assert table.sizes == [2, *[3 + number] * (players - 1)]
    assert (table.to_move, table.phase) == (1, "play")


@pytest.mark.parametrize(("card", "number"), [("wcu", 1), ("wd1", 1), ("wd2", 2)])
def test_8_1_drawn_before_the_count_if_it_was_the_last_card(card: str, number: int) -> None:
    table = _everyone_draws(card, 3)
    assert table.sizes == [0, 1 + number, 1 + number]
    assert table.game.points == [sum(map(table.points_in, (1, 2))), 0, 0]


def test_5_downpour_cards_are_drawn_in_the_direction_of_play() -> None:
    table = Table("b1 b2", "y1 y2", "wd1 r2", first="rr", deck="h2o", uno_call="automatic", pile="g3 g4")
    table.go("2 wd1:b")
    assert (table.hand(1), table.hand(0)) == ("y1 y2 g3", "g4 b1 b2")


def test_5_downpour_with_few_cards_left_the_next_ones_draw_them() -> None:
    table = Table("wd2 r1", "b1 b2", "y1 y2", pile="g3", only=True, first="r9", uno_call="automatic").go("0 wd2:b")
    assert table.sizes == [1, 4, 2]
    assert table.pile == ""


def test_special_wilds_are_no_card_to_jump_in_with_or_to_stack() -> None:
    table = _table("wcu r1 r+2", "wcu b1 b2", jump_in=True, stacking="any")
    assert table.go("0 wcu:r").phase == "play"
    table = _table("r+2 r1 r2", "wcu b1 b2", None, stacking="any").go("0 r+2")
    assert table.sizes == [2, 5, 3], "nothing to answer with"
