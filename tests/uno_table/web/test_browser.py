"""The tables in a real browser: ``make test-browser``. Screenshots are kept in build/browser."""

import random
import re
import threading
import time
from contextlib import contextmanager
from dataclasses import replace
from itertools import islice

import pytest

from uno_table.hands.measuring import measure_choices
from uno_table.hands.own_hands import OwnHands
from uno_table.table.rules_form import form_values
from uno_table.web.lobby import Lobby
from uno_table.web.server import bind, server_for
from uno_table.web.storage import TableFolder

pytest.importorskip("selenium")

from selenium.webdriver import ActionChains

from tests.uno_table.browser import AXE, ENTER, RIGHT, browser
from tests.uno_table.tables import in_one_step, measured
from uno_env import Game, Rules
from uno_env.cards import card_text
from uno_env.render import view_of
from uno_env.replay import decisions_of

pytestmark = pytest.mark.browser

SIZES = {"desktop": (1280, 800), "phone": (390, 844)}

TICKET = "return document.getElementById('table').dataset.ticket"
"""What the page shows: it changes with everything that the seat is told of."""


class Server:
    """The server in a thread, which can be stopped, and another one be started on the same port and the same folder."""

    def __init__(self, path, own_hands=None, preset="classic", agents=("greedy", "random-play")):
        self.path, self.port, self.own_hands, self.preset, self.agents = path, 0, own_hands, preset, list(agents)
        self.start()

    def start(self):
        form = {"agents": self.agents, "preset": self.preset, "rules": {}, "seed": 11}
        self.lobby = Lobby(form, TableFolder(self.path), self.own_hands)
        listener = bind("127.0.0.1", self.port)
        self.port = listener.getsockname()[1]
        self.server = server_for(self.lobby, "127.0.0.1")
        self.thread = threading.Thread(target=self.server.run, kwargs={"sockets": [listener]})
        self.thread.start()

    def stop(self):
        self.server.should_exit = True
        self.thread.join(20)
        assert not self.thread.is_alive()
        self.lobby.close()

    @property
    def address(self):
        return f"http://127.0.0.1:{self.port}/#key={self.lobby.key}"

    @property
    def table(self):
        return list(self.lobby.sessions.values())[-1].table


@pytest.fixture
def server(tmp_path):
    server = Server(tmp_path / "tables")
    yield server
    server.stop()


@pytest.fixture
def reviewing(tmp_path):
    """A server for two that measures each hand that is over, and keeps it."""
    steps = measure_choices(played_by_chance(Rules.preset("duel", hand_size=2)), 0, 0)
    list(islice(steps, 3))  # compiled before somebody waits
    server = Server(tmp_path / "tables", OwnHands(tmp_path / "me" / "hands.jsonl"), "duel", ["greedy"])
    yield server
    server.stop()


@contextmanager
def page_of(tmp_path, size, dark=False, sizes=SIZES):
    with browser(tmp_path / f"{size}-{dark}", *sizes[size]) as page:
        page.driver.execute_cdp_cmd(
            "Emulation.setEmulatedMedia",
            {"features": [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]},
        )
        yield page


def set_up(page, server, seats=2, **rules):
    """Set up a table with so many others and these rules, by the form."""
    page.driver.get(server.address)
    page.wait(lambda: page.shown("#deal"), "the form does not come")
    page.script(
        "const [seats, rules] = arguments; const id = (name) => document.getElementById(name);"
        "while (id('seats').children.length < seats) id('add').click();"
        "id('pace').value = '0'; id('reaction').value = '0'; id('adviser').value = 'greedy';"
        "for (const [name, value] of Object.entries(rules)) id(`rule-${name}`).value = value;"
        "id('groups').dispatchEvent(new Event('change'))",
        seats,
        rules,
    )
    page.click("#deal")
    page.wait(lambda: page.shown("#hand li"), "no cards were dealt")


def deal(page, server, pace="0"):
    """Set up a table with the form as it comes."""
    page.driver.get(server.address)
    page.wait(lambda: page.shown("#deal"), "the form does not come")
    page.script("document.getElementById('pace').value = arguments[0]", pace)
    page.click("#deal")
    page.wait(lambda: page.shown("#hand li"), "no cards were dealt")


def invite(page, server, name, **rules):
    """Set up a table for two people, the first of whom has a name; the link for the second one."""
    page.driver.get(server.address)
    page.wait(lambda: page.shown("#deal"), "the form does not come")
    page.script(
        "const [name, rules] = arguments; const id = (name) => document.getElementById(name);"
        "id('name').value = name; id('pace').value = '0';"
        "const select = document.querySelector('.seat select');"
        "select.value = 'person'; select.dispatchEvent(new Event('change'));"
        "for (const [name, value] of Object.entries(rules)) id(`rule-${name}`).value = value;",
        name,
        rules,
    )
    page.click("#deal")
    page.wait(lambda: page.shown("#invitations input"), "there is no invitation")
    (link,) = page.shown("#invitations input")
    return link


