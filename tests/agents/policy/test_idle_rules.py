"""A policy of single hands chooses the same whatever the rules say that no decision depends on."""

import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import agents
from agents.policy.onnx_export import export_onnx
from agents.policy.policy_file import load_policy
from agents.zoo.shipped import shipped_file
from tests.helpers.playing import lively_action
from tests.helpers.random_rules import random_flip_rules, random_no_mercy_rules, random_rules
from uno_env import Game, Rules
from uno_env.core.observe.layout import START, rule_columns_of
from uno_env.core.record import FLAGS, SWITCHES
from uno_env.editions.classic import CLASSIC
from uno_env.idle_rules import ALWAYS_IDLE, IDLE, without_idle_rules
from uno_env.observation import LAYOUT, float_form, layout, number_of_columns, rules_columns
from uno_env.policy_columns import policy_columns

OTHERS: dict[str, tuple[Any, ...]] = {
    **{name: SWITCHES[name] for name in ALWAYS_IDLE if name in SWITCHES},
    "special_wild_points": (0, 40, 50, 100),
    "target": (1, 500, 1_000),
}
GENERAL = "zoo:any"
"""A policy that reads the rules."""
CONDITIONAL = (
    "uno_penalty", "late_call", "call_before", "two_player_reverse", "wild_is_match", "wild_draw_four",
    "customizable_effect",
)  # fmt: skip
"""Fields that do not matter under some rules."""
BASES = [
    {"preset": "classic", "players": 2},
    {"preset": "house", "players": 3, "deck": "edition_2018", "customizable_effect": "swap_hands"},
    {"preset": "guide_001", "players": 4},
]


def _positions(rules: Rules, seed: int) -> list[Game]:
    game, chance, found = Game(rules, seed=seed), random.Random(seed), []
    while not game.over:
        if chance.random() < 0.2:
            found.append(game.clone())
        game.step(lively_action(game, chance))
    return found[:12]


def _told(rows: Any, rules: Rules) -> Any:
    changed = rows.copy()
    changed[:, START.seats :] = rules_columns(rules)
    return changed


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The policy as an ONNX file."""
    for library in ("onnx", "onnxruntime", "torch"):
        pytest.importorskip(library)
    path = tmp_path_factory.mktemp("exported") / "any.onnx"
    export_onnx(path, *load_policy(shipped_file("any")))
    return path


@pytest.mark.thorough
@pytest.mark.parametrize("base", BASES, ids=[base["preset"] for base in BASES])
@pytest.mark.parametrize("kind", ["safetensors", "onnx"])
def test_a_learned_policy_of_single_hands(kind: str, base: dict[str, Any], request: pytest.FixtureRequest) -> None:
    spec = GENERAL if kind == "safetensors" else str(request.getfixturevalue("exported"))
    values = dict(base)
    rules = Rules.preset(values.pop("preset"), **values)
    positions = [each for seed in range(4) for each in _positions(rules, seed)]
    rows = np.stack([each.observe(each.to_move, "uint8") for each in positions])
    masks, agent = np.stack([each.action_mask() for each in positions]), agents.load(spec)
    chosen = agent.act_batch(rows, masks)
    for name, allowed in OTHERS.items():
        for value in allowed:
            told = _told(rows, rules.replace(**{name: value}))
            assert np.array_equal(agent.act_batch(told, masks), chosen), (name, value)


@pytest.mark.parametrize(
    ("changes", "field", "value"),
    [
        ({"uno_call": "automatic"}, "uno_penalty", 9),
        ({"uno_call": "automatic"}, "late_call", False),
        ({"uno_call": "automatic"}, "call_before", True),
        ({"call_before": True}, "late_call", False),
        ({"players": 3}, "two_player_reverse", "reverse"),
        ({}, "customizable_effect", "skip_all"),
        ({"deck": "r1 r2 r3 r4 b1 b2 b3 b4", "hand_size": 1}, "wild_draw_four", "free"),
        *(({}, name, values[-1]) for name, values in OTHERS.items()),
    ],
)
def test_a_field_that_does_not_matter_is_told_as_by_default(changes: Any, field: str, value: Any) -> None:
    one = Rules(players=2).replace(**changes)
    rows = [without_idle_rules(_row(rules)) for rules in (one, one.replace(**{field: value}))]
    assert not np.array_equal(_row(one), _row(one.replace(**{field: value})))
    assert np.array_equal(*rows)
    assert np.array_equal(without_idle_rules(float_form(rows[0])), float_form(rows[0]))


@pytest.mark.parametrize(
    ("changes", "field", "value"),
    [
        ({}, "uno_penalty", 9),
        ({}, "late_call", False),
        ({}, "two_player_reverse", "reverse"),
        ({"players": 3, "mercy": 25}, "two_player_reverse", "reverse"),  # two can be left
        ({"deck": "edition_2018"}, "customizable_effect", "skip_all"),
        ({}, "wild_draw_four", "free"),
        ({}, "renew", "at_once"),
        ({}, "hand_size", 5),
    ],
)
def test_a_field_that_matters_is_told(changes: Any, field: str, value: Any) -> None:
    one = Rules(players=2).replace(**changes)
    rows = [without_idle_rules(_row(rules)) for rules in (one, one.replace(**{field: value}))]
    assert not np.array_equal(*rows)


@pytest.mark.thorough
@pytest.mark.parametrize("draw_rules", [random_rules, random_no_mercy_rules, random_flip_rules])
def test_rules_that_are_told_alike_play_alike(draw_rules: Callable[..., Rules]) -> None:
    """Twins of random rules with another value of one field."""
    compared = Counter[str]()
    for seed in range(60):
        chance = random.Random(seed)
        one = draw_rules(chance, illegal_action="raise", dialect="official")
        for field in CONDITIONAL:
            values = (0, 1, 2, 4) if field == "uno_penalty" else SWITCHES.get(field) or FLAGS[field]
            other = chance.choice([value for value in values if value != getattr(one, field)])
            try:
                games = [Game(rules, seed) for rules in (one, one.replace(**{field: other}))]
            except ValueError:
                continue  # switches that do not go together
            rows = [without_idle_rules(_row(game.rules)) for game in games]
            if np.array_equal(*rows):
                compared[field] += 1
                _verify_alike(games, chance)
    assert len(compared) >= 5


def _verify_alike(games: list[Game], chance: random.Random) -> None:
    """See to it that the games differ in no facts but the rules, whatever is played."""
    first = layout(games[0].rules)["seats"].start
    for _ in range(80):
        if games[0].over:
            break
        seat = games[0].to_move
        seen = [(game.to_move, game.legal_actions(), game.observe(seat, "uint8")[:first].tolist()) for game in games]
        assert seen[0] == seen[1], [game.rules for game in games]
        action = lively_action(games[0], chance)
        for game in games:
            game.step(action)


def _row(rules: Rules) -> Any:
    told = rules_columns(rules)
    return np.r_[np.zeros(number_of_columns(rules) - len(told), np.uint8), told][None]


def test_networks_for_many_rules_read_points_only_for_matches() -> None:
    tables = [Rules(), Rules(scoring="lowest", special_wild_points=0, target=9), Rules.preset("duel")]
    always = set(IDLE.columns[IDLE.idle[0] > 0].tolist())
    assert not always & set(policy_columns(tables).tolist())
    assert {LAYOUT["scores"].start, rule_columns_of(CLASSIC)["scoring"]} <= set(
        policy_columns(tables, match=True).tolist()
    )
