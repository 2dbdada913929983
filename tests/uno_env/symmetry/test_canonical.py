"""The canonical form of observations, masks and events: one for all names of colours and both directions."""

import random
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from tests.helpers.marks import thorough
from tests.helpers.playing import positions
from tests.helpers.positions import any_rules
from tests.helpers.symmetry import Renaming, a_renaming
from uno_env import Game, Rules
from uno_env.actions import NUM_ACTIONS
from uno_env.cards import FIRST_WILD, NUM_COLOURS, RANKS_PER_COLOUR
from uno_env.core.observe.layout import layout_of
from uno_env.editions import EDITIONS, edition_for
from uno_env.editions.edition import Edition
from uno_env.history import history_of
from uno_env.observation import LAYOUT, OBSERVATION_SIZE
from uno_env.symmetry import CanonicalForm
from uno_env.symmetry.tables import NUM_ORDERS, ORDERS, SECTIONS

Array = npt.NDArray[Any]
DRAWN = any_rules(16, seed=5)
RULES = [
    *(
        Rules.preset(preset, players=n)
        for preset, n in (("duel", 2), ("classic", 4), ("house", 10), ("h2o", 3), ("no_mercy", 5), ("flip", 4))
    ),
    Rules.preset("rlcard"),
    *DRAWN[:5],
    *thorough(*DRAWN[5:]),
]
HISTORY = 6
FORM = CanonicalForm(history=HISTORY)


@cache
def form_of(edition: Edition) -> CanonicalForm:
    """The canonical form of an edition, with past events."""
    return CanonicalForm(history=HISTORY, edition=edition)


def shown(game: Game) -> tuple[Array, Array, Array]:
    """Observation, mask and events of the player to move, each [1, …]."""
    events = history_of(game.events, game.to_move, HISTORY)
    return game.observe(game.to_move, "uint8")[None], game.action_mask().astype(np.uint8)[None], events[None]


def canonical(game: Game) -> tuple[int, Array, Array]:
    """The form of what the player to move sees, and the row and the mask in it."""
    row, mask, events = shown(game)
    form = form_of(edition_for(game.rules))
    forms = form.forms(row, events)
    return int(forms[0]), form.rows(row, forms, events)[0], form.masks(mask, forms)[0]


def decisions(rules: Rules, seed: int, match: bool = False) -> Iterator[Game]:
    """Positions of a game in which somebody decides."""
    games = positions(Game(rules, seed=seed, match=match), seed)
    return (game for number, game in enumerate(games) if not game.over and number < 120)


def of_form(form: int, rules: Rules) -> Renaming:
    """What a form does."""
    order, edition = ORDERS[form % NUM_ORDERS], edition_for(rules)
    return Renaming([order.index(colour) for colour in range(NUM_COLOURS)], form >= NUM_ORDERS, edition)


@pytest.mark.parametrize("rules", RULES, ids=range(len(RULES)))
def test_games_that_differ_by_names_alone_have_one_canonical_form(rules: Rules) -> None:
    chance = random.Random(1)
    for game in decisions(rules, 2):
        twin = a_renaming(rules, chance).game(game)
        for mine, theirs in zip(canonical(game)[1:], canonical(twin)[1:], strict=True):
            assert (mine == theirs).all()


@pytest.mark.parametrize("rules", RULES, ids=range(len(RULES)))
def test_it_is_what_would_be_seen_of_the_game_with_these_names_and_play_runs_clockwise(rules: Rules) -> None:
    for game in decisions(rules, 3):
        form, row, mask = canonical(game)
        twin_row, twin_mask, twin_events = shown(of_form(form, rules).game(game))
        assert (row == np.concatenate((twin_row[0], twin_events[0].ravel()))).all()
        assert (mask == twin_mask[0]).all()
        assert row[layout_of(edition_for(rules))["clockwise"].start] == 1


def test_whole_matches_too() -> None:
    rules, chance = Rules.preset("classic", players=3, scoring="elimination", target=60), random.Random(4)
    directions = set()
    for game in decisions(rules, 4, match=True):
        twin = a_renaming(rules, chance).game(game)
        directions.add(int(game.record.direction))
        assert (canonical(game)[1] == canonical(twin)[1]).all()
    assert directions == {1, -1}


