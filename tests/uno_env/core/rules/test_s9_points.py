"""GUIDE.md 9.1: points of a hand."""

import pytest

from tests.helpers.table import Table


@pytest.mark.parametrize(
    ("cards", "points"),
    [*((f"{colour}{number}", number) for colour in "rygb" for number in range(10)),
     *((f"{colour}{symbol}", 20) for colour in "rygb" for symbol in ("s", "r", "+2")),
     ("w", 50), ("w+4", 50)],
)  # fmt: skip
def test_9_points_of_each_card(cards: str, points: int) -> None:
    assert Table("r9", cards, first="r4").go("0 r9").game.points == [points, 0]


def test_9_winner_takes_the_points_left_in_all_other_hands() -> None:
    table = Table("r1 r2", "ys g+2", "w+4 w", "b9 y3", uno_call="automatic").go("0 r1, 1 draw, 2 w:r, 3 draw, 0 r2")
    assert table.game.points == [sum(map(table.points_in, range(4))), 0, 0, 0]
    assert table.game.points[0] >= 20 + 20 + 50 + 9 + 3


def test_9_the_points_count_after_the_last_draw() -> None:
    table = Table("r+2", "g1", "b2", pile="w y5").go("0 r+2")
    assert table.game.points == [1 + 50 + 5 + 2, 0, 0]


def test_9_hand_the_first_out_wins_and_there_are_no_points() -> None:
    game = Table("r1", "w", "g9", scoring="hand").go("0 r1").game
    assert (game.winner, game.points) == (0, [0, 0, 0])


@pytest.mark.parametrize("scoring", ["winner_takes", "hand", "lowest", "elimination"])
def test_9_the_reward_does_not_depend_on_points(scoring: str) -> None:
    assert Table("r1", "w", "g9", scoring=scoring).go("0 r1").game.rewards() == [1.0, -0.5, -0.5]


@pytest.mark.parametrize("scoring", ["lowest", "elimination"])
def test_9_lowest_and_elimination_each_has_the_points_left_in_their_own_hand(scoring: str) -> None:
    table = Table("r+2", "ys", "w", pile="w+4 b3", scoring=scoring).go("0 r+2")
    assert table.game.points == [0, 20 + 50 + 3, 50]


@pytest.mark.parametrize("points", [40, 50])
@pytest.mark.parametrize(("card", "fixed"), [("wsh", None), ("wcu", None), ("wd1", 50), ("wd2", 50)])
def test_9_special_wilds_forty_in_2018_or_fifty_in_2022_downpours_fifty(
    card: str, fixed: int | None, points: int
) -> None:
    deck = f"r9 r4 {card} b1 b2 b3"
    table = Table("r9", card, first="r4", deck=deck, dealer=1, special_wild_points=points).go("0 r9")
    assert table.game.points == [fixed or points, 0]
