"""All scripted agents and searches play the editions with cards of their own: No Mercy and Flip (GUIDE.md 13, 14)."""

import numpy as np
import pytest

import agents
from agents.scripted.dispatch import STRATEGIES
from agents.search import new_search_scratch, play_hands, set_rules
from tests.agents.scripted.edition_choices import TABLES, choices_at, positions, table_name
from tests.agents.scripted.kept import kept_checksum
from tests.uno_env.core.lockstep import checksum
from train.evaluation.duplicate import duplicate_deals
from train.evaluation.estimate import Estimate
from uno_env import Rules
from uno_env.editions import EDITIONS
from uno_env.observation import float_form, layout

pytestmark = pytest.mark.thorough
AT_TABLES = pytest.mark.parametrize(
    ("edition", "mercy"), [pytest.param(*table, marks=[pytest.mark.slow] * (table == ("flip", 25))) for table in TABLES]
)
"""What plays Flip with mercy is compiled for it, which takes a minute."""
SEARCHES = (
    "search:flat?num_determinizations=2",
    "search:pimc?num_determinizations=2&sims=4",
    "search:ismcts?sims=8",
    "search:flat?num_determinizations=2&rollout=greedy&others=random-play",
    "search:flat?num_determinizations=2&rollout=greedy&goal=points",
)


@pytest.mark.parametrize("mercy", [0, pytest.param(25, marks=pytest.mark.slow)])
def test_positions_of_flip_show_both_sides(mercy: int) -> None:
    side = layout(Rules.preset("flip", mercy=mercy))["side"].start
    assert set(positions("flip", mercy)[0][:, side].tolist()) == {0, 1}


@AT_TABLES
@pytest.mark.parametrize("name", STRATEGIES)
def test_every_strategy_plays_by_any_rules_of_an_edition(name: str, edition: str, mercy: int) -> None:
    _, masks = positions(edition, mercy)
    chosen = choices_at(edition, mercy)[name]
    assert masks[np.arange(len(masks)), chosen].all()
    message = f"{name} plays {edition} otherwise than when its choices were kept (tests/agents/scripted/kept.py)"
    assert checksum(chosen) == kept_checksum(table_name(edition, mercy), name), message


@AT_TABLES
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
