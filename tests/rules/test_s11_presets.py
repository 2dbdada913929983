"""RULES.md 11: presets, value by value."""

import dataclasses

import pytest

from uno_env import PRESETS, Game, Rules

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
}
"""RULES.md: official until 2018. What it does not name is as all seeds have it, house rules off."""

DUEL = {
    **CLASSIC,
    "players": 2,
    "dealer": "random",
    "first_card": "number",
    "wild_draw_four": "restricted",
    "uno_call": "automatic",
    "scoring": "hand",
}

NOT_BUILT = ("edition_2018", "edition_2022", "h2o", "guide_001", "guide_003", "house")


@pytest.mark.parametrize(("preset", "values"), [("classic", CLASSIC), ("duel", DUEL)])
def test_11_the_values_of_a_preset(preset: str, values: dict[str, object]) -> None:
    assert dataclasses.asdict(Rules.preset(preset)) == values


def test_11_classic_is_the_default() -> None:
    assert Rules() == Rules.preset("classic") == Game().rules


@pytest.mark.parametrize("preset", ["classic", "duel"])
@pytest.mark.parametrize("players", range(2, 11))
def test_11_a_preset_is_played_by_two_to_ten(preset: str, players: int) -> None:
    assert Game(preset, players=players).players == players


def test_11_a_preset_can_be_changed() -> None:
    rules = Rules.preset("duel", players=3, draw="until_playable")
    assert dataclasses.asdict(rules) == {**DUEL, "players": 3, "draw": "until_playable"}


@pytest.mark.parametrize("preset", NOT_BUILT)
def test_11_a_preset_with_a_rule_that_is_not_built_is_refused(preset: str) -> None:
    with pytest.raises(ValueError, match="not built yet"):
        Rules.preset(preset)


def test_11_every_preset_is_played_or_refused() -> None:
    assert set(PRESETS) == {"classic", "duel", *NOT_BUILT}


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
