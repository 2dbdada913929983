"""The table in the terminal at 60 x 20, 80 x 24 and 120 x 40, and when its window changes."""

import random

import pytest
from textual.widgets import RichLog, Static

from tests.uno_table.tables import play_on
from tests.uno_table.test_terminal_app import drive, settle, table_of
from uno_table import terminal_app
from uno_table.table.seat_view import seat_view
from uno_table.terminal_app import TableApp
from uno_table.terminal_parts import HELP, CardButton, Choice, HelpScreen

SIZES = [(60, 20), (80, 24), (120, 40)]
TOO_LONG_FOR_60 = "Hints by a very long name of an agent that this person has made herself, with settings: on [/]"


def screen(app):
    """What the terminal shows, a text for each of its lines."""
    return ["".join(segment.text for segment in strip) for strip in app.screen._compositor.render_strips()]


def log_lines(app):
    return [strip.text.rstrip() for strip in app.query_one("#log", RichLog).lines]


async def in_sight(pilot, widget, place):
    """Until a widget has the focus, and all of it can be seen in its place."""
    region = pilot.app.query_one(place).region
    await settle(pilot, lambda: pilot.app.focused is widget and region.contains_region(widget.region))


def play_a_little(table):
    """Until the log is longer than a small terminal."""
    chance = random.Random(1)
    while len(table.game.events) < 14:
        play_on(table, chance)
    assert not table.series.pausing


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("opponents", [1, 3, 9])
def test_whose_turn_it_is_and_the_top_card_stay_in_sight(size, opponents):
    async def look(app, pilot):
        shown = screen(app)
        assert len(shown) == size[1]
        words = " ".join(" ".join(shown).split())
        situation = str(app.query_one("#situation", Static).render())
        assert " ".join(situation.split()) in words
        assert "Top card" in words
        assert "Draw pile" in words
        for place in ("#piles", "#situation", "#moves", "#hand"):
            region = app.query_one(place).region
            assert region.height
            assert app.screen.region.contains_region(region), place
        assert any(app.screen.region.contains_region(card.region) for card in app.query(CardButton))

    drive(table_of(("greedy",) * opponents), look, size, begin=play_a_little)


@pytest.mark.parametrize("size", SIZES)
def test_with_two_sides_the_one_in_force_and_the_others_cards_are_told(size):
    """Of the other faces of a hand as many are shown as its line has room for."""

    async def look(app, pilot):
        view = seat_view(app.table, 0)
        assert f"The {view['side']} side counts" in " ".join(" ".join(screen(app)).split())
        lines = str(app.query_one("#players").render()).split("\n")
        width = app.query_one("#table").scrollable_content_region.width
        assert max(map(len, lines)) <= width
        for line, player in zip(lines[1:], view["players"][1:], strict=True):
            first = player["backs"][0]["card"]
            assert first in line or len(line) + len(first) + 4 > width, "a call and the like come first"
        for card in app.query(CardButton):
            front, back = card.each["card"].split("/")
            shown = card.label.plain.split("\n")
            assert back in shown[1]
            assert front[0].upper() in shown[1] or "w" in front

    drive(table_of(("greedy",) * 9, preset="flip"), look, size, begin=play_a_little)


@pytest.mark.parametrize("size", SIZES)
def test_a_line_for_each_player_that_fits(size):
    async def look(app, pilot):
        players = str(app.query_one("#players").render()).split("\n")
        assert len(players) == 4
        assert max(map(len, players)) <= app.query_one("#table").scrollable_content_region.width
        assert ("▮" in players[0]) == (size != (60, 20))

    drive(table_of(("greedy",) * 3), look, size, begin=play_a_little)


@pytest.mark.parametrize(("before", "after"), [((120, 40), (60, 20)), ((60, 20), (120, 40)), ((80, 24), (60, 20))])
def test_another_size_in_the_middle_wraps_everything_anew(before, after):
    """As if the window had been of that size from the beginning."""
    seen = []

    async def look(app, pilot):
        if len(seen) == 1:
            await pilot.resize_terminal(*after)
        await pilot.pause(0.3)
        log = app.query_one("#log", RichLog)
        assert max(map(len, log_lines(app))) <= log.scrollable_content_region.width
        seen.append((log_lines(app), str(app.query_one("#players").render())))

    drive(table_of(("greedy",) * 3), look, after, begin=play_a_little)
    drive(table_of(("greedy",) * 3), look, before, begin=play_a_little)
    assert seen[0] == seen[1]


@pytest.mark.parametrize("size", SIZES)
def test_the_help_wraps_and_can_be_read_to_its_end(size):
    async def look(app, pilot):
        await pilot.press("question_mark")
        await pilot.pause(0.1)
        assert isinstance(app.screen, HelpScreen)
        page = app.screen.query_one("#help")
        assert page.max_scroll_x == 0
        assert app.screen.region.contains_region(page.region)
        assert "Esc: back to the table" in " ".join(screen(app))
        read = screen(app)
        while page.scroll_offset.y < page.max_scroll_y:
            await pilot.press("pagedown")
            await pilot.pause(0.1)
            read += screen(app)
        words = " ".join(" ".join(line.strip(" │╭╮╰╯─▂▄▆▇█") for line in read).split())
        for sentence in HELP.splitlines():
            for word in sentence.split():
                assert word in words, word
        assert "counts the seconds" in words
        assert "The next player draws two cards" in words

    drive(table_of(), look, size)


