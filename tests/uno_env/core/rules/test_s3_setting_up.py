"""GUIDE.md 3: players, dealer, first discard."""

import numpy as np
import pytest

from tests.helpers.chance import looks_uniform
from tests.helpers.table import Table
from uno_env import BatchedGames, Game, Rules
from uno_env.cards import parse_card
from uno_env.core.record import GAME
from uno_env.core.record_type import Record
from uno_env.core.rng import below
from uno_env.core.rules.dealer import dealer_by_high_card

SIZES = (2, 3, 10)


@pytest.mark.parametrize("players", range(2, 11))
def test_3_1_two_to_ten_players_hold_seven_cards_each(players: int) -> None:
    game = Game("duel", players=players)
    assert [len(game.hand(seat)) for seat in range(players)] == [7] * players


def test_3_1_cards_are_dealt_one_by_one_beginning_at_the_dealers_left() -> None:
    game = Game(Rules(players=3, hand_size=2), deck="r1 y2 g3 r4 y5 g6 b7 b8", dealer=1)
    table = Table.of(game)
    assert [table.hand(2), table.hand(0), table.hand(1)] == ["r1 r4", "y2 y5", "g3 g6"]
    assert table.top == "b7"
    assert table.pile.startswith("b8 ")


@pytest.mark.parametrize("seat", range(3))
def test_3_2_fixed_a_given_seat_deals(seat: int) -> None:
    game = Game(Rules(players=3, dealer="fixed", dealer_seat=seat))
    assert game.record.dealer == seat


@pytest.mark.parametrize("dealer", ["random", "high_card"])
@pytest.mark.parametrize("players", SIZES)
def test_3_2_every_seat_deals_as_often(dealer: str, players: int) -> None:
    batch = BatchedGames(3_000, Rules(players=players, dealer=dealer), seed=3)
    batch.reset()
    assert looks_uniform(np.bincount(batch.games["dealer"], minlength=players))


def test_3_2_every_seat_deals_as_often_where_numbers_are_few_and_ties_many() -> None:
    deck = "r1 y1 r2 y2 " + "rs ys gs bs " * 4
    batch = BatchedGames(3_000, Rules(players=3, hand_size=2, deck=deck, dealer="high_card"), seed=1)
    batch.reset()
    assert looks_uniform(np.bincount(batch.games["dealer"], minlength=3))


def _dealer_by_hand(chance: Record, cards: list[int], players: int) -> tuple[int, int]:
    """The dealer as the rule says, and how often was drawn among the tied."""
    tied, rounds = list(range(players)), 0
    while len(tied) > 1:
        rounds += 1
        pile, number = cards.copy(), {}
        for seat in tied:
            while seat not in number:
                place = int(below(chance, len(pile)))
                card, pile[place] = pile[place], pile[0]
                del pile[0]
                if card < 52 and card % 13 <= 9:
                    number[seat] = card % 13
        tied = [seat for seat in tied if number[seat] == max(number.values())]
    return tied[0], rounds - 1


@pytest.mark.parametrize("players", SIZES)
def test_3_2_high_card_the_highest_number_deals_and_ties_draw_again(players: int) -> None:
    rules = Rules(players=players)
    cards = [kind for kind, count in enumerate(rules.deck_counts) for _ in range(count)]
    ties = 0
    for seed in range(200):
        game, chance = np.zeros(1, GAME), np.zeros(1, GAME)
        game["rng"] = chance["rng"] = np.uint64(seed)
        dealer, redrawn = _dealer_by_hand(chance[0], cards, players)
        assert dealer_by_high_card(game[0], rules.record) == dealer
        ties += redrawn
    assert ties > 10


def test_3_2_high_card_needs_numbers_to_draw() -> None:
    with pytest.raises(ValueError, match="dealer='high_card' needs a number card in the deck for each player"):
        Rules(players=3, hand_size=1, deck="r1 r2 rs rs rs rs")
    with pytest.raises(ValueError, match="dealer='high_card_each_hand' needs a number card in the deck"):
        Rules(players=3, hand_size=1, deck="r1 r2 rs rs rs rs", dealer="high_card_each_hand")
    with pytest.raises(ValueError, match="two different numbers among them"):
        Rules(players=3, hand_size=1, deck="r1 y1 g1 rs rs rs")


def test_3_2_the_dealers_left_begins_on_a_number() -> None:
    assert [Table(None, "r1", None, dealer=dealer).to_move for dealer in range(3)] == [1, 2, 0]


# Seat 0 sits to the left of the dealer, who is the last seat.


@pytest.mark.parametrize("first_card", ["effects", "effects_all", "effects_no_wild", "reverse_only", "number"])
@pytest.mark.parametrize("players", SIZES)
def test_3_3_on_a_number_the_player_to_the_dealers_left_begins(first_card: str, players: int) -> None:
    table = Table("b1", *[None] * (players - 1), first="r5", first_card=first_card)
    assert (table.phase, table.to_move, table.direction, table.colour) == ("play", 0, 1, "red")


@pytest.mark.parametrize("first_card", ["effects", "effects_all", "effects_no_wild"])
@pytest.mark.parametrize("players", SIZES)
def test_3_3_first_skip_the_player_to_the_dealers_left_misses_a_turn(first_card: str, players: int) -> None:
    table = Table("b1", *[None] * (players - 1), first="rs", first_card=first_card)
    assert (table.to_move, table.direction, table.sizes) == (1, 1, [1] * players)


