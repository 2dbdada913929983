"""The rules of a table in short: true for the rules in force, and complete."""

from dataclasses import fields

import pytest

from uno_env import PRESETS, Rules
from uno_env.actions import parse
from uno_env.editions import edition_for
from uno_table.plain_text import cards_help
from uno_table.table.rules_help import cards_by_symbol, rules_help
from uno_table.table.sentences import TABLE_SENTENCES


@pytest.mark.parametrize("preset", PRESETS)
def test_each_card_that_does_something_and_each_switch_that_is_not_as_usual_has_a_line(preset):
    rules = Rules.preset(preset)
    lines = [(str(line.name), str(line.text)) for line in rules_help(rules)]
    named = [name for name, _ in lines]
    cards, others = named[: named.index("Going out and points")], named[named.index("Going out and points") :]
    edition = edition_for(rules)
    faces = (edition.faces_on(side) for side in range(edition.sides))
    held = [face.text for side in faces for face, count in zip(side, rules.deck_counts, strict=True) if count]
    names = {"s": "Skip", "r": "Reverse", "+2": "Draw Two", "w": "Wild", "w+4": "Wild Draw Four"}
    names |= {"wsh": "Wild Shuffle Hands", "wcu": "Wild Customizable", "wd2": "Wild Downpour Two"}
    names |= {"da": "Discard All", "+4": "Draw Four", "se": "Skip Everyone", "wr+4": "Wild Reverse Draw Four"}
    names |= {"w+6": "Wild Draw Six", "w+10": "Wild Draw Ten", "wcr": "Wild Colour Roulette"}
    names |= {"f": "Flip", "+1": "Draw One", "+5": "Draw Five", "w+2": "Wild Draw Two", "dw": "dark Wild"}
    names |= {"dwc": "Wild Draw Colour"}
    symbols = {text if text.startswith(("w", "dw")) else text[1:] for text in held}
    assert set(cards) & set(names.values()) == {names[each] for each in symbols & names.keys()}
    usual = Rules(players=rules.players)
    told = {"deck", "two_player_reverse", "customizable_effect", "uno_call", "uno_penalty", "scoring"}
    for name in {field.name for field in fields(Rules)} - told:
        label = TABLE_SENTENCES.texts[f"rule.{name}"]
        if getattr(rules, name) != getattr(usual, name):
            assert label in others, name
    assert all(text[-1] in ".!" for _, text in lines)


@pytest.mark.parametrize(
    ("preset", "written"),
    [
        ("classic", "w+4:r is a Wild Draw Four that declares red."),
        ("no_mercy", "wr+4:r is a Wild Reverse Draw Four that declares red;"),
        ("flip", "w/pf:r is a Wild / pink Flip that declares red;"),
    ],
)
def test_the_help_of_plain_text_names_cards_that_can_be_laid(preset, written):
    rules = Rules.preset(preset)
    said = cards_help(rules)
    assert written in said
    listed = said.removeprefix("Cards: ").split("; ")
    assert len(listed) == len({kind for kind, _ in cards_by_symbol(rules).values()}), "each card once"
    for line in listed:
        assert not line.startswith(" ")
        parse(line.partition(" is a ")[0], rules)


@pytest.mark.parametrize(
    ("rules", "name", "text"),
    [
        ({}, "Reverse", "The direction of play turns round."),
        ({"players": 2}, "Reverse", "The other misses a turn."),
        ({"players": 2, "two_player_reverse": "reverse"}, "Reverse", "It is the other's turn."),
        ({"mercy": 25}, "Reverse", "Once only two players are left, the other misses a turn."),
        ({"scoring": "elimination"}, "Reverse", "Once only two players are left, the other misses a turn."),
        ({}, "Draw Two", "The next player draws two cards and misses a turn."),
        ({"draw_two_turn": "kept"}, "Draw Two", "The next player draws two cards."),
        ({"uno_penalty": 1}, "Calling UNO", "Whoever is caught without a call draws 1 card."),
        ({"uno_call": "automatic"}, "Calling UNO", None),
        ({}, "Challenge", "Whoever would have to draw may challenge it."),
        ({"wild_draw_four": "free"}, "Challenge", None),
        ({"wild_draw_four": "free"}, "Wild Draw Four", "Here: always, without a challenge."),
        ({"stacking": "any"}, "Stacking", "Here: also +4 on +2."),
        ({}, "Stacking", None),
        ({"jump_in": True}, "Jump-in", "may play it out of turn."),
        ({"late_call": False}, "Late call", "Here: off."),
        ({"deck": "edition_2018", "customizable_effect": "skip_all"}, "Wild Customizable", "Then: you play again."),
        ({"scoring": "hand"}, "Going out and points", "cards are not counted."),
    ],
)
def test_a_line_says_what_is_so_at_this_table(rules, name, text):
    lines = [str(line.text) for line in rules_help(Rules.preset("classic", **rules)) if line.name == name]
    assert any(text in line for line in lines) if text else not lines
