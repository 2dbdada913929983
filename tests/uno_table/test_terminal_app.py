"""The table in the terminal, driven by Textual's pilot."""

import asyncio
import random
import threading
import time
from dataclasses import replace

import pytest
from textual.widgets import ProgressBar

from tests.uno_table.tables import in_one_step, play_on
from uno_env import Game, Rules
from uno_env import actions as catalogue
from uno_env.cards import CARD_NAMES, CARD_TEXTS
from uno_env.render.page import Advice
from uno_table.hands.measuring import ReviewStep
from uno_table.table import Setup, Table
from uno_table.table.question import Hints
from uno_table.table.seat_view import seat_view
from uno_table.terminal_app import PERSON, TableApp
from uno_table.terminal_parts import CardButton, Choice, HelpScreen, card_face, choice_face, move_face, players_text

SIZE = (100, 32)


def table_of(specs=("greedy",), hand_size=7, preset="classic", **changes):
    rules = Rules.preset(preset, players=len(specs) + 1, hand_size=hand_size)
    usual = {"pace": 0.0, "seed": 3, "reaction_seconds": 0.0, "adviser": "zoo" if preset == "classic" else "tuned"}
    return Table(Setup.against(specs, rules, **{**usual, **changes}))


def drive(table, scenario, size=SIZE, begin=lambda table: None):
    """Run a scenario, a coroutine of the application and its pilot, at a table at which was played before."""

    async def run():
        app = TableApp(table)
        app.animation_level = "none"
        begin(table)
        async with app.run_test(size=size, notifications=True) as pilot:
            await settle(pilot)
            await scenario(app, pilot)

    asyncio.run(run())


async def settle(pilot, condition=None):
    """Until it is the person's move or a hand is over, and shown, or until a condition holds."""
    table = pilot.app.table
    end = time.monotonic() + 60
    while True:
        await pilot.pause(0.02)
        if condition() if condition else table.series.pausing or table.deciding.number == 0:
            await pilot.pause(0.1)
            return
        assert time.monotonic() < end, "the table has not come so far"


def line(app):
    return str(app.query_one("#situation").render())


@pytest.mark.thorough
def test_a_hand_is_played_with_keys():
    table = table_of(("greedy", "random-play"), hand_size=3)
    chance = random.Random(1)

    async def play(app, pilot):
        while not table.series.pausing:
            stage = table.stage
            if isinstance(app.screen, Choice):
                await pilot.press(chance.choice("rygb"))
            elif any(card.each["actions"] for card in app.query(CardButton)):
                await pilot.press("enter")
            else:
                await pilot.press("d", "p", "a")
            await settle(pilot, lambda stage=stage: table.stage > stage or isinstance(app.screen, Choice))
            await settle(pilot, lambda: isinstance(app.screen, Choice) or table.question() is None)
        assert "the hand" in line(app)
        assert "(n: next hand)" in line(app)
        await pilot.press("n")
        await settle(pilot)
        assert table.game.hands_played == 1
        assert len(app.query(CardButton)) == len(table.game.hand(0))

    drive(table, play)


def test_the_hand_shows_the_cards_and_what_can_be_played():
    table = table_of()

    async def look(app, pilot):
        cards = list(app.query(CardButton))
        assert [card.each["card"] for card in cards] == [CARD_TEXTS[kind] for kind in table.game.hand(0)]
        assert [str(card.tooltip) for card in cards] == [CARD_NAMES[kind] for kind in table.game.hand(0)]
        legal = {catalogue.name(action) for action in table.choices(0)}
        for card in cards:
            assert card.has_class("playable") == any(action.split(":")[0] == card.each["card"] for action in legal)
        assert line(app) == "Your turn."
        shown = str(app.query_one("#players").render())
        assert all(f"{len(table.game.hand(seat)):2} cards" in shown for seat in (0, 1))

    drive(table, look)