def follow(page, link):
    """Open the link of an invitation in a new tab; the page asks for a name."""
    page.driver.switch_to.new_window("tab")
    page.driver.get(link)
    page.wait(lambda: page.shown("#join[open]"), "nobody asks for a name")


def join(page, name):
    """Sit down under a name."""
    page.find("#join-name").clear()
    page.find("#join-name").send_keys(name)
    page.click("#join button")
    page.wait(lambda: page.shown("#hand li"), "no cards were dealt")


def is_my_move(page):
    return page.shown("#you.deciding")


def wait_for_my_move(page):
    """Whether the hand goes on."""
    page.wait(lambda: is_my_move(page) or page.shown("#result h2"), "nobody moves")
    return not page.shown("#result h2")


def click_a_move(page, server):
    """Do what the page offers, by clicking: UNO first, then a card, then any button; wait until it is done."""
    stage, ticket = server.table.stage, page.script(TICKET)
    if page.shown("[data-action=call]"):
        page.click("[data-action=call]")
    elif page.shown("#hand .playable"):
        page.click_card("#hand .playable button")
        if page.shown("#choose[open]"):
            page.click("#choices button")
    else:
        page.click("#moves button")
    page.wait(lambda: server.table.stage > stage, "the move was not made")
    page.wait(lambda: page.script(TICKET) != ticket, "the move is not shown")


HAND = """
const cards = [...document.querySelectorAll('#hand li')].map((e) => e.getBoundingClientRect());
const felt = document.querySelector('.felt').getBoundingClientRect();
return {
  inside: cards.every((e) => e.left >= felt.left && e.right <= Math.min(felt.right + 1, innerWidth) &&
    e.top >= 0 && e.bottom <= innerHeight + 1),
  seen: Math.min(...cards.map((e, index) => index ? e.left - cards[index - 1].left : 99)),
  rows: new Set(cards.map((e) => Math.round(e.top / 60))).size, number: cards.length, scrolled: scrollY,
}
"""
"""Where the cards lie, and how much of each is seen."""

SEATS = """
const boxes = [...document.querySelectorAll('.player, #centre .card, .middle')].map((e) => e.getBoundingClientRect());
const meet = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
return boxes.flatMap((a, i) => boxes.filter((b, j) => i < j && meet(a, b)).map((b) => [a.toJSON(), b.toJSON()]))
"""
"""Players that hide each other or the piles."""


PEOPLE = """
const [number, badges, done] = arguments;
const cards = ["r1", "r2", "b3", "gs", "w", "w+4", "y+2"];
const known = cards.slice(0, badges ? 7 : 0).map((card) => ({ card, name: card }));
const players = [...Array(number).keys()].map((seat) => ({
  seat, name: badges ? "W".repeat(23) + seat : `Person ${seat}`, kind: "person", about: "", face: false, away: badges,
  failed: badges, cards: 17, known, backs: known, called: badges, out: badges, dealer: badges, score: 499,
  won: badges ? 12 : 0, matches: badges ? 3 : 0 }));
import("/pages/players.js").then((page) => {
  page.showPlayers({ players, you: 0, deciding: 1, scored: true });
  setTimeout(() => requestAnimationFrame(() => requestAnimationFrame(done)), 100);
});
"""
"""So many people, with long names and all badges or without; done when they have their places."""

OVERLAPS = """
const all = [...document.querySelectorAll('.bar, .player, .pile, .middle, #arrows span, #you')];
const boxes = all.map((e) => e.getBoundingClientRect());
const meet = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1;
const name = (at) => all[at].innerText.slice(0, 30);
return boxes.flatMap((a, i) => [
  ...boxes.flatMap((b, j) => i < j && meet(a, b) ? [`${name(i)} covers ${name(j)}`] : []),
  ...(a.left < 0 || a.right > innerWidth + 1 ? [`${name(i)} is cut off`] : [])])
"""

WINDOWS = ((390, 844), (768, 1024), (1024, 700), (1280, 800), (1920, 1080), (2560, 1440))


def test_no_box_of_the_table_covers_another(server, tmp_path):
    with page_of(tmp_path, "desktop") as page:
        deal(page, server)
        assert wait_for_my_move(page)
        for width, height in WINDOWS:
            size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
            page.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
            for badges in (False, True):
                for number in range(2, 11):
                    page.driver.execute_async_script(PEOPLE, number, badges)
                    assert len(page.find_all(".player")) == number - 1
                    assert page.script(OVERLAPS) == [], (width, height, badges, number)
                page.picture(f"ten-people-{width}-{'badges' if badges else 'plain'}")
        assert page.errors() == []


PILE = """
window.twice = 0; window.early = 0;
const look = () => {
  const flying = [...document.querySelectorAll('.flying img')].map((e) => e.src).filter((e) => !e.endsWith('back.svg'));
  window.twice += flying.includes(document.getElementById('top').src);
  window.early += !document.getElementById('result').hidden && document.querySelector('.flying') !== null;
  requestAnimationFrame(look);
};
look();
"""
"""Counts pictures with a card both in flight and on the pile, and those of a result before the last card has landed."""


