"""GUIDE.md 4: matching, drawing, the draw pile, a hand that cannot end."""

import numpy as np
import pytest

from tests.helpers.chance import looks_uniform
from tests.helpers.table import Table


@pytest.mark.parametrize(
    ("first", "hand", "playable"),
    [
        ("r5", "r0 r6 rs rr r+2", "r0 r6 rs rr r+2"),
        ("r5", "b5 y5 b4 y6", "b5 y5"),
        ("r0", "g0 g1", "g0"),
        ("r5", "bs gr y+2 w", "w"),
        ("r5", "w w+4 b3", "w w+4"),
        ("rs", "bs b+2 r1", "bs r1"),
        ("rr", "yr ys b1", "yr"),
        ("r+2", "b+2 b2 r2", "b+2 r2"),
    ],
)
def test_4_1_a_card_matches_in_colour_number_or_symbol_and_a_wild_always(first: str, hand: str, playable: str) -> None:
    # On a first Skip, Reverse or Draw Two it is the turn of seat 1, the dealer.
    hands = (None, hand) if first[1:] in ("s", "r", "+2") else (hand, None)
    assert Table(*hands, first=first, uno_call="automatic").legal == {*playable.split(), "draw"}


@pytest.mark.parametrize(
    ("first", "hand", "playable"),
    [("rs", "bs rr g1", "rr"), ("rr", "yr rs g1", "rs"), ("r+2", "b+2 r2 w", "r2 w"), ("r5", "b5 rs y4", "b5 rs")],
)
def test_4_1_action_match_colour_action_cards_only_on_their_own_colour(first: str, hand: str, playable: str) -> None:
    hands = (hand, None) if first == "r5" else (None, hand)
    assert Table(*hands, first=first, action_match="colour").legal == {*playable.split(), "draw"}


@pytest.mark.parametrize(("wild", "next_seat"), [("w", 1), ("w+4", 2)])
def test_4_1_after_a_wild_only_the_declared_colour_matches_or_another_wild(wild: str, next_seat: int) -> None:
    hands = [f"{wild} g1 g2 g3", None, None]
    hands[next_seat] = "b1 r9 w w+4"
    table = Table(*hands, wild_draw_four="free").go(f"0 {wild}:b")
    assert (table.to_move, table.legal) == (next_seat, {"b1", "w", "w+4", "draw"})


def test_4_1_one_card_is_played_and_the_turn_passes_to_the_left() -> None:
    table = Table("r1 r2 r3", None, None, first="r9").go("0 r2")
    assert (table.hand(0), table.top, table.to_move) == ("r1 r3", "r2", 1)


def test_4_2_drawing_though_a_card_could_be_played_is_allowed() -> None:
    assert "draw" in Table("r1 r2 w", None).legal


def test_4_2_voluntary_draw_off_one_draws_only_if_nothing_can_be_played() -> None:
    assert Table("r1 b2 b3", None, voluntary_draw=False).legal == {"r1"}
    assert Table("b1 b2 b3", None, voluntary_draw=False).legal == {"draw"}


def test_4_2_if_stuck_only_who_cannot_play_draws_until_a_card_fits() -> None:
    stuck = Table("b1 b2", None, pile="g1 g2 r3 r4", draw="until_playable_if_stuck").go("0 draw")
    assert (stuck.phase, stuck.hand(0), stuck.legal) == ("drawn", "r3 g1 g2 b1 b2", {"r3", "pass"})
    free = Table("b1 r2", None, pile="g1 g2 r3 r4", draw="until_playable_if_stuck").go("0 draw")
    assert (free.phase, free.to_move, free.hand(0)) == ("play", 1, "r2 g1 b1")


def test_4_2_if_stuck_a_last_card_that_may_not_be_played_does_not_count() -> None:
    table = Table("rs", None, pile="g1 r3 r4", draw="until_playable_if_stuck", go_out_on="not_action").go("0 draw")
    assert (table.phase, table.sizes) == ("drawn", [3, 1])


def test_4_3_one_a_drawn_card_that_cannot_be_played_ends_the_turn() -> None:
    table = Table("b1 b2 b3", None, pile="g4 r5").go("0 draw")
    assert (table.hand(0), table.phase, table.to_move) == ("g4 b1 b2 b3", "play", 1)


def test_4_3_one_a_drawn_card_that_can_be_played_may_be_played() -> None:
    table = Table("b1 b2 b3", None, pile="r4").go("0 draw")
    assert (table.phase, table.to_move, table.legal) == ("drawn", 0, {"r4", "pass"})
    table.go("0 r4")
    assert (table.top, table.hand(0), table.to_move) == ("r4", "b1 b2 b3", 1)


