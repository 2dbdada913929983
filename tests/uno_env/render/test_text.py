"""The table as text: complete without colours, no wider than a terminal, and only what the viewer may know."""

import io
import random
import re
from typing import Any

import pytest

import uno_env
from tests.helpers.playing import lively_action, played, positions
from tests.helpers.table import Table
from tests.helpers.worlds import LETS_GO, is_asked_unseen
from uno_env import Game, Rules
from uno_env.actions import DRAW
from uno_env.cards import parse_cards
from uno_env.editions import edition_for
from uno_env.render import WIDTH, ansi, view_of
from uno_env.render.sentences import describe
from uno_env.render.view import View

CODE = re.compile("\033\\[([0-9;]*)m")
COLOUR_CODES = {"31": "red", "33": "yellow", "32": "green", "34": "blue"}
DARK_CODES = {"95": "pink", "36": "teal", "38;5;208": "orange", "35": "purple"}
TABLES = [
    ("duel", 2),
    ("classic", 2),
    ("classic", 4),
    ("classic", 10),
    ("house", 3),
    ("house", 10),
    ("edition_2018", 5),
    ("no_mercy", 2),
    ("no_mercy", 4),
    ("no_mercy", 10),
    ("flip", 2),
    ("flip", 10),
]


def told(table: Table, number: int = 1) -> list[str]:
    """The last events in words."""
    return [describe(event) for event in table.game.events[-number:]]


def line(game: Game, seat: int | None, start: str) -> str:
    """The line of a rendering that begins with a text."""
    return next(each for each in ansi(game, seat).splitlines() if each.startswith(start))


def test_a_player_sees_this_table() -> None:
    table = Table("r1 r5 g3", "b1 b2 b3", "y1 y2 w", first="r9", pile="g7 y8").go("0 draw", "1 draw")
    assert ansi(table.game, 2) == (
        "Top card r9 (red 9), active colour red.\n"
        "Draw pile 96, discard pile 1.\n"
        "Order of play 2 -> 0 -> 1 -> 2, clockwise.\n"
        "player_2 (you) plays or draws; player_0 is next.\n"
        "\n"
        "  player_0          4 cards\n"
        "  player_1          4 cards\n"
        "> player_2 (you)    3 cards  deals\n"
        "\n"
        "Hand of player_2: y1 y2   w\n"
        "\n"
        "player_2 (you) may: 52=w:r  53=w:y  54=w:g  55=w:b  112=draw\n"
        "\n"
        "What happened last:\n"
        "   0. player_2 deals and turns up r9\n"
        "   1. player_0 draws 1 card\n"
        "   2. player_1 draws 1 card"
    )


def test_only_a_spectator_sees_every_hand() -> None:
    game = Table("r1 r5", "b1 b2", "y1 y2", first="r9").game
    assert [each for each in str(game).splitlines() if each.startswith("Hand of")] == [
        "Hand of player_0: r1 r5",
        "Hand of player_1: b1 b2",
        "Hand of player_2: y1 y2",
    ]
    for seat, hand in enumerate(["r1 r5", "b1 b2", "y1 y2"]):
        shown = [each for each in ansi(game, seat).splitlines() if each.startswith("Hand of")]
        assert shown == [f"Hand of player_{seat}: {hand}"]
    assert "may:" in ansi(game, 0)
    assert "may:" not in ansi(game, 1)
    assert "player_0 may: 1=r1  5=r5  112=draw" in ansi(game)


def test_str_and_render_of_a_game() -> None:
    game = played(Game("classic", seed=3), 3, 20)
    assert str(game) == game.render() == ansi(game)
    assert game.render(2) == ansi(game, 2)
    assert game.render(seat=2, colour=True) == ansi(game, 2, colour=True)
    assert "\033" not in game.render(2)
    with pytest.raises(ValueError, match="seat=4 is no seat of 4 players: 0 to 3"):
        game.render(4)