@pytest.mark.parametrize("size", SIZES)
def test_the_result_of_ten_players_opens_in_full_when_the_last_card_has_landed(server, tmp_path, size):
    with page_of(tmp_path, size) as page:
        set_up(page, server, seats=9, hand_size=2)
        page.script(PILE)
        while wait_for_my_move(page):
            click_a_move(page, server)
        assert page.script("return [window.early, scrollY]") == [0, 0]
        assert page.script("return window.twice") <= 1, "two equal cards may follow each other"
        seen = page.script(
            "return ['#result h2', '#result .own', '#next'].map((each) => document.querySelector(each))"
            ".map((e) => e.getBoundingClientRect()).every((e) => e.top >= 0 && e.bottom <= innerHeight)"
        )
        assert seen, "headline, own row and the button are in sight"
        page.picture(f"{size}-ten-players-result")
        assert page.faults() == []


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("size", SIZES)
def test_twenty_cards_and_ten_players_fit_the_window(server, tmp_path, size, dark):
    with page_of(tmp_path, size, dark) as page:
        kind = f"{size}-{'dark' if dark else 'light'}"
        page.driver.get(server.address)
        page.wait(lambda: page.shown("#deal"), "the form does not come")
        page.picture(f"{kind}-form")
        assert page.faults() == []
        set_up(page, server, hand_size=20)
        assert wait_for_my_move(page)
        page.press("h")
        page.wait(lambda: page.shown("#hint li"), "there is no hint")
        page.picture(f"{kind}-twenty-cards")
        seen = page.script(HAND)
        assert seen["number"] >= 20
        assert (seen["inside"], seen["scrolled"]) == (True, 0), seen
        assert seen["seen"] >= 12, "every card shows its corner"
        assert page.faults() == []
        assert not page.overflows()
        set_up(page, server, seats=9, hand_size=5)
        page.wait(lambda: len(page.shown(".player")) == 9, "the others are not shown")
        page.script("document.getAnimations().forEach((animation) => animation.finish())")
        assert page.script(SEATS) == []
        page.picture(f"{kind}-ten-players")
        assert page.script(HAND)["inside"]
        assert page.faults() == []
        assert page.errors() == []


def test_players_sit_in_their_order_and_arrows_show_the_direction(server, tmp_path):
    with page_of(tmp_path, "desktop") as page:
        set_up(page, server, seats=5)
        boxes = page.script(
            "return [...document.querySelectorAll('.player')].map((e) => e.getBoundingClientRect())"
            ".map((e) => [e.x + e.width / 2, e.y])"
        )
        across = [x for x, _ in boxes]
        assert across == sorted(across), "clockwise from the left"
        assert boxes[0][1] > boxes[2][1] < boxes[4][1], "around the far side"
        turned = "return document.querySelector('#arrows').classList.contains('counter')"
        assert page.script(turned) is not server.table.game.record.direction > 0


SWAP = """
const player = (seat) => ({ seat, cards: 5, called: false, out: false });
const before = { epoch: 0, waiting: [], discards: 9, firstEvent: 0, events: ["one"], you: 0, deciding: 1, result: null,
  players: [player(0), player(1)], handsMoved: null };
const after = { ...before, events: ["one", "two"], handsMoved: { event: 1, pairs: [[0, 1], [1, 0]] } };
import("/pages/motion.js").then((motion) => { motion.showMotion(before, after); window.swapped = true; });
"""
"""Two hands of the same size are swapped."""


def test_less_motion_means_that_nothing_flies(server, tmp_path):
    for still in (False, True):
        with page_of(tmp_path / str(still), "desktop") as page:
            features = [{"name": "prefers-reduced-motion", "value": "reduce" if still else "no-preference"}]
            page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
            deal(page, server)
            assert wait_for_my_move(page)
            page.script(
                "window.flown = 0; new MutationObserver((all) => all.forEach((each) => each.addedNodes.forEach((e) =>"
                "{ window.flown += e.className === 'flying' })) ).observe(document.body, { childList: true })"
            )
            click_a_move(page, server)
            page.wait(lambda: is_my_move(page) or page.shown("#result h2"), "nobody moves")
            assert (page.script("return window.flown") == 0) is still
            page.wait(lambda: not page.find_all(".flying"), "cards fly for ever")
            page.script("window.flown = 0; " + SWAP)
            page.wait(lambda: page.script("return window.swapped"), "the movement fails")
            page.wait(lambda: not page.find_all(".flying"), "cards fly for ever")
            assert page.script("return window.flown") == (0 if still else 6), "three cards of each hand"


