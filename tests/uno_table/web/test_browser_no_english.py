"""Walks all pages in Malay and Hindi in a real browser, and finds no English text there: ``make test-browser``."""

import pytest

pytest.importorskip("selenium")

from tests.helpers.english_texts import SHOWN, EnglishTexts
from tests.uno_table.web.test_browser import Server, click_a_move, page_of, wait_for_my_move
from tests.uno_table.web.test_browser_hands import own, play_out, slow, slow_own  # noqa: F401 (fixtures)
from tests.uno_table.web.test_browser_languages import ask_for
from uno_table.languages import texts_of

pytestmark = pytest.mark.browser

ENGLISH = {code: EnglishTexts(texts_of("en"), texts_of(code)) for code in ("ms", "hi")}


LINES_OF_A_SEAT = """
const style = getComputedStyle(document.querySelector('#seats li'), '::before');
return Math.round(parseFloat(style.height) / parseFloat(style.lineHeight));
"""


@pytest.fixture
def own_server(tmp_path, slow_own, slow):  # noqa: F811
    slow.gate.release(10_000)
    server = Server(tmp_path / "tables", slow_own, "duel", ["highest-points"])
    yield server
    server.stop()


def check(page, what):
    """No text that is shown is English, and the page is no wider than the window."""
    code = page.script("return document.documentElement.lang")
    assert ENGLISH[code].among(page.script(SHOWN)) == [], what
    assert not page.overflows(), what


def picture(page, name):
    """Keep a screenshot, which is called by the page's language."""
    page.picture(f"{page.script('return document.documentElement.lang')}-{name}")


def choose(page, selector, value):
    """Choose a value of a list, or type it, as a person does."""
    page.script(
        "const field = document.querySelector(arguments[0]); field.value = arguments[1];"
        "field.dispatchEvent(new Event('change', { bubbles: true }))",
        selector,
        value,
    )


def test_the_words_of_the_catalogues_are_told_apart():
    shown = ["Play now", "Main sekarang", "Seat 2", "Ann", "Tempat duduk 2", "Klasik, hand size 5", "Your hands", "UNO"]
    assert ENGLISH["ms"].among(shown) == ["Play now", "Seat 2", "Your hands"]
    assert ENGLISH["ms"].among(["Klasik, Cards to begin with: 5"]) == ["Klasik, Cards to begin with: 5"]


