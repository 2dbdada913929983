"""Symmetric policies: other names for colours, or a mirror, change the names of what they do and nothing else."""

import random
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import agents
from agents.policy.policy_agent import PolicyAgent
from agents.policy.policy_file import load_policy, save_policy
from tests.helpers.chance import looks_uniform
from tests.helpers.marks import thorough
from tests.helpers.playing import positions
from tests.helpers.positions import a_card, any_rules, asked, some_weights
from tests.helpers.symmetry import Renaming, a_renaming
from tests.helpers.table import Table
from uno_env import Game, Rules
from uno_env.actions import parse
from uno_env.observation import SCALES

Array = npt.NDArray[Any]
DRAWN = any_rules(10, seed=6)
RULES = [
    *(Rules.preset("house", players=players) for players in (2, 3, 6, 10)),
    Rules.preset("duel"),
    Rules.preset("rlcard"),
    *DRAWN[:4],
    *thorough(*DRAWN[4:], *(Rules.preset("house", players=players) for players in (4, 5, 7, 8, 9))),
]
Seen = tuple[Array, Array]


def an_agent(rules: Rules, **options: Any) -> PolicyAgent:
    card = a_card(rules, symmetry=True)
    return PolicyAgent("symmetric", some_weights(card), card, **options)


@cache
def twins(rules: Rules) -> tuple[Seen, Seen, list[Renaming]]:
    """What is seen in positions of a game, the same under other names, and the names."""
    chance, mine, theirs, names = random.Random(2), [], [], []
    for game in positions(Game(rules, seed=7), 7):
        if not game.over and len(names) < 150:
            names.append(a_renaming(rules, chance))
            mine.append(_shown(game))
            theirs.append(_shown(names[-1].game(game)))
    return _stacked(mine), _stacked(theirs), names


def _shown(game: Game) -> Seen:
    return game.observe(game.to_move, "uint8"), game.action_mask()


def _stacked(seen: list[Seen]) -> Seen:
    rows, masks = (np.array(each) for each in zip(*seen, strict=True))
    return rows, masks


@pytest.mark.parametrize("rules", RULES, ids=range(len(RULES)))
def test_renaming_a_game_renames_the_probabilities_exactly(rules: Rules) -> None:
    (rows, masks), (twin_rows, twin_masks), names = twins(rules)
    agent = an_agent(rules)
    mine, theirs = agent.probabilities(rows, masks), agent.probabilities(twin_rows, twin_masks)
    for probabilities, twin, name in zip(mine, theirs, names, strict=True):
        assert (probabilities == twin[name.actions(rules.players)]).all()
    assert (agent.values(rows) == agent.values(twin_rows)).all()
    assert np.abs(mine.sum(axis=1) - 1).max() < 1e-5


@pytest.mark.parametrize("rules", RULES[::4], ids=range(len(RULES[::4])))
def test_what_it_does_is_renamed_where_it_is_the_only_best(rules: Rules) -> None:
    (rows, masks), (twin_rows, twin_masks), names = twins(rules)
    agent = an_agent(rules)
    probabilities, chosen = agent.probabilities(rows, masks), agent.act_batch(rows, masks)
    highest = probabilities.max(axis=1)
    only = (probabilities == highest[:, None]).sum(axis=1) == 1
    only &= probabilities.argmax(axis=1) == chosen
    assert only.mean() > 0.8
    twin_chosen = agent.act_batch(twin_rows, twin_masks)
    for index in np.flatnonzero(only):
        assert twin_chosen[index] == names[index].action(int(chosen[index]), rules.players)


def test_colours_that_nothing_tells_apart_are_equally_probable() -> None:
    game = Table("r1 r2 w", "r3 r4 r5").game
    row, mask = game.observe(game.to_move, "uint8")[None], game.action_mask()[None]
    probabilities = an_agent(game.rules).probabilities(row, mask)[0]
    red, *others = probabilities[[parse(f"w:{colour}") for colour in "rygb"]]
    assert others[0] == others[1] == others[2] > 0
    assert red != others[0]
    masks = np.repeat(mask, 20_000, axis=0)
    chosen = an_agent(game.rules, sample=True).act_batch(np.repeat(row, len(masks), axis=0), masks)
    assert looks_uniform(np.bincount(chosen, minlength=132)[[parse(f"w:{colour}") for colour in "ygb"]])


@pytest.mark.parametrize("sample", [False, True])
def test_it_plays_legally_in_either_form_of_observations_and_one_by_one(sample: bool) -> None:
    rules = Rules.preset("house", players=5)
    rows, masks = (array[:600] for array in asked("house", 5))
    chosen = an_agent(rules, seed=1, sample=sample).act_batch(rows, masks)
    assert masks[np.arange(len(masks)), chosen].all()
    floats = (rows * SCALES).astype(np.float32)
    assert (an_agent(rules, seed=1, sample=sample).act_batch(floats, masks) == chosen).all()
    single = an_agent(rules, seed=1, sample=sample)
    assert [single.act(row, mask) for row, mask in zip(rows[:50], masks[:50], strict=True)] == chosen[:50].tolist()


def test_logits_are_those_of_the_real_actions() -> None:
    rules = Rules.preset("duel")
    rows, masks = asked("duel", 2)
    agent = an_agent(rules)
    logits, values = agent.logits_and_value(rows)
    assert (values == agent.values(rows)).all()
    legal = np.where(masks[:, agent.card.actions] == 1, logits, -np.inf)
    best = np.array(agent.card.actions)[legal.argmax(axis=1)]
    assert (best == agent.act_batch(rows, masks)).mean() > 0.99


def test_it_is_saved_and_plays_the_same_also_for_a_search(tmp_path: Path) -> None:
    rules = Rules.preset("duel")
    agent = an_agent(rules)
    save_policy(tmp_path / "p.safetensors", some_weights(agent.card), agent.card)
    assert load_policy(tmp_path / "p.safetensors")[1] == agent.card
    loaded = agents.load(str(tmp_path / "p.safetensors"), rules=rules)
    rows, masks = (array[:200] for array in asked("duel", 2))
    assert (loaded.act_batch(rows, masks) == agent.act_batch(rows, masks)).all()
    searcher = agents.load(f"search:flat?num_determinizations=3&prior={tmp_path / 'p.safetensors'}", rules=rules)
    assert masks[np.arange(20), searcher.act_batch(rows[:20], masks[:20])].all()
