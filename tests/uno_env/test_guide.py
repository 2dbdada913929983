"""The guide to the rules is made from the rules' files, and says all there is."""

from dataclasses import fields
from pathlib import Path

import pytest

from uno_env import guide
from uno_env.core.observe.layout import LAYOUT
from uno_env.rules import Rules

GUIDE = Path(guide.__file__).with_name("GUIDE.md")
WITHOUT_A_PAGE = {"players", "deck", "hand_size"}


def test_the_guide_in_the_package_is_the_one_made_from_the_files():
    assert GUIDE.read_text(encoding="utf-8") == guide.guide(), "make it anew: python -m uno_env.guide"


def test_each_switch_has_exactly_one_page():
    switches = [switch for name in guide.ORDER for switch in guide.page(name).switches]
    assert sorted(switches) == sorted({field.name for field in fields(Rules)} - WITHOUT_A_PAGE)


@pytest.mark.parametrize("name", guide.ORDER)
def test_each_page_has_a_title_a_source_and_a_text(name):
    page = guide.page(name)
    assert page.title
    assert page.sections[0].isdigit()
    assert len(page.text) > 80


@pytest.mark.parametrize("name", [name for name in guide.ORDER if guide.page(name).switches])
def test_each_switch_says_what_it_does_to_actions_and_observations(name):
    text = guide.page(name).text
    assert "\nActions: " in text
    observation = text.partition("\nObservation: ")[2]
    named = {word for word in observation.replace("`", " ").split() if word in LAYOUT}
    assert named or "none of its own" in observation


def test_an_unknown_rule_is_refused():
    with pytest.raises(ValueError, match="'chess' is no rule"):
        guide.page("chess")