@pytest.mark.thorough
def test_each_card_is_shown_once_when_two_things_happen_at_the_same_time(monkeypatch):
    """An agent plays while the table is being drawn, or the clock strikes."""
    table = table_of()

    async def look(app, pilot):
        hand = [each["card"] for each in seat_view(table, PERSON)["hand"]]
        changes = []
        monkeypatch.setattr(table, "tick", lambda now: bool(changes) and changes.pop())
        for _ in range(8):
            changes.extend([True, True])
            app.set_timer(0.01, app._tick)
            app.set_timer(0.01, app._tick)
            await settle(pilot, lambda: not changes)
            assert [card.each["card"] for card in app.query(CardButton)] == hand

    drive(table, look)


@pytest.mark.thorough
def test_walking_along_the_hand_hints_help_and_taking_back():
    table = table_of()

    async def use(app, pilot):
        begun = list(table.game.history)
        places = []
        for _ in range(len(app.query(CardButton))):
            places.append(app._focused_card())
            await pilot.press("right")
        assert sorted(places) == list(range(len(places)))
        await pilot.press("left")
        await pilot.press("question_mark")
        assert isinstance(app.screen, HelpScreen)
        assert "Draw Two: The next player draws two cards" in app.screen.text
        await pilot.press("escape")
        assert not isinstance(app.screen, HelpScreen)
        await pilot.press("h")
        await settle(pilot, lambda: table.hints_of(0) is not None)
        await settle(pilot)
        faces = [str(card.label) for card in app.query(CardButton)] + [str(each.label) for each in app.query(".move")]
        assert any("100%" in face for face in faces)
        await pilot.press("z")
        assert table.game.history == begun
        await pilot.press("d")
        await settle(pilot, lambda: len(table.game.history) > len(begun))
        await settle(pilot)
        await pilot.press("z")
        await settle(pilot, lambda: table.game.history == begun)
        assert table.epoch == 1
        await pilot.press("n", "j")
        assert table.game.history == begun

    drive(table, use)


def test_the_clock_runs_and_runs_out():
    table = table_of(turn_seconds=0.3)

    async def wait(app, pilot):
        first = len(table.game.history)
        await settle(pilot, lambda: len(table.game.history) > first)

    drive(table, wait)


@pytest.mark.thorough
def test_the_clock_is_not_looked_for_while_the_table_is_taken_down():
    table = table_of(turn_seconds=60)

    async def close(app, pilot):
        assert table.clock(0) is not None
        app._line = ""
        await app.query_one("#situation").remove()
        app._tick()

    drive(table, close)


