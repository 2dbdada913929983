"""The review of a hand at a table: "Where did I go wrong?"."""

import io
import json
import random
import re
from itertools import islice

import pytest

from tests.helpers.marks import thorough
from tests.helpers.phrases import english
from tests.uno_table.tables import PERSON, in_one_step, measured, play_one, table_of
from uno_env import Rules
from uno_env.cards import card_text
from uno_env.render.page import Advice
from uno_env.render.replay_frames import hand_frames
from uno_env.replay import Note, decisions_of
from uno_table import plain_text
from uno_table.hands.measuring import ReviewStep
from uno_table.hands.review import prepare_review
from uno_table.plain_text import PlainText
from uno_table.table import RefusedError, Setup, Table


@pytest.mark.parametrize("match", [*thorough(False), True])
def test_a_table_shows_the_hand_that_has_ended_as_the_seat_saw_it(match, review_by):
    review_by(in_one_step(measured))
    table = table_of([PERSON, "greedy", PERSON], Rules(players=3, hand_size=4, target=1_000), match=match)
    chance = random.Random(3)
    for hand in range(2):
        with pytest.raises(RefusedError, match="when it is over"):
            prepare_review(table, 0)
        won = list(table.series.standing.won)
        while not table.series.pausing:
            play_one(table, chance)
        review = prepare_review(table, 2)
        *_, last = review.steps()
        page = review.page(last.advice)
        data = json.loads(re.search(r'<script id="data" type="application/json">(.*?)</script>', page, re.S)[1])
        assert (data["view"], data["sealed"]) == (2, True)
        assert (data["adviser"], [english(name) for name in data["names"]]) == (
            "tuned, by playouts",
            table.names,
        )
        held = [set(cards) for frame in data["frames"] for seat, cards in enumerate(frame["hands"]) if seat != 2]
        assert set.union(*held) == {"back"}
        assert {frame["hand"] for frame in data["frames"]} == {hand if match else 0}
        assert data["frames"][-1]["over"]
        words = english(data["sentences"][data["frames"][-1]["words"]])
        assert "wins the hand" in words or "win the hand" in words
        costly = review.costly(last.advice)
        (before,) = review.views(costly)
        past = next(islice(decisions_of(review.replay.game), costly[0].number, None))[0]
        assert (before["deciding"], before["result"], before["clock"], before["canUndo"]) == (2, None, None, False)
        assert [card["card"] for card in before["hand"]] == [card_text(kind) for kind in past.hand(2)]
        assert [player["won"] for player in before["players"]] == won
        assert [player["cards"] for player in before["players"]] == [len(past.hand(seat)) for seat in range(3)]
        asked = [frame for frame in data["frames"] if frame["advice"] is not None]
        assert asked
        assert all(frame["to_move"] == 2 for frame in asked)
        table.go_on(0.0)


def test_what_choices_cost_is_shown_once_the_hand_is_over(review_by):
    table, asked = table_of([PERSON, "greedy"], Rules(players=2, hand_size=3), match=False), []

    def measure(game, seat, hand):
        asked.append((game.over, seat, hand))
        notes = [Note({}, 0.1, {action: (0.2, 0.01)}, -0.05) for action in game.history]
        return Advice("tuned, by playouts", notes, -0.14)

    chance = random.Random(3)
    review_by(in_one_step(measure))
    with pytest.raises(RefusedError, match="when it is over"):
        prepare_review(table, 0)
    while not table.series.pausing:
        play_one(table, chance)
    review = prepare_review(table, 0)
    *_, last = review.steps()
    page = review.page(last.advice)
    data = json.loads(re.search(r'<script id="data" type="application/json">(.*?)</script>', page, re.S)[1])
    assert asked == [(True, 0, 0)]
    assert (data["luck"], data["adviser"], data["sealed"]) == (-0.14, "tuned, by playouts", True)
    told = [frame for frame in data["frames"] if frame["advice"]]
    assert {frame["to_move"] for frame in told} == {0}
    assert all(frame["advice"]["costs"] == {frame["chosen"]: [0.2, 0.01]} for frame in told)
    assert {frame["advice"]["luck"] for frame in told} == {-0.05}
    assert {card for frame in data["frames"] for card in frame["hands"][1]} == {"back"}


