"""GUIDE.md 11: presets, value by value."""

import dataclasses

import pytest

from tests.helpers.playing import played
from uno_env import PRESETS, Game, Rules
from uno_env.cards import cards_text, count_cards, parse_cards

CLASSIC = {
    "players": 4,
    "deck": "classic",
    "hand_size": 7,
    "dealer": "high_card",
    "dealer_seat": 0,
    "first_card": "effects",
    "first_reverse": "dealer",
    "action_match": "symbol_or_colour",
    "voluntary_draw": True,
    "draw": "one",
    "after_draw": "may_play",
    "double_play": False,
    "two_player_reverse": "skip",
    "customizable_effect": "none",
    "wild_draw_four": "bluff",
    "uno_call": "declared",
    "uno_penalty": 2,
    "late_call": True,
    "call_before": False,
    "illegal_action": "raise",
    "go_out_on": "any",
    "special_wild_points": 40,
    "scoring": "winner_takes",
    "target": 500,
    "stacking": "off",
    "seven_zero": False,
    "jump_in": False,
    "six_smackdown": False,
    "reflexes": (),
    "dialect": "official",
    "max_decisions": 10_000,
    "renew": "when_needed",
    "draw_two_turn": "lost",
    "wild_is_match": False,
    "deflect": False,
    "edition": "classic",
    "mercy": 0,
    "backs": "seen",
}
"""Official until 2018, house rules off."""

DUEL = {
    **CLASSIC,
    "players": 2,
    "dealer": "random",
    "first_card": "number",
    "wild_draw_four": "restricted",
    "uno_call": "automatic",
    "scoring": "hand",
}

EDITION_2022 = {
    **CLASSIC,
    "deck": "edition_2018",
    "dealer": "random",
    "first_card": "number",
    "special_wild_points": 50,
    "scoring": "hand",
}

GUIDE_001 = {
    **CLASSIC,
    "dealer": "high_card",
    "first_card": "reverse_only",
    "first_reverse": "right_of_dealer",
    "draw": "until_playable",
    "after_draw": "must_play",
    "renew": "at_once",
    "action_match": "colour",
    "wild_draw_four": "colour_or_symbol",
    "uno_call": "declared",
    "uno_penalty": 4,
    "late_call": False,
    "call_before": True,
    "scoring": "lowest",
}

HOUSE = {
    **CLASSIC,
    "stacking": "same",
    "seven_zero": True,
    "jump_in": True,
    "six_smackdown": True,
    "draw": "until_playable",
}

NO_MERCY = {
    **CLASSIC,
    "edition": "no_mercy",
    "deck": "no_mercy",
    "first_card": "number",
    "voluntary_draw": False,
    "draw": "until_playable",
    "after_draw": "must_play",
    "wild_draw_four": "free",
    "stacking": "value",
    "seven_zero": True,
    "mercy": 25,
    "target": 1_000,
}

MINI_DECK = "r1 r2 rs b1 b2 bs w"
MINI = {**DUEL, "deck": count_cards(parse_cards(MINI_DECK)), "hand_size": 2}
MINI |= {"voluntary_draw": False, "max_decisions": 12}

VALUES = {
    "classic": CLASSIC,
    "edition_2018": {**CLASSIC, "deck": "edition_2018", "special_wild_points": 40},
    "edition_2022": EDITION_2022,
    "h2o": {**CLASSIC, "deck": "h2o"},
    "guide_001": GUIDE_001,
    "guide_003": {**CLASSIC, "double_play": True, "draw_two_turn": "kept", "go_out_on": "not_action", "uno_penalty": 2},
    "house": HOUSE,
    "duel": DUEL,
    "starter": {**DUEL, "voluntary_draw": False},
    "mini": MINI,
    "no_mercy": NO_MERCY,
    "flip": {**CLASSIC, "edition": "flip", "deck": "flip"},
}
"""GUIDE.md 11; RLCard's game has its own file, ``test_s11_rlcard.py``."""


@pytest.mark.parametrize("preset", VALUES)
def test_11_the_values_of_a_preset(preset: str) -> None:
    assert dataclasses.asdict(Rules.preset(preset)) == VALUES[preset]


def test_11_every_preset_has_its_values_here() -> None:
    assert {*VALUES, "rlcard"} == set(PRESETS)


def test_11_classic_is_the_default() -> None:
    assert Rules() == Rules.preset("classic") == Game().rules


@pytest.mark.parametrize("preset", [preset for preset in VALUES if preset != "mini"])
@pytest.mark.parametrize("players", range(2, 11))
def test_11_a_preset_is_played_by_two_to_ten_to_the_end(preset: str, players: int) -> None:
    game = played(Game(preset, players=players, seed=players), players, 10_000)
    assert game.players == players
    others = [game.hand(seat) for seat in range(players) if seat != game.winner]
    assert game.end == "went_out"
    assert game.hand(game.winner) == [] or (preset == "no_mercy" and not any(others))


def test_11_mini_is_tiny() -> None:
    game = Game("mini", deck="r1 b1 rs b2 r2", dealer=1)
    assert (cards_text(game.hand(0)), cards_text(game.hand(1))) == ("r1 rs", "b1 b2")
    assert game.legal_names() == ["r1", "rs"]


def test_11_every_hand_of_mini_ends() -> None:
    ends = {played(Game("mini", seed=seed), seed, 100).end for seed in range(300)}
    assert ends <= {"went_out", "stalled", "max_decisions"}
    assert "went_out" in ends


def test_11_a_preset_can_be_changed() -> None:
    rules = Rules.preset("duel", players=3, draw="until_playable")
    assert dataclasses.asdict(rules) == {**DUEL, "players": 3, "draw": "until_playable"}


def test_11_rules_are_frozen_and_equal_by_value() -> None:
    rules = Rules(players=3)
    assert rules == Rules(players=3) != Rules(players=4)
    assert hash(rules) == hash(Rules(players=3))
    with pytest.raises(dataclasses.FrozenInstanceError):
        rules.players = 5  # type: ignore[misc]


@pytest.mark.parametrize(
    "rules",
    [Rules(), Rules.preset("duel"), Rules(players=2, hand_size=1, deck="r1 r1 b2 w", dealer="fixed"),
     Rules(players=3, reflexes=(1, 2, 3), go_out_on="not_action")],
)  # fmt: skip
def test_11_rules_go_to_a_dictionary_and_back(rules: Rules) -> None:
    assert Rules.from_dict(rules.to_dict()) == rules
