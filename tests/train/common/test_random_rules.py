"""Rules drawn at random: the same for a seed, playable, and with every switch at every value."""

import pytest

from train.common.random_rules import DECISIONS_A_SEAT, random_rules
from uno_env import Game, Rules
from uno_env.core.record import FLAGS, SWITCHES
from uno_env.idle_rules import ALWAYS_IDLE
from uno_env.rules import PRESETS

DRAWN = [random_rules(0, number) for number in range(400)]


def test_the_same_number_of_the_same_seed_gives_the_same_rules() -> None:
    assert [random_rules(0, number) for number in range(50)] == DRAWN[:50]
    assert [random_rules(1, number) for number in range(50)] != DRAWN[:50]


def test_every_value_of_every_switch_and_every_number_of_players_is_drawn() -> None:
    for switch, allowed in (SWITCHES | FLAGS).items():
        assert {getattr(rules, switch) for rules in DRAWN} == set(allowed), switch
    assert {rules.players for rules in DRAWN} == set(range(2, 11))
    assert {rules.hand_size for rules in DRAWN} == set(range(1, 13))
    assert {rules.uno_penalty for rules in DRAWN} == set(range(9))
    assert len({rules.special_wild_points for rules in DRAWN}) > 80
    assert len({rules.target for rules in DRAWN}) > 200
    assert any(rules.reflexes for rules in DRAWN)


@pytest.mark.parametrize("field", [*ALWAYS_IDLE, "hand_size"])
def test_no_field_goes_with_the_presets(field: str) -> None:
    """With each preset, and without any, a field that cannot tell them apart has several values."""
    values: dict[object, set[object]] = {}
    for number in range(3_000):
        rules = random_rules(2, number)
        if rules.dialect == "official":
            values.setdefault(rules.deck, set()).add(getattr(rules, field))
    assert all(len(found) > 1 for found in values.values())


def test_every_preset_is_drawn_unless_none_is_wanted() -> None:
    """Those of the first edition: a policy plays one edition."""
    presets = {_without_players(Rules.preset(name)) for name, changes in PRESETS.items() if "edition" not in changes}
    assert presets <= {_without_players(rules) for rules in DRAWN}
    others = {_without_players(random_rules(0, number, preset_share=0.0)) for number in range(100)}
    assert not presets & others


def test_numbers_of_players_are_drawn_as_often_as_they_are_listed() -> None:
    drawn = [random_rules(0, number, preset_share=0.0, players=(3, 10, 10, 10)).players for number in range(400)]
    assert set(drawn) == {3, 10}
    assert 250 < drawn.count(10) < 350  # 300, and 9 is its standard deviation; some decks are too small for ten


def test_they_can_be_played_and_end_in_time() -> None:
    for rules in DRAWN[:40]:
        game = Game(rules, seed=1)
        for _ in range(10):
            if not game.over:
                game.step(int(game.legal_actions()[0]))
        assert rules.max_decisions == DECISIONS_A_SEAT * rules.players


def _without_players(rules: Rules) -> Rules:
    """The rules without what is drawn in presets as well."""
    rules = rules.replace(players=2, reflexes=(), dealer_seat=0, max_decisions=1_000, hand_size=1)
    rules = rules.replace(
        first_card="effects", first_reverse="dealer", illegal_action="raise", scoring="hand", special_wild_points=40
    )
    return rules.replace(dealer="random", target=500)
