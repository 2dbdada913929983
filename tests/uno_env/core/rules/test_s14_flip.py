"""GUIDE.md 14: Flip, whose cards have two sides."""

from collections import Counter
from typing import Any

import pytest

from tests.helpers.table import Table
from uno_env import BatchedGames, Rules
from uno_env.editions import EDITIONS
from uno_env.observation import layout

FLIP = EDITIONS["flip"]
DARK = "rf/p6"
"""A first card that turns everything: pink 6 lies on top, and the dark side is in force."""


def _table(*hands: str | None, **changes: Any) -> Table:
    return Table(*hands, preset="flip", **{"uno_call": "automatic", "first": "r9/pf", **changes})


def _faces(table: Table, seat: int, other: int) -> list[str]:
    """The backs that a seat sees in the hand of another."""
    place = (other - seat) % table.game.players - 1
    designs = FLIP.designs[1 - table.side]
    counts = table.sees(seat, "backs").reshape(9, -1)[place]
    return [designs[back] for back, count in enumerate(counts.tolist()) for _ in range(count)]


def _one(table: Table, seat: int, section: str, names: tuple[str, ...]) -> str | None:
    """The marked entry of a section of what a seat sees."""
    columns = table.sees(seat, section).tolist()
    return names[columns.index(1)] if 1 in columns else None


def _turned(cards: str) -> str:
    """A draw pile that a first Flip turns over, so that these cards come next."""
    return " ".join(reversed(cards.split()))


class TestDeck:
    def test_14_two_of_each_coloured_face_and_four_of_each_wild_on_both_sides(self) -> None:
        light = Counter(face.text for face in FLIP.kinds)
        dark = Counter(face.text for face in FLIP.other_side)
        numbers = "123456789"
        assert light == {c + s: 2 for c in "rygb" for s in (*numbers, "+1", "r", "s", "f")} | {"w": 4, "w+2": 4}
        assert dark == {c + s: 2 for c in "ptou" for s in (*numbers, "+5", "r", "se", "f")} | {"dw": 4, "dwc": 4}
        assert Rules.preset("flip").deck_counts == (1,) * 112

    def test_14_no_two_cards_are_alike_and_none_has_a_wild_on_both_faces(self) -> None:
        assert len(set(FLIP.texts)) == 112
        assert not [text for text in FLIP.texts if text[0] == "w" and "/d" in text]


class TestSides:
    def test_14_all_begin_on_the_light_side(self) -> None:
        table = _table("r1/ose g1/p4", None)
        assert (table.side, table.colour, table.sees(0, "side").tolist()) == (0, "red", [0])

    def test_14_only_the_faces_of_the_side_in_force_count(self) -> None:
        """The top is the red 9; the dark faces of the hand would fit on it, if they counted."""
        table = _table("r1/ose b5/p7 g9/p6", "y3/uf y7/pse y2/ose")
        assert table.legal == {"r1/ose", "g9/p6", "draw"}
        table = _table("r1/ose b5/p7 r9/pf", "y3/uf y7/pse y2/ose", first=DARK)
        assert table.legal == {"b5/p7", "r9/pf", "draw"}

    def test_14_the_discard_pile_is_public_as_whole_cards(self) -> None:
        table = _table("r1/ose b5/p7", "y3/uf y7/pse").go("0 r1/ose")
        assert table._counted(table.sees(1, "discards")) == "r1/ose r9/pf"
        assert _one(table, 1, "top_card", FLIP.texts) == "r1/ose"
        assert _one(table, 1, "lowest_card", FLIP.texts) == "r9/pf"


