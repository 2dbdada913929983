"""The columns and actions left out of a policy are those that random games never vary and never use."""

from typing import Any

import numpy as np
import pytest

from tests.helpers.positions import MORE_TABLES, TABLES, any_rules, lively_games
from uno_env import Rules
from uno_env import actions as catalogue
from uno_env.actions import NUM_ACTIONS
from uno_env.cards import parse_cards
from uno_env.core.observe.layout import START
from uno_env.observation import LAYOUT, OBSERVATION_SIZE
from uno_env.policy_columns import policy_actions, policy_columns

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
    ("duel", 3, {"first_card": "effects_all", "deck": NO_WILDS + " w+4 w+4", "hand_size": 3}),
    ("duel", 2, {"double_play": "two_or_more", "deck": NO_WILDS, "hand_size": 3}),
    ("duel", 2, {"double_play": "two_or_more", "deck": "r0 r0 b0 b0 r1 r2 b1 b2", "hand_size": 3}),
    ("duel", 2, {"double_play": "two_or_more", "after_draw": "must_play"}),
    ("edition_2018", 3, {"customizable_effect": "swap_hands"}),
    ("house", 3, {"stacking": "any", "double_play": True, "uno_call": "automatic"}),
    ("house", 3, {"stacking": "off", "wild_draw_four": "free", "uno_call": "automatic"}),
    ("duel", 4, {"deck": "r0 b0 g0 r1 r1 b1 b2 g3 g1 y2 y1 r3 b3", "hand_size": 2, "seven_zero": True}),
    ("rlcard", 2, {"illegal_action": "terminate"}),
]
MATCHES: list[tuple[str, int, dict[str, Any]]] = [
    ("duel", 2, {}),
    ("duel", 3, {"scoring": "elimination", "target": 60}),
    ("classic", 2, {}),
    ("classic", 4, {"scoring": "elimination", "target": 60}),
    ("classic", 3, {"scoring": "lowest", "target": 10, "deck": "r1 r1 b1 b1 g1 g1 y1 y1 r2 b2", "hand_size": 2}),
]
ANY_RULES = 80


def _seen(rules: Rules, match: bool = False, games: int = 128, steps: int = 700) -> tuple[set[int], set[int]]:
    """Columns that vary and actions that are legal in random games."""
    first = None
    varies, legal = np.zeros(OBSERVATION_SIZE, bool), np.zeros(NUM_ACTIONS, bool)
    for rows, masks in lively_games(rules, match, games, steps):
        first = rows[0].copy() if first is None else first
        varies |= (rows != first).any(axis=0)
        legal |= masks.any(axis=0)
    return set(np.flatnonzero(varies).tolist()), set(np.flatnonzero(legal).tolist())


def _kept(rules: Rules, match: bool = False) -> tuple[set[int], set[int]]:
    """Columns and actions of a policy."""
    return set(policy_columns(rules, match).tolist()), set(policy_actions(rules).tolist())


def _sections(columns: set[int]) -> set[str]:
    """Names of the sections that columns are in."""
    return {name for name, section in LAYOUT.items() if columns & set(range(OBSERVATION_SIZE)[section.columns])}


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("preset", "players", "changes", "match"),
    [*((*table, {}, False) for table in (*TABLES, *MORE_TABLES)), *((*odd, False) for odd in ODD)]
    + [(*odd, True) for odd in MATCHES],
)
def test_nothing_else_varies_or_is_legal(preset: str, players: int, changes: dict[str, Any], match: bool) -> None:
    rules = Rules.preset(preset, players=players, **changes)
    columns, actions = _seen(rules, match)
    kept_columns, kept_actions = _kept(rules, match)
    assert columns <= kept_columns
    assert actions <= kept_actions


@pytest.mark.thorough
@pytest.mark.parametrize("match", [False, True])
@pytest.mark.parametrize("number", range(ANY_RULES))
def test_nothing_else_under_any_rules(number: int, match: bool) -> None:
    rules = any_rules(ANY_RULES, seed=31)[number]
    columns, actions = _seen(rules, match, games=48, steps=300)
    kept_columns, kept_actions = _kept(rules, match)
    assert _sections(columns - kept_columns) == set()
    assert {catalogue.name(action) for action in actions - kept_actions} == set()


