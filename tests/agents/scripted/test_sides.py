"""What strategies are shown of Flip: the side in force, as a game of an edition with one side."""

import random

import numpy as np
import pytest

from agents.scripted.sides import NOT_SEEN, actions_seen, columns_seen, editions_seen
from tests.helpers.playing import lively_action
from uno_env import Game, Rules
from uno_env.actions import catalogue
from uno_env.core.observe.layout import layout_of
from uno_env.editions.edition import Edition
from uno_env.editions.flip import FLIP

BY_FACE = ("hand", "discards", "deck")
"""Sections that count cards by kind."""
THE_SAME = ("seats", "hand_sizes", "clockwise", "draw_pile", "phase", "turn", "to_move", "scores")


def shown(row: np.ndarray, side: int) -> np.ndarray:
    """An observation uint8 [D] of Flip as one of a side's edition, int64."""
    columns = columns_seen(FLIP, side)
    return np.bincount(columns, weights=row, minlength=columns.max() + 1).astype(int)


def section_of(row: np.ndarray, edition: Edition, name: str) -> list[int]:
    section = layout_of(edition)[name]
    return list(map(int, row[section.start : section.start + section.width]))


def by_face(row: np.ndarray, edition: Edition, name: str, faces: list[str]) -> dict[str, int]:
    """How many cards with each face a section counts, given the face of each kind."""
    counts = dict.fromkeys(faces, 0)
    for face, count in zip(faces, section_of(row, edition, name), strict=True):
        counts[face] += count
    return counts


@pytest.mark.parametrize("seed", range(3))
def test_a_strategy_is_shown_the_cards_of_the_side_in_force(seed: int) -> None:
    game, chance = Game(Rules.preset("flip"), seed=seed), random.Random(seed)
    sides = set()
    while not game.over and len(game.history) < 80:
        row = game.observe(game.to_move, "uint8")
        side = int(row[layout_of(FLIP)["side"].start])
        edition, seen = editions_seen(FLIP)[side], shown(row, side)
        for name in BY_FACE:
            expected = by_face(row, FLIP, name, [face.text for face in FLIP.faces_on(side)])
            assert by_face(seen, edition, name, [face.text for face in edition.kinds]) == expected, name
        for name in THE_SAME:
            assert section_of(seen, edition, name) == section_of(row, FLIP, name), name
        sides.add(side)
        game.step(lively_action(game, chance))
    assert sides == {0, 1}


@pytest.mark.parametrize("side", [0, 1])
def test_each_action_of_a_side_is_what_an_action_of_flip_looks_like(side: int) -> None:
    seen = actions_seen(FLIP, side)
    assert set(seen.tolist()) - {NOT_SEEN} == set(range(len(catalogue(editions_seen(FLIP)[side]).texts)))
