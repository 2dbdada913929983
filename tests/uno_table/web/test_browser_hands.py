"""What people see of their own hands in a real browser: the review of a hand, the page of all hands."""

import asyncio
import json
import random
import re
import threading
from dataclasses import replace

import pytest

from tests.uno_table.tables import play_on
from uno_env import Game, Rules
from uno_env.render.page import Advice
from uno_env.replay import Note
from uno_table.hands import own_hands
from uno_table.hands.hands_file import Hand
from uno_table.hands.measuring import ReviewStep, choices_in_hand
from uno_table.hands.own_hands import OwnHands

pytest.importorskip("selenium")

from tests.uno_table.browser import ENTER, ESCAPE
from tests.uno_table.web.test_browser import Server, deal, page_of

pytestmark = pytest.mark.browser


class SlowReviewer:
    """Finds that each choice cost 20 points, one after the other, as it is let."""

    def __init__(self):
        self.gate, self.begun = threading.Semaphore(0), 0

    def measure(self, game, seat, hand):
        notes = [None] * len(game.history)
        choices = choices_in_hand(game, seat, hand)
        past = game.start()
        for number, action in enumerate(game.history):
            if number in choices:
                self.begun += 1
                self.gate.acquire()
                other = next(each for each in past.legal_actions() if each != action)
                notes[number] = Note({}, 0.1, {other: (0.0, 0.0), action: (0.2, 0.01)})
                yield ReviewStep(Advice("somebody", tuple(notes)), choices.index(number) + 1, len(choices))
            past.step(action)
        yield ReviewStep(Advice("somebody", notes, 0.1), len(choices), len(choices))


@pytest.fixture
def slow():
    return SlowReviewer()


@pytest.fixture
def slow_server(tmp_path, slow, review_by):
    review_by(slow.measure)
    server = Server(tmp_path / "tables", None, "duel", ["greedy"])
    yield server
    slow.gate.release(1000)
    server.stop()


def play_out(server):
    """Play the hand of the table at random, in the server's place and in its thread."""
    session, chance = list(server.lobby.sessions.values())[-1], random.Random(5)

    async def play():
        while not session.table.series.pausing:
            play_on(session.table, chance)
        session.changed()

    loop = next(iter(session._tasks)).get_loop()
    asyncio.run_coroutine_threadsafe(play(), loop).result(30)


BAR = "const bar = document.getElementById('review-bar'); return bar ? [bar.value, bar.max] : null"


@pytest.mark.parametrize(("size", "dark"), [("desktop", False), ("phone", True)])
def test_a_review_shows_how_far_it_is_and_what_it_has_found_and_survives_a_reload(
    slow_server, slow, tmp_path, size, dark
):
    with page_of(tmp_path, size, dark) as page:
        deal(page, slow_server)
        play_out(slow_server)
        page.click("#review")
        page.wait(lambda: slow.begun == 1, "nothing is measured")
        assert page.shown("#review-state") == ["Measuring …"]
        assert page.shown("#review-found li") == []
        slow.gate.release(2)
        page.wait(lambda: page.script(BAR)[0] == 2, "the bar does not move")
        done, total = page.script(BAR)
        assert page.shown("#review-count") == [f"2 of {total} choices"]
        assert len(page.shown("#review-found li")) == 2
        assert "This cost 20.0%. Better: " in page.shown("#review-found li")[0]
        assert page.faults() == []
        assert not page.overflows()
        page.picture(f"{size}-{'dark' if dark else 'light'}-measuring")
        page.driver.refresh()
        page.wait(lambda: page.script(BAR) and page.script(BAR)[0] == done, "what was measured is lost")
        assert len(page.shown("#review-found li")) == 2
        page.click("#review-close")
        page.wait(lambda: page.shown("#review-panel") == [], "it does not close")
        jobs = slow_server.lobby.jobs._jobs
        page.wait(lambda: not any(job.is_wanted for job in jobs.values()), "the server does not hear of it")
        slow.gate.release(500)
        page.wait(lambda: not slow_server.lobby.jobs._working, "it goes on though nobody looks")
        assert slow.begun == 3, "the step that was being done, and no more"
        page.driver.refresh()
        page.click("#review")
        page.wait(lambda: page.shown("#review-verdict"), "the review does not come")
        assert page.shown("#review-bar") == []
        assert len(page.shown("#review-found button")) == slow.begun == total
        page.script("document.querySelector('#review-found li:last-child button').click()")
        assert page.shown("#review-found [aria-current=true]") == page.shown("#review-found li:last-child button")
        assert page.shown("#situation") == ["Your turn."], "the table as it was is not shown"
        page.press(ESCAPE)
        page.wait(lambda: page.shown("#result h2"), "there is no way back")
        assert page.errors() == []


