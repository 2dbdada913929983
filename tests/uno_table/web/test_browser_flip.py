"""Flip in a real browser: one click to a hand, both sides, and the turn of everything."""

import random

import pytest

pytest.importorskip("selenium")

from tests.uno_table.tables import PERSON, play_one, table_of
from tests.uno_table.web.test_browser import SIZES, page_of, server  # noqa: F401  (a fixture)
from uno_table.table.saved_table import saved_table
from uno_table.table.seat_view import seat_view

pytestmark = pytest.mark.browser

TURN = """
const player = { seat: 0, cards: 3, called: false, laidTop: true, out: false };
const before = { you: 0, epoch: 0, waiting: [], deciding: null, result: null, firstEvent: 0, events: ["one"],
                 players: [player], discards: 1, top: "r5/p7", turned: null };
const after = { ...before, events: ["one", "two"], discards: 2, top: "p7/r5", turned: { event: 1, card: "rf/p6" } };
import("/pages/motion.js").then((motion) => {
  motion.showMotion(before, after);
  window.flying = [...document.querySelectorAll(".flying img")].map((e) => decodeURI(e.src).split("/").pop());
  window.turning = document.getElementById("table").classList.contains("turning");
});
"""
"""A Flip is laid."""


def pictures_are_there(page):
    return page.script("return [...document.images].every((e) => e.naturalWidth > 0)")


@pytest.mark.parametrize("still", [False, True])
def test_play_flip_needs_one_click_and_all_is_seen_to_turn(server, tmp_path, still):  # noqa: F811
    server.lobby.defaults.update(agents=["zoo"], seed=None)
    with page_of(tmp_path, "phone") as page:
        features = [{"name": "prefers-reduced-motion", "value": "reduce" if still else "no-preference"}]
        page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
        page.driver.get(server.address)
        page.click("#play-flip")
        page.wait(lambda: page.shown("#hand li"), "no cards were dealt")
        assert server.table.setup.rules.edition == "flip"
        page.wait(lambda: pictures_are_there(page), "pictures of cards are missing")
        assert page.shown("#side") == [("Light side", "Dark side")[server.table.game.side]]
        assert len(page.find_all(".back-chip")) >= 3
        assert "on its other side" in page.find("#draw").get_attribute("aria-label")
        page.script(TURN)
        page.wait(lambda: page.script("return window.turning !== undefined"), "the movement fails")
        assert page.script("return window.flying") == ([] if still else ["rf~p6.svg"]), "the card that was laid flies"
        assert page.script("return window.turning") is not still
        turning = "return document.getElementById('table').classList.contains('turning')"
        page.wait(lambda: not page.script(turning), "cards turn for ever")
        assert page.errors() == []


def dark_table():
    """A table on the dark side at which a person may play a wild."""
    table, chance = table_of([PERSON, *["random-play"] * 3], "flip", adviser="greedy", match=False), random.Random(5)
    for _ in range(2_000):
        is_dark = not table.series.pausing and table.game.side == 1
        if is_dark and any(len(card["actions"]) == 4 for card in seat_view(table, 0)["hand"]):
            return table
        play_one(table, chance)
    raise AssertionError("no wild came")


@pytest.mark.parametrize("size", SIZES)
def test_the_dark_side_is_another_side_and_its_colours_are_declared(server, tmp_path, size):  # noqa: F811
    table = dark_table()
    server.lobby.folder.write("flipflipflip", saved_table(table))
    with page_of(tmp_path, size) as page:
        page.driver.get(f"{server.address.split('#')[0]}table/flipflipflip#seat={table.seats[0].token}")
        page.wait(lambda: page.shown("#hand li"), "the table does not come")
        page.wait(lambda: pictures_are_there(page), "pictures of cards are missing")
        assert page.shown("#side") == ["Dark side"]
        page.picture(f"{size}-flip-dark")
        assert page.faults() == []
        assert not page.overflows()
        held = [each["card"] for each in seat_view(table, 0)["hand"]]
        shown = page.script("return [...document.querySelectorAll('#hand img')].map((e) => e.src.split('/').pop())")
        assert shown == [f"{card.replace('+', '_').replace('/', '~')}.svg" for card in held]
        wild = next(place for place, each in enumerate(seat_view(table, 0)["hand"]) if len(each["actions"]) == 4)
        page.click_card(f"#hand li:nth-child({wild + 1}) button")
        page.wait(lambda: page.shown("#choices button"), "no colour is asked for")
        assert [text.split()[-1] for text in page.shown("#choices button")] == ["pink", "teal", "orange", "purple"]
        page.picture(f"{size}-flip-colour")
        assert page.faults() == []
        page.press("u")
        page.wait(lambda: "purple" in " ".join(page.shown("#log li")[-6:]), "purple is not declared")
        assert page.errors() == []