@pytest.mark.parametrize(("code", "size"), [("ms", "desktop"), ("hi", "phone")])
def test_all_pages_show_no_english_text(own_server, tmp_path, code, size):
    with page_of(tmp_path, size) as page:
        ask_for(page, code)
        page.driver.get(own_server.address)
        page.wait(lambda: page.shown("#deal"), "the form does not come")
        page.script("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
        check(page, "the form")
        assert page.script(LINES_OF_A_SEAT) == 1, "the number of a seat stands beside its word"
        picture(page, "form")
        page.script("document.getElementById('groups').scrollIntoView()")
        picture(page, "form-switches")
        look_at_agents(page)
        look_at_refusals(page)
        page.script("document.getElementById('pace').value = '0'")
        page.click("#deal")
        page.wait(lambda: page.shown("#hand li"), "no cards were dealt")
        look_at_the_table(page, own_server)
        look_at_ones_hands(page, own_server)
        assert [each for each in page.errors() if "status of 400" not in each] == [], "besides what was refused"


@pytest.mark.parametrize("code", ENGLISH)
def test_what_strangers_see_is_not_english(own_server, tmp_path, code):
    """Without the key, at a table that is not there, with an invitation that is spent, without hands of one's own."""
    base = own_server.address.partition("#")[0]
    own_server.lobby.own_hands.delete()
    with page_of(tmp_path, "phone") as page:
        ask_for(page, code)
        page.driver.get(base)
        page.wait(lambda: page.shown("#unlock"), "nobody asks for the key")
        check(page, "without the key")
        picture(page, "key")
        for fragment in ("", "#seat=x"):
            page.driver.get(f"{base}table/{12 * 'x'}{fragment}")
            page.driver.refresh()
            page.wait(lambda: page.shown("#notice"), "the table is there")
            check(page, f"no table {fragment}")
        page.driver.get(f"{base}table/{12 * 'x'}#invite=x")
        page.driver.refresh()
        page.wait(lambda: page.shown("#join"), "nobody asks for a name")
        page.script("document.getElementById('join-name').value = 'Ann'")
        page.click("#join button")
        page.wait(lambda: page.shown("#join .notice"), "the invitation is good")
        check(page, "an invitation to no table")
        picture(page, "invited")
        page.driver.get(own_server.address)
        page.click("#own-hands")
        page.wait(lambda: page.shown("#empty"), "there are hands")
        check(page, "no hands")
        page.driver.get(own_server.address)
        page.wait(lambda: page.shown("#deal"), "the form does not come")
        choose(page, "#seats select", "person")
        page.click("#deal")
        page.wait(lambda: page.shown("#invitations"), "nobody is invited")
        check(page, "invitations")
        picture(page, "invitations")


def look_at_agents(page):
    """What the form says of each opponent."""
    specs = page.script("return [...document.querySelectorAll('#seats select')[0].options].map((each) => each.value)")
    assert len(specs) > 15
    for spec in specs:
        choose(page, "#seats select", spec)
        check(page, spec)
    choose(page, "#seats select", "highest-points")


def look_at_refusals(page):
    """Rules that cannot be, and an agent that is not there."""
    choose(page, "#rule-hand_size", "0")
    page.wait(lambda: page.shown("#rules-error"), "nothing is refused")
    check(page, "refused rules")
    choose(page, "#rule-hand_size", "5")
    page.wait(lambda: not page.shown("#rules-error"), "it is refused still")
    check(page, "changed rules")
    choose(page, "#seats select", "other")
    choose(page, "#seats input", "gredy")
    page.click("#deal")
    page.wait(lambda: page.shown("#notice"), "nobody says that there is no such agent")
    check(page, "an agent that is not there")
    picture(page, "refused")
    choose(page, "#seats select", "highest-points")


def look_at_the_table(page, server):
    """The table in the middle of a hand, its help, the result, the review and its page."""
    for _ in range(3):
        if wait_for_my_move(page):
            check(page, "a move")
            click_a_move(page, server)
    check(page, "the table")
    picture(page, "playing")
    page.script("document.getElementById('help-box').showModal()")
    check(page, "the help")
    page.script("document.getElementById('help-box').close()")
    play_out(server)
    page.wait(lambda: page.shown("#result h2"), "the hand does not end")
    check(page, "the result")
    picture(page, "result")
    page.click("#review")
    look_at_the_frame(page, "the review")
    picture(page, "review")
    page.click("#review-close")


def look_at_ones_hands(page, server):
    """The page of one's hands, and the replay of one, by each player's eyes."""
    page.driver.get(server.address)
    page.wait(lambda: page.shown("#own-hands"), "the first page does not come")
    page.click("#own-hands")
    page.wait(lambda: page.shown("#latest a"), "there are no hands")
    page.wait(lambda: not page.shown("#measuring"), "it is not measured")
    check(page, "one's hands")
    picture(page, "hands")
    page.script("document.querySelector('#latest a').click()")
    look_at_the_frame(page, "the replay")
    picture(page, "replay")


def look_at_the_frame(page, what):
    """The page of a replay within another page, at some decisions, by each player's eyes."""
    page.wait(lambda: page.find_all("#review-page"), f"{what} does not come")
    check(page, what)
    page.driver.switch_to.frame(page.find("#review-page"))
    page.wait(lambda: page.shown("#seats li"), "the page shows no table")
    views = page.script("return [...document.getElementById('view').options].map((each) => each.value)")
    for view in views:
        if page.shown("#view"):
            choose(page, "#view", view)
        for move in ("first", "next", "next", "last"):
            page.script("document.getElementById(arguments[0]).click()", move)
            check(page, f"{what}, view {view}, {move}")
    page.driver.switch_to.default_content()