class TestBacks:
    def test_14_everybody_sees_the_backs_of_what_others_hold(self) -> None:
        table = _table("r1/ose b5/p7", "y3/uf y7/pse", "w/t2 gr/p5")
        assert sorted(_faces(table, 0, 1)) == ["pse", "uf"]
        assert sorted(_faces(table, 0, 2)) == ["p5", "t2"]
        assert sorted(_faces(table, 2, 0)) == ["ose", "p7"]

    def test_14_backs_are_the_light_faces_on_the_dark_side(self) -> None:
        table = _table("r1/ose b5/p7", "y3/uf y7/pse", first=DARK)
        assert sorted(_faces(table, 0, 1)) == ["y3", "y7"]

    def test_14_with_hidden_backs_nobody_sees_those_of_others(self) -> None:
        table = _table("r1/ose b5/p7", "y3/uf y7/pse", pile="g1/p4", backs="hidden")
        assert _faces(table, 0, 1) == []
        assert _one(table, 0, "next_back", FLIP.designs[1]) == "p4"

    def test_14_the_back_of_the_next_card_is_seen_and_none_if_the_pile_is_empty(self) -> None:
        table = _table("r1/ose b5/p7", "y3/uf y7/pse", pile="g1/p4", only=True)
        assert _one(table, 1, "next_back", FLIP.designs[1]) == "p4"
        table.go("0 draw")
        assert _one(table, 1, "next_back", FLIP.designs[1]) is None

    def test_14_a_next_card_seen_before_a_flip_stays_known_as_the_last_one(self) -> None:
        table = _table("rf/o+5 b5/p7", "y3/uf y7/pse", pile="g1/p4 g9/p6 y1/dwc", only=True)
        assert _one(table, 1, "last_face", FLIP.designs[0]) is None
        table.go("0 rf/o+5")
        assert table.pile == "y1/dwc g9/p6 g1/p4"
        assert _one(table, 1, "last_face", FLIP.designs[1]) == "p4"
        assert _one(table, 1, "next_back", FLIP.designs[0]) == "y1"

    def test_14_who_takes_a_card_that_all_saw_from_both_sides_is_known_to_hold_it(self) -> None:
        table = _table("rf/o+5 b5/p7", "y3/uf y7/pse", "g5/p+5 g7/or", pile="g1/p4", only=True)
        table.go("0 rf/o+5, 1 draw")
        assert table.knows(0, 1) == table.knows(2, 1) == "g1/p4"


class TestSecrecy:
    def test_14_nobody_sees_the_backs_of_cards_that_a_player_may_yet_turn_away(self) -> None:
        """Seat 1 is asked, since it holds a draw card; seat 2 must not see what seat 1 would draw."""
        table = _table("r+1/t4 b5/p7", "b+1/p1 y7/pse", "g9/p6 g7/or", pile="g1/p4 y1/dwc", stacking="same")
        before = _faces(table, 2, 1)
        table.go("0 r+1/t4")
        assert (table.phase, table.to_move) == ("stack", 1)
        assert (_faces(table, 2, 1), _one(table, 2, "next_back", FLIP.designs[1])) == (before, "p4")
        assert not table.sees(2, "to_move").any()
        table.go("1 accept")
        assert (sorted(_faces(table, 2, 1)), _one(table, 2, "next_back", FLIP.designs[1])) == (
            ["p1", "p4", "pse"],
            "dwc",
        )

    def test_14_nobody_sees_the_other_side_before_it_is_sure_that_all_is_turned(self) -> None:
        """Seat 1 holds the twin of the Flip, and may jump in."""
        table = _table("rf/o+5 b5/p7", "rf/p6 y7/pse", "g9/p6 g7/or", jump_in=True).go("0 rf/o+5")
        assert (table.phase, table.to_move) == ("jump_in", 1)
        assert (table.sees(2, "side").tolist(), _faces(table, 2, 0)) == ([0], ["p7"])
        assert table.go("1 pass").sees(2, "side").tolist() == [1]

    def test_14_a_known_card_that_is_drawn_and_played_is_not_known_any_more(self) -> None:
        table = _table("rf/o+5 b5/p7", "y3/uf y7/pse", "g5/p+5 g7/or", pile="r2/p8", only=True).go("0 rf/o+5, 1 draw")
        assert table.knows(0, 1) == "r2/p8"
        assert table.go("1 r2/p8").knows(0, 1) == ""