def test_games_are_saved_under_new_names(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    table = table_of()

    async def save(app, pilot):
        await pilot.press("s", "s")

    drive(table, save)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["uno-game-1.json", "uno-game-2.json"]
    assert Game.from_json((tmp_path / "uno-game-1.json").read_text()).history == table.game.history


def test_the_review_opens_when_the_hand_is_over(review_by):
    table, chance, asked = table_of(hand_size=2, match=False), random.Random(2), []

    def measure(game, seat, hand):
        asked.append((game.over, seat, hand))
        return Advice("tuned, by playouts", [None] * len(game.history), 0.14)

    async def look(app, pilot):
        await pilot.press("w")
        assert not asked
        while not table.series.pausing:
            play_on(table, chance)
        await pilot.press("w")
        await settle(pilot, lambda: isinstance(app.screen, HelpScreen))
        assert app.screen.text == "Luck +14%, choices +0% (win rate; tuned, by playouts)\nNo mistake found."

    review_by(in_one_step(measure))
    drive(table, look)
    assert asked == [(True, 0, 0)]


@pytest.mark.thorough
def test_a_bar_shows_how_far_the_review_is_and_escape_ends_it(review_by):
    table, chance, gate, begun = table_of(hand_size=2, match=False), random.Random(2), threading.Semaphore(0), []

    def measure(game, seat, hand):
        for done in range(1, 5):
            begun.append(done)
            gate.acquire()
            yield ReviewStep(Advice("somebody", [None] * len(game.history)), done, 4)

    async def look(app, pilot):
        while not table.series.pausing:
            play_on(table, chance)
        await pilot.press("w")
        gate.release()
        await settle(pilot, lambda: begun == [1, 2])
        bar = app.screen.query_one(ProgressBar)
        await settle(pilot, lambda: (bar.progress, bar.total) == (1, 4))
        await pilot.press("escape")
        gate.release(10)
        await app.workers.wait_for_complete()
        assert begun == [1, 2], "nobody looks any more"
        assert not isinstance(app.screen, HelpScreen)

    review_by(measure)
    drive(table, look)


@pytest.mark.thorough
def test_quitting_while_an_agent_thinks():
    table = table_of(pace=0.5)

    async def leave(app, pilot):
        await pilot.press("d")
        await pilot.press("q")

    drive(table, leave)


@pytest.mark.parametrize("card", CARD_TEXTS)
def test_every_card_says_its_colour_by_a_letter_and_a_figure(card):
    face = card_face(card).plain
    symbol, foot = face.split("\n")[:2]
    assert symbol.strip()
    if card.startswith("w"):
        assert "wild" in foot
    else:
        assert card[0].upper() in foot
        assert "▲●■◆"["rygb".index(card[0])] in foot


def test_cards_that_are_known_of_others_are_named():
    table = Table(Setup.against(["greedy"], Rules.preset("house", players=2), seed=3, hints=False))
    table.sit(table.seats[0].invitation, "You", 0.0)
    chance = random.Random(2)
    while not (view := seat_view(table, 0))["players"][1]["known"]:
        play_on(table, chance)
    cards = [each["card"] for each in view["players"][1]["known"]]
    assert f"you know {' '.join(cards)}" in str(players_text(view, 60))


def test_choices_name_the_colour():
    assert "R red" in choice_face({"action": "w:r", "name": "play Wild, declare red"}).plain
    assert choice_face({"action": "r5x2", "name": "play two red 5"}).plain == "play two red 5"


@pytest.mark.thorough
def test_the_adviser_is_asked_one_thing_at_a_time():
    """A slow adviser may still be thinking of a decision that has been made meanwhile."""
    asked, thinking, all_wait = [], threading.Lock(), threading.Event()

    class SlowQuestion:
        seat, agent, ticket = PERSON, "the adviser", "of a decision that has been made meanwhile"

        def hints(self):
            asked.append(thinking.acquire(blocking=False))
            all_wait.wait(60)
            thinking.release()
            return Hints({}, None)

    async def ask(app, pilot):
        for _ in range(3):
            app._think(SlowQuestion())
        await pilot.pause(0.5)
        all_wait.set()
        await settle(pilot, lambda: len(asked) == 3 and not thinking.locked())

    drive(table_of(), ask)
    assert asked == [True, True, True]


@pytest.mark.thorough
def test_names_that_look_like_markup_are_shown_as_they_are(monkeypatch, tmp_path):
    """A name of an agent can be a path, and a path can be anything."""
    monkeypatch.chdir(tmp_path)
    table = table_of(("greedy", "greedy"), adviser="greedy")
    table.setup = replace(table.setup, adviser="runs/x[/]/[bold]policy")
    for seat in table.seats[1:]:
        seat.name = f"[/]{seat.number}[red"
    monkeypatch.setattr("uno_table.terminal_app.NOTICE_SECONDS", 1_000.0)
    monkeypatch.setattr("uno_table.terminal_app.save_game", lambda replay, name: f"Saved as [/]{name}[bold]")

    async def play(app, pilot):
        for key, notice in (
            ("h", "Hints by [bold]policy: on"),
            ("s", "Saved as [/]uno-game-1.json[bold]"),
            ("z", "There is no move to take back."),
        ):
            await pilot.press(key)
            title = app.query_one("#title")
            await settle(pilot, lambda title=title, notice=notice: str(title.render()) == notice)
        app.push_screen(Choice("[/]What", [{"action": "draw", "name": "[/]one"}]))
        await pilot.pause(0.1)
        assert "[/]What" in str(app.screen.query("Label").first().render())

    drive(table, play)
    assert move_face({"name": "Swap with [/]1", "share": None}).plain == "Swap with [/]1"