@pytest.mark.parametrize(("rules", "players"), TABLES)
def test_lines_fit_and_colours_only_repeat_what_is_written(rules: str, players: int) -> None:
    chance = random.Random(players)
    for game in positions(Game(rules, seed=players, players=players), seed=players):
        if game.over or chance.random() < 0.1:
            for seat in (None, chance.randrange(players)):
                plain, painted = ansi(game, seat), ansi(game, seat, colour=True)
                assert max(map(len, plain.splitlines())) <= WIDTH
                assert CODE.sub("", painted) == plain
                assert "\033" not in plain
                assert plain.isascii()
                for code, text in re.findall("\033\\[([0-9;]+)m([^\033]*)\033\\[0m", painted):
                    dark = code in DARK_CODES
                    if dark or code in COLOUR_CODES:
                        colour = (COLOUR_CODES | DARK_CODES)[code]
                        letter = "u" if colour == "purple" else colour[0]
                        face = text.partition("/")[2] if dark else text
                        assert face.startswith(letter) or text == colour or text.endswith(f":{letter}")


def test_long_hands_are_broken_into_lines() -> None:
    numbers = "r1 r2 r3 r4 r5 r6 r7 r8 r9 g1 g2 g3 g4 g5 g6 g7 g8 g9 y1 y2 y3 y4 y5 y6 y7 y8 y9"
    table = Table(f"{numbers} b1 b2 b3 b4 b5 b6 b7 b8 w w w+4", None, first="b9")
    lines = ansi(table.game, 0).splitlines()
    place = next(number for number, text in enumerate(lines) if text.startswith("Hand of player_0:"))
    assert lines[place + 1].startswith(" " * len("Hand of player_0: "))
    shown = f"{lines[place]} {lines[place + 1]}".removeprefix("Hand of player_0:")
    assert sorted(parse_cards(shown)) == table.game.hand(0)


def test_direction_and_the_next_player() -> None:
    table = Table("rr r1 r8", "r2 r3 g1", "r4 r5 g2", "r6 r7 g3", first="r9")
    assert line(table.game, 1, "Order") == "Order of play 0 -> 1 -> 2 -> 3 -> 0, clockwise."
    assert "player_0 plays or draws; player_1 (you) is next." in ansi(table.game, 1)
    table.go("0 rr")
    assert line(table.game, 1, "Order") == "Order of play 3 -> 2 -> 1 -> 0 -> 3, counter-clockwise."
    assert "player_3 plays or draws; player_2 is next." in ansi(table.game, 1)


def test_a_drawn_card_is_shown_to_its_player_alone() -> None:
    table = Table("g1 g2", "b1 b2", first="r9", pile="r5").go("0 draw")
    assert "player_0 (you) has drawn r5 and plays or keeps it; player_1 is next." in ansi(table.game, 0)
    assert "player_0 has drawn r5 and plays or keeps it; player_1 is next." in ansi(table.game)
    unseen = ansi(table.game, 1)
    assert "player_1 (you) plays or draws; player_0 is next." in unseen
    assert "r5" not in unseen
    assert told(table) == ["player_0 draws 1 card"]
    assert told(table.go("0 pass")) == ["player_0 keeps the drawn card"]
    assert ansi(table.game, 1) == unseen


