"""The web page of a replay in a real browser: ``make test-browser``. Screenshots are kept in build/browser."""

import random
import re
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.playing import lively_action
from uno_env import Game
from uno_env.render.page import Advice, replay_page
from uno_env.render.replay_frames import hand_frames
from uno_env.replay import Note, Replay

pytest.importorskip("selenium")

from tests.uno_table.browser import browser

pytestmark = pytest.mark.browser

SIZES = {"desktop": (1280, 800), "phone": (390, 844)}


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
        assert page.script(backs) == sum(len(page_hand) for page_hand in hands(replay, at())[1:])
        page.picture(f"replay-{size}-player")
        page.press("v")
        page.press("\ue011")  # Home
        page.wait(lambda: page.shown("tr.chosen"), "the policy's choice is not marked")
        assert "✔ chosen" in page.shown("tr.chosen td")[0]
        assert page.shown("#decision p")[-1] == "You expect to win with a probability of 44%."
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


LATIN_NAMES = {"greedy", "Greedy", "policy", "random", "Random", "Bahasa", "Melayu", "English", "Home", "End"}
"""Latin words in a page in Hindi: names of players, of languages and of keys."""


def test_a_replay_speaks_the_language_of_the_address_and_of_the_menu(tmp_path: Path) -> None:
    game, chance = Game("house", seed=3, players=4), random.Random(1)
    while not game.over:
        game.step(lively_action(game, chance))
    file = tmp_path / "game.html"
    file.write_text(replay_page(Replay.of(game, ["", "greedy", "a policy", "random"]), 0), encoding="utf-8")
    with browser(tmp_path / "profile", *SIZES["phone"]) as page:

        def latin() -> set[str]:
            text = str(page.script("return document.getElementById('app').innerText + document.title"))
            labels = (
                "return [...document.querySelectorAll('[aria-label], [title]')]"
                ".flatMap((e) => [e.ariaLabel, e.title]).filter(Boolean).join(' ')"
            )
            return set(re.findall(r"[A-Za-z]{4,}", f"{text} {page.script(labels)}")) - LATIN_NAMES

        page.driver.get(f"{file.as_uri()}?lang=ms")
        page.wait(lambda: page.shown("#seats li"), "the table does not come")
        assert page.script("return document.documentElement.lang") == "ms"
        assert page.shown("#seats b") == ["Anda", "greedy", "a policy", "random"]
        assert page.script("return document.title") == "Permainan 4 pemain"
        assert page.faults() == []
        assert not page.overflows()
        assert page.script(
            "return [...document.querySelectorAll('.steps button')].every((each) =>"
            " each.scrollWidth <= each.clientWidth && each.clientHeight < 50)"
        ), "each button has room for its text, on one line"
        page.picture("replay-malay")
        page.script(
            "const list = document.getElementById('language'); list.value = 'hi';"
            "list.dispatchEvent(new Event('change'))"
        )
        for _ in range(len(game.history)):
            assert latin() == set()
            page.press("\ue014")  # right arrow
        page.press("v")
        assert latin() == set()
        page.picture("replay-hindi")
        page.driver.get(file.as_uri())
        page.wait(lambda: page.shown("#seats li"), "the table does not come")
        assert page.script("return document.documentElement.lang") == "en"
        assert page.shown("#seats b")[0] == "You"
        assert page.errors() == []


@pytest.mark.parametrize("preset", ["flip", "no_mercy"])
def test_a_review_shows_what_the_player_had_seen_of_others_cards(preset: str, tmp_path: Path) -> None:
    game, chance = Game(preset, seed=3, players=3), random.Random(1)
    while len(game.history) < 60 and not game.over:
        game.step(lively_action(game, chance))
    file = tmp_path / "review.html"
    file.write_text(replay_page(Replay.of(game), 1, only_hand=0))
    frames = hand_frames(Replay.of(game), [None] * len(game.history), 1, 0)
    place = max(range(len(frames)), key=lambda each: seen_cards(frames[each]))
    assert seen_cards(frames[place]) > 0
    with browser(tmp_path / "profile", *SIZES["desktop"]) as page:
        page.driver.get(file.as_uri())
        page.wait(lambda: page.shown("#seats li"), "the table does not come")
        for _ in range(place):
            page.click("#next")
        shown = page.script("return [...document.querySelectorAll('#seats use')].map((use) => use.href.baseVal)")
        assert isinstance(shown, list)
        open_cards = [card for card in shown if card != "#card-back"]
        assert len(open_cards) == len(frames[place]["hands"][1]) + seen_cards(frames[place])
        assert ("#card-?/" in " ".join(open_cards)) == (preset == "flip")
        assert page.errors() == []


