"""Agents have names and descriptions that a browser can say in another language."""

import pytest

import agents
from agents import spoken_names
from agents.scripted.dispatch import STRATEGIES
from uno_env.common.phrases import Phrase, plain_values
from uno_table.table.agent_names import about, seat_names, short_name
from uno_table.table.sentences import TABLE_SENTENCES


@pytest.mark.parametrize("spec", agents.names())
def test_every_agent_by_name_has_its_words_in_the_catalogue(spec):
    name, line = short_name(spec), about(spec)
    assert isinstance(name, Phrase)
    assert (name, TABLE_SENTENCES.texts[name.key]) == (spoken_names.short_name(spec),) * 2
    assert line == TABLE_SENTENCES.texts[line.key]
    assert line.key != "agent.policy.about"
    assert spec not in STRATEGIES or line == STRATEGIES[spec].about


@pytest.mark.parametrize(
    ("spec", "key"),
    [
        ("greedy?bluff=1", "greedy"),
        ("zoo:duel-2p?sample=1", "zoo"),
        ("search:pimc?number=9", "search"),
        ("chat:http://127.0.0.1:8000/v1?model=some", "chat"),
        ("runs/mine/policy.safetensors", "policy"),
        ("examples/my_agent.py:Careful", "policy"),
    ],
)
def test_other_agents_are_told_of_by_their_kind(spec, key):
    assert about(spec).key == f"agent.{key}.about"


def test_names_that_somebody_else_gave_stay_as_they_are():
    """Also those that are called as one of the catalogue's keys."""
    specs = "runs/mine/policy.safetensors", "examples/my_agent.py:Careful", "zoo:mine-2p", "zoo:about", "more"
    assert plain_values([short_name(spec) for spec in specs]) == ["mine", "Careful", "Zoo mine", "Zoo about", "More"]


def test_seats_have_names_for_every_language():
    names = seat_names([None, "random", "random", None, "zoo:duel-2p?sample=1"])
    assert names == ["Seat 1", "Random 1", "Random 2", "Seat 4", "Zoo duel"]
    assert plain_values(names) == [
        {"phrase": "seat", "number": 1},
        {"phrase": "agent.numbered", "name": {"phrase": "agent.random"}, "number": 1},
        {"phrase": "agent.numbered", "name": {"phrase": "agent.random"}, "number": 2},
        {"phrase": "seat", "number": 4},
        {"phrase": "agent.zoo.duel"},
    ]
