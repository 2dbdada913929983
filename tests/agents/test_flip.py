"""All scripted agents play Flip (GUIDE.md 14) by the side in force; searches refuse it."""

import random
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import agents
from agents.scripted.dispatch import STRATEGIES
from agents.scripted.sides import SideView, edition_of_side
from tests.helpers.playing import lively_action
from tests.helpers.random_rules import random_flip_rules
from uno_env import Game, Rules
from uno_env.actions import catalogue
from uno_env.editions.flip import FLIP
from uno_env.observation import float_form, layout

Array = npt.NDArray[Any]


@cache
def positions(number: int, mercy: int) -> tuple[Array, Array]:
    """Observations uint8 [N, D] and masks uint8 [N, A] of lively hands by random rules."""
    chance, rows, masks = random.Random(number), [], []
    for seed in range(8):
        game = Game(random_flip_rules(chance, illegal_action="raise", mercy=mercy), seed=seed)
        while not game.over and len(game.history) < 60:
            rows.append(game.observe(game.to_move, "uint8"))
            masks.append(game.action_mask())
            game.step(lively_action(game, chance))
    return np.array(rows), np.array(masks, np.uint8)


@pytest.mark.parametrize("mercy", [0, 25])
@pytest.mark.parametrize("spec", [*STRATEGIES, "tuned?bluff=0"])
def test_every_strategy_plays_by_any_rules_of_flip(spec: str, mercy: int) -> None:
    agent = agents.load(spec, seed=1)
    rows, masks = positions(3, mercy)
    assert set(rows[:, layout(Rules.preset("flip", mercy=mercy))["side"].start].tolist()) == {0, 1}
    for shown in (rows, float_form(rows)):
        chosen = agent.act_batch(shown, masks)
        assert masks[np.arange(len(rows)), chosen].all()


def test_a_side_looks_like_an_edition_of_its_own() -> None:
    light, dark = edition_of_side(FLIP, 0), edition_of_side(FLIP, 1)
    assert (light.texts[:4], light.texts[-2:]) == (("r1", "r2", "r3", "r4"), ("w", "w+2"))
    assert (dark.texts[:4], dark.texts[-2:]) == (("p1", "p2", "p3", "p4"), ("dw", "dwc"))
    assert sum(light.decks["flip_0"]) == sum(dark.decks["flip_1"]) == 112
    assert light.per_colour == dark.per_colour == 13


@pytest.mark.parametrize("side", [0, 1])
def test_what_is_legal_on_a_side_is_legal_there(side: int) -> None:
    rows, masks = positions(3, 0)
    there = rows[:, layout(Rules.preset("flip"))["side"].start] == side
    view, texts = SideView(FLIP, side), catalogue(edition_of_side(FLIP, side)).texts
    faces = [face.text for face in FLIP.faces_on(side)]
    for mask, seen in zip(masks[there], view.masks(masks[there]), strict=True):
        named = {catalogue(FLIP).texts[action] for action in np.flatnonzero(mask)}
        for whole, face in zip(FLIP.texts, faces, strict=True):
            named = {text.replace(whole, face) for text in named}
        assert named == {texts[action] for action in np.flatnonzero(seen)}


def test_a_search_refuses_cards_with_two_sides() -> None:
    rows, masks = positions(3, 0)
    agent = agents.load("search:flat?num_determinizations=2", seed=1)
    with pytest.raises(ValueError, match="does not play the edition 'flip', whose cards have two sides"):
        agent.act_batch(rows[:8], masks[:8])