def test_4_3_only_the_drawn_card_may_be_played_none_from_the_hand() -> None:
    assert Table("r1 b9 w", None, pile="r4").go("0 draw").legal == {"r4", "pass"}


def test_4_3_a_drawn_wild_may_be_played_in_every_colour() -> None:
    assert Table("b1 b2 b3", None, pile="w").go("0 draw").legal == {"w", "pass"}


def test_4_3_may_play_the_drawn_card_may_be_kept_and_the_turn_passes() -> None:
    table = Table("b1 b2 b3", None, pile="r4").go("0 draw, 0 pass")
    assert (table.hand(0), table.phase, table.to_move) == ("r4 b1 b2 b3", "play", 1)


def test_4_3_must_play_the_drawn_card_may_not_be_kept() -> None:
    assert Table("b1 b2 b3", None, pile="r4", after_draw="must_play").go("0 draw").legal == {"r4"}


def test_4_3_must_play_a_drawn_card_that_cannot_be_played_ends_the_turn() -> None:
    assert Table("b1 b2 b3", None, pile="g4", after_draw="must_play").go("0 draw").to_move == 1


def test_4_3_one_may_not_pass_without_drawing() -> None:
    assert Table("b1 b2 b3", None).refuses("pass")


def test_4_3_until_playable_one_draws_until_a_playable_card_comes() -> None:
    table = Table("b1 b2 b3", None, pile="g4 g5 y1 r7 r8", draw="until_playable").go("0 draw")
    assert table.hand(0) == "r7 y1 g4 g5 b1 b2 b3"
    assert (table.phase, table.to_move, table.legal) == ("drawn", 0, {"r7", "pass"})


def test_4_3_until_playable_and_must_play() -> None:
    table = Table("b1 b2 b3", None, pile="g4 r7", draw="until_playable", after_draw="must_play").go("0 draw")
    assert table.legal == {"r7"}


def test_4_3_until_playable_a_card_kept_is_not_followed_by_another() -> None:
    assert Table("b1 b2 b3", None, pile="r7", draw="until_playable").go("0 draw, 0 pass").to_move == 1


def test_4_3_until_playable_what_cannot_be_played_is_kept_where_no_playable_card_is_left() -> None:
    table = Table("b1 b2", "r1 r2", pile="g4 g5", only=True, draw="until_playable").go("0 draw")
    assert (table.hand(0), table.pile, table.to_move, table.phase) == ("g4 g5 b1 b2", "", 1, "play")


def test_4_3_a_drawn_wild_draw_four_is_judged_by_the_hand_it_comes_to() -> None:
    assert Table("r1 b2", None, pile="w+4", wild_draw_four="restricted").go("0 draw").to_move == 1
    assert Table("g1 b2", None, pile="w+4", wild_draw_four="restricted").go("0 draw").legal == {"w+4", "pass"}


def _empty_draw_pile(seed: int = 0) -> Table:
    """Seat 1 is to move; the draw pile is empty, and r9 and r1 lie under r3."""
    table = Table("r1 g2 g4", "r3 g6 g8", pile="b5", only=True, seed=seed, uno_call="automatic")
    return table.go("0 r1, 1 r3, 0 draw")


def test_4_5_draw_pile_empty_it_is_renewed_only_when_a_card_is_drawn() -> None:
    table = _empty_draw_pile()
    assert (table.pile, table.discards) == ("", "r1 r3 r9")


def test_4_7_at_once_the_draw_pile_is_renewed_as_soon_as_its_last_card_is_taken() -> None:
    table = Table("r1 g2 g4", "r3 g6 g8", pile="b5", only=True, uno_call="automatic", renew="at_once")
    table.go("0 r1, 1 r3, 0 draw")
    assert (sorted(table.pile.split()), table.discards) == (["r1", "r9"], "r3")


def test_4_7_at_once_in_the_middle_of_a_penalty_and_after_its_last_card() -> None:
    table = Table("r1 g2 r+2", "r3 g6 g8", pile="y1 y2", only=True, uno_call="automatic", renew="at_once")
    table.go("0 r1, 1 r3, 0 r+2")
    assert {"y1", "y2"} <= set(table.hand(1).split())
    assert (sorted(table.pile.split()), table.discards) == (["r1", "r3", "r9"], "r+2")


def test_4_7_at_once_with_nothing_under_the_top_card_it_is_renewed_when_a_card_is_drawn() -> None:
    table = Table("r1 g2", "r3 g6", pile="b5", only=True, uno_call="automatic", renew="at_once").go("0 draw")
    assert (table.pile, table.discards) == ("", "r9")
    table.go("1 r3")
    assert (table.pile, table.discards) == ("", "r3 r9")
    table.go("0 draw")
    assert "r9" in table.hand(0)


