"""The levels of "Play now" are as strong as they say, and their people have names and faces."""

from itertools import pairwise

import pytest

from agents.human.table.levels import FACES, LEVELS, PLAYERS, PRESET, table_values
from agents.human.table.saved_table import read_table, restore, saved_table
from agents.human.table.table import Table
from agents.human.table.table_config import LONGEST_NAME, Setup, load_agents
from agents.human.web.faces import face_svg
from train.evaluation.duplicate import evaluate
from uno_env import Rules


@pytest.mark.parametrize(("weaker", "stronger"), pairwise(LEVELS))
def test_each_level_beats_the_one_before(weaker, stronger):
    rules = Rules.preset(PRESET, players=PLAYERS)
    result = evaluate(LEVELS[stronger].agent, LEVELS[weaker].agent, rules, deals=1500)
    assert result.low > result.par


@pytest.mark.parametrize("level", LEVELS)
def test_a_table_of_a_level_has_its_people(level):
    setup = Setup.from_values(table_values(level))
    table = Table(setup, load_agents(setup))
    assert table.names[1:] == list(LEVELS[level].people)
    again = restore(read_table(saved_table(table)))
    assert again.names == table.names


def test_a_level_that_does_not_exist_is_refused():
    with pytest.raises(ValueError, match="level"):
        Setup.from_values({**table_values("easy"), "level": "godlike"})


def test_people_have_faces_of_their_own():
    assert len(FACES) == sum(len(level.people) for level in LEVELS.values()) == 12
    assert len({face_svg(person) for person in FACES}) == len(FACES)
    assert all(person.isalpha() and len(person) <= LONGEST_NAME for person in FACES)
