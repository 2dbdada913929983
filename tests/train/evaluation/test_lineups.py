"""train/evaluation/lineups.py: all agents meet, and about as often."""

import math

import pytest

from train.evaluation.lineups import MANY, make_lineups, meetings


def test_at_two_seats_every_pair_meets_once():
    for tables in ("mixed", "against"):
        assert make_lineups(4, 2, tables) == [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]


def test_as_many_agents_as_seats_are_one_table():
    assert make_lineups(4, 4) == [(0, 1, 2, 3)]


def test_fewer_agents_than_seats_sit_at_several():
    assert make_lineups(2, 4) == [(0, 0, 1, 1)]
    assert make_lineups(2, 3) == [(0, 0, 1), (0, 1, 1)]
    assert make_lineups(3, 4) == [(0, 0, 1, 2), (0, 1, 1, 2), (0, 1, 2, 2)]
    assert make_lineups(4, 10)[0] == (0, 0, 0, 1, 1, 1, 2, 2, 3, 3)


@pytest.mark.parametrize(("agents", "players"), [(2, 3), (2, 10), (3, 4), (3, 10), (4, 6), (4, 10), (7, 10)])
def test_repeated_agents_sit_as_often_as_each_other(agents, players):
    lineups = make_lineups(agents, players)
    seats = [sum(lineup.count(agent) for lineup in lineups) for agent in range(agents)]
    assert len(set(seats)) == 1
    assert all(set(lineup) == set(range(agents)) for lineup in lineups)


@pytest.mark.parametrize(("agents", "players"), [(6, 4), (9, 3), (10, 3), (12, 4), (16, 4), (20, 10), (40, 3), (30, 2)])
def test_of_many_agents_all_pairs_meet_about_as_often(agents, players):
    lineups = make_lineups(agents, players)
    assert all(len(set(lineup)) == players == len(lineup) for lineup in lineups)
    met = meetings(lineups)
    assert len(met) == math.comb(agents, 2)
    seats = [sum(agent in lineup for lineup in lineups) for agent in range(agents)]
    assert max(seats) - min(seats) <= 2
    assert max(met.values()) <= 2 * min(met.values()) + 1
    if math.comb(agents, players) <= MANY:
        assert len(lineups) == math.comb(agents, players)


def test_one_against_a_table_of_another():
    assert make_lineups(2, 4, "against") == [(0, 1, 1, 1), (1, 0, 0, 0)]
    assert len(make_lineups(5, 3, "against")) == 20


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((1, 4), "1 agent cannot play a tournament: name 2 or more"),
        ((0, 2), "0 agents cannot play"),
        ((3, 4, "round"), "tables='round' is not allowed: choose mixed or against"),
    ],
)
def test_what_is_no_tournament(arguments, sentence):
    with pytest.raises(ValueError, match=sentence):
        make_lineups(*arguments)
