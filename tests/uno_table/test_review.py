"""What an adviser thinks of games that were played: ``uno replay --adviser``, "Where did I go wrong?" at a table."""

import io
import json
import random
import re

import numpy as np
import pytest

from agents.scripted.agent import ScriptedAgent
from tests.helpers.phrases import english
from tests.helpers.playing import lively_action
from tests.uno_table.tables import PERSON, play, play_one, reviewer, reviewer_by_steps, table_of
from uno_env import Game, Rules
from uno_env import actions as catalogue
from uno_env.player import Player
from uno_env.render.page import Advice
from uno_env.render.replay_frames import hand_frames
from uno_env.replay import Note, Replay
from uno_table import plain_text
from uno_table.plain_text import PlainText
from uno_table.review import advise, differences, load_adviser, prepare_review, read_replay, review_lines
from uno_table.table import RefusedError, Setup, Table
from uno_table.table.reviewer import ReviewStep
from uno_table.table.saved_table import saved_table


def played_out(rules, seed=1, players=2, hands=1):
    game, chance = Game(rules, seed=seed, players=players, match=hands > 1), random.Random(seed)
    while not game.over and game.hands_played < hands:
        game.step(lively_action(game, chance))
    return game


class Witness(Player):
    """Keeps all that it is shown, and is for drawing by two thirds."""

    name = "witness"

    def __init__(self):
        self.shown = []

    def probabilities(self, observations, action_masks, histories=None):
        self.shown.append(np.array(observations))
        chances = np.where(np.arange(action_masks.shape[1]) == catalogue.DRAW, 2.0, 0.01) * action_masks
        return (chances / chances.sum(1, keepdims=True)).astype(np.float32)

    def values(self, observations, histories=None):
        return np.full(len(observations), 0.5, np.float32)


class Rememberer(Player):
    """Remembers how often it was asked in the hand."""

    name, state_size = "rememberer", 1

    def __init__(self):
        self.asked = []

    def act_recurrent(self, observations, action_masks, states, histories=None):
        self.asked.append(int(states[0, 0]))
        states += 1
        return action_masks.argmax(1)


def test_an_adviser_sees_what_the_seat_saw_and_no_more():
    game, witness = played_out("classic", players=3), Witness()
    advice = advise(witness, game, [1])
    past, seen = game.start(), []
    for action, note in zip(game.history, advice.notes, strict=True):
        assert (note is not None) is (past.to_move == 1)
        if note is not None:
            seen.append(past.observe(1, "uint8"))
            assert set(note.probabilities) == set(past.legal_actions())
            assert note.value == 0.5
        past.step(action)
    assert np.array_equal(np.concatenate(witness.shown), seen)
    assert game.to_json() == played_out("classic", players=3).to_json(), "the game stays as it is"


def test_the_largest_differences_come_first():
    game = played_out("classic", seed=4)
    advice = advise(Witness(), game, range(2))
    found = differences(game, advice)
    gaps = [each.best_share - each.share for each in found]
    assert gaps == sorted(gaps, reverse=True)
    assert min(gaps) > 0
    otherwise = [
        index
        for index, (action, note) in enumerate(zip(game.history, advice.notes, strict=True))
        if note.probabilities.get(action, 0) < max(note.probabilities.values())
    ]
    assert sorted(each.index for each in found) == otherwise
    lines = review_lines(Replay.of(game, ["Ann", "Bob"]), advice)
    assert lines[0] == f"Witness would have played otherwise at {len(found)} of {len(game.history)} decisions:"
    assert re.fullmatch(r" *\d+\. (Ann|Bob): [\w ,]+; Witness would draw \(\d+% against \d+%\)", lines[1])


def test_an_adviser_without_probabilities_says_what_it_would_do():
    game = played_out("duel", seed=3)
    advice = advise(load_adviser("greedy", game.rules), game, [0])
    past = game.start()
    greedy = ScriptedAgent("greedy", 0)
    for action, note in zip(game.history, advice.notes, strict=True):
        if note is not None:
            assert note == Note({greedy.act(past.observe(0, "uint8"), past.action_mask()): 1.0}, None)
        past.step(action)
    assert "%" not in "".join(review_lines(Replay.of(game), advice))


