"""What people see of their own hands in a real browser: the review of a hand, the page of all hands."""

import asyncio
import random
import threading

import pytest

from agents.human.table.reviewer import ReviewStep
from tests.agents.human.tables import play_on, reviewer_by_steps
from train.evaluation.choices.hand_review import choices_in_hand
from uno_env.render.page import Advice
from uno_env.replay import Note

pytest.importorskip("selenium")

from tests.agents.human.web.test_browser import Server, deal, page_of

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
def slow_server(tmp_path, slow):
    server = Server(tmp_path / "tables", reviewer_by_steps(slow.measure), "duel", ["greedy"])
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
        assert "This cost 20.0 %. Better: " in page.shown("#review-found li")[0]
        assert page.faults() == []
        assert not page.overflows()
        page.picture(f"{size}-{'dark' if dark else 'light'}-measuring")
        page.driver.refresh()
        page.wait(lambda: page.script(BAR) and page.script(BAR)[0] == done, "what was measured is lost")
        assert len(page.shown("#review-found li")) == 2
        page.click("#review-close")
        page.wait(lambda: page.shown("#review-box") == [], "it does not close")
        slow.gate.release(500)
        page.wait(lambda: not slow_server.lobby.jobs._working, "it goes on though nobody looks")
        assert slow.begun == 3, "the step that was being done, and no more"
        page.driver.refresh()
        page.click("#review")
        page.wait(lambda: page.find_all("#review-page"), "the review does not come")
        assert page.shown("#review-wait") == []
        page.driver.switch_to.frame(page.find("#review-page"))
        page.wait(lambda: page.shown("#seats li"), "the page shows no table")
        assert slow.begun == total
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
        assert page.script("return sessionStorage.getItem('review')") is None
        assert page.shown("#review-box") == []
