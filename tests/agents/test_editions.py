"""All scripted agents and searches play the editions with cards of their own: No Mercy and Flip (GUIDE.md 13, 14)."""

import random
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import agents
from agents.scripted.agent import new_scratch
from agents.scripted.dispatch import STRATEGIES, STRATEGY_NUMBERS, decide
from agents.scripted.strategy import Scratch
from agents.search import new_search_scratch, play_hands, set_rules
from tests.agents.scripted.kept import kept_checksum
from tests.helpers.playing import lively_action
from tests.helpers.random_rules import random_flip_rules, random_no_mercy_rules
from tests.uno_env.core.lockstep import checksum
from train.evaluation.duplicate import duplicate_deals
from train.evaluation.estimate import Estimate
from uno_env import Game, Rules
from uno_env.core.jit.njit import njit
from uno_env.core.record import records_of
from uno_env.editions import EDITIONS, edition_for
from uno_env.editions.edition import Edition
from uno_env.observation import float_form, layout

pytestmark = pytest.mark.thorough

Rows = npt.NDArray[np.uint8]

RULES = {"no_mercy": random_no_mercy_rules, "flip": random_flip_rules}
TABLES = [("no_mercy", 25), ("no_mercy", 10), ("flip", 0), ("flip", 25)]
"""Editions with a number of cards of which who holds it is out; 0: nobody is."""
SEARCHES = (
    "search:flat?num_determinizations=2",
    "search:pimc?num_determinizations=2&sims=4",
    "search:ismcts?sims=8",
    "search:flat?num_determinizations=2&rollout=greedy&others=random-play",
    "search:flat?num_determinizations=2&rollout=greedy&goal=points",
)


@cache
def positions(edition: str, mercy: int, scoring: str = "winner_takes") -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Observations uint8 [N, D] and masks uint8 [N, A] of lively hands by random rules of an edition."""
    chance, rows, masks = random.Random(3), [], []
    for seed in range(16):
        rules = RULES[edition](chance, illegal_action="raise", mercy=mercy, scoring=scoring, hand_size=7)
        game = Game(rules, seed=seed)
        while not game.over and len(game.history) < 60:
            rows.append(game.observe(game.to_move, "uint8"))
            masks.append(game.action_mask())
            game.step(lively_action(game, chance))
    return np.array(rows), np.array(masks, np.uint8)


@cache
def decide_rows(edition: Edition) -> Callable[[int, Rows, Rows, Scratch, npt.NDArray[np.int64]], None]:
    """What the strategy of a number does with each row: one function for all of them, which compiles in a third of the
    time that one for each takes.
    """
    rules = np.zeros(1, records_of(edition).rules)

    @njit
    def decide_rows(strategy: int, rows: Rows, masks: Rows, scratch: Scratch, actions: npt.NDArray[np.int64]) -> None:
        for index in range(rows.shape[0]):
            actions[index] = decide(strategy, rules[0], rows[index], masks[index], scratch)

    return decide_rows


def table_name(edition: str, mercy: int) -> str:
    """What a table is called where choices are kept."""
    return f"{edition}, mercy {mercy}"


@cache
def choices_at(edition: str, mercy: int) -> dict[str, npt.NDArray[np.int64]]:
    """The action that each strategy chooses in each of :func:`positions`."""
    rows, masks = positions(edition, mercy)
    played, made = edition_for(Rules.preset(edition, mercy=mercy)), {}
    for name, number in STRATEGY_NUMBERS.items():
        scratch = new_scratch(name, np.array([1], np.uint64), edition=played)
        made[name] = np.full(len(rows), -1)
        decide_rows(played)(number, rows, masks, scratch, made[name])
    return made


@pytest.mark.parametrize("mercy", [0, 25])
def test_positions_of_flip_show_both_sides(mercy: int) -> None:
    side = layout(Rules.preset("flip", mercy=mercy))["side"].start
    assert set(positions("flip", mercy)[0][:, side].tolist()) == {0, 1}


@pytest.mark.parametrize(("edition", "mercy"), TABLES)
@pytest.mark.parametrize("name", STRATEGIES)
def test_every_strategy_plays_by_any_rules_of_an_edition(name: str, edition: str, mercy: int) -> None:
    _, masks = positions(edition, mercy)
    chosen = choices_at(edition, mercy)[name]
    assert masks[np.arange(len(masks)), chosen].all()
    message = f"{name} plays {edition} otherwise than when its choices were kept (tests/agents/scripted/kept.py)"
    assert checksum(chosen) == kept_checksum(table_name(edition, mercy), name), message


@pytest.mark.parametrize(("edition", "mercy"), TABLES)
@pytest.mark.parametrize("spec", ["tuned", "tuned?bluff=0"])
def test_an_agent_plays_by_any_rules_of_an_edition_in_both_forms(spec: str, edition: str, mercy: int) -> None:
    agent = agents.load(spec, seed=1)
    rows, masks = positions(edition, mercy)
    for shown in (rows, float_form(rows)):
        chosen = agent.act_batch(shown, masks)
        assert masks[np.arange(len(rows)), chosen].all()


@pytest.mark.parametrize(("edition", "mercy"), [TABLES[0], TABLES[2]])
@pytest.mark.parametrize("spec", SEARCHES)
def test_searches_play_by_any_rules_of_an_edition(spec: str, edition: str, mercy: int) -> None:
    rows, masks = (each[::31] for each in positions(edition, mercy))
    agent = agents.load(spec, seed=1)
    chosen = agent.act_batch(rows, masks)
    assert masks[np.arange(len(rows)), chosen].all()
    assert (agents.load(spec, seed=1).act_batch(float_form(rows), masks) == chosen).all()


@pytest.mark.parametrize("name", [name for name in STRATEGIES if name != "random"])
@pytest.mark.parametrize(
    ("edition", "players"),
    [("no_mercy", 2), pytest.param("no_mercy", 4, marks=pytest.mark.slow), ("flip", 2), ("flip", 4)],
)
def test_no_strategy_is_worse_than_random_play(name: str, edition: str, players: int) -> None:
    rules, deals = Rules.preset(edition, players=players), 400
    starts, seating = duplicate_deals(deals, players, seed=8)
    scratch = new_search_scratch(name, "random-play", (1, 2), edition=EDITIONS[edition])
    winners = np.zeros(len(starts), int)
    set_rules(scratch, rules)
    play_hands(scratch, starts, seating, winners)
    assert (winners >= 0).all()
    wins = (winners == np.tile(np.arange(players), deals)).reshape(deals, players).mean(axis=1)
    assert Estimate.of(wins).high >= 1 / players, wins.mean()
