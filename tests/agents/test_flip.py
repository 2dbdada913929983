"""Agents and searches of Flip (GUIDE.md 14) see the side in force; and test_editions.py."""

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import agents
from agents.scripted.agent import new_scratch
from agents.scripted.dispatch import show_side
from agents.scripted.faces import faces_of
from agents.scripted.sides import NOT_SEEN, actions_seen, editions_seen
from agents.search import new_search_scratch
from agents.search.determinization import determinize, enter
from tests.agents.scripted.edition_choices import positions
from uno_env import BatchedGames, Rules
from uno_env.actions import catalogue
from uno_env.core.observe.encode import encode
from uno_env.core.observe.layout import layout_of, rule_columns_of
from uno_env.editions.flip import FLIP
from uno_env.observation import layout

Array = npt.NDArray[Any]


@pytest.mark.thorough
@pytest.mark.parametrize("uniform", [False, True])
def test_what_a_search_deals_looks_as_what_it_was_dealt_from(uniform: bool) -> None:
    """Backs included."""
    rows, _ = positions("flip", 0)
    scratch = new_search_scratch("random", "random", edition=FLIP)._replace(uniform=uniform)
    before = layout_of(FLIP)["seats"].start
    for row in rows[::9]:
        enter(scratch, row, "outcome")
        for seed in range(3):
            determinize(scratch, np.uint64(seed))
            again = np.zeros_like(row)
            encode(scratch.dealt[0], scratch.rules[0], 0, again)
            assert (again[:before] == row[:before]).all()


@pytest.mark.thorough
def test_a_player_that_sees_all_hands_is_dealt_these_alone() -> None:
    batch = BatchedGames(6, "flip", players=3, seed=1, obs_dtype="uint8")
    rows, masks, _ = batch.reset()
    for _ in range(40):
        rows, masks, *_ = batch.step(batch.sample_actions())
    agent = agents.load("cheat:flat?num_determinizations=2", seed=1)
    assert masks[np.arange(6), agent.act_on_games(rows, masks, batch.games)].all()
    for index, game in enumerate(batch.games):
        agent._games = batch.games
        agent._enter(rows, index)
        determinize(agent._scratch, np.uint64(5))
        seats = [(game["to_move"] + seat) % 3 for seat in range(3)]
        assert (agent._scratch.dealt["seats"]["hand"][0, :3] == game["seats"]["hand"][seats]).all()


def test_a_side_looks_like_an_edition_of_its_own() -> None:
    light, dark = editions_seen(FLIP)
    assert (light.texts[:4], light.texts[-2:]) == (("r1", "r2", "r3", "r4"), ("w", "w+2"))
    assert (dark.texts[:4], dark.texts[-2:]) == (("p1", "p2", "p3", "p4"), ("dw", "dwc"))
    assert sum(light.decks["flip"]) == sum(dark.decks["flip"]) == 112
    assert light.per_colour == dark.per_colour == 13


@pytest.mark.parametrize("side", [0, 1])
def test_each_action_of_a_side_is_what_an_action_of_flip_looks_like(side: int) -> None:
    seen = actions_seen(FLIP, side)
    assert set(seen.tolist()) - {NOT_SEEN} == set(range(len(catalogue(editions_seen(FLIP)[side]).texts)))


@pytest.mark.parametrize("side", [0, 1])
def test_a_side_shows_its_faces_and_what_is_legal_with_them(side: int) -> None:
    rows, masks = positions("flip", 0)
    there = rows[:, layout(Rules.preset("flip"))["side"].start] == side
    assert there.any()
    seen, scratch = editions_seen(FLIP)[side], new_scratch("random", np.zeros(1, np.uint64), edition=FLIP)
    texts, faces = catalogue(seen).texts, [face.text for face in FLIP.faces_on(side)]
    for row, mask in zip(rows[there], masks[there], strict=True):
        show_side(faces_of(FLIP)[side], row, mask, scratch)
        named = {catalogue(FLIP).texts[action] for action in np.flatnonzero(mask)}
        for whole, face in zip(FLIP.texts, faces, strict=True):
            named = {text.replace(whole, face) for text in named}
        assert named == {texts[action] for action in np.flatnonzero(scratch.mask)}
        for name, section in layout_of(seen).items():
            shown, given = scratch.row[section.columns], row[layout_of(FLIP)[name].columns]
            if name in ("hand", "discards", "known", "deck"):
                given = given.reshape(-1, len(faces))
                given = np.stack([given[:, [text == face for text in faces]].sum(1) for face in seen.texts], 1).ravel()
            elif "symbol" in name:
                given = given[[FLIP.symbols.index(symbol) for symbol in seen.symbols]]
            elif name == "rules":
                given = [row[rule_columns_of(FLIP)[field]] for field in rule_columns_of(seen) if field != "target"]
                shown = [scratch.row[column] for field, column in rule_columns_of(seen).items() if field != "target"]
            assert np.array_equal(shown, given[: len(shown)]), name