def test_an_adviser_that_remembers_begins_each_hand_anew_and_knows_its_own_seat_alone():
    rules = Rules(players=2, hand_size=3, target=1_000)
    game, adviser = played_out(rules, seed=5, hands=2), Rememberer()
    advise(adviser, game, range(2))
    past, counts, wanted = game.start(), {}, []
    for action in game.history:
        key = past.hands_played, past.to_move
        wanted.append(counts.get(key, 0))
        counts[key] = wanted[-1] + 1
        past.step(action)
    assert adviser.asked == wanted
    only = advise(Rememberer(), game, range(2), only_hand=1)
    first = sum(hands == 0 for hands, _ in [k for k in counts for _ in range(counts[k])])
    assert [note is None for note in only.notes] == [index < first for index in range(len(game.history))]


def test_the_zoo_names_the_policy_for_the_rules():
    assert load_adviser("zoo", Rules.preset("duel", players=2)).name == "zoo:duel-2p"
    assert load_adviser("zoo", Rules.preset("classic", players=7)).name == "zoo:any"
    with pytest.raises(ValueError, match="sees all hands"):
        load_adviser("cheat:flat", Rules.preset("duel", players=2))
    with pytest.raises(ValueError, match="unknown agent 'gredy'"):
        load_adviser("gredy", Rules.preset("duel", players=2))


def test_games_of_tables_can_be_replayed_with_their_names():
    table = table_of([PERSON, "greedy", "zoo:classic-4p", PERSON])
    play(table, 12)
    replay = read_replay(json.dumps(saved_table(table)))
    assert replay.names == ("P0", "Greedy", "Zoo classic", "P3")
    assert replay.game.history == table.game.history
    assert read_replay(table.replay().to_json()).names == replay.names
    with pytest.raises(ValueError, match="version"):
        read_replay(json.dumps({**saved_table(table), "version": 9}))
    for text in ("[" * 100_000, "no JSON", "{}"):
        with pytest.raises(ValueError, match=r"^.{1,200}$"):
            read_replay(text)


@pytest.mark.parametrize("match", [False, True])
def test_a_table_shows_the_hand_that_has_ended_as_the_seat_saw_it(match):
    table = table_of([PERSON, "greedy", PERSON], Rules(players=3, hand_size=4, target=1_000), match=match)
    chance = random.Random(3)
    for hand in range(2):
        with pytest.raises(RefusedError, match="when it is over"):
            prepare_review(table, 0)
        while not table.series.pausing:
            play_one(table, chance)
        review = prepare_review(table, 2)
        *_, last = review.steps()
        page = review.page(last.advice)
        data = json.loads(re.search(r'<script id="data" type="application/json">(.*?)</script>', page, re.S)[1])
        assert (data["view"], data["sealed"]) == (2, True)
        assert (english(data["adviser"]), [english(name) for name in data["names"]]) == ("Zoo any", table.names)
        held = [set(cards) for frame in data["frames"] for seat, cards in enumerate(frame["hands"]) if seat != 2]
        assert set.union(*held) == {"back"}
        assert {frame["hand"] for frame in data["frames"]} == {hand if match else 0}
        assert data["frames"][-1]["over"]
        words = english(data["sentences"][data["frames"][-1]["words"]])
        assert "wins the hand" in words or "win the hand" in words
        asked = [frame for frame in data["frames"] if frame["advice"] is not None]
        assert asked
        assert all(frame["to_move"] == 2 for frame in asked)
        table.go_on(0.0)


def test_what_choices_cost_is_shown_once_the_hand_is_over():
    table, asked = table_of([PERSON, "greedy"], Rules(players=2, hand_size=3), match=False), []

    def measure(game, seat, hand):
        asked.append((game.over, seat, hand))
        notes = [Note({}, 0.1, {action: (0.2, 0.01)}, -0.05) for action in game.history]
        return Advice("tuned, by playouts", notes, -0.14)

    chance = random.Random(3)
    table.reviewer = reviewer(measure)
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