class TestFlip:
    def test_14_1_the_discards_the_draw_pile_and_all_hands_are_turned(self) -> None:
        table = _table("r1/ose rf/o+5 b5/p7", "r3/o2 y7/pse y2/ose", pile="g1/p4 g9/p6", only=True)
        table.go("0 r1/ose, 1 r3/o2, 0 rf/o+5")
        assert (table.side, table.top, table.colour, table.to_move) == (1, "r9/pf", "pink", 1)
        assert table.pile == "g9/p6 g1/p4"
        assert _one(table, 0, "lowest_card", FLIP.texts) == "rf/o+5"
        assert table.legal == {"y7/pse", "draw"}

    def test_14_1_the_new_top_has_no_effect_and_its_symbol_may_be_matched(self) -> None:
        """The lowest card is a Draw Five from behind."""
        table = _table("rf/o+5 b5/p7", "b9/p+5 y2/ose", first="r4/u+5").go("0 rf/o+5")
        assert (table.top, table.colour, table.sizes, table.to_move) == ("r4/u+5", "purple", [1, 2], 1)
        assert table.legal == {"b9/p+5", "draw"}

    def test_14_1_on_a_wild_face_who_flipped_declares_a_colour(self) -> None:
        table = _table("rf/o+5 b5/p7", "y3/uf y7/pse", first="r9/dwc").go("0 rf/o+5")
        assert (table.phase, table.to_move, table.colour) == ("first_colour", 0, None)
        assert table.legal == {"colour:p", "colour:t", "colour:o", "colour:u"}
        table.go("0 colour:u")
        assert (table.phase, table.to_move, table.colour, table.sizes) == ("play", 1, "purple", [1, 2])
        assert table.legal == {"y3/uf", "draw"}

    def test_14_1_two_flips_bring_the_first_one_up(self) -> None:
        table = _table("rf/p6 b5/p7 gf/of", "r9/pf y7/pse y1/tse", first="r3/o9").go("0 rf/p6")
        assert (table.top, table.colour) == ("r3/o9", "orange")
        table.go("1 draw")
        if table.phase == "drawn":
            table.go("1 pass")
        table.go("0 gf/of")
        assert (table.side, table.top, table.colour) == (0, "rf/p6", "red")
        assert _one(table, 0, "lowest_card", FLIP.texts) == "gf/of"

    def test_14_1_renewing_the_draw_pile_leaves_the_top_card_as_the_lowest(self) -> None:
        table = _table("r1/ose b5/p7", "r3/o2 y7/pse", only=True).go("0 r1/ose, 1 r3/o2, 0 draw")
        assert (table.discards, _one(table, 1, "lowest_card", FLIP.texts)) == ("r3/o2", "r3/o2")

    def test_14_1_a_first_flip_turns_everything_and_the_dealers_left_begins(self) -> None:
        table = _table("r1/ose b5/p7", "y3/uf y7/pse", "g5/p+5 g7/or", first=DARK)
        assert (table.side, table.top, table.colour, table.to_move, table.phase) == (1, DARK, "pink", 0, "play")

    def test_14_1_a_flip_as_last_card_turns_everything_before_the_points_are_counted(self) -> None:
        table = _table("rf/o+5", "y7/pse", "r9/dwc", first="r1/ose").go("0 rf/o+5")
        assert (table.game.over, table.game.winner, table.game.points) == (True, 0, [30 + 60, 0, 0])

    def test_14_1_a_first_flip_does_nothing_where_only_a_reverse_does_something(self) -> None:
        table = _table("r1/ose b5/p7", "y3/uf y7/pse", first=DARK, first_card="reverse_only")
        assert (table.side, table.colour, table.to_move) == (0, "red", 0)


