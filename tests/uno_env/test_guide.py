"""The guide to the rules is made from the rules' files, and says all there is."""

import re
from dataclasses import fields
from pathlib import Path

import pytest

from uno_env import guide
from uno_env.core.observe.layout import layout_of
from uno_env.editions import EDITIONS
from uno_env.rules import Rules

GUIDE = Path(guide.__file__).with_name("GUIDE.md")
_SECTIONS = {name for edition in EDITIONS.values() for name in layout_of(edition)}
CITED = re.compile(r"\(GUIDE\.md ([\d.]+)\)")


def test_the_guide_in_the_package_is_the_one_made_from_the_files():
    assert GUIDE.read_text(encoding="utf-8") == guide.guide(), "make it anew: python -m uno_env.guide"


def test_each_switch_has_exactly_one_page():
    switches = [switch for page in guide.pages().values() for switch in page.switches]
    assert sorted(switches) == sorted(field.name for field in fields(Rules))


def test_each_section_has_one_page_and_each_chapter_a_title():
    sections = [page.section for page in guide.pages().values()]
    assert len(set(sections)) == len(sections)
    assert {section[0] for section in sections} == set(range(1, 15))
    assert {(chapter,) for chapter in guide.CHAPTERS} | {section for section in sections if len(section) == 1} == {
        (chapter,) for chapter in range(1, 15)
    }
    for chapter in range(1, 15):
        places = [section[1] for section in sections if section[0] == chapter and len(section) == 2]
        assert places == list(range(1, 1 + len(places)))


def test_each_field_of_the_rules_cites_the_section_of_its_page():
    source = (guide.ROOT / "rules" / "fields.py").read_text(encoding="utf-8")
    for page in guide.pages().values():
        for switch in page.switches:
            text = re.search(rf'^    {switch}: [^\n]*\n    """(.*?)"""$', source, re.MULTILINE | re.DOTALL)
            assert text is not None, switch
            assert CITED.findall(text[1]) == [page.number], switch


def test_each_page_has_a_title_and_a_text():
    for name, page in guide.pages().items():
        assert page.title, name
        assert len(page.text) > 80, name
        assert "GUIDE.md" not in guide.page_text(name), name
        assert (guide.ROOT.parent / page.file).is_file(), name


def test_each_switch_says_what_it_does_to_actions_and_observations():
    for name, text in ((name, page.text) for name, page in guide.pages().items() if page.switches):
        assert "\nActions: " in text, name
        observation = text.partition("\nObservation: ")[2]
        named = {word for word in observation.replace("`", " ").split() if word in _SECTIONS}
        assert named or "none of its own" in observation, name


def test_an_unknown_rule_is_refused():
    with pytest.raises(ValueError, match="'chess' is no rule"):
        guide.page("chess")