NO_MERCY = {"preset": "no_mercy", "pile": "g1 w+6 b9 y1"}
MERCY = {**NO_MERCY, "mercy": 5}
MANY = {"deck": "r1 r1 r1 r9 g2 b1 b2 b3 b4 y1", "double_play": "two_or_more", "uno_call": "automatic"}
PLAIN = ("r1 r2", "b1 b2")
DRAW_FOUR = ("g1 g2 w+4", "b1 b2 b3")
TOLD: list[tuple[tuple[str | None, ...], dict[str, Any], str, int | None, list[str], list[str]]] = [
    (("g1 g2", "b1 b2"), {"pile": "r5", "after_draw": "must_play"}, "0 draw", 0,
     ["player_0 (you) has drawn r5 and plays it; player_1 is next."], []),
    (("g1 g2", "b1 b2"), {"pile": "w"}, "0 draw", 0,
     ["player_0 (you) has drawn w and plays or keeps it; player_1 is next."], []),
    (PLAIN, {"late_call": False}, "0 r1", 1,
     ["player_0 has one card and did not call UNO; player_1 (you) may catch player_0.",
      "  player_0          1 card   on turn, laid the top card"], []),
    (PLAIN, {"late_call": False}, "0 r1, 1 catch", 1, [],
     ["player_1 catches player_0 without a call of UNO, player_0 draws 2 cards"]),
    (PLAIN, {}, "0 call", 1, ["> player_0          2 cards  UNO called"], ["player_0 calls UNO!"]),
    (DRAW_FOUR, {}, "0 w+4:b, 1 accept", 0, [], ["player_1 accepts the penalty, player_1 draws 4 cards"]),
    (DRAW_FOUR, {}, "0 w+4:b, 1 challenge", 0, [], ["player_1 challenges player_0, player_1 draws 6 cards"]),
    (("r1 r+2 g1", "b1 b2 b3"), {}, "0 r+2", 0, [], ["player_0 plays r+2, player_1 draws 2 cards"]),
    (PLAIN, {"first": "w"}, "", 0,
     ["Top card w (Wild), active colour not yet declared.", "player_0 (you) declares the first colour.",
      "player_0 (you) may: 128=colour:r  129=colour:y  130=colour:g  131=colour:b"], []),
    (PLAIN, {"first": "w"}, "0 colour:b", 0, ["Top card w (Wild), active colour blue."], ["player_0 declares blue"]),
    (("r1 r2", "b1 b2", "y1 y2"), {"first": "g+2"}, "", 0, [],
     ["player_2 deals and turns up g+2, player_0 draws 2 cards"]),
    (PLAIN, {"first": "g9", "only": True, "dealer": 1}, "0 draw", 0,
     ["Nobody wins this hand: nobody can do anything any more."], ["player_0 finds nothing to draw"]),
    (("r1", "b5"), {}, "0 r1", 1,
     ["player_0 wins the hand and gets 5 points.", "  player_0          0 cards  laid the top card"], []),
    (("r1", "b5"), {}, "0 r1", 0, ["player_0 (you) wins the hand and gets 5 points."], []),
    (("r1", "b5"), {"preset": "duel"}, "0 r1", 1, ["player_0 wins the hand."], []),
    (PLAIN, {"max_decisions": 1}, "0 draw", 0, ["Nobody wins this hand: it has gone on for too long."], []),
    (PLAIN, {"illegal_action": "terminate"}, "0 b7", 1, ["Nobody wins this hand: an illegal action ended it."],
     ["player_0 tries to play blue 7, which is not allowed"]),
    (("r1 r1 r1 g2", "b1 b2 b3 b4"), MANY, "0 r1x2", 0,
     ["player_0 (you) holds another r1: play it as well, or let it go."], []),
    (("r1 r1 r1 g2", "b1 b2 b3 b4"), MANY, "0 r1x2, 0 jump_in", 1, [], ["player_0 plays another r1"]),
    (("r7 r1 r2", "b1 b2 b3"), {"seven_zero": True}, "0 r7", 1, ["player_0 chooses whom to swap hands with."], []),
    (("r+2 r1 r2", "b+2 b2 b3"), {"stacking": "same"}, "0 r+2", 1,
     ["player_1 (you) must draw 2 cards, or answer with a draw card."], []),
    (("wcr r1 b5", "y1 y2 y3"), NO_MERCY, "0 wcr", 1,
     ["player_1 (you) names a colour, and turns up cards until one of it comes."], []),
    (("r+2 r1 b5", "b+4 y2 y3"), NO_MERCY, "0 r+2", 1,
     ["player_1 (you) must draw 2 cards, or answer with a draw card of 2 or more."], []),
    (("r+4 r1 b5", "w+6 y2 y3"), NO_MERCY, "0 r+4", 1,
     ["player_1 (you) must draw 4 cards, or answer with a draw card of 4 or more."], []),
    (("rda r1 r2 b5", None), NO_MERCY, "0 call, 0 rda", 0, [],
     ["player_0 calls UNO!", "player_0 plays rda, 2 cards of its colour go with it"]),
    (("rda r1 b5 b6", None), NO_MERCY, "0 rda", 0, [], ["player_0 plays rda, 1 card of its colour goes with it"]),
    (("rse r1 b5 b6", None), NO_MERCY, "0 rse", 0, [], ["player_0 plays rse"]),
    (("wr+4 r1 b5", "b1 b2 b3", "g1 g2 g3"), NO_MERCY, "0 wr+4:g", 0, [],
     ["player_0 plays wr+4 and declares green, player_2 draws 4 cards"]),
    (("wcr r1 b5", None), NO_MERCY, "0 wcr, 1 colour:b", 0, [],
     ["player_0 plays wcr", "player_1 names blue, player_1 turns up and takes 3 cards"]),
    (("w+10 r1 b5", "w+10 b1 b2"), MERCY, "0 w+10:r, 1 accept", 0, [],
     ["player_0 plays w+10 and declares red",
      "player_1 accepts the penalty, player_1 draws 2 cards, player_1 holds 5 cards and is out"]),
    (("w+10 r1 b5", "y1 y2 y3"), MERCY, "0 w+10:r", 0, ["  player_1          0 cards  deals, out of the hand"],
     ["player_0 plays w+10 and declares red, player_1 draws 2 cards, player_1 holds 5 cards and is out"]),
    (("w+10 r1 b5", "y1 y2 y3"), MERCY, "0 w+10:r", None,
     ["player_0 is the last who is not out; player_0 wins the hand and gets 250 points."], []),
]  # fmt: skip
"""Hands, what else sets up the table, moves, a seat or None, lines that it is shown, and the last events in words."""


