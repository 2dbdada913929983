"""Every text of the pages is in the catalogues, in each language; the pages themselves hold none."""

import dataclasses
import json
import re
from html.parser import HTMLParser

import pytest

from agents.scripted.dispatch import STRATEGIES
from agents.spoken_names import KINDS
from agents.trust import Risk
from tests.helpers import ROOT
from tests.helpers.script_texts import texts_in_script
from uno_env.cards import CARD_TEXTS, DECKS
from uno_env.core.record import FLAGS, SWITCHES
from uno_env.render.languages import ENGLISH, STRINGS, languages
from uno_env.render.sentences import CATALOGUE
from uno_env.rules import PRESETS, Rules
from uno_table.languages import table_languages, texts_of
from uno_table.table.levels import LEVELS
from uno_table.table.sentences import STRINGS as TABLE_STRINGS
from uno_table.table.sentences import TABLE_SENTENCES

UNO_TABLE = ROOT / "uno_table"
PAGES = UNO_TABLE / "web" / "pages"
REPLAY = ROOT / "uno_env" / "render" / "replay_pages"
HTML = [*sorted(PAGES.glob("*.html")), REPLAY / "replay.html"]
SCRIPTS = [*sorted(PAGES.rglob("*.js")), *sorted(STRINGS.glob("*.js")), *sorted(REPLAY.glob("*.js"))]
CODES = [each.code for each in languages()]
DRAFTS = [code for code in CODES if code != ENGLISH]
NAMES = {"Bearer", "Enter", "Home", "End", "R Y G B", "uno agents", "uno play --web"}
"""Names of keys, commands and a scheme, which are the same in all languages."""


SAID_ATTRIBUTES = ("aria-label", "aria-description", "aria-roledescription", "aria-valuetext", "alt", "title",
                   "placeholder", "summary")  # fmt: skip
"""Attributes of HTML that people read or hear."""
SAID_VALUES = (("button", "value"), ("optgroup", "label"), ("option", "label"), ("track", "label"))
"""Tags and attributes that people read, while the same attribute of other tags is for programs."""


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


@pytest.mark.parametrize("code", DRAFTS)
def test_each_language_has_all_texts_with_the_same_places(code):
    english, texts = texts_of(ENGLISH), texts_of(code)
    assert list(texts) == list(english)
    assert {key: places(text) for key, text in texts.items()} == {key: places(text) for key, text in english.items()}
    words = {key: re.sub(r"\{\w+\}", "", " ".join(forms(text).values())) for key, text in english.items()}
    same = [key for key, text in texts.items() if text == english[key] and re.search("[A-Za-z]{4}", words[key])]
    assert not same, "these are English"


def test_the_forms_of_a_text_are_those_that_are_chosen_among():
    for code in CODES:
        for key, entry in texts_of(code).items():
            if isinstance(entry, dict):
                assert set(entry) in ({"one", "other"}, {"you", "other"}), (code, key)


def test_no_file_gives_a_key_twice():
    files = [*TABLE_STRINGS.glob("*.json"), *STRINGS.glob("*.json")]
    assert len(files) == 2 * len(CODES)
    for file in files:
        json.loads(file.read_text(encoding="utf-8"), object_pairs_hook=_no_twins)


def test_english_stands_once():
    assert not set(CATALOGUE.texts) & set(TABLE_SENTENCES.texts)
    assert {**CATALOGUE.texts, **TABLE_SENTENCES.texts} == texts_of(ENGLISH)


def _no_twins(pairs):
    names = [name for name, _ in pairs]
    assert len(names) == len(set(names)), [name for name in names if names.count(name) > 1]
    return dict(pairs)