def test_the_footer_shows_all_keys_at_80_columns():
    """It is painted a moment after the table."""
    most = ("d Draw", "p Pass", "u UNO!", "c Catch", "? Help", "q Quit")

    def shown(app, lines, *keys):
        return len(screen(app)) == lines and all(key in screen(app)[-1] for key in keys)

    async def look(app, pilot):
        await settle(pilot, lambda: shown(app, 24, *most, "h Hints", "z Undo", "n Next"))
        await pilot.resize_terminal(60, 20)
        await settle(pilot, lambda: shown(app, 20, *most))

    drive(table_of(), look, (80, 24))


@pytest.mark.parametrize("size", SIZES)
def test_all_answers_are_in_sight(size):
    async def look(app, pilot):
        names = ("red", "yellow", "green", "blue")
        colours = [{"action": f"w+4:{name[0]}", "name": f"Play Wild Draw Four as {name}"} for name in names]
        app.push_screen(Choice("Wild Draw Four", colours))
        await pilot.pause(0.2)
        words = " ".join(screen(app))
        assert all(f"{name[0].upper()} {name}" in words for name in names)
        for button in app.screen.query("Button"):
            assert app.screen.region.contains_region(button.region)

    drive(table_of(), look, size)


@pytest.mark.parametrize("size", SIZES)
def test_all_cards_of_a_deal_are_in_sight(size):
    async def look(app, pilot):
        cards = list(app.query(CardButton))
        assert len(cards) == 7
        assert all(app.query_one("#hand").region.contains_region(card.region) for card in cards)
        lines = [line for card in cards for line in str(card.label).split("\n")]
        assert max(map(len, lines)) <= min(card.content_region.width for card in cards)

    drive(table_of(), look, size)


def test_cards_that_have_no_room_are_reached_by_the_arrow_keys():
    async def look(app, pilot):
        cards = list(app.query(CardButton))
        assert app.query_one("#hand").max_scroll_x > 0
        begin = cards.index(app.focused)
        for step in range(1, len(cards) + 1):
            await pilot.press("right")
            await in_sight(pilot, cards[(begin + step) % len(cards)], "#hand")

    drive(table_of(hand_size=12), look, (60, 20))


def test_the_end_of_a_hand_with_cards_out_of_sight_says_so():
    async def look(app, pilot):
        def said():
            words = {way: app.query_one(f"#more-{way}") for way in ("left", "right")}
            return [way for way, word in words.items() if word.display and word.visible]

        cards = list(app.query(CardButton))
        cards[0].focus()
        await settle(pilot, lambda: said() == ["right"])
        assert any("more" in line for line in screen(app))
        cards[-1].focus()
        await settle(pilot, lambda: said() == ["left"])
        await pilot.resize_terminal(140, 30)
        await settle(pilot, lambda: said() == [])
        assert not any("more" in line for line in screen(app))

    drive(table_of(hand_size=12), look, (100, 30))


def test_moves_that_have_no_room_are_reached_by_the_arrow_keys():
    """Ten players: whom to swap hands with."""
    moves = [{"name": f"Swap hands with Greedy {number}", "action": "draw", "share": None} for number in range(1, 10)]

    async def look(app: TableApp, pilot):
        view = {"hand": [], "moves": moves}
        await app._show_moves(view)
        buttons = list(app.query("#moves Button"))
        for button in (*buttons[1:], buttons[0]):
            await pilot.press("right")
            await in_sight(pilot, button, "#moves")

    drive(table_of(), look, (60, 20))


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("notice", ["That cannot be done now.", TOO_LONG_FOR_60])
def test_a_notice_covers_nothing(size, notice, monkeypatch):
    """It is read in full where the title is, and Textual's own, which cover what is below them, are not used."""
    monkeypatch.setattr(terminal_app, "NOTICE_SECONDS", 1_000.0)

    async def look(app, pilot):
        title = screen(app)[0]
        app.notify("An older one.")
        if notice == TOO_LONG_FOR_60:
            app.notify(notice, markup=False)
        else:
            await pilot.press("j")
        place = app.query_one("#title")
        await settle(pilot, lambda: notice.split() == " ".join(screen(app)[: place.region.height]).split())
        assert not list(app.screen.query("Toast"))
        for other in ("#table", "#log", "#piles", "#situation", "#moves", "#hand"):
            region = app.query_one(other).region
            assert region.height
            assert not region.overlaps(place.region), other
            assert app.screen.region.contains_region(region), other
        words = " ".join(" ".join(screen(app)).split())
        assert " ".join(str(app.query_one("#situation", Static).render()).split()) in words
        assert all(app.query_one("#hand").region.contains_region(card.region) for card in app.query(CardButton))
        monkeypatch.setattr(terminal_app, "NOTICE_SECONDS", 0.1)
        app.notify("The last one.")
        assert str(place.render()) == "The last one."
        await settle(pilot, lambda: screen(app)[0] == title)

    drive(table_of(("greedy",) * 3), look, size)


def test_seven_cards_that_just_fit_stay_where_they_are():
    """Without the words beside them; with room for a word they would not fit, and it would come and go."""

    async def look(app, pilot):
        words = [app.query_one(f"#more-{way}") for way in ("left", "right")]
        for each in words:
            each.display = True
        await settle(pilot, lambda: not any(each.display for each in words))
        assert app.query_one("#hand").max_scroll_x == 0

    drive(table_of(), look, (60, 20))