@pytest.mark.parametrize("first", ["rs", "r+2"])
@pytest.mark.parametrize("players", SIZES)
def test_3_3_reverse_only_a_first_skip_or_draw_two_does_nothing(first: str, players: int) -> None:
    table = Table("b1", *[None] * (players - 1), first=first, first_card="reverse_only", stacking="any", deflect=True)
    assert (table.phase, table.to_move, table.direction, table.sizes) == ("play", 0, 1, [1] * players)
    assert table.sees(0, "penalty") == 0


@pytest.mark.parametrize("first_card", ["effects", "effects_all", "effects_no_wild", "reverse_only"])
@pytest.mark.parametrize("players", SIZES)
def test_3_3_first_reverse_the_dealer_plays_first_and_counter_clockwise(first_card: str, players: int) -> None:
    dealer = players - 1
    table = Table("b1", *[None] * (dealer - 1), "r1", first="rr", first_card=first_card, uno_call="automatic")
    assert (table.to_move, table.direction) == (dealer, -1)


@pytest.mark.parametrize(("players", "begins"), [(2, 1), (3, 1), (10, 8)])
def test_3_3_first_reverse_right_of_dealer(players: int, begins: int) -> None:
    """With two players the dealer plays first all the same."""
    table = Table("b1", *[None] * (players - 1), first="rr", first_reverse="right_of_dealer")
    assert (table.to_move, table.direction) == (begins, -1)


@pytest.mark.parametrize("first_card", ["effects", "effects_all", "effects_no_wild"])
@pytest.mark.parametrize("players", SIZES)
def test_3_3_first_draw_two_the_player_to_the_dealers_left_draws_two_and_misses(first_card: str, players: int) -> None:
    table = Table("b1", *[None] * (players - 1), first="r+2", pile="g3 g4", first_card=first_card)
    assert (table.to_move, table.hand(0)) == (1, "g3 g4 b1")
    assert table.sizes[1:] == [1] * (players - 1)


@pytest.mark.parametrize(("first_card", "first"), [("effects", "w"), ("effects_all", "w"), ("effects_all", "w+4")])
@pytest.mark.parametrize("players", SIZES)
def test_3_3_first_wild_the_player_to_the_dealers_left_declares_the_colour_and_begins(
    first_card: str, first: str, players: int
) -> None:
    table = Table("r1 b1 g2", *[None] * (players - 1), first=first, first_card=first_card)
    assert table.sizes == [3] * players
    assert (table.phase, table.to_move, table.colour) == ("first_colour", 0, None)
    assert table.legal == {"colour:r", "colour:y", "colour:g", "colour:b"}
    table.go("0 colour:b")
    assert (table.phase, table.to_move, table.colour) == ("play", 0, "blue")
    assert table.legal == {"b1", "draw"}


def test_3_3_a_first_wild_draw_four_is_followed_as_a_wild_and_cannot_be_challenged() -> None:
    table = Table("b1 r2", "w+4 b2", first="w+4", first_card="effects_all", stacking="any").go("0 colour:b")
    assert table.legal == {"b1", "draw", "call"}
    table.go("0 call, 0 b1")
    assert (table.phase, table.to_move, table.game.record.penalty) == ("play", 1, 0)
    assert "w+4" in table.legal


@pytest.mark.parametrize("card", ["wsh", "wcu", "wd1", "wd2"])
def test_3_3_special_wilds_never_lie_first(card: str) -> None:
    assert Table("b1", "b2", first=f"{card} g3", first_card="effects_all", only=True).top == "g3"


@pytest.mark.parametrize(
    ("first_card", "back"),
    [("effects", "w+4"), ("effects_no_wild", "w"), ("effects_no_wild", "w+4"),
     ("reverse_only", "w"), ("reverse_only", "w+4"),
     *(("number", card) for card in ("rs", "rr", "r+2", "w", "w+4"))],
)  # fmt: skip
@pytest.mark.parametrize("players", SIZES)
def test_3_3_what_may_not_lie_first_goes_back_and_does_nothing(first_card: str, back: str, players: int) -> None:
    table = Table("b1", *[None] * (players - 1), first=f"{back} g3", first_card=first_card)
    assert (table.top, table.to_move, table.direction, table.sizes) == ("g3", 0, 1, [1] * players)
    assert table.pile.split().count(back) == table.game.rules.deck_counts[parse_card(back)]


def test_3_3_another_card_is_turned_as_often_as_needed() -> None:
    table = Table("b1", None, first="w+4 w+4 rr w+4 r+2 w g3", first_card="number")
    assert table.top == "g3"


def test_3_3_what_was_turned_over_is_shuffled_into_the_deck() -> None:
    places = [
        Table("b1", "b2", first="w+4 g3", pile="y1 y2 y3", only=True, seed=seed).pile.split().index("w+4")
        for seed in range(400)
    ]
    assert looks_uniform(np.bincount(places, minlength=4))


def test_3_3_the_cards_are_dealt_again_where_no_card_may_lie_first() -> None:
    """The only number may be in a hand."""
    rules = Rules(players=2, hand_size=1, deck="r1 rs rs rs", dealer="fixed", first_card="number")
    assert {Table.of(Game(rules, seed=seed)).top for seed in range(20)} == {"r1"}


def test_3_3_a_listed_deck_in_which_no_card_may_lie_first_is_refused() -> None:
    rules = Rules(players=2, hand_size=1, deck="r1 rs rs rs", dealer="fixed", first_card="number")
    with pytest.raises(ValueError, match="no card is left that may lie first under first_card='number'"):
        Game(rules, deck="r1 rs rs rs")


def test_3_3_nobody_has_laid_the_first_discard() -> None:
    table = Table("b1", None, None, first="rs")
    assert not table.sees(0, "last_player").any()