@pytest.mark.parametrize(("hands", "changes", "moves", "seat", "lines", "events"), TOLD)
def test_what_is_asked_and_what_happens_is_told(
    hands: tuple[str | None, ...],
    changes: dict[str, Any],
    moves: str,
    seat: int | None,
    lines: list[str],
    events: list[str],
) -> None:
    table = Table(*hands, **changes)
    if moves:
        table.go(moves)
    assert set(lines) <= set(ansi(table.game, seat).splitlines())
    assert told(table, len(events) or 1) == events or not events


def test_a_late_call_and_letting_go() -> None:
    seeds = (Table("r1 r2", "b1 b2", first="r9", seed=seed).go("0 r1") for seed in range(20))
    table = next(table for table in seeds if table.to_move == 0)
    assert "player_0 (you) has one card and did not call UNO; player_0 (you) can still call it." in ansi(table.game, 0)
    assert told(table.go("0 pass")) == ["player_0 lets it go"]


def test_a_challenge_shows_the_hand_to_the_challenger_alone() -> None:
    table = Table("r1 r2 w+4", "b1 b2 b3", "y1 y2 y3", first="r9", pile="g1 g2 g3 g4").go("0 w+4:b")
    assert told(table) == ["player_0 plays w+4 and declares blue"]
    assert "player_1 (you) must draw 4 cards, or challenge the Wild Draw Four of player_0." in ansi(table.game, 1)
    assert told(table.go("1 challenge")) == ["player_1 challenges player_0, player_0 draws 4 cards"]
    assert line(table.game, 1, "Seen") == "Seen in the hand of player_0: r1 r2"
    assert "Seen" not in ansi(table.game, 2)
    assert "Seen" not in ansi(table.game)


def test_who_may_jump_in_is_told_to_them_alone() -> None:
    hands = ("r5 r1 r2", "r5 y1 y2", "b1 b2 b3")
    table = Table(*hands, jump_in=True, uno_call="automatic", deck="r5 r5 r9 r1 r2 y1 y2 b1 b2 b3 g4 g5").go("0 r5")
    holds = "player_1 (you) holds the twin of the top card: jump in, or let it go."
    assert holds in ansi(table.game, 1)
    assert holds.replace(" (you)", "") in ansi(table.game)
    unseen = {seat: ansi(table.game, seat) for seat in (0, 2)}
    assert "player_1 plays or draws; player_2 is next." in unseen[0]
    assert "player_1 plays or draws; player_2 (you) is next." in unseen[2]
    table.go("1 pass")
    assert {seat: ansi(table.game, seat) for seat in (0, 2)} == unseen
    assert "player_1 lets it go" in ansi(table.game, 1)
    assert "player_1 lets it go" in ansi(table.game)
    assert "lets it go" not in ansi(table.game, 0)


def test_a_match_shows_scores_who_is_out_and_who_has_won() -> None:
    rules = Rules(players=3, hand_size=2, scoring="elimination", target=20, uno_call="automatic")
    game, chance, seen = Game(rules, seed=4, match=True), random.Random(4), ""
    assert "score 0" in ansi(game, 0)
    while not game.over:
        seen = ansi(game, 0) if game.record.out else seen
        game.step(lively_action(game, chance))
    out, scores = int(game.record.out), ", ".join(map(str, game.scores))
    assert "out of the match" in seen
    assert seen.count(" -> ") == 2, "two are left"
    assert f"player_{game.winner} wins the match; scores {scores}." in ansi(game)
    assert out.bit_count() == 2