def test_sounds_are_off_until_they_are_wanted(server, tmp_path):
    with page_of(tmp_path, "desktop") as page:
        deal(page, server)
        pressed = "return document.getElementById('sound').getAttribute('aria-pressed')"
        assert page.script(pressed) == "false"
        page.click("#sound")
        assert page.script(pressed) == "true"
        page.driver.refresh()
        page.wait(lambda: page.shown("#hand li"), "the table does not come back")
        assert page.script(pressed) == "true"
        assert page.errors() == []


def test_rules_of_ones_own_are_not_called_by_a_presets_name(server, tmp_path):
    server.lobby.defaults.update(preset="classic", rules={**form_values(Rules.preset("house")), "hand_size": 5})
    shown = "const list = document.getElementById('preset'); return list.selectedOptions[0].textContent"
    with page_of(tmp_path, "desktop") as page:
        page.driver.get(server.address)
        page.wait(lambda: page.shown("#deal"), "the form does not come")
        assert page.script(shown) == "House rules, 1 changed"
        page.script(
            "const list = document.getElementById('preset'); list.value = 'classic';"
            "list.dispatchEvent(new Event('change'))"
        )
        assert page.script(shown) == "Classic"
        assert page.script("return document.getElementById('rule-hand_size').value") == "7"


def test_play_now_needs_one_click(server, tmp_path):
    server.lobby.defaults.update(agents=["zoo"], seed=None)
    with page_of(tmp_path, "phone") as page:
        page.driver.get(server.address)
        page.wait(lambda: page.shown("#play-now"), "there is no such button")
        assert page.shown("#deal") == [], "everything else is folded"
        bottom = page.script("return document.getElementById('play-now').getBoundingClientRect().bottom")
        assert bottom < SIZES["phone"][1], "the button is seen without scrolling"
        page.wait(
            lambda: page.script("return [...document.images].every((e) => e.naturalWidth > 0)"), "faces are missing"
        )
        page.picture("phone-play-now")
        assert page.faults() == []
        page.click("label:has(#level-hard)")
        page.click("#play-now")
        page.wait(lambda: page.shown("#hand li"), "no cards were dealt")
        assert server.table.names == ["Player 1", "Ada", "Iris", "Felix"]
        assert {seat.agent.name for seat in server.table.seats[1:]} == {"greedy"}
        assert len(page.find_all(".player .face")) == 3
        page.driver.get(server.address)
        page.wait(
            lambda: page.script("return document.getElementById('level-hard')?.checked"), "the level is forgotten"
        )
        assert page.errors() == []


CAST = "return [...document.querySelectorAll('.seat .who')].map((e) => e.textContent)"


def test_the_levels_and_their_people_play_at_a_table_of_ones_own_too(server, tmp_path):
    server.lobby.defaults.update(agents=["zoo"], seed=None)
    with page_of(tmp_path, "desktop") as page:
        page.driver.get(server.address)
        page.click("#more > summary")
        page.wait(lambda: page.shown("#add"), "the form does not come")
        page.script(
            "for (let more = 0; more < 3; more++) document.getElementById('add').click();"
            "const [one, two] = document.querySelectorAll('.seat select');"
            "[one.value, two.value] = ['random-play?bluff=0', 'greedy'];"
            "for (const list of [one, two]) list.dispatchEvent(new Event('change'));"
            "document.getElementById('pace').value = '0'"
        )
        assert page.script(CAST) == ["Pip", "Ada", "Sage", "Vega"]
        titles = page.script(
            "return [...document.querySelector('.seat select').options].slice(0, 5).map((e) => e.text)"
        )
        assert titles == ["A person, by invitation", "Easy", "Medium", "Hard", "Master"]
        page.wait(
            lambda: page.script("return [...document.images].every((e) => e.naturalWidth > 0)"), "faces are missing"
        )
        page.picture("desktop-cast")
        assert page.faults() == []
        page.click("#deal")
        page.wait(lambda: page.shown("#hand li"), "no cards were dealt")
        assert server.table.names[1:] == ["Pip", "Ada", "Sage", "Vega"]
        assert len(page.find_all(".player .face")) == 4
        assert page.errors() == []


def test_a_hand_of_a_level_counts_and_its_replay_can_be_shared(server, tmp_path):
    server.lobby.defaults.update(agents=["zoo"], seed=None)
    with page_of(tmp_path, "phone") as page:
        page.driver.get(server.address)
        page.click("label:has(#level-easy)")
        page.click("#play-now")
        page.wait(lambda: page.shown("#hand li"), "no cards were dealt")
        server.table.setup = replace(server.table.setup, pace=0)
        while wait_for_my_move(page):
            click_a_move(page, server)
        page.picture("phone-level-result")
        assert page.faults() == []
        page.click("#share")
        page.wait(lambda: page.shown("#shared"), "there is no link")
        (link,) = page.shown("#shared")
        page.driver.get(link)
        page.wait(lambda: len(page.shown("#seats li")) == 4, "the replay does not open")
        reached = page.script("try { return localStorage.length } catch { return 'a site of its own' }")
        assert reached == "a site of its own"
        server.stop()
        server.start()
        page.driver.get(link)
        page.wait(lambda: len(page.shown("#seats li")) == 4, "the replay is gone with the server")
        page.driver.get(server.address)
        page.wait(lambda: "of 1 hand." in "".join(page.shown("#about-easy")), "the score is forgotten")


