"""Agents have names and descriptions that a browser can say in another language."""

import pytest

import agents
from agents.scripted.dispatch import STRATEGIES
from agents.spoken_names import KINDS, about, seat_names, short_name
from uno_env.common.phrases import Phrase, plain_values
from uno_table.table.sentences import TABLE_SENTENCES


@pytest.mark.parametrize("spec", agents.names())
def test_every_agent_by_name_has_its_words_in_the_catalogue(spec):
    for phrase in (short_name(spec), about(spec)):
        assert isinstance(phrase, Phrase)
        assert phrase.key in TABLE_SENTENCES.texts


def test_the_catalogue_says_of_agents_what_the_program_says():
    texts = TABLE_SENTENCES.texts
    for spec in STRATEGIES:
        assert (texts[f"agent.{spec}"], texts[f"agent.{spec}.about"]) == (short_name(spec), about(spec))
    assert {kind: texts[f"agent.{kind}.about"] for kind in KINDS} == KINDS


def test_names_that_somebody_else_gave_stay_as_they_are():
    specs = "runs/mine/policy.safetensors", "examples/my_agent.py:Careful", "zoo:mine-2p"
    assert plain_values([short_name(spec) for spec in specs]) == ["mine", "Careful", "Zoo mine"]


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