def test_a_review_that_is_gone_does_not_come_back(slow_server, tmp_path):
    with page_of(tmp_path, "desktop") as page:
        deal(page, slow_server)
        play_out(slow_server)
        page.click("#review")
        page.wait(lambda: page.shown("#review-wait"), "nothing opens")
        slow_server.stop()
        page.wait(lambda: page.shown("#review-wait .notice"), "nothing is said")
        assert "cannot be reached" in page.shown("#review-wait .notice")[0]
        slow_server.start()
        page.driver.refresh()
        page.wait(lambda: page.shown("#result h2"), "the table does not come back")
        assert page.shown("#result thead th") == ["", "Hands won"], "points of rules that count none"
        assert page.script("return sessionStorage.getItem('review')") is None
        assert page.shown("#review-panel") == []


# --- the page of all hands


SIZES_OF_HANDS = {"desktop": (1280, 800), "phone": (390, 844), "wide": (2560, 1440)}
WORDS_OF_EXPERTS = (
    "par",
    "regret",
    "elo",
    "greedy",
    "random-play",
    "aggressive",
    "tuned",
    "playout",
    "uno play",
    "zoo",
)
"""What a person at a card table does not say."""


def kept_hand(agents, score, seed, rules, **changes):
    """A hand in which everybody plays at random, and which the person has won or lost, whatever really happened."""
    game, chance = Game(rules, seed=seed), random.Random(seed)
    while not game.over:
        game.step(chance.choice(game.legal_actions()))
    return Hand("classic; every hand stands alone", agents, 0, 0, score, json.loads(game.to_json()), **changes)


def measured_hand(agents, score, seed, rules):
    """The same in which one choice, the first one, cost 12 points: a Wild Draw Four was better."""
    hand = kept_hand(agents, score, seed, rules)
    choices = choices_in_hand(hand.played(), 0, 0)
    costs = (0.12,) + (0.0,) * (len(choices) - 1)
    return replace(hand, costs=costs, better=("w+4:g",) * len(choices))


@pytest.fixture
def own(tmp_path):
    """37 hands against two levels and elsewhere, one of which is not measured yet."""
    own, classic = OwnHands(tmp_path / "me" / "hands.jsonl"), Rules.preset("classic", players=4)
    hands = [measured_hand(("greedy",) * 3, float(seed % 5 == 0), seed, classic) for seed in range(24)]
    hands += [measured_hand(("random-play?bluff=0",) * 3, float(seed % 4 > 0), seed, classic) for seed in range(12)]
    duel = Rules.preset("duel", hand_size=2)
    hands += [kept_hand((f"mine:{HOSTILE}",), 1.0, 3, duel)]
    for each in hands:
        own._file.append(each)
    return own


HOSTILE = "<img src onerror=p=1>"


@pytest.fixture
def slow_own(own, slow, monkeypatch, review_by):
    monkeypatch.setattr(own_hands, "measure_choices", slow.measure)
    review_by(slow.measure)
    return own


@pytest.fixture
def own_server(tmp_path, slow_own, slow):
    server = Server(tmp_path / "tables", slow_own)
    yield server
    slow.gate.release(10_000)
    server.stop()


def open_hands(page, server):
    page.driver.get(server.address)
    page.click("#own-hands")
    page.wait(lambda: page.shown("#kept, #empty"), "the page stays empty")