def test_only_agents_that_play_by_the_rules_are_offered(server, tmp_path):
    offered = (
        "return [...document.querySelector('.seat select').options].filter((e) => !e.disabled).map((e) => e.value)"
    )
    with page_of(tmp_path, "desktop") as page:
        page.driver.get(server.address)
        page.wait(lambda: "zoo:duel-2p" not in (page.script(offered) or ["zoo:duel-2p"]), "all are offered")
        assert {"zoo:any", "greedy"} < set(page.script(offered))
        page.click(".seat:last-child button")
        page.script(
            "const list = document.getElementById('preset'); list.value = 'duel';"
            "list.dispatchEvent(new Event('change'))"
        )
        page.wait(lambda: "zoo:duel-2p" in page.script(offered), "the network for these rules is not offered")
        assert "zoo:classic-2p" not in page.script(offered)
        page.script("document.querySelector('.seat select').value = 'zoo:duel-2p'")
        page.click("#add")
        page.wait(lambda: page.shown(".seat:first-child .wrong"), "nothing is said of the agent that does not fit")
        page.picture("desktop-more")
        assert page.faults() == []


def test_what_refuses_the_deal_is_named(server, tmp_path):
    with page_of(tmp_path, "desktop") as page:
        page.driver.get(server.address)
        page.wait(lambda: page.shown("#deal"), "the form does not come")
        page.script(
            "const adviser = document.getElementById('adviser'); adviser.value = 'other';"
            "adviser.dispatchEvent(new Event('change')); adviser.nextSibling.value = 'zoo:duel-2p'"
        )
        page.click("#deal")
        page.wait(lambda: page.shown("#notice"), "nothing is said")
        assert page.shown("#notice")[0].startswith("Who gives hints: ")
        assert page.shown("#deal")


def test_without_the_key_there_is_a_way_on(server, tmp_path):
    with page_of(tmp_path, "phone") as page:
        page.driver.get(server.address.partition("#")[0])
        page.wait(lambda: page.shown("#unlock"), "there is no way on")
        page.picture("phone-no-key")
        assert page.faults() == []
        page.find("#key").send_keys(server.address, ENTER)
        page.wait(lambda: page.shown("#deal"), "the key does not open the form")


def test_the_pressed_hints_button_can_be_read_under_the_mouse(server, tmp_path):
    with page_of(tmp_path, "desktop") as page:
        deal(page, server)
        page.click("#hints")
        ActionChains(page.driver).move_to_element(page.find("#hints")).perform()
        page.wait(
            lambda: page.script("return document.querySelector('#hints:hover') !== null"), "the mouse is elsewhere"
        )
        colours = page.script(
            "const s = getComputedStyle(document.getElementById('hints')); return [s.color, s.backgroundColor]"
        )
        assert colours == ["rgb(34, 38, 31)", "rgb(255, 215, 94)"]


@pytest.mark.parametrize("size", SIZES)
def test_a_hand_is_played_by_clicking(server, tmp_path, size):
    with page_of(tmp_path, size) as page:
        page.driver.get(server.address)
        page.wait(lambda: page.shown("#deal"), "the form does not come")
        assert page.faults() == []
        assert not page.overflows()
        page.picture(f"{size}-form")
        deal(page, server)
        assert len(page.shown("#hand li")) == 7
        assert page.faults() == []
        moves = 0
        while wait_for_my_move(page):
            click_a_move(page, server)
            assert not page.overflows()
            moves += 1
            if moves in (1, 4):
                page.picture(f"{size}-move-{moves}")
        assert moves > 2
        assert "wins the hand" in page.shown("#result")[0] or "win the hand" in page.shown("#result")[0]
        assert page.shown("#result thead th") == ["", "This hand", "Points", "Hands won"]
        page.picture(f"{size}-result")
        assert page.faults() == []
        page.click("#next")
        page.wait(lambda: len(page.shown("#hand li")) == 7, "the next hand was not dealt")
        assert server.table.game.hands_played == 1
        assert page.errors() == []


CHOSEN = """
const id = (name) => document.getElementById(name);
const seats = [...document.querySelectorAll(".seat select")].map((each) => each.value);
const rules = [id("rule-seven_zero").checked, id("rule-stacking").value];
return [id("more").open, seats, rules, id("match").checked, id("pace").value];
"""