class TestCards:
    def test_14_draw_one_and_draw_five_cost_so_many_cards_and_the_turn(self) -> None:
        table = _table("r+1/t4 b5/p7", "y3/uf y7/pse", "g9/p6 g7/or").go("0 r+1/t4")
        assert (table.sizes, table.to_move) == ([1, 3, 2], 2)
        table = _table("b9/p+5 b5/p7", "y3/uf y7/pse", "g9/p6 g7/or", first=DARK).go("0 b9/p+5")
        assert (table.sizes, table.to_move) == ([1, 7, 2], 2)

    def test_14_skip_everyone_gives_another_turn(self) -> None:
        table = _table("y7/pse b5/p7", "y3/uf r9/pf", "g9/p6 g7/or", first=DARK).go("0 y7/pse")
        assert (table.to_move, table.phase) == (0, "play")

    def test_14_the_challenger_of_an_innocent_wild_draw_two_draws_four(self) -> None:
        table = _table("w+2/o7 b5/p7", "y3/uf y7/pse", "g9/p6 g7/or").go("0 w+2/o7:b, 1 challenge")
        assert (table.sizes, table.to_move, table.colour) == ([1, 2 + 4, 2], 2, "blue")
        assert table.knows(1, 0) == "b5/p7"

    def test_14_a_guilty_player_draws_the_two(self) -> None:
        table = _table("w+2/o7 r5/p7", "y3/uf y7/pse", "g9/p6 g7/or").go("0 w+2/o7:b, 1 challenge")
        assert (table.sizes, table.to_move) == ([1 + 2, 2, 2], 1)

    def test_14_2_the_next_player_draws_until_the_declared_colour_comes(self) -> None:
        """A wild is no card of the colour; nor is a light one."""
        pile = "b3/p3 r+1/dw y3/uf g1/p4"
        table = _table("r9/dwc y2/ose", "y7/pse y1/tse", "g9/p6 g7/or", first=DARK, pile=_turned(pile), only=True).go(
            "0 r9/dwc:u, 1 accept"
        )
        assert (table.sizes, table.to_move, table.colour) == ([1, 2 + 3, 2], 2, "purple")

    def test_14_2_a_guilty_player_draws_until_the_declared_colour_comes(self) -> None:
        pile = "b3/p3 y3/uf g1/p4"
        table = _table("r9/dwc b5/p7", "y7/pse y1/tse", first=DARK, pile=_turned(pile), only=True).go(
            "0 r9/dwc:u, 1 challenge"
        )
        assert (table.sizes, table.to_move, table.knows(1, 0)) == ([1 + 2, 2], 1, "b5/p7")

    def test_14_2_the_challenger_of_an_innocent_draws_so_and_then_two_more(self) -> None:
        pile = "b3/p3 y3/uf g1/p4 g2/p9 g4/t+5"
        table = _table("r9/dwc y2/ose", "y7/pse y1/tse", "g9/p6 g7/or", first=DARK, pile=_turned(pile), only=True)
        table.go("0 r9/dwc:u, 1 challenge")
        assert (table.sizes, table.to_move) == ([1, 2 + 2 + 2, 2], 2)

    def test_14_2_where_the_pile_runs_dry_one_takes_what_there_is(self) -> None:
        table = _table("r9/dwc y2/ose", "y7/pse y1/tse", first=DARK, pile="b3/p3", only=True).go("0 r9/dwc:u, 1 accept")
        assert (table.sizes, table.pile, table.discards) == ([1, 2 + 2], "", "r9/dwc")

    def test_14_2_as_a_last_card_the_next_player_still_draws(self) -> None:
        table = _table("r9/dwc", "y7/pse", "g9/p6", first=DARK, pile=_turned("b3/p3 y3/uf"), only=True).go(
            "0 r9/dwc:u, 1 accept"
        )
        assert (table.game.winner, table.sizes, table.game.points[0]) == (0, [0, 3, 1], 30 + 3 + 20 + 6)

    def test_14_wild_draw_two_goes_back_as_first_card(self) -> None:
        table = _table("r1/ose b5/p7", "y3/uf y7/pse", first="w+2/o7 r9/pf")
        assert table.top == "r9/pf"


