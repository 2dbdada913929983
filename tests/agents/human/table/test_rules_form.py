"""The form of the rules has every switch, and its values are rules again."""

from dataclasses import fields

import pytest

from agents.human.table.rules_form import form_values, rules_form
from agents.human.table.table_config import Setup, rules_of, rules_title
from uno_env import PRESETS, Rules
from uno_env.core.record import FLAGS, SWITCHES
from uno_env.render.phrases import plain_values

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
    assert FIELDS[switch]["values"] == list(SWITCHES[switch])


@pytest.mark.parametrize("flag", FLAGS)
def test_what_is_only_off_or_on_is_a_flag(flag):
    kind, values = FIELDS[flag]["kind"], FIELDS[flag].get("values")
    assert (kind, values) == (("flag", None) if FLAGS[flag] == (False, True) else ("choice", list(FLAGS[flag])))


def test_house_rules_that_people_know_come_first():
    house = FORM["groups"][0]
    assert house["title"] == "House rules"
    assert [field["label"] for field in house["fields"]][:4] == ["Stacking", "Seven-zero", "Jump-in", "Drawing"]
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
def test_titles(rules, match, title):
    assert rules_title(Setup.against(["greedy"] * (rules.players - 1), rules, match=match)) == title


def test_a_title_names_switches_as_the_form_does_where_it_has_words_for_them():
    rules = Rules.preset("classic", players=2, stacking="any", seven_zero=True, hand_size=5)
    title = plain_values(rules_title(Setup.against(["greedy"], rules)))
    preset, *changes = title["parts"][0]["parts"]
    assert preset == {"phrase": "preset.classic"}
    assert changes == [
        "hand size 5",
        {"phrase": "changed_rule", "rule": {"phrase": "rule.stacking"}, "value": {"phrase": "rule.stacking.any"}},
        {"phrase": "changed_rule", "rule": {"phrase": "rule.seven_zero"}, "value": {"phrase": "on"}},
    ]