def test_what_was_chosen_under_more_is_still_there(server, tmp_path):
    choose = (
        "const [id, value] = arguments; const input = document.querySelector(id);"
        "input.type === 'checkbox' ? (input.checked = value) : (input.value = value);"
        "input.dispatchEvent(new Event('change', { bubbles: true }))"
    )
    with page_of(tmp_path, "phone") as page:
        page.driver.get(server.address)
        page.click("#add")
        chosen = {"#preset": "house", "#rule-stacking": "any", "#match": False, "#pace": "0.3"}
        for name, value in {**chosen, ".seat select": "person"}.items():
            page.script(choose, name, value)
        page.driver.refresh()
        page.wait(lambda: page.shown("#deal"), "the form does not come")
        assert page.script(CHOSEN) == [True, ["person", *["random-play"] * 2], [True, "any"], False, "0.3"]
        page.click("#deal")
        page.wait(lambda: page.shown("#invitations input"), "there is no table as it was chosen")
        server.lobby.defaults["agents"] = ["greedy"]
        page.driver.get(server.address)
        page.wait(lambda: page.shown("#deal"), "the form does not come")
        assert page.script(CHOSEN)[1] == ["greedy"], "the command has named somebody else since"
        assert page.errors() == []


@pytest.mark.parametrize(("size", "dark"), [("desktop", False), ("phone", True)])
def test_a_hand_can_be_looked_at_again_with_what_each_choice_cost(server, tmp_path, size, dark, review_by):
    review_by(in_one_step(measured))
    with page_of(tmp_path, size, dark) as page:
        set_up(page, server, seats=3)
        while wait_for_my_move(page):
            click_a_move(page, server)
        page.picture(f"{size}-{'dark' if dark else 'light'}-result")
        assert page.faults() == []
        page.click("#review")
        page.wait(lambda: page.shown("#review-verdict"), "the review is not made")
        game = server.table.game
        number = next(number for number, note in enumerate(measured(game, 0, 0).notes) if note is not None)
        past = next(islice(decisions_of(game), number, None))[0]
        assert page.shown("#review-verdict")[0].startswith("The costliest choice: ")
        assert page.shown("#review-sum") == ["Luck −14%, choices −20%"]
        assert page.shown("#result") == []
        assert page.script(TOP) == card_text(view_of(past).top), "the table is as it was before that choice"
        assert len(page.shown("#hand li")) == len(past.hand(0))
        verdict = page.script("return document.getElementById('review-verdict').getBoundingClientRect().bottom")
        assert 0 < verdict < SIZES[size][1] / 2, "the verdict is in sight"
        assert not page.overflows()
        page.picture(f"{size}-{'dark' if dark else 'light'}-review")
        assert page.faults() == []
        page.click("#hand .card" if page.shown("#hand .playable") else "#draw")
        page.wait(lambda: page.shown("#notice"), "nothing says that the hand is over")
        page.click("#review-page")
        page.wait(lambda: page.find_all("#page"), "the whole hand does not open")
        page.driver.switch_to.frame(page.find("#page"))
        page.wait(lambda: page.shown("#seats li"), "the page shows no table")
        assert page.shown("#view") == []
        worst, at = page.script(WORST)
        assert worst == at, "it opens at the worst decision"
        assert page.script(VERDICT).startswith("The costliest choice: ")
        assert not page.overflows()
        page.driver.switch_to.default_content()
        page.picture(f"{size}-{'dark' if dark else 'light'}-review-page")
        assert page.faults() == []
        page.click("#page-close")
        page.click("#review-close")
        page.wait(lambda: page.shown("#result h2"), "there is no way back")
        assert page.script(TOP) == card_text(view_of(server.table.series.shown).top)
        assert page.errors() == []


def played_by_chance(rules):
    game, chance = Game(rules, seed=1), random.Random(1)
    while not game.over:
        game.step(chance.choice(game.legal_actions()))
    return game


TOP = "return document.getElementById('top').dataset.card"
WORST = "return [document.querySelector('.jumps button')?.dataset.place, document.getElementById('number').value]"
VERDICT = "return document.querySelector('.verdict')?.textContent ?? ''"
SUM = "return document.querySelector('.sum')?.textContent ?? ''"
MARKS = """
return [...document.querySelectorAll('#curve path')].map((e) => [e.textContent, e.getAttribute('d')])
"""


@pytest.mark.parametrize("size", SIZES)
def test_what_luck_and_choices_brought_is_shown_after_the_hand_and_kept_as_ones_own(reviewing, tmp_path, size):
    with page_of(tmp_path, size) as page:
        deal(page, reviewing)
        while wait_for_my_move(page):
            assert page.shown("#review") == [], "nothing is said before the hand is over"
            click_a_move(page, reviewing)
        page.click("#review")
        page.click("#review-page")
        page.wait(lambda: page.find_all("#page"), "the page does not open")
        page.driver.switch_to.frame(page.find("#page"))
        page.wait(lambda: page.script(VERDICT), "the page has no verdict")
        said, verdict = page.script(SUM), page.script(VERDICT)
        assert re.fullmatch(r"Luck [+−-]?\d+\s?%, choices [+−-]?\d+\s?%", said), said
        assert re.fullmatch(r"No mistake found\.|The costliest choice: .+ It cost [\d.]+\s?%; better: .+\.", verdict)
        shapes = {title.split()[1]: re.sub(r"[-\d. ]+", " ", path) for title, path in page.script(MARKS) if title}
        assert len(set(shapes.values())) == len(shapes), "what differs has marks of other shapes"
        assert not page.overflows()
        page.driver.switch_to.default_content()
        page.picture(f"{size}-costs")
        page.click("#page-close")
        page.driver.get("about:blank")
        page.driver.get(reviewing.address)
        page.click("#own-hands")
        page.wait(lambda: page.shown("#latest li"), "the hand is not shown")
        assert re.fullmatch(r"You have won [01] of 1 hand\.", page.shown("#records .won")[0])
        page.wait(lambda: reviewing.own_hands.kept().unmeasured == 0, "the hand is not measured")
        page.wait(lambda: "cost you" in page.shown("#latest li")[0], "what was measured is not shown")
        assert page.errors() == []