@pytest.mark.parametrize(
    ("preset", "players", "changes", "match"),
    [
        ("duel", 2, {}, False),
        ("duel", 5, {}, False),
        ("classic", 2, {}, False),
        ("house", 3, {}, False),
        ("rlcard", 2, {}, False),
        ("duel", 2, {"double_play": "two_or_more", "deck": "r1 r1 r1 b1 b1 b2 b2 b2", "hand_size": 3}, False),
        ("duel", 3, {"scoring": "elimination", "target": 100}, True),
    ],
)
def test_nothing_is_kept_in_vain(preset: str, players: int, changes: dict[str, Any], match: bool) -> None:
    rules = Rules.preset(preset, players=players, **changes)
    assert _seen(rules, match) == _kept(rules, match)


@pytest.mark.parametrize(("preset", "tables"), [("duel", (2, 3, 5)), ("house", (2, 4))])
def test_several_numbers_of_players_need_what_any_needs_and_what_tells_them_apart(
    preset: str, tables: tuple[int, ...]
) -> None:
    rules = [Rules.preset(preset, players=players) for players in tables]
    first, varies, legal = None, np.zeros(OBSERVATION_SIZE, bool), np.zeros(NUM_ACTIONS, bool)
    for table in rules:
        for rows, masks in lively_games(table, False, 128, 700):
            first = rows[0].copy() if first is None else first
            varies |= (rows != first).any(axis=0)
            legal |= masks.any(axis=0)
    varies[LAYOUT["reflexes"].columns] = False  # all alike for who plays, and so no more than the seats tell
    assert np.flatnonzero(varies).tolist() == policy_columns(rules).tolist()
    assert np.flatnonzero(legal).tolist() == policy_actions(rules).tolist()
    assert {"seats", "rules"} <= _sections(set(policy_columns(rules).tolist()))
    assert policy_columns(rules[:1]).tolist() == policy_columns(rules[0]).tolist()


def test_a_match_adds_what_only_a_match_fills() -> None:
    for scoring, added in [
        ("hand", set()),
        ("winner_takes", {"scores"}),
        ("lowest", {"scores", "out"}),
        ("elimination", {"scores", "out"}),
    ]:
        rules = Rules.preset("duel", players=3, scoring=scoring)
        hand, match = _kept(rules)[0], _kept(rules, match=True)[0]
        assert hand <= match
        assert _sections(match - hand) == added
    assert "out" not in _sections(_kept(Rules(players=2, scoring="elimination"), match=True)[0])


def test_in_a_match_that_puts_players_out_anyone_can_come_to_be_known() -> None:
    rules = Rules(players=5, scoring="elimination")
    known = LAYOUT["known"]
    added = _kept(rules, match=True)[0] - _kept(rules)[0]
    assert {(column - known.start) // 58 for column in added if known.start <= column < known.start + known.width} == {
        1,
        2,
    }


def test_both_are_ascending_and_without_the_rules() -> None:
    rules = Rules()
    for ids in (policy_columns(rules), policy_actions(rules)):
        assert ids.dtype == np.int64
        assert (np.diff(ids) > 0).all()
    assert policy_columns(rules).max() < START.seats


def test_duel_needs_little() -> None:
    rules = Rules.preset("duel")
    columns, actions = _kept(rules)
    assert (len(columns), len(actions)) == (167, 62)
    left_out = {"known", "called", "asked", "turn", "to_move", "clockwise", "penalty", "scores", "out", "reflexes"}
    assert not _sections(columns) & left_out
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
    assert not any(rules.deck_counts[kind] for kind in parse_cards("rr yr gr br"))
    assert LAYOUT["clockwise"].start not in policy_columns(rules)
    assert LAYOUT["clockwise"].start in policy_columns(Rules(players=3))