def test_costs_in_the_terminal_are_those_of_the_page(review_by):
    table = table_of([PERSON, "greedy"], Rules(players=2, hand_size=3), match=False, hints=False)
    review_by(in_one_step(measured))
    with pytest.raises(RefusedError, match="when it is over"):
        prepare_review(table, 0)
    chance = random.Random(3)
    while not table.series.pausing:
        play_one(table, chance)
    review = prepare_review(table, 0)
    *_, last = review.steps()
    first, *lines = review.text(last.advice).splitlines()
    assert first == "Luck -14%, choices -20% (win rate; tuned, by playouts)"
    (line,) = lines
    assert re.fullmatch(r"▼ +\d+\. .+: cost 20.0% ± 1.5%; better: .+", line)
    frames = hand_frames(table.replay(), measured(table.game, 0, 0).notes, 0, 0)
    (costly,) = (frame for frame in frames if frame["advice"] and frame["advice"].get("costly"))
    assert costly["advice"]["costs"][costly["chosen"]] == (0.2, 0.015)


def lines_of_a_review():
    """What is written, line by line, at a table whose person asks for a review before and after the hand's end."""
    table, texts = Table(Setup.against(["greedy"], Rules(players=2, hand_size=3), match=False, seed=2)), []
    answers = iter(["w"] + ["1"] * 300)
    ended = iter(["w", "n"])

    def read(prompt):
        return next(ended if prompt.startswith("Another") else answers)

    PlainText(table, read, texts.append).play()
    return texts


def test_line_by_line_the_review_waits_for_the_end_of_the_hand(review_by):
    review_by(in_one_step(measured))
    texts = lines_of_a_review()
    assert any("when it is over" in text for text in texts)
    assert any(text.startswith("Luck -14%, choices -20%") for text in texts)


def by_steps(game, seat, hand):
    """The same measuring, choice by choice."""
    advice = measured(game, seat, hand)
    choices = sum(note is not None for note in advice.notes)
    for done in range(1, choices + 1):
        yield ReviewStep(advice, done, choices)
    yield ReviewStep(advice, choices, choices)


@pytest.mark.parametrize("seconds", [0.0, 1000.0])
def test_without_a_terminal_the_review_says_now_and_then_how_far_it_is(monkeypatch, capsys, seconds, review_by):
    monkeypatch.setattr(plain_text, "SECONDS_OF_A_LINE", seconds)
    review_by(by_steps)
    texts = lines_of_a_review()
    steps = [tuple(map(int, re.findall(r"\d+", text))) for text in texts if re.fullmatch(r"  \d+ of \d+ choices", text)]
    if seconds:
        assert steps == []
    else:
        _, total = steps[-1]
        assert total > 1
        assert steps == [(done, total) for done in (*range(2, total + 1), total)]
    assert capsys.readouterr().err == ""


def test_in_a_terminal_the_review_has_a_bar(monkeypatch, review_by):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    screen = Terminal()
    monkeypatch.setattr("sys.stderr", screen)
    monkeypatch.setattr(plain_text, "SECONDS_OF_A_LINE", 0.0)
    review_by(by_steps)
    texts = lines_of_a_review()
    assert re.search(r"choices .*\d+/\d+", screen.getvalue())
    assert "left" in screen.getvalue()
    assert not any(re.fullmatch(r"  \d+ of \d+ choices", text) for text in texts)


@pytest.mark.parametrize(("others", "hints"), [(["greedy"], False), ([PERSON], True)])
def test_a_hand_is_reviewed_among_agents_or_with_hints(others, hints):
    table, chance = table_of([PERSON, *others], Rules(players=2, hand_size=2), hints=hints), random.Random(3)
    while not table.series.pausing:
        play_one(table, chance)
    assert prepare_review(table, 0).seat == 0


def test_several_people_without_hints_have_no_review():
    table, chance = table_of([PERSON, PERSON], Rules(players=2, hand_size=2), hints=False), random.Random(3)
    while not table.series.pausing:
        play_one(table, chance)
    with pytest.raises(RefusedError, match="at a table with hints"):
        prepare_review(table, 0)
