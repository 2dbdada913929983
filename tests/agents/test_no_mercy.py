"""Choices of No Mercy (GUIDE.md 13), and agents of one edition refuse the others; and test_editions.py."""

from functools import cache
from itertools import islice
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import agents
from agents.policy.policy_agent import PolicyAgent
from agents.scripted.dispatch import STRATEGIES
from agents.search import new_search_scratch, set_rules
from tests.helpers import playing
from tests.helpers.marks import thorough
from tests.helpers.positions import a_card, asked, some_weights
from uno_env import BatchedGames, Game, Rules, actions
from uno_env.editions import edition_for
from uno_env.editions.no_mercy import NO_MERCY
from uno_env.observation import layout

Array = npt.NDArray[Any]

CAREFUL = [name for name in STRATEGIES if name not in ("random", "random-play", "rlcard-rule", "highest-points")]
"""They look at what a penalty does to the player it hits."""
ACTIONS = actions.catalogue(NO_MERCY)


@cache
def positions(rules: Rules, games: int = 24, steps: int = 60) -> tuple[Array, Array]:
    """Observations uint8 [N, D] and masks uint8 [N, A] of games of uniformly random actions."""
    batch = BatchedGames(games, rules, seed=5, obs_dtype="uint8")
    rows, masks, _ = batch.reset()
    seen, legal = [rows.copy()], [masks.copy()]
    for _ in range(steps):
        rows, masks, *_ = batch.step(batch.sample_actions())
        seen.append(rows.copy())
        legal.append(masks.copy())
    return np.concatenate(seen), np.concatenate(legal)


def positions_of_single_games(rules: Rules) -> tuple[Array, Array]:
    """The same of lively single games, for an edition whose batches nothing else has compiled."""
    seen, legal = [], []
    for seed in range(4):
        for game in islice(playing.positions(Game(rules, seed), seed), 80):
            if not game.over:
                seen.append(game.observe(game.to_move, "uint8"))
                legal.append(game.action_mask())
    return np.array(seen), np.array(legal, np.uint8)


@pytest.mark.thorough
@pytest.mark.parametrize("name", [*CAREFUL, "highest-points"])
def test_who_is_asked_by_a_roulette_names_the_colour_that_comes_soonest(name: str) -> None:
    rules = Rules.preset("no_mercy")
    rows, masks = positions(rules, 64, 200)
    at = layout(rules)
    asked_now = rows[:, at["phase"].start + 9] > 0
    rows, masks = rows[asked_now], masks[asked_now]
    assert len(rows) > 20
    unseen = rows[:, at["deck"].columns].astype(int) - rows[:, at["hand"].columns] - rows[:, at["discards"].columns]
    kinds = np.array([face.colour for face in NO_MERCY.kinds])
    of_colour = np.stack([unseen[:, kinds == colour].sum(axis=1) for colour in range(4)], axis=1)
    chosen = agents.load(name).act_batch(rows, masks) - ACTIONS.first.declare
    assert (of_colour[np.arange(len(rows)), chosen] == of_colour.max(axis=1)).all()


@pytest.mark.parametrize("name", ["greedy", *thorough(*(name for name in CAREFUL if name not in ("greedy", "tuned")))])
def test_a_penalty_that_puts_the_next_player_out_is_given(name: str) -> None:
    rules = Rules.preset("no_mercy", players=2)
    rows, masks = (each.copy() for each in positions(rules, 64, 200))
    at = layout(rules)
    rows[:, at["hand_sizes"].start + 1] = 24
    demands = np.array([NO_MERCY.kinds[kind].demands if kind >= 0 else 0 for kind in ACTIONS.kinds])
    discards = np.array([kind >= 0 and NO_MERCY.kinds[kind].effect == "discard_all" for kind in ACTIONS.kinds])
    asked_now = (masks[:, demands > 0].any(1)) & (masks[:, [ACTIONS.first.call, ACTIONS.first.catch]] == 0).all(1)
    asked_now &= (masks[:, discards] == 0).all(1)
    assert asked_now.sum() > 50
    chosen = agents.load(name).act_batch(rows[asked_now], masks[asked_now])
    assert (demands[chosen] > 0).all()


def test_a_saved_policy_of_one_edition_refuses_the_rows_of_another() -> None:
    card = a_card(Rules.preset("duel"))
    policy = PolicyAgent("mine", some_weights(card), card)
    rows, masks = positions(Rules.preset("no_mercy"))
    with pytest.raises(ValueError, match="agent 'mine' plays the edition 'classic', not 'no_mercy'"):
        policy.act_batch(rows, masks)
    with pytest.raises(ValueError, match="action masks must have 133 columns a row in the edition 'no_mercy'"):
        agents.load("greedy").act_batch(rows, masks[:, :-1])


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["highest-points", "tuned"])
def test_an_agent_plays_editions_by_turns(name: str) -> None:
    """Also the first edition with mercy, whose observations have one more column."""
    tables = [asked("classic", 4, steps=40, games=8), positions(Rules.preset("no_mercy"))]
    tables.append(positions_of_single_games(Rules.preset("classic", mercy=12)))
    agent = agents.load(name, seed=2)
    for _ in range(2):
        for rows, masks in tables:
            rows, masks = rows[::71], masks[::71]
            assert masks[np.arange(len(rows)), agent.act_batch(rows, masks)].all()


def test_a_scratch_of_another_edition_is_refused() -> None:
    rules = Rules.preset("no_mercy")
    assert edition_for(rules) is NO_MERCY
    with pytest.raises(ValueError, match="the rules are of the edition no_mercy, and the scratch is of classic"):
        set_rules(new_search_scratch("greedy", "greedy"), rules)
