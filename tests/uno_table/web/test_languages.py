"""Every text that a page names is in the catalogues, and in each language."""

import ast
import json
import re

import pytest

from agents.trust import Risk
from tests.helpers import ROOT
from uno_env.render.languages import ENGLISH, STRINGS, languages
from uno_env.render.sentences import CATALOGUE
from uno_table.languages import table_languages, texts_of
from uno_table.table.sentences import STRINGS as TABLE_STRINGS
from uno_table.table.sentences import TABLE_SENTENCES

PAGES = ROOT / "uno_table" / "web" / "pages"
REPLAY = ROOT / "uno_env" / "render" / "replay_pages"
CODES = [each.code for each in languages()]
DRAFTS = [code for code in CODES if code != ENGLISH]
NAMED = re.compile(r"\bdata-t(?:-\w+)?=\"([^\"]+)\"|\bt\(\"([^\"]+)\"")
"""Where a page or a script names a text."""
BELOW = [
    *(ROOT / "agents" / name for name in ("loading.py", "options.py", "zoo/shipped.py", "rlcard/bridge.py")),
    ROOT / "agents" / "policy" / "policy_file.py",
    ROOT / "uno_env" / "rules" / "validation.py",
]
"""Where the packages below raise errors with codes, by which the pages say them."""
CODED = ("NotAllowedError", "PolicyError", "RulesError", "unknown_name")
"""What makes errors with codes."""
WITHOUT_SENTENCE = {"choice"}
"""Codes to which no form can lead: a value of a list or a box."""


def forms(entry):
    """The forms of a text."""
    return entry if isinstance(entry, dict) else {"other": entry}


def places(entry):
    """The arguments that a text has places for."""
    return set(re.findall(r"\{(\w+)\}", " ".join(forms(entry).values())))


def test_english_comes_first_and_is_no_draft_and_the_others_say_that_they_are():
    assert [(each.code, each.draft) for each in table_languages()] == [("en", False), ("hi", True), ("ms", True)]
    with pytest.raises(KeyError):
        texts_of("../app")


def test_english_stands_once():
    assert not set(CATALOGUE.texts) & set(TABLE_SENTENCES.texts)
    assert {**CATALOGUE.texts, **TABLE_SENTENCES.texts} == texts_of(ENGLISH)


@pytest.mark.parametrize("code", DRAFTS)
def test_each_language_has_all_texts_with_the_same_places(code):
    english, texts = texts_of(ENGLISH), texts_of(code)
    assert list(texts) == list(english)
    assert {key: places(text) for key, text in texts.items()} == {key: places(text) for key, text in english.items()}


def test_every_text_that_a_page_names_is_there():
    pages = [*PAGES.rglob("*.html"), *PAGES.rglob("*.js"), *STRINGS.glob("*.js"), *REPLAY.iterdir()]
    named = {key for page in pages for found in NAMED.findall(page.read_text(encoding="utf-8")) for key in found if key}
    assert len(named) > 100
    assert named <= set(texts_of(ENGLISH))


def test_the_table_has_a_sentence_for_each_code_of_the_packages_below():
    found = {code for file in BELOW for code in codes(file.read_text(encoding="utf-8"))}
    found |= {risk.name.lower() for risk in Risk}
    assert {"deck_size", "option", "other_rules", "code"} <= found
    assert {code for code in found if f"refused.{code}" not in TABLE_SENTENCES.texts} == WITHOUT_SENTENCE


def codes(source):
    """The codes of the errors that functions make."""
    for call in ast.walk(ast.parse(source)):
        if isinstance(call, ast.Call) and getattr(call.func, "id", getattr(call.func, "attr", "")) in CODED:
            yield from (each.value for each in call.args[1:2] if isinstance(each, ast.Constant))


@pytest.mark.parametrize("package", ["uno_env", "agents", "train"])
def test_the_packages_below_know_no_phrase_of_the_table(package):
    """Phrases of the game and of replays are those of uno_env/render."""
    keys = "|".join(re.escape(key) for key in TABLE_SENTENCES.texts if not key.startswith("agent.") and "." in key)
    for file in (ROOT / package).rglob("*.py"):
        assert not re.search(rf'"(?:{keys})"', file.read_text(encoding="utf-8")), file


def test_the_forms_of_a_text_are_those_that_are_chosen_among():
    for code in CODES:
        for key, entry in texts_of(code).items():
            if isinstance(entry, dict):
                assert set(entry) in ({"one", "other"}, {"you", "other"}), (code, key)


@pytest.mark.parametrize("code", CODES)
def test_what_is_off_is_called_off_everywhere(code):
    texts = texts_of(code)
    assert {text for key, text in texts.items() if key.endswith(".off")} == {texts["off"]}


@pytest.mark.parametrize(
    "file",
    [*TABLE_STRINGS.glob("*.json"), *STRINGS.glob("*.json")],
    ids=lambda file: f"{file.parents[0].name}-{file.name}",
)
def test_no_file_gives_a_key_twice(file):
    def check(pairs):
        names = [name for name, _ in pairs]
        assert len(names) == len(set(names)), [name for name in names if names.count(name) > 1]

    json.loads(file.read_text(encoding="utf-8"), object_pairs_hook=check)
