"""GUIDE.md 5: what each card does, at 2, 3 and 10 players and in both directions."""

import pytest

from tests.helpers.table import Table

SIZES = (2, 3, 10)


def _laid(card: str, players: int, direction: int, **changes: object) -> tuple[Table, int]:
    """A table on which ``card`` was just laid, and the seat that laid it.

    Clockwise seat 0 lays it. Counter-clockwise it is the dealer, because the first card is a red Reverse.
    """
    seat, first = (0, "r9") if direction == 1 else (players - 1, "rr")
    hands: list[str | None] = [None] * players
    hands[seat] = f"{card.split(':')[0]} g1 g2"
    table = Table(*hands, first=first, **{"wild_draw_four": "free", **changes})
    assert table.direction == direction
    return table.go(f"{seat} {card}"), seat


@pytest.mark.parametrize("direction", [1, -1])
@pytest.mark.parametrize("players", SIZES)
class TestAroundTheTable:
    """Each card, with who comes next, who draws, and the direction afterwards."""

    @pytest.mark.parametrize("card", ["r5", "w:g"])
    def test_5_number_and_wild_the_next_player_comes(self, card: str, players: int, direction: int) -> None:
        table, seat = _laid(card, players, direction)
        assert (table.to_move, table.direction) == ((seat + direction) % players, direction)

    def test_5_skip_the_next_player_misses_a_turn(self, players: int, direction: int) -> None:
        table, seat = _laid("rs", players, direction)
        assert (table.to_move, table.direction) == ((seat + 2 * direction) % players, direction)

    def test_5_reverse_direction_turns_round(self, players: int, direction: int) -> None:
        """With two players it acts as a Skip, and the direction stays."""
        table, seat = _laid("rr", players, direction)
        if players == 2:
            assert (table.to_move, table.direction) == (seat, direction)
        else:
            assert (table.to_move, table.direction) == ((seat - direction) % players, -direction)

    def test_5_two_player_reverse_reverse_it_only_turns_round(self, players: int, direction: int) -> None:
        table, seat = _laid("rr", players, direction, two_player_reverse="reverse")
        assert (table.to_move, table.direction) == ((seat - direction) % players, -direction)

    @pytest.mark.parametrize(("card", "number"), [("r+2", 2), ("w+4:b", 4)])
    def test_5_draw_two_and_draw_four_the_next_player_draws_and_misses_the_turn(
        self, card: str, number: int, players: int, direction: int
    ) -> None:
        table, seat = _laid(card, players, direction)
        sizes = [3] * players
        sizes[seat] -= 1
        sizes[(seat + direction) % players] += number
        assert (table.sizes, table.to_move) == (sizes, (seat + 2 * direction) % players)

    @pytest.mark.parametrize("card", ["r5", "rs", "rr", "r+2", "w:g", "w+4:g"])
    def test_5_nobody_else_draws(self, card: str, players: int, direction: int) -> None:
        table, seat = _laid(card, players, direction)
        others = [size for other, size in enumerate(table.sizes) if other not in (seat, (seat + direction) % players)]
        assert others == [3] * (players - 2)


def test_5_reverse_twice_restores_the_direction() -> None:
    table = Table("rr g1 g2", None, "yr g3 g4").go("0 rr")
    assert (table.to_move, table.direction) == (2, -1)
    table.go("2 yr")
    assert (table.to_move, table.direction) == (0, 1)


def test_5_draw_two_cannot_be_answered() -> None:
    """It could with stacking; without, seat 1 draws at once."""
    table = Table("r+2 g1 g2", "y+2 b1 b2", None, pile="b3 b4").go("0 r+2")
    assert (table.to_move, table.hand(1)) == (2, "y+2 b1 b2 b3 b4")


@pytest.mark.parametrize("wild", ["w", "w+4"])
@pytest.mark.parametrize(("letter", "colour"), [("r", "red"), ("y", "yellow"), ("g", "green"), ("b", "blue")])
def test_5_wild_a_colour_is_declared_the_current_one_is_allowed(wild: str, letter: str, colour: str) -> None:
    table = Table(f"{wild} b1 b2", None, first="r9", wild_draw_four="free").go(f"0 {wild}:{letter}")
    assert (table.top, table.colour) == (wild, colour)


def test_5_wild_may_be_played_with_other_cards_playable() -> None:
    assert {"r1", "w"} <= Table("r1 w b1", None).legal


@pytest.mark.parametrize(
    ("reading", "first", "hand", "allowed"),
    [
        ("restricted", "r9", "w+4 r1 b1", False),  # a card of the active colour
        ("restricted", "r9", "w+4 rs b1", False),
        ("restricted", "r9", "w+4 b9 b1", True),  # the same number does not matter
        ("restricted", "r9", "w+4 w b1", True),  # a Wild does not matter
        ("restricted", "r9", "w+4 b1 g1", True),
        ("restricted", "w", "w+4 b1 g1", False),  # blue is declared
        ("restricted", "w", "w+4 r1 g1", True),
        ("colour_or_symbol", "r9", "w+4 r1 b1", False),
        ("colour_or_symbol", "r9", "w+4 b9 b1", False),
        ("colour_or_symbol", "r9", "w+4 w b1", True),
        ("colour_or_symbol", "r9", "w+4 b1 g1", True),
        ("colour_or_symbol", "w", "w+4 b1 g1", False),
        ("colour_or_symbol", "w", "w+4 w r1", True),  # a wild is no symbol to match
        *((reading, "r9", f"w+4 {rest}", True) for reading in ("bluff", "free") for rest in ("r1 b9", "b9 w", "b1 g1")),
    ],
)
def test_5_wild_draw_four_when_it_may_be_played(reading: str, first: str, hand: str, allowed: bool) -> None:
    table = Table(hand, None, None, first=first, wild_draw_four=reading)
    if first == "w":
        table.go("0 colour:b")
    assert ("w+4" in table.legal) == allowed


@pytest.mark.parametrize(("action_match", "allowed"), [("symbol_or_colour", False), ("colour", True)])
def test_5_wild_draw_four_colour_or_symbol_a_symbol_that_could_not_be_played_does_not_matter(
    action_match: str, allowed: bool
) -> None:
    table = Table(None, "w+4 bs b1", first="rs", wild_draw_four="colour_or_symbol", action_match=action_match)
    assert ("w+4" in table.legal) == allowed


@pytest.mark.parametrize("reading", ["restricted", "colour_or_symbol", "free"])
def test_5_wild_draw_four_is_challenged_only_under_bluff(reading: str) -> None:
    table = Table("w+4 b1 g1", None, None, wild_draw_four=reading).go("0 w+4:b")
    assert (table.phase, table.to_move, table.sizes) == ("play", 2, [2, 7, 3])


def test_5_previous_colour_is_seen_after_a_wild() -> None:
    table = Table("w b1 g1", None, first="r9").go("0 w:b")
    assert table.sees(1, "previous_colour").tolist() == [1, 0, 0, 0]
    assert table.sees(1, "colour").tolist() == [0, 0, 0, 1]