def test_moves_by_keyboard_alone(server, tmp_path):
    with page_of(tmp_path, "desktop") as page:
        deal(page, server)
        for _ in range(3):
            assert wait_for_my_move(page)
            stage, held = server.table.stage, len(page.shown("#hand li"))
            page.press("d")
            page.wait(lambda stage=stage: server.table.stage > stage, "D does not draw")
            page.wait(lambda held=held: len(page.shown("#hand li")) > held, "the drawn card is not shown")
            assert page.script(HAND)["inside"], "a hand that grows stays on the table"
            if page.shown("[data-action=pass]"):
                page.press("p")
            page.wait(lambda: not page.shown("[data-action=pass]"), "P does not keep the card")
        page.wait(lambda: is_my_move(page) and page.shown("#hand .playable"), "no card can be played")
        places = page.script(
            "document.querySelector('#hand button').focus();"
            "return [...document.querySelectorAll('#hand li')].findIndex((e) => e.matches('.playable'))"
        )
        page.press(*[RIGHT] * places)
        focused = "return document.activeElement.getAttribute('aria-label')"
        assert "can be played" in str(page.script(focused))
        stage = server.table.stage
        page.press(ENTER)
        if page.shown("#choose[open]"):
            page.picture("desktop-colours")
            page.press("g")
        page.wait(lambda: server.table.stage > stage, "Enter does not play the card")
        assert page.script("return document.getElementById('announcer').textContent")
        assert wait_for_my_move(page)
        page.press("h")
        page.wait(lambda: page.shown("#hint li"), "H gives no hint")
        page.picture("desktop-hints")
        assert page.faults() == []
        before = server.table.epoch
        page.press("z")
        page.wait(lambda: server.table.epoch > before, "Z takes nothing back")
        page.press("?")
        page.wait(lambda: page.shown("#help-box[open] #rules dd"), "? does not help")
        assert "Draw Two" in page.shown("#rules dt")
        assert page.faults() == []
        page.picture("desktop-help")


RISEN = "return [...document.querySelectorAll('#hand li')].map((e) => getComputedStyle(e).zIndex === '3')"
"""Which cards are lifted above their neighbours."""


def test_no_card_rises_by_itself_when_one_was_played_by_a_click(server, tmp_path):
    with page_of(tmp_path, "phone") as page:
        set_up(page, server, hand_size=20)
        page.wait(lambda: is_my_move(page) and page.shown("#hand .playable"), "no card can be played")
        held = len(page.shown("#hand li"))
        page.click_card("#hand .playable button")
        if page.shown("#choose[open]"):
            page.click("#choices button")
        page.wait(lambda: len(page.shown("#hand li")) != held, "the card stays in the hand")
        page.rest_mouse()
        assert not any(page.script(RISEN)), "it would cover its neighbour"


@pytest.mark.parametrize("touch", [False, True])
def test_a_card_rises_under_a_mouse_and_not_where_a_finger_was(server, tmp_path, touch):
    with page_of(tmp_path, "desktop") as page:
        page.driver.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": touch})
        deal(page, server)
        page.hover("#hand li")
        assert page.script(RISEN)[0] is not touch


def test_a_table_survives_a_restart_of_the_server(server, tmp_path):
    cards = "return [...document.querySelectorAll('#hand button')].map((e) => e.ariaLabel)"
    with page_of(tmp_path, "phone") as page:
        deal(page, server)
        assert wait_for_my_move(page)
        click_a_move(page, server)
        assert wait_for_my_move(page)
        hand = page.script(cards)
        server.stop()
        page.wait(lambda: page.shown("#offline"), "nothing is said of the lost connection")
        assert page.shown("#notice") == []
        page.picture("phone-offline")
        server.start()
        page.wait(lambda: not page.shown("#offline"), "the connection does not come back")
        page.wait(lambda: page.script(cards) == hand, "the hand is another one")
        page.driver.refresh()
        page.wait(lambda: page.shown("#hand li"), "the seat was lost with the reload")
        stage = server.table.stage
        page.wait(lambda: is_my_move(page), "the table does not go on")
        click_a_move(page, server)
        assert server.table.stage > stage


