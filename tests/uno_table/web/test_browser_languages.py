"""The table in other languages, in a real browser: ``make test-browser``."""

import json
import re

import pytest

pytest.importorskip("selenium")

from tests.uno_table.web.test_browser import (
    click_a_move,
    page_of,
    server,  # noqa: F401 (a fixture)
    wait_for_my_move,
)
from uno_env.actions import ACTION_NAMES, ACTION_TEXTS
from uno_env.cards import CARD_NAMES, CARD_TEXTS
from uno_table.languages import texts_of
from uno_table.table.levels import LEVELS

pytestmark = pytest.mark.browser

NAMES = {"UNO", "Player", "Pip", "Nell", "Otto", "Bahasa", "Melayu", "English", "draft", "Mattel"}
"""Latin words that stand in a page in Hindi."""


def ask_for(page, *languages):
    """Let the browser ask for pages in these languages."""
    agent = str(page.script("return navigator.userAgent"))
    wanted = {"userAgent": agent, "acceptLanguage": ",".join(languages)}
    page.driver.execute_cdp_cmd("Emulation.setUserAgentOverride", wanted)


def choose_language(page, code):
    """Choose a language in the menu of a page."""
    page.script(
        "const list = document.getElementById('language'); list.value = arguments[0];"
        "list.dispatchEvent(new Event('change'))",
        code,
    )
    page.wait(lambda: page.script("return document.documentElement.lang") == code, "the language stays")


def deal_cards(page):
    """A table with two of the level Easy, at which nobody waits."""
    page.script("document.getElementById('pace').value = '0'")
    page.click("#deal")
    page.wait(lambda: page.shown("#hand li"), "no cards were dealt")


def play_some_moves(page, server, moves=4):  # noqa: F811
    """Make some moves, unless the hand ends before."""
    for _ in range(moves):
        if wait_for_my_move(page):
            click_a_move(page, server)
    wait_for_my_move(page)


def test_in_english_the_browser_says_what_the_program_says(server, tmp_path):  # noqa: F811
    with page_of(tmp_path, "desktop") as page:
        page.driver.get(server.address)
        page.wait(lambda: page.shown("#deal"), "the form does not come")
        said = page.driver.execute_async_script(
            "const [cards, actions, done] = arguments;"
            "import('/pages/strings/phrases.js').then(({ cardName, actionName }) =>"
            "done(JSON.stringify([cards.map(cardName), actions.map(actionName)])))",
            list(CARD_TEXTS),
            list(ACTION_TEXTS),
        )
        assert json.loads(said) == [list(CARD_NAMES), list(ACTION_NAMES)]


def test_a_table_in_malay_as_the_browser_asks_for_it(server, tmp_path):  # noqa: F811
    server.lobby.defaults.update(agents=[LEVELS["easy"].agent] * 2, seed=5)
    texts = texts_of("ms")
    with page_of(tmp_path, "desktop") as page:
        ask_for(page, "ms-MY", "en")
        page.driver.get(server.address)
        page.wait(lambda: page.shown("#play-now"), "the form does not come")
        assert page.script("return document.documentElement.lang") == "ms"
        assert page.shown("#play-now") == [texts["setup.play_now"]]
        assert (
            page.script("return document.querySelector('#language').selectedOptions[0].text") == "Bahasa Melayu (draf)"
        )
        page.picture("malay-setup")
        deal_cards(page)
        play_some_moves(page, server)
        log = " ".join(page.shown("#log li"))
        assert "Pip" in log
        assert not re.search(r"\b(plays?|draws?|deals|you|and|red|green|blue|yellow|card)\b", log), log
        assert re.search(r"\b(merah|kuning|hijau|biru)\b", log), log
        page.picture("malay-table")
        assert page.faults() == []
        assert page.errors() == []


def test_a_table_in_hindi_by_the_menu_and_the_choice_is_remembered(server, tmp_path):  # noqa: F811
    server.lobby.defaults.update(agents=[LEVELS["easy"].agent] * 2, seed=5)
    with page_of(tmp_path, "phone") as page:
        page.driver.get(server.address)
        page.wait(lambda: page.shown("#play-now"), "the form does not come")
        assert page.script("return document.documentElement.lang") == "en"
        choose_language(page, "hi")
        page.wait(lambda: page.shown("#play-now"), "the form does not come")
        page.picture("hindi-setup")
        deal_cards(page)
        assert page.script("return document.documentElement.lang") == "hi"
        play_some_moves(page, server)
        page.picture("hindi-table")
        page.click("#help")
        page.wait(lambda: page.shown("#rules dd"), "the help tells no rules")
        page.picture("hindi-help")
        shown = " ".join(page.shown("#table, .bar, #rules"))
        latin = {word for word in re.findall(r"[A-Za-z]{3,}", shown) if word not in NAMES}
        assert not latin, shown
        assert page.faults() == []
        assert page.errors() == []


def test_the_page_of_ones_hands_has_the_menu_too(server, tmp_path):  # noqa: F811
    with page_of(tmp_path, "phone") as page:
        page.driver.get(server.address)
        page.click("#own-hands")
        page.wait(lambda: page.shown("#empty"), "the page stays empty")
        for code in ("ms", "hi"):
            choose_language(page, code)
            page.wait(lambda: page.shown("#empty"), "the page stays empty")
            assert page.shown("h1") == [texts_of(code)["own.title"]]
            assert not page.overflows()
            page.picture(f"phone-hands-{code}")
        assert page.errors() == []


def test_a_refusal_is_said_in_the_language_of_the_page(server, tmp_path):  # noqa: F811
    server.lobby.defaults.update(agents=[LEVELS["easy"].agent] * 2, seed=5)
    with page_of(tmp_path, "desktop") as page:
        ask_for(page, "ms")
        page.driver.get(server.address)
        page.wait(lambda: page.shown("#play-now"), "the form does not come")
        deal_cards(page)
        page.wait(lambda: page.shown("#you.deciding"), "nobody moves")
        page.script("document.getElementById('undo').disabled = false")
        page.click("#undo")
        page.wait(lambda: page.shown("#notice"), "nothing is said")
        assert page.shown("#notice")[0].lower() == f"{texts_of('ms')['refused.nothing_to_undo']}."
