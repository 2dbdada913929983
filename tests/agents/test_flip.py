"""All scripted agents and searches play Flip (GUIDE.md 14) by the side in force."""

import random
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import agents
from agents.scripted.agent import new_scratch
from agents.scripted.dispatch import STRATEGIES, show_side
from agents.scripted.faces import faces_of
from agents.scripted.sides import editions_seen
from agents.search import new_search_scratch, play_hands, set_rules
from agents.search.determinization import determinize, enter
from tests.helpers.playing import lively_action
from tests.helpers.random_rules import random_flip_rules
from train.evaluation.duplicate import duplicate_deals
from train.evaluation.estimate import Estimate
from uno_env import BatchedGames, Game, Rules
from uno_env.actions import catalogue
from uno_env.core.observe.encode import encode
from uno_env.core.observe.layout import layout_of, rule_columns_of
from uno_env.editions.flip import FLIP
from uno_env.observation import float_form, layout

Array = npt.NDArray[Any]

SEARCHES = (
    "search:flat?num_determinizations=2",
    "search:pimc?num_determinizations=2&sims=4",
    "search:ismcts?sims=8",
    "search:flat?num_determinizations=2&rollout=greedy&others=random-play",
)


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


@pytest.mark.thorough
@pytest.mark.parametrize("spec", SEARCHES)
def test_searches_play_by_any_rules_of_flip(spec: str) -> None:
    rows, masks = (each[::9] for each in positions(3, 0))
    agent = agents.load(spec, seed=1)
    chosen = agent.act_batch(rows, masks)
    assert masks[np.arange(len(rows)), chosen].all()
    assert (agents.load(spec, seed=1).act_batch(float_form(rows), masks) == chosen).all()


@pytest.mark.parametrize("uniform", [False, True])
def test_what_a_search_deals_looks_as_what_it_was_dealt_from(uniform: bool) -> None:
    """Backs included."""
    rows, _ = positions(3, 0)
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
def test_a_side_shows_its_faces_and_what_is_legal_with_them(side: int) -> None:
    rows, masks = positions(3, 0)
    there = rows[:, layout(Rules.preset("flip"))["side"].start] == side
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


@pytest.mark.thorough
@pytest.mark.parametrize("name", [name for name in STRATEGIES if name != "random"])
@pytest.mark.parametrize("players", [2, 4])
def test_no_strategy_is_worse_than_random_play(name: str, players: int) -> None:
    rules, deals = Rules.preset("flip", players=players), 400
    starts, seating = duplicate_deals(deals, players, seed=8)
    scratch, winners = new_search_scratch(name, "random-play", (1, 2), edition=FLIP), np.zeros(len(starts), int)
    set_rules(scratch, rules)
    play_hands(scratch, starts, seating, winners)
    assert (winners >= 0).all()
    wins = (winners == np.tile(np.arange(players), deals)).reshape(deals, players).mean(axis=1)
    assert Estimate.of(wins).high >= 1 / players, wins.mean()