@pytest.mark.parametrize(
    ("size", "dark"), [("desktop", False), ("desktop", True), ("phone", False), ("phone", True), ("wide", False)]
)
def test_the_page_of_ones_hands_is_for_people(own_server, slow, tmp_path, size, dark):
    with page_of(tmp_path, size, dark, SIZES_OF_HANDS) as page:
        open_hands(page, own_server)
        page.wait(lambda: slow.begun == 1, "nothing is measured")
        assert page.shown("#records h3")[:2] == ["Easy", "Hard"]
        assert page.shown("#records .won")[:2] == ["You have won 9 of 12 hands.", "You have won 5 of 24 hands."]
        easy, hard, other = page.shown("#records li")
        assert "your fair share: 25%" in easy
        assert "That is more than your fair share" in easy
        assert "That is 21%" in hard
        assert "between 9% and 40%" in hard
        assert "More hands will tell" in hard
        assert "What costs you most is not known yet." in other
        assert HOSTILE in other
        assert "cost you about" in easy
        assert "in 100 hands" in hard
        assert len(page.shown("#latest li")) == 10
        text = page.script("return document.body.innerText.toLowerCase()")
        assert [word for word in WORDS_OF_EXPERTS if re.search(rf"\b{word}\b", text)] == []
        page.wait(lambda: page.shown("#measuring-count") == ["0 of 1 hand"], "no bar shows how far it is")
        assert page.faults() == []
        assert not page.overflows()
        page.picture(f"{size}-{'dark' if dark else 'light'}-hands")
        page.script("document.getElementById('latest').scrollIntoView()")
        page.picture(f"{size}-{'dark' if dark else 'light'}-hands-latest")
        assert page.script("return [self.p, document.querySelectorAll('[onerror]').length]") == [None, 0]
        slow.gate.release(1000)
        page.wait(lambda: page.shown("#measuring") == [], "it is never measured")
        page.wait(lambda: "not known yet" not in page.shown("#records li")[2], "what was measured is not shown")
        assert page.errors() == []


def test_a_hand_is_looked_at_again_by_keyboard_and_the_way_back_leads_to_the_hands(own_server, slow, tmp_path):
    slow.gate.release(1000)
    with page_of(tmp_path, "desktop") as page:
        open_hands(page, own_server)
        page.wait(lambda: "not known yet" not in page.shown("#records li")[2], "a link may still be made anew")
        for link, title in (("Replay", "Replay"), ("Where did I go wrong?", "Where did I go wrong?")):
            page.script("document.querySelector(`#latest a[aria-label^='${arguments[0]}']`).focus()", link)
            page.press(ENTER)
            page.wait(lambda: page.find_all("#page"), f"{link} opens nothing")
            assert page.shown("#page-title") == [title]
            page.driver.switch_to.frame(page.find("#page"))
            page.wait(lambda: page.shown("#seats li"), "the page shows no table")
            page.driver.switch_to.default_content()
            assert page.faults() == []
            page.picture(f"desktop-hands-{link.partition(' ')[0].lower()}")
            page.driver.refresh()
            page.wait(lambda: page.find_all("#page"), "it is gone after the page is loaded again")
            page.press(ESCAPE)
            page.wait(lambda: not page.find_all("#page-box"), "it does not close")
            assert page.script("return location.hash") == ""
        assert page.errors() == []


def test_a_page_that_is_closed_measures_no_further(own_server, slow, tmp_path):
    with page_of(tmp_path, "desktop") as page:
        open_hands(page, own_server)
        page.wait(lambda: slow.begun == 1, "nothing is measured")
        page.driver.get("about:blank")
        page.wait(lambda: not any(job.is_wanted for job in own_server.lobby.jobs._jobs.values()), "it is wanted still")
        slow.gate.release(1000)
        page.wait(lambda: not own_server.lobby.jobs._working, "it goes on though nobody looks")
        assert slow.begun == 1, "the choice that was being measured, and no more"


def test_all_hands_are_deleted_and_without_hands_there_is_a_way_to_play(own_server, slow, tmp_path):
    slow.gate.release(1000)
    with page_of(tmp_path, "phone") as page:
        open_hands(page, own_server)
        page.click("#forget")
        page.wait(lambda: page.driver.switch_to.alert.accept() is None, "nobody asks")
        page.wait(lambda: page.shown("#empty"), "they are not deleted")
        assert page.shown("#forgotten") == ["Your 37 hands are deleted."]
        assert page.shown("#kept") == []
        assert not own_server.own_hands.path.exists()
        assert page.faults() == []
        page.picture("phone-no-hands")
        page.click("#empty a")
        page.wait(lambda: page.shown("#play-now"), "there is no way to play")
        assert page.errors() == []


def test_without_the_key_the_hands_are_nobody_elses(own_server, tmp_path):
    with page_of(tmp_path, "desktop") as page:
        page.driver.get(f"http://127.0.0.1:{own_server.port}/hands")
        page.wait(lambda: page.shown("#notice"), "nothing is said")
        assert page.shown("#kept") == []