def test_4_5_draw_pile_empty_top_card_stays_and_the_rest_becomes_the_draw_pile() -> None:
    table = _empty_draw_pile().go("1 draw")
    assert (table.top, table.discards, table.phase) == ("r3", "r3", "drawn")
    assert table.legal - {"pass"} | {table.pile} == {"r1", "r9"}


def test_4_5_draw_pile_empty_the_rest_is_shuffled() -> None:
    r1_is_last = [_empty_draw_pile(seed).go("1 draw").pile == "r1" for seed in range(400)]
    assert looks_uniform(np.bincount(r1_is_last))


def test_4_5_draw_pile_empty_it_is_renewed_in_the_middle_of_a_penalty() -> None:
    table = Table("r1 g2 r+2", "r3 g6 g8", pile="y1", only=True, uno_call="automatic").go("0 r1, 1 r3, 0 r+2")
    assert "y1" in table.hand(1)
    assert (table.sizes, table.discards, len(table.pile.split())) == ([1, 4], "r+2", 2)


def test_4_5_draw_pile_empty_shuffled_wilds_forget_their_declared_colour() -> None:
    table = Table("w g2 g4", "b1 g6 g8", pile="y3", only=True, uno_call="automatic").go("0 w:b, 1 b1, 0 draw")
    table.go("1 draw")
    if table.phase == "play":  # it was r9, and the wild comes next
        table.go("0 draw")
    assert table.legal == {"w", "pass"}


@pytest.mark.parametrize(
    ("card", "pile", "drawn"), [("r+2", "", 1), ("r+2", "b1 b2", 2), ("w+4:r", "", 1), ("w+4:r", "b1 b2", 3)]
)
def test_4_5_nothing_left_the_player_draws_what_there_is_and_play_goes_on(card: str, pile: str, drawn: int) -> None:
    """The first discard lies under the card just played, so it can be drawn as well."""
    hands = (f"{card.split(':')[0]} g2 g4", "r3 g6 g8", "r4 y1 y2")
    table = Table(*hands, pile=pile, only=True, wild_draw_four="free").go(f"0 {card}")
    assert (table.sizes, table.pile, table.to_move) == ([2, 3 + drawn, 3], "", 2)


def test_4_5_nothing_left_drawing_ends_the_turn() -> None:
    table = Table("b1 b2", "r1 r2", only=True).go("0 draw")
    assert (table.sizes, table.phase, table.to_move) == ([2, 2], "play", 1)


def _nobody_won(table: Table) -> bool:
    game = table.game
    nothing = [0] * game.players
    return (game.over, game.winner, game.to_move, game.points, game.rewards()) == (True, None, -1, nothing, nothing)


@pytest.mark.parametrize(
    ("hands", "pile", "moves", "changes"),
    [
        (("b1 b2", "g1 g2"), "", "0 draw", {}),
        (("b1 b2", "g1 g2", "y1 y2"), "", "0 draw", {}),
        (("b1 b2", "g1 g2"), "y3 y4", "0 draw, 1 draw, 0 draw", {}),
        (("b1 b2", "g1 g2"), "y3 y4", "0 draw", {"draw": "until_playable"}),
        (("rs", "rr"), "", "0 draw", {"go_out_on": "not_action"}),
    ],
)
def test_4_6_a_hand_in_which_nobody_can_do_anything_is_truncated(
    hands: tuple[str, ...], pile: str, moves: str, changes: dict[str, str]
) -> None:
    table = Table(*hands, pile=pile, only=True, **changes).go(moves)
    assert table.game.end == "stalled"
    assert _nobody_won(table)


@pytest.mark.parametrize("able", ["r1 y2", "y1 w", "y1 w+4", "y9 y8"])
def test_4_6_a_hand_goes_on_while_somebody_can_play(able: str) -> None:
    table = Table("b1 b2", "g1 g2", able, only=True).go("0 draw")
    assert (table.game.over, table.to_move) == (False, 1)


def test_4_6_a_hand_that_reaches_max_decisions_is_truncated() -> None:
    table = Table("b1 b2", "g1 g2", pile="y1 y2 y3", max_decisions=3).go("0 draw, 1 draw")
    assert not table.game.over
    table.go("0 draw")
    assert table.game.end == "max_decisions"
    assert _nobody_won(table)


def test_4_6_the_decision_at_max_decisions_may_still_win() -> None:
    assert Table("r1", "b1", max_decisions=1).go("0 r1").game.winner == 0


def test_4_6_every_decision_counts_towards_max_decisions() -> None:
    table = Table("r1 r2", "b1 b2", "b3 b4", max_decisions=3, late_call=False).go("0 r1")
    table.go(f"{table.to_move} pass")
    assert not table.game.over
    table.go(f"{table.to_move} pass")
    assert table.game.end == "max_decisions"