def test_every_text_is_used():
    sources = [*SCRIPTS, *HTML, *UNO_TABLE.rglob("*.py"), *(ROOT / "uno_env/render").glob("*.py")]
    sources += [*(ROOT / "train/evaluation/choices").glob("*.py"), *(ROOT / "uno_env/rules").glob("*.py")]
    sources += [*(ROOT / "agents").glob("*.py"), *(ROOT / "agents/policy").glob("*.py")]
    sources += [ROOT / "agents/zoo/shipped.py", ROOT / "agents/rlcard/bridge.py"]
    text = "\n".join(file.read_text(encoding="utf-8") for file in sources)
    quoted = set(re.findall(r"[\"'`]([^\"'`\n]*)[\"'`]", text)) | set(re.findall(r"\bt\(\"([^\"]+)\"", text))
    heads = set(re.findall(r"[`\"]([a-z_.]+)\.\$?\{", text))
    values = {value for each in (SWITCHES | FLAGS).values() for value in map(str, each)}
    known = quoted | set(CARD_TEXTS) | set(LEVELS) | set(PRESETS) | values
    known |= {field.name for field in dataclasses.fields(Rules)} | set(DECKS) | set(STRATEGIES) | set(KINDS)
    known |= {risk.name.lower() for risk in Risk} | {"stalled", "max_decisions", "too_many_hands", "illegal"}
    known |= {text[1:] for text in CARD_TEXTS}
    unused = []
    for key in texts_of(ENGLISH):
        whole = key.removesuffix("_meant")
        tails = [whole.removeprefix(f"{head}.").split(".") for head in heads if whole.startswith(f"{head}.")]
        by_parts = any(all(part in known | {"about", "help"} for part in tail) for tail in tails)
        if not (whole in quoted or by_parts):
            unused.append(key)
    assert unused == []


@pytest.mark.parametrize("page", HTML, ids=lambda page: page.name)
def test_pages_hold_no_text(page):
    class Reader(HTMLParser):
        inside: list[str] = []

        def handle_starttag(self, tag, attributes):
            self.inside.append(tag)
            for name, value in attributes:
                assert name not in SAID_ATTRIBUTES or not value, (tag, name, value)
                assert (tag, name) not in SAID_VALUES or not value, (tag, name, value)
                if name in ("data-t", "data-t-label", "data-t-title", "data-t-example"):
                    assert value in texts_of(ENGLISH), value

        def handle_data(self, data):
            assert self.inside[-1:] == ["kbd"] or not re.search(r"[A-Za-z]", re.sub(r"\{\{\w+\}\}", "", data)), data

        def handle_endtag(self, tag):
            while self.inside.pop() != tag:
                pass

    Reader().feed(page.read_text(encoding="utf-8"))


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.name)
def test_scripts_hold_no_text(script):
    for number, line in enumerate(script.read_text(encoding="utf-8").splitlines(), 1):
        found = [said for said in texts_in_script(line) if said.strip() not in NAMES]
        assert not found, f"{script.name}, line {number}: {found}"
        for key in re.findall(r"\bt\(\"([^\"]+)\"", line):
            assert key in texts_of(ENGLISH), f"{script.name}, line {number}: {key}"


@pytest.mark.parametrize(
    "line",
    [
        'notice("gone");',
        'element.textContent = "left";',
        "row.append(icon, `${number} left`);",
        'make("span", { class: "tag" }, "left");',
        'make("span", {}, icon, `${t("cards", { number })} left`)',
        'make("p", "left")',
        'make("img", { src, alt: "face" })',
        'throw new Error("Nobody is there");',
        "const text = `${number} cards and ${points} points`;",
    ],
)
def test_a_text_in_a_script_is_found(line):
    assert texts_in_script(line)


def test_no_script_shows_the_reason_of_a_closed_socket():
    """It is in English, for programs: the code says what pages say."""
    for script in SCRIPTS:
        assert "event.reason" not in script.read_text(encoding="utf-8"), script.name


def test_style_sheets_hold_no_text():
    text = (PAGES / "style.css").read_text(encoding="utf-8")
    assert not re.search(r"content:\s*\"[^\"]*[A-Za-z]", text)
