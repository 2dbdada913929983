"""The levels of "Play now" are as strong as they say, and their people have names and faces."""

from itertools import pairwise

import pytest

import agents
from train.evaluation.duplicate import evaluate
from uno_env import Game, Rules
from uno_env.actions import catalogue
from uno_env.cards import WILD_DRAW_FOUR
from uno_table.table.levels import FACES, LEVELS, PLAYERS, PRESET, table_values
from uno_table.table.saved_table import read_table, restore, saved_table
from uno_table.table.table import Table
from uno_table.table.table_config import LONGEST_NAME, Setup, load_agents, names_of
from uno_table.web.faces import face_svg


@pytest.mark.thorough
@pytest.mark.parametrize(("weaker", "stronger"), pairwise(LEVELS))
def test_each_level_beats_the_one_before(weaker, stronger):
    rules = Rules.preset(PRESET, players=PLAYERS)
    result = evaluate(LEVELS[stronger].agent, LEVELS[weaker].agent, rules, deals=1500)
    assert result.low > result.par


@pytest.mark.parametrize("level", LEVELS)
def test_a_table_of_a_level_has_its_people(level):
    setup = Setup.from_values(table_values(level))
    table = Table(setup, load_agents(setup))
    assert table.names[1:] == list(LEVELS[level].people[: PLAYERS - 1])
    again = restore(read_table(saved_table(table)))
    assert again.names == table.names


def test_the_people_of_the_levels_play_at_a_table_of_ones_own():
    seats = (None, "zoo", "random", LEVELS["easy"].agent, "zoo", "greedy")
    assert names_of(Setup(seats, Rules(players=6), cast=True)) == ["Seat 1", "Sage", "Random", "Pip", "Vega", "Ada"]
    assert names_of(Setup(seats, Rules(players=6)))[1] == "Zoo 1"


@pytest.mark.parametrize("level", LEVELS)
def test_a_table_of_ten_has_nine_people_of_a_level(level):
    setup = Setup.against([LEVELS[level].agent] * 9, Rules(players=10), cast=True)
    assert names_of(setup)[1:] == list(LEVELS[level].people)


@pytest.mark.parametrize("level", ["easy", "medium"])
def test_who_plays_at_the_lowest_levels_does_not_bluff(level):
    agent, laid = agents.load(LEVELS[level].agent), 0
    for seed in range(30):
        game = Game(Rules.preset(PRESET, players=PLAYERS), seed)
        while not game.over:
            action = agent.act(game.observe(game.to_move, "uint8"), game.action_mask())
            game.step(action)
            if catalogue().kinds[action] == WILD_DRAW_FOUR:
                laid += 1
                assert not game.record.bluffed
    assert laid > 20


def test_people_have_faces_of_their_own():
    assert len(FACES) == sum(len(level.people) for level in LEVELS.values()) == 36
    assert len({face_svg(person) for person in FACES}) == len(FACES)
    assert all(person.isalpha() and len(person) <= LONGEST_NAME for person in FACES)