@pytest.mark.parametrize("players", range(2, 11))
def test_actions_come_back(players: int) -> None:
    rules = Rules.preset("house", players=players)
    for game in decisions(rules, players):
        form, _, mask = canonical(game)
        real = FORM.real_actions(np.full(len(mask), form), np.arange(len(mask)))
        assert sorted(real.tolist()) == list(range(len(mask)))
        assert (mask == game.action_mask()[real]).all()


def test_the_active_colour_comes_first_then_those_of_most_cards() -> None:
    for game in decisions(Rules.preset("classic", players=4), 8):
        row = canonical(game)[1]
        hand = row[LAYOUT["hand"].columns][:FIRST_WILD].reshape(NUM_COLOURS, RANKS_PER_COLOUR).sum(axis=1)
        discards = row[LAYOUT["discards"].columns][:FIRST_WILD].reshape(NUM_COLOURS, RANKS_PER_COLOUR).sum(axis=1)
        active = row[LAYOUT["colour"].columns]
        keys = list(zip(active.tolist(), hand.tolist(), discards.tolist(), strict=True))
        assert keys == sorted(keys, reverse=True)


def test_only_colours_of_the_same_cards_change_places() -> None:
    rules = Rules(deck="r1 r1 r2 r3 y1 y1 y2 y3 g1 g2 g4 g4 b5 b5 w w r1 y1", players=2, hand_size=3)
    orders = {ORDERS[canonical(game)[0] % NUM_ORDERS] for seed in range(10) for game in decisions(rules, seed)}
    assert orders == {(0, 1, 2, 3), (1, 0, 2, 3)}


def test_some_columns_and_actions_are_those_of_the_whole() -> None:
    played = (game for seed in range(20) for game in decisions(Rules.preset("house", players=4), seed))
    game = next(game for game in played if game.record.direction < 0)
    row, mask, events = shown(game)
    columns, actions = np.arange(3, OBSERVATION_SIZE, 7), np.arange(0, 132, 5)
    part = CanonicalForm(columns, actions, HISTORY - 2, game.rules)
    forms = part.forms(row, events)
    whole = FORM.rows(row, forms, events)[0]
    assert (part.rows(row, forms, events)[0] == [*whole[columns], *whole[OBSERVATION_SIZE + 2 * 28 :]]).all()
    assert (part.masks(mask, forms) == FORM.masks(mask, forms)[:, actions]).all()
    assert (part.real == FORM.real[:, actions]).all()


def test_missing_events_are_refused() -> None:
    row, _, events = shown(Game("duel"))
    for histories in (None, events[:, 1:]):
        with pytest.raises(ValueError, match="reads the last 6 events"):
            FORM.forms(row, histories)


@pytest.mark.parametrize("dtype", [">i8", np.float64, "V4", np.float16])
def test_weights_of_another_dtype_are_refused(dtype: Any) -> None:
    """Compiled code would be compiled for them, or not at all."""
    row, mask, events = shown(Game("duel"))
    with pytest.raises(ValueError, match="weights must be a writeable array"):
        FORM.share(np.zeros((1, NUM_ACTIONS), dtype), row, mask, events)


def test_every_section_of_an_observation_has_its_symmetry() -> None:
    assert {name for edition in EDITIONS.values() for name in layout_of(edition)} == SECTIONS


@pytest.mark.parametrize(
    "arguments",
    [{"history": -1}, {"history": 1.5}, {"history": True}, {"columns": [OBSERVATION_SIZE]}, {"columns": [-1]},
     {"columns": [[1, 2]]}, {"columns": np.ones(OBSERVATION_SIZE, bool)}, {"actions": [NUM_ACTIONS]}, {"actions": [-1]},
     {"actions": [0.5]}],
)  # fmt: skip
def test_it_is_made_for_columns_actions_and_events_that_there_are(arguments: dict[str, Any]) -> None:
    """With -1 events the rows were shorter than what compiled code wrote to them."""
    with pytest.raises(ValueError, match=next(iter(arguments))):
        CanonicalForm(**arguments)
