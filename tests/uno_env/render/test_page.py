"""The web page of a replay in a real browser: ``make test-browser``. Screenshots are kept in build/browser."""

import random
from pathlib import Path

import pytest

from tests.helpers.playing import lively_action
from uno_env import Game
from uno_env.render.page import replay_page
from uno_env.replay import Note, Replay

pytest.importorskip("selenium")

from tests.agents.human.browser import browser

pytestmark = pytest.mark.browser

SIZES = {"desktop": (1280, 900), "phone": (390, 844)}


@pytest.fixture(scope="module")
def replay() -> Replay:
    game, chance, notes = Game("house", seed=3, players=4), random.Random(1), []
    while not game.over:
        legal = game.legal_actions()
        notes.append(Note(dict.fromkeys(legal, 1 / len(legal)), 0.25) if game.to_move == 1 else None)
        game.step(lively_action(game, chance))
    return Replay.of(game, ["greedy", "a policy", "<b>bold</b>", "random"], notes, "A game </script><img src=x>")


@pytest.mark.parametrize("size", SIZES)
def test_a_replay_is_stepped_through(replay: Replay, size: str, tmp_path: Path) -> None:
    file, last = tmp_path / "game.html", len(replay.game.history)
    file.write_text(replay_page(replay))
    with browser(tmp_path / "profile", *SIZES[size]) as page:

        def at() -> int:
            return int(str(page.script("return document.getElementById('number').value")))

        page.driver.get(file.as_uri())
        page.wait(lambda: page.shown("#seats li"), "the table does not come")
        assert at() == 0
        assert page.faults() == []
        page.click("#next")
        page.click("#next")
        page.click("#back")
        assert at() == 1
        page.press("v")
        assert "greedy (you)" in page.shown("#seats b")
        assert page.shown("#decision p")[0].startswith("This view does not show")
        backs = "return document.querySelectorAll('#seats use[href=\"#card-back\"]').length"
        assert page.script(backs) == sum(len(page_hand) for page_hand in hands(replay, 1)[1:])
        page.picture(f"replay-{size}-player")
        page.press("v")
        page.press("\ue011")  # Home
        page.wait(lambda: page.shown("tr.chosen"), "the policy's choice is not marked")
        assert "✔ chosen" in page.shown("tr.chosen td")[0]
        assert page.shown("#decision p")[-1] == "A policy expects to win with a probability of 44\u00a0%."
        assert page.faults() == []
        page.picture(f"replay-{size}-decision")
        page.click("#last")
        assert at() == last
        assert page.script("return document.getElementById('next').disabled") is True
        page.script("document.getElementById('pace').value = '300'; document.getElementById('first').click()")
        page.click("#play")
        page.wait(lambda: at() >= 3, "it does not play")
        page.click("#play")
        page.click("#log li:nth-child(6) button")
        assert at() == 5
        assert page.script("return document.querySelectorAll('img, h1 script').length") == 0
        assert page.shown("h1") == ["A game </script><img src=x>"]
        assert not page.overflows()
        assert page.errors() == []


def hands(replay: Replay, decisions: int) -> list[list[int]]:
    """The hands after some decisions."""
    game = replay.game.start()
    for action in replay.game.history[:decisions]:
        game.step(action)
    return [game.hand(seat) for seat in range(game.players)]