def measured(game, seat, hand):
    """As if the first choice of the seat had cost 20 points, surely, and the others nothing that can be told."""
    past, notes = game.start(), []
    for action in game.history:
        own = past.to_move == seat and past.hands_played == hand and len(past.legal_actions()) > 1
        price = 0.2 if own and not any(notes) else 0.02
        best = next((each for each in past.legal_actions() if each != action), -1)
        notes.append(Note({}, 0.1, {action: (price, 0.015), best: (0.0, 0.0)}, -0.05) if own else None)
        past.step(action)
    return Advice("tuned, by playouts", notes, -0.14)


def test_costs_in_the_terminal_are_those_of_the_page():
    table = table_of([PERSON, "greedy"], Rules(players=2, hand_size=3), match=False, hints=False)
    table.reviewer = reviewer(measured)
    with pytest.raises(RefusedError, match="when it is over"):
        prepare_review(table, 0, needs_hints=False)
    chance = random.Random(3)
    while not table.series.pausing:
        play_one(table, chance)
    review = prepare_review(table, 0, needs_hints=False)
    *_, last = review.steps()
    first, *lines = review.text(last.advice).splitlines()
    assert first == "Luck -14%, choices -20% (win rate; tuned, by playouts)"
    (line,) = lines
    assert re.fullmatch(r"▼ +\d+\. .+: cost 20.0% ± 1.5%; better: .+", line)
    frames = hand_frames(table.replay(), measured(table.game, 0, 0).notes, 0, 0)
    (costly,) = (frame for frame in frames if frame["advice"] and frame["advice"].get("costly"))
    assert costly["advice"]["costs"][costly["chosen"]] == (0.2, 0.015)


def lines_of_a_review(measurer):
    """What is written, line by line, at a table whose person asks for a review before and after the hand's end."""
    table, texts = Table(Setup.against(["greedy"], Rules(players=2, hand_size=3), match=False, seed=2)), []
    answers = iter(["w"] + ["1"] * 300)
    ended = iter(["w", "n"])

    def read(prompt):
        return next(ended if prompt.startswith("Another") else answers)

    table.reviewer = measurer
    PlainText(table, read, texts.append).play()
    return texts


def test_line_by_line_the_review_waits_for_the_end_of_the_hand():
    texts = lines_of_a_review(reviewer(measured))
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
def test_without_a_terminal_the_review_says_now_and_then_how_far_it_is(monkeypatch, capsys, seconds):
    monkeypatch.setattr(plain_text, "SECONDS_OF_A_LINE", seconds)
    texts = lines_of_a_review(reviewer_by_steps(by_steps))
    steps = [tuple(map(int, re.findall(r"\d+", text))) for text in texts if re.fullmatch(r"  \d+ of \d+ choices", text)]
    if seconds:
        assert steps == []
    else:
        _, total = steps[-1]
        assert total > 1
        assert steps == [(done, total) for done in (*range(2, total + 1), total)]
    assert capsys.readouterr().err == ""


def test_in_a_terminal_the_review_has_a_bar(monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    screen = Terminal()
    monkeypatch.setattr("sys.stderr", screen)
    monkeypatch.setattr(plain_text, "SECONDS_OF_A_LINE", 0.0)
    texts = lines_of_a_review(reviewer_by_steps(by_steps))
    assert re.search(r"choices .*\d+/\d+", screen.getvalue())
    assert "left" in screen.getvalue()
    assert not any(re.fullmatch(r"  \d+ of \d+ choices", text) for text in texts)


def test_a_table_without_hints_has_no_adviser_to_ask():
    table = table_of([PERSON, "greedy"], Rules(players=2, hand_size=2), hints=False)
    chance = random.Random(3)
    while not table.series.pausing:
        play_one(table, chance)
    with pytest.raises(RefusedError, match="at a table with hints"):
        prepare_review(table, 0)