def seen_cards(frame: dict[str, Any]) -> int:
    """How many cards of others a frame shows in part or whole."""
    return sum(map(len, (*frame["known"].values(), *frame["backs"].values())))


def hands(replay: Replay, decisions: int) -> list[list[int]]:
    """The hands after some decisions."""
    game = replay.game.start()
    for action in replay.game.history[:decisions]:
        game.step(action)
    return [game.hand(seat) for seat in range(game.players)]


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("size", SIZES)
def test_an_opinion_is_seen_and_leads_to_the_decisions(size: str, dark: bool, tmp_path: Path) -> None:
    replay = ten_players()
    chance, notes = random.Random(5), []
    past = replay.game.start()
    for action in replay.game.history:
        shares = [chance.random() for _ in past.legal_actions()]
        notes.append(Note(dict(zip(past.legal_actions(), shares, strict=True)), chance.uniform(-0.1, 0.9)))
        past.step(action)
    file = tmp_path / "game.html"
    file.write_text(replay_page(replay, advice=Advice("Zoo <b>classic</b>", notes)))
    with browser(tmp_path / "profile", *SIZES[size]) as page:
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme]})
        page.driver.get(file.as_uri())
        page.wait(lambda: page.shown("#curve svg"), "there is no curve")
        kind = f"replay-{size}-{'dark' if dark else 'light'}"
        at = "return Number(document.getElementById('number').value)"
        assert page.faults() == []
        page.picture(f"{kind}-ten-players")
        assert len(page.shown(".legend li")) == 10
        headings = page.shown("#jumps h3")
        assert headings == ["Zoo <b>classic</b> would have played otherwise", "The estimate changed most"]
        worst = max(range(len(notes)), key=lambda index: gap(notes[index], replay.game.history[index]))
        assert page.shown("#jumps button")[0].startswith(f"{worst}. ")
        page.click("#jumps button")
        assert page.script(at) == worst
        assert page.shown("#jumps [aria-current]")[0].startswith(f"{worst}. ")
        most = page.shown("#jumps h3 ~ h3 ~ ol button")[0]
        page.click("#jumps h3 ~ h3 ~ ol button")
        assert most.startswith(f"{page.script(at)}. ")
        page.script("document.querySelector('#estimates').scrollIntoView()")
        page.picture(f"{kind}-opinion")
        assert page.faults() == []
        assert not page.overflows()
        page.script("document.querySelector('#curve svg').dispatchEvent(new MouseEvent('click', { clientX: 0 }))")
        assert page.script(at) == 0, "a click on the curve leads there"
        paper = "return getComputedStyle(document.body).backgroundColor"
        system = page.script(paper)
        page.script("const c = document.getElementById('colours'); c.value = arguments[0];"
                    "c.dispatchEvent(new Event('change'))", "light" if dark else "dark")  # fmt: skip
        assert page.script(paper) != system, "the switch is above the system"
        assert page.faults() == []
        assert page.errors() == []


def ten_players() -> Replay:
    """A hand of ten with names as long as they may be, under house rules."""
    game, chance = Game("house", seed=3, players=10), random.Random(1)
    while not game.over:
        game.step(lively_action(game, chance))
    return Replay.of(game, [f"Somebody with a long name {seat}" for seat in range(10)], title="A hand of ten")


def gap(note: Note, chosen: int) -> float:
    """How much more probable the best action is than the chosen one."""
    return round(max(note.probabilities.values()), 4) - round(note.probabilities.get(chosen, 0.0), 4)
