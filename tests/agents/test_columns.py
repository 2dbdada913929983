"""The columns and actions left out of a policy are those that random games never vary and never use."""

from typing import Any

import numpy as np
import pytest

from agents.policy import policy_actions, policy_columns
from tests.agents.positions import TABLES
from uno_env import BatchedGames, Rules
from uno_env import actions as catalogue
from uno_env.actions import NUM_ACTIONS
from uno_env.cards import REVERSE
from uno_env.observation import LAYOUT, OBSERVATION_SIZE, RULES_START

NO_WILDS = " ".join(f"{colour}{rank}" for colour in "rg" for rank in (1, 2, 3, "s", "+2") for _ in range(3))
ODD: list[tuple[str, int, dict[str, Any]]] = [
    ("duel", 5, {}),
    ("duel", 2, {"first_card": "effects"}),
    ("duel", 2, {"two_player_reverse": "reverse"}),
    ("duel", 2, {"deck": NO_WILDS, "hand_size": 3}),
    ("duel", 2, {"deck": NO_WILDS + " w w", "hand_size": 3, "uno_call": "declared"}),
    ("duel", 3, {"wild_draw_four": "bluff", "reflexes": (1, 2, 3)}),
    ("duel", 3, {"draw": "until_playable", "after_draw": "must_play"}),
    ("classic", 3, {"first_card": "effects_no_wild", "call_before": True, "dealer": "fixed"}),
    ("classic", 3, {"wild_draw_four": "free", "go_out_on": "not_action"}),
]


def _seen(rules: Rules, steps: int = 700) -> tuple[set[int], set[int]]:
    """Columns that vary and actions that are legal in random games."""
    batch = BatchedGames(128, rules, seed=1, obs_dtype="uint8")
    rows, masks, _ = batch.reset()
    first, varies, legal = rows[0].copy(), np.zeros(OBSERVATION_SIZE, bool), np.zeros(NUM_ACTIONS, bool)
    for _ in range(steps):
        varies |= (rows != first).any(axis=0)
        legal |= masks.any(axis=0)
        rows, masks, *_ = batch.step(batch.sample_actions())
    return set(np.flatnonzero(varies).tolist()), set(np.flatnonzero(legal).tolist())


@pytest.mark.parametrize(("preset", "players", "changes"), [*((*table, {}) for table in TABLES), *ODD])
def test_nothing_else_varies_or_is_legal(preset: str, players: int, changes: dict[str, Any]) -> None:
    rules = Rules.preset(preset, players=players, **changes)
    columns, actions = _seen(rules)
    assert columns <= set(policy_columns(rules).tolist())
    assert actions <= set(policy_actions(rules).tolist())


@pytest.mark.parametrize(("preset", "players"), [("duel", 2), ("duel", 5), ("classic", 2)])
def test_nothing_is_kept_in_vain(preset: str, players: int) -> None:
    rules = Rules.preset(preset, players=players)
    columns, actions = _seen(rules)
    assert columns == set(policy_columns(rules).tolist())
    assert actions == set(policy_actions(rules).tolist())


def test_both_are_ascending_and_without_the_rules() -> None:
    rules = Rules()
    for ids in (policy_columns(rules), policy_actions(rules)):
        assert ids.dtype == np.int64
        assert (np.diff(ids) > 0).all()
    assert policy_columns(rules).max() < RULES_START


def test_duel_needs_little() -> None:
    rules = Rules.preset("duel")
    kept = set(policy_columns(rules).tolist())
    for name in ("known", "called", "asked", "turn", "to_move", "clockwise", "penalty"):
        assert not kept & set(range(OBSERVATION_SIZE)[LAYOUT[name].columns])
    assert {catalogue.name(action) for action in policy_actions(rules)[52:]} == {
        *(f"{wild}:{colour}" for wild in ("w", "w+4") for colour in "rygb"),
        "draw",
        "pass",
    }


def test_only_neighbours_can_be_known_by_a_challenge() -> None:
    kept = policy_columns(Rules.preset("classic", players=10))
    known = LAYOUT["known"]
    places = {(column - known.start) // 58 for column in kept if known.start <= column < known.start + known.width}
    assert places == {0, 8}


def test_no_reverse_no_direction() -> None:
    deck = {"r1": 20, "g1": 20, "b2": 10}
    rules = Rules(players=3, deck=deck)  # type: ignore[arg-type]
    assert not any(rules.deck_counts[REVERSE:52:13])
    assert LAYOUT["clockwise"].start not in policy_columns(rules)
    assert LAYOUT["clockwise"].start in policy_columns(Rules(players=3))