class TestSwitches:
    def test_14_stacking_takes_the_draw_cards_of_the_side_in_force(self) -> None:
        table = _table("r+1/t4 b5/p7", "b+1/p1 w+2/o7", "g9/p6 g7/or", stacking="value").go("0 r+1/t4")
        assert table.legal == {"accept", "b+1/p1", *(f"w+2/o7:{letter}" for letter in "rygb")}
        table.go("1 w+2/o7:g")
        assert (table.phase, table.to_move) == ("challenge", 2)
        table.go("2 accept")
        assert table.sizes == [1, 1, 2 + 3]

    @pytest.mark.parametrize("stacking", ["same", "any", "both", "value"])
    def test_14_2_a_wild_draw_colour_neither_answers_nor_is_answered(self, stacking: str) -> None:
        table = _table("b9/p+5 b5/p7", "r9/dwc y3/uf", first=DARK, stacking=stacking).go("0 b9/p+5")
        assert (table.sizes, table.to_move) == ([1, 2 + 5], 0)
        table = _table("r9/dwc y2/ose", "y1/dwc b9/p+5", first=DARK, stacking=stacking).go("0 r9/dwc:p")
        assert (table.phase, table.legal) == ("challenge", {"accept", "challenge"})

    def test_14_skip_everyone_turns_no_penalty_away(self) -> None:
        table = _table("b9/p+5 b5/p7", "y7/pse y2/ose", first=DARK, deflect=True).go("0 b9/p+5")
        assert table.sizes == [1, 2 + 5]
        table = _table("b9/p+5 b5/p7", "b2/pr y2/ose", first=DARK, deflect=True).go("0 b9/p+5")
        assert table.legal == {"accept", "b2/pr"}

    def test_14_who_holds_the_same_face_may_jump_in(self) -> None:
        table = _table("r1/ose b5/p7", "r1/use y7/pse", jump_in=True).go("0 r1/ose")
        assert (table.phase, table.to_move) == ("jump_in", 1)
        assert table.go("1 jump_in").top == "r1/use"

    def test_14_nobody_may_draw_without_need_when_nothing_can_be_drawn(self) -> None:
        table = _table("r1/ose b5/p7", "y3/uf y7/pse", only=True)
        assert table.legal == {"r1/ose"}
        assert _table("r1/ose b5/p7", "y3/uf y7/pse", pile="g1/p4", only=True).legal == {"r1/ose", "draw"}

    @pytest.mark.parametrize("double_play", [True, "two_or_more"])
    def test_14_double_play_is_refused_in_a_sentence_that_names_both(self, double_play: bool | str) -> None:
        with pytest.raises(ValueError, match=f"double_play={double_play!r} is not allowed with edition='flip'"):
            Rules.preset("flip", double_play=double_play)

    def test_14_no_two_cards_of_a_deck_are_alike(self) -> None:
        with pytest.raises(ValueError, match="more than one 'r5/p7', and no two cards of edition='flip' are alike"):
            Rules.preset("flip", players=2, hand_size=1, deck="r5/p7 r5/p7 r9/pf r1/ose")

    def test_14_a_deck_of_flip_is_refused_where_another_edition_is_named(self) -> None:
        for edition in ("classic", "no_mercy"):
            with pytest.raises(ValueError, match=f"deck='flip' is not allowed with edition='{edition}': it is one of"):
                Rules.from_dict({"edition": edition, "deck": "flip"})
        assert Rules().replace(deck="flip").edition == "flip"

    def test_14_backs_belong_to_cards_with_two_sides(self) -> None:
        with pytest.raises(ValueError, match="backs='hidden' is not allowed with edition='classic'"):
            Rules(backs="hidden")


class TestPoints:
    @pytest.mark.parametrize(
        ("card", "light", "dark"),
        [("r5/tf", 5, 20), ("r+1/t4", 10, 4), ("rr/p5", 20, 5), ("rs/t1", 20, 1), ("gf/of", 20, 20), ("y7/pse", 7, 30),
         ("b9/p+5", 9, 20), ("r+1/dw", 10, 40), ("r9/dwc", 9, 60), ("w/t2", 40, 2), ("w+2/o7", 50, 7)],
    )  # fmt: skip
    def test_14_points_are_those_of_the_side_in_force(self, card: str, light: int, dark: int) -> None:
        assert _table("r2/p8", card, first="r3/o9").go("0 r2/p8").game.points == [light, 0]
        assert _table("r2/p8", card, first=DARK).go("0 r2/p8").game.points == [dark, 0]


def test_14_each_hand_of_a_batch_begins_on_the_light_side() -> None:
    """A game's record is used again for its next hand."""
    rules = Rules.preset("flip", first_card="number")
    side, batch, ended_dark = layout(rules)["side"].start, BatchedGames(64, rules, seed=1), 0
    observations = batch.reset()[0]
    for _ in range(400):
        was_dark = observations[:, side] > 0
        observations, *_, done = batch.step(batch.sample_actions())
        assert not observations[done != 0, side].any()
        ended_dark += int(was_dark[done != 0].sum())
    assert ended_dark > 0