def test_a_table_that_is_gone_is_said_to_be_gone_and_nothing_else(server, tmp_path):
    with page_of(tmp_path, "phone") as page:
        deal(page, server)
        server.stop()
        page.wait(lambda: page.shown("#offline"), "nothing is said of the lost connection")
        for file in server.path.glob("*.json"):
            file.unlink()
        server.start()
        page.wait(lambda: page.shown("#notice"), "nothing is said of the table")
        assert page.shown("#notice") == ["There is no such table (any more)."]
        assert page.shown("#offline") == []
        assert page.shown("#table") == []
        page.picture("phone-gone")
        assert page.faults() == []


def test_two_tabs_at_one_table(server, tmp_path):
    with page_of(tmp_path, "desktop") as page:
        link = invite(page, server, "<b>Ann</b>")
        assert page.shown("#hand li") == []
        page.picture("desktop-invitations")
        assert page.faults() == []
        ann = page.driver.current_window_handle
        follow(page, link)
        assert page.faults() == []
        join(page, "Bob")
        assert len(page.shown("#hand li")) == 7
        assert "<b>Ann</b>" in page.shown(".player .name")[-1].replace("▶ ", "")
        bob = page.driver.current_window_handle
        played = set()
        end = time.monotonic() + 120
        while played != {ann, bob} and time.monotonic() < end:
            for tab in (ann, bob):
                page.driver.switch_to.window(tab)
                if is_my_move(page) and not page.shown("#result h2"):
                    click_a_move(page, server)
                    played.add(tab)
        assert played == {ann, bob}
        page.driver.switch_to.window(ann)
        page.picture("desktop-two-people")
        assert page.faults() == []
        seats = server.table.seats
        assert page.shown("#hand li") is not None
        source = page.driver.page_source
        assert seats[1].token not in source


SCRIPTS = ("<img src onerror=p=1>", "<svg onload=p=1></svg>")
"""Names of people. Read as HTML anywhere, they make an element; run, they set the page's ``p``."""
INJECTED = "return [self.p, document.querySelectorAll('[onerror], [onload]').length]"


def test_a_script_in_each_name_is_text_everywhere(reviewing, tmp_path):
    def look(shows_names=True):
        assert page.script(INJECTED) == [None, 0]
        text = page.script("return document.documentElement.textContent")
        assert not shows_names or any(name in text for name in SCRIPTS)

    with page_of(tmp_path, "desktop") as page:
        link = invite(page, reviewing, SCRIPTS[0], hand_size="2")
        look(shows_names=False)
        first = page.driver.current_window_handle
        follow(page, link)
        look(shows_names=False)
        join(page, SCRIPTS[1])
        tabs = (first, page.driver.current_window_handle)
        while not page.shown("#result h2"):
            for tab in tabs:
                page.driver.switch_to.window(tab)
                look()
                if is_my_move(page) and not page.shown("#result h2"):
                    click_a_move(page, reviewing)
        page.driver.switch_to.window(first)
        page.wait(lambda: page.shown("#result h2"), "the result does not come")
        look()
        page.picture("desktop-scripts-in-names")
        page.click("#review")
        page.click("#review-page")
        page.wait(lambda: page.find_all("#page"), "the page does not open")
        page.driver.switch_to.frame(page.find("#page"))
        page.wait(lambda: page.script(VERDICT), "the page has no verdict")
        look()
        page.driver.switch_to.default_content()
        page.click("#page-close")
        page.click("#review-close")
        page.click("#share")
        page.wait(lambda: page.shown("#shared"), "there is no link")
        (link,) = page.shown("#shared")
        page.driver.get(link)
        page.wait(lambda: len(page.shown("#seats li")) == 2, "the replay does not open")
        look()
        page.driver.get(reviewing.address)
        page.wait(lambda: page.shown("#deal"), "the form does not come")
        look(shows_names=False)
        assert page.errors() == []


def test_the_checker_of_accessibility_finds_faults(server, tmp_path):
    with page_of(tmp_path, "desktop") as page:
        page.driver.get(server.address)
        page.wait(lambda: page.shown("#deal"), "the form does not come")
        page.script("document.querySelector('label[for=name]').remove()")
        assert any("label" in fault for fault in page.faults())


def test_house_rules_that_cannot_be_combined_are_explained(server, tmp_path):
    with page_of(tmp_path, "phone") as page:
        page.driver.get(server.address)
        page.wait(lambda: page.shown("#deal"), "the form does not come")
        page.click("#form summary")
        page.script(
            "const size = document.getElementById('rule-hand_size'); size.value = 60;"
            "size.dispatchEvent(new Event('change', { bubbles: true }))"
        )
        page.wait(lambda: page.shown("#rules-error"), "nothing is said of the rules")
        assert "the deck has 108 cards" in page.shown("#rules-error")[0].lower()
        page.picture("phone-rules")
        assert page.faults() == []
        assert not page.overflows()


def test_the_checker_is_there():
    assert AXE.stat().st_size > 100_000