def test_parts_can_be_left_out() -> None:
    game = played(Game("classic", seed=1), 1, 30)
    assert "What happened last" not in ansi(game, events=0)
    assert "may:" not in ansi(game, legal=False)
    assert ansi(game, events=3).splitlines()[-4] == "What happened last:"
    assert ansi(game, events=1000).splitlines()[-31].startswith("   0. player_")


@pytest.mark.parametrize("action", range(DRAW))
def test_every_play_is_told(action: int) -> None:
    event = Game("classic").events[0]._replace(seat=1, action=action, phase="play", top=5)
    assert describe(event).startswith("player_1 plays ")


@pytest.mark.parametrize(("rules", "players"), TABLES)
def test_views_agree_with_the_record(rules: str, players: int) -> None:
    chance = random.Random(1)
    for game in positions(Game(rules, seed=7, players=players), seed=7):
        record, seat = game.record, chance.randrange(players)
        shown, waits = let_go(game, seat)
        check_view(view_of(game, seat), shown, seat, waits)
        everyone = view_of(game)
        assert everyone.hands == {other: game.hand(other) for other in range(players)}
        assert (everyone.legal, everyone.known) == (game.legal_actions(), {})
        assert everyone.to_move == (None if game.over else game.to_move)
        assert everyone.drawn == (record.drawn if game.phase == "drawn" else None)


def let_go(game: Game, seat: int) -> tuple[Game, bool]:
    """The game once what the others are asked without the seat's knowing is let go; or the game itself and True, if
    the card on top then slaps, passes all hands on, gives the seat cards or puts somebody out, which it is not to see
    too early."""
    shown = game.clone()
    while is_asked_unseen(shown, seat):
        rank = edition_for(game.rules).texts[shown.record.top][1:]
        passes_on = rank == "0" and game.rules.seven_zero and not edition_for(game.rules).moves_first
        acts = (rank == "6" and game.rules.six_smackdown) or passes_on
        if acts and shown.phase == "jump_in" and shown.hand(shown.record.turn):
            return game, True
        shown.step(LETS_GO[shown.phase])
    too_early = shown.hand(seat) != game.hand(seat) or shown.record.put_out != game.record.put_out
    return (game, True) if too_early else (shown, False)


def check_view(view: View, game: Game, seat: int, waits: bool) -> None:
    """Compare what a seat sees with the state of a game; ``waits``: whether the card on top has yet to act."""
    record, players = game.record, game.players
    assert (view.top, view.turn, view.dealer) == (record.top, record.turn, record.dealer)
    assert view.colour == (None if record.colour < 0 else record.colour)
    assert view.to_move == (None if game.over or waits else game.to_move)
    assert view.last_player == (None if record.last_player < 0 else record.last_player)
    assert view.clockwise == (record.direction == 1)
    assert (view.draw_pile, view.discards) == (record.pile_end - record.pile_next, record.discards.sum())
    assert view.hand_sizes == [len(game.hand(other)) for other in range(players)]
    assert view.out == [other for other in range(players) if record.out >> other & 1]
    assert view.put_out == [other for other in range(players) if record.put_out >> other & 1]
    assert view.called == [other for other in range(players) if record.called >> other & 1]
    assert (view.phase, view.penalty, view.over) == ("play" if waits else game.phase, record.penalty, game.over)
    assert view.hands == {seat: game.hand(seat)}
    assert view.drawn == (record.drawn if record.drawn >= 0 and seat == record.turn else None)
    assert view.legal == (game.legal_actions() if seat == game.to_move else [])
    assert (view.winner, view.end, view.points) == (game.winner, game.end, game.points)


class Terminal(io.StringIO):
    """A standard output that says it is a terminal."""

    def isatty(self) -> bool:
        """Whether this is a terminal."""
        return True


@pytest.mark.parametrize(("no_colour", "painted"), [("", True), ("1", False)])
def test_people_see_colours_on_a_terminal(no_colour: str, painted: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", no_colour)
    monkeypatch.setattr("sys.stdout", out := Terminal())
    env = uno_env.env("classic", render_mode="human")
    env.reset(seed=0)
    env.render()
    assert ("\033" in out.getvalue()) == painted
