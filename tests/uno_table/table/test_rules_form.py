"""The form of the rules has every switch, and its values are rules again."""

import re
from dataclasses import fields

import pytest

from uno_env import PRESETS, Rules
from uno_env.common.phrases import Phrase, plain_values
from uno_env.core.record import FLAGS, SWITCHES, SWITCHES_OF_EDITIONS
from uno_env.rules import as_rules
from uno_table.table.rules_form import form_values, rules_form
from uno_table.table.sentences import TABLE_SENTENCES
from uno_table.table.table_config import Setup, rules_of, rules_title

FORM = rules_form()
FIELDS = {field["name"]: field for group in FORM["groups"] for field in group["fields"]}


def test_every_field_of_the_rules_is_there():
    assert {*FIELDS, "players"} == {field.name for field in fields(Rules)}
    assert all(field["help"] and field["label"] for field in FIELDS.values())
    assert "RULES" not in str(FORM["groups"])
    assert "section" not in str(FORM["groups"])


@pytest.mark.parametrize("switch", SWITCHES)
def test_choices_are_those_of_the_switch(switch):
    assert FIELDS[switch]["kind"] == "choice"
    assert FIELDS[switch]["values"] == [*SWITCHES[switch], *SWITCHES_OF_EDITIONS.get(switch, ())]


@pytest.mark.parametrize("flag", FLAGS)
def test_what_is_only_off_or_on_is_a_flag(flag):
    kind, values = FIELDS[flag]["kind"], FIELDS[flag].get("values")
    assert (kind, values) == (("flag", None) if FLAGS[flag] == (False, True) else ("choice", list(FLAGS[flag])))


def test_house_rules_that_people_know_come_first():
    house = FORM["groups"][0]
    assert house["title"] == "House rules"
    assert [field["label"] for field in house["fields"]][:3] == ["Stacking", "Seven-zero", "Jump-in"]
    assert {"Turning away", "Drawing", "Doubles"} <= {field["label"] for field in house["fields"]}
    assert all(field["help"].count(".") == 1 for field in house["fields"]), "one sentence each"


def test_every_choice_has_words():
    for field in FIELDS.values():
        if field["kind"] == "choice":
            assert len(field["words"]) == len(field["values"])
            assert not any("_" in text for text in field["words"])


def test_presets_have_names_for_people():
    titles = list(FORM["titles"].values())
    assert len(set(titles)) == len(PRESETS)
    assert not any("_" in title or title.islower() for title in titles)
    assert {name for name, players in FORM["players"].items() if players == 2} == {"mini", "duel", "starter", "rlcard"}


@pytest.mark.parametrize("preset", PRESETS)
def test_the_values_of_a_preset_are_the_preset(preset):
    values = {**FORM["presets"][preset]}
    values["reflexes"] = [int(weight) for weight in values["reflexes"].split()]
    rules = Rules.preset(preset)
    assert rules_of(values, rules.players) == rules
    for name, value in form_values(rules).items():
        if FIELDS[name]["kind"] == "number":
            assert FIELDS[name]["low"] <= value <= FIELDS[name]["high"]


@pytest.mark.parametrize(
    ("rules", "match", "title"),
    [
        (Rules.preset("house", players=3), True, "house; match to 500 points"),
        (Rules.preset("house", players=2, stacking="any"), False, "house, stacking any; every hand stands alone"),
        (Rules.preset("duel", players=2), True, "duel; first out wins"),
        (Rules(players=2, double_play=True, target=90), True, "classic, double play on, target 90; match to 90 points"),
    ],
)
def test_a_table_is_called_by_its_rules(rules, match, title):
    assert rules_title(Setup.against(["greedy"] * (rules.players - 1), rules, match=match)) == title


def test_a_title_names_switches_as_the_form_does():
    rules = Rules.preset("classic", players=2, stacking="any", seven_zero=True, hand_size=5)
    title = plain_values(rules_title(Setup.against(["greedy"], rules)))
    preset, *changes = title["parts"][0]["parts"]
    assert preset == {"phrase": "preset.classic"}
    assert changes == [
        {"phrase": "changed_rule", "rule": {"phrase": "rule.hand_size"}, "value": 5},
        {"phrase": "changed_rule", "rule": {"phrase": "rule.stacking"}, "value": {"phrase": "rule.stacking.any"}},
        {"phrase": "changed_rule", "rule": {"phrase": "rule.seven_zero"}, "value": {"phrase": "on"}},
    ]


@pytest.mark.parametrize(
    ("changes", "value"),
    [
        ({"deck": "h2o", "preset": "house"}, {"phrase": "rule.deck.h2o"}),
        ({"deck": "r1 r1 r2 r2 g3 g4 g5 g6", "hand_size": 2}, {"phrase": "value_of_its_own"}),
        ({"reflexes": [1, 2]}, {"phrase": "value_of_its_own"}),
    ],
)
def test_a_title_has_words_for_a_deck_and_for_reflexes(changes, value):
    title = plain_values(rules_title(Setup.against(["greedy"], as_rules(changes, 2))))
    named = {each["rule"]["phrase"]: each["value"] for each in title["parts"][0]["parts"][1:]}
    assert named[f"rule.{next(iter(changes))}"] == value


def test_every_switch_value_group_and_preset_has_its_text_in_the_catalogue():
    said = [group["title"] for group in FORM["groups"]] + list(FORM["titles"].values())
    for field in FIELDS.values():
        said += [field["label"], field["help"], *field.get("words", ())]
    assert all(isinstance(text, Phrase) and text == TABLE_SENTENCES.texts[text.key] for text in said)
    labels = [field["label"] for field in FIELDS.values()]
    assert len(set(labels)) == len(labels)


def test_the_texts_of_the_form_are_no_code():
    for field in FIELDS.values():
        names = "|".join(each for each in FIELDS if "_" in each)
        assert not re.search(rf"\b({names})\b|``|=", field["help"]), field["help"]
