"""A person's own hands: which are kept, what is said of them, that they can be deleted."""

import json
import math
import random
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from agents.human.web.lobby import Lobby
from tests.agents.human.tables import PERSON, play_one, table_of
from tests.agents.human.wire import DEFAULTS, bearer, client_of
from tests.helpers import ROOT
from tools.docs.saved_figures import elo_by_track
from train.cli.main import main
from train.evaluation.choices import hand_review, own_hands
from train.evaluation.choices.hands_file import Hand
from train.evaluation.choices.own_hands import OwnHands
from uno_env import Game, Rules

DUEL = Rules.preset("duel")
HAND = Hand("duel", ("greedy",), 0, 0, 1.0, json.loads(Game(DUEL, seed=1).to_json()))


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, few_draws: None) -> OwnHands:
    monkeypatch.setattr(hand_review, "BUDGET", 60)
    return OwnHands(tmp_path / "me" / "hands.jsonl")


def play_hands(own: OwnHands, hands: int, seats: tuple[str | None, ...] = (PERSON, "greedy"), **setup: object) -> None:
    """Hands that a person plays at random."""
    table, chance = table_of(seats, DUEL, **setup), random.Random(3)
    table.reviewer = own
    for _ in range(hands):
        play_one(table, chance)
        while not table.series.pausing:
            play_one(table, chance)


@pytest.mark.parametrize("match", [False, True])
def test_hands_are_kept_measured_once_and_deleted(own: OwnHands, match: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    play_hands(own, 12, match=match)
    assert own.path.stat().st_mode & 0o077 == 0
    assert "  10 hands are still to be measured." in own.report(2)
    lines = own.report()
    assert lines[0].endswith("against greedy: 12 hands.")
    for number, part in enumerate(("  Win rate ", "  Without luck ", "  Regret ", "  Elo ")):
        assert lines[1 + number].startswith(part)
    assert str(own.path) in lines[-1]
    kept = [json.loads(line) for line in own.path.read_text().splitlines()]
    assert len(kept) == 12
    assert sum(each["score"] for each in kept) == round(12 * float(lines[1].split()[2]) / 100)
    monkeypatch.setattr(own_hands, "measure_hand", None)  # all is measured
    assert own.report() == lines
    assert own.delete() == 12
    assert not own.path.exists()
    assert own.report()[0].startswith("No hands of yours yet")
    assert own.delete() == 0


def test_hands_with_other_people_or_moves_taken_back_are_not_kept(own: OwnHands) -> None:
    play_hands(own, 1, (PERSON, PERSON))
    assert own.report()[0].startswith("No hands")
    table, chance = table_of((PERSON, "greedy"), DUEL, match=False), random.Random(3)
    table.reviewer = own
    while not table.can_undo:
        play_one(table, chance)
    table.undo(0.0)
    while not table.series.pausing:
        play_one(table, chance)
    assert not own.path.exists()
    table.go_on(0.0)
    while not table.series.pausing:
        play_one(table, chance)
    assert own.delete() == 1


def test_without_luck_the_same_rate_is_surer_and_elo_is_on_the_scale_of_the_ladder() -> None:
    game = json.loads(Game(DUEL, seed=1).to_json())
    draws = np.random.default_rng(0).random(400).tolist()
    hands = [Hand("duel", ("greedy",), 0, 0, float(x < 0.5), game, 0.9 * (0.5 - x), (0.0, 0.1)) for x in draws]
    _, plain, calm, regret, elo = own_hands._lines(hands)
    rate, low, high = map(float, re.findall(r"\d+\.\d", plain))
    half = (high - low) / 2
    adjusted, surer = (float(part) for part in calm.split("%")[0].replace("Without luck", "").split("±"))
    assert abs(adjusted - rate) < half
    assert surer < 0.75 * half
    assert regret.startswith("  Regret 5.00 ± ")
    assert abs(float(elo.split()[1]) - own_hands._elo(adjusted / 100, [126])) < 1
    assert own_hands._elo(0.5, [126]) == pytest.approx(126)
    assert own_hands._elo(0.25, [126] * 3) == pytest.approx(126)


def test_the_ladder_is_that_of_the_docs() -> None:
    measured = elo_by_track(json.loads((ROOT / "tools" / "docs" / "figures" / "ladder.json").read_text()))
    for track, listed in measured.items():
        known = own_hands._ladder(own_hands.track_rules(track))
        assert {"tuned", "greedy", "random-play"} <= known.keys()
        assert {name: known[name] for name in known.keys() & listed.keys()}.items() <= listed.items()


def test_the_command(own: OwnHands, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("train.evaluation.choices.own_hands.OwnHands", lambda: own)
    play_hands(own, 2)
    assert main(["me"]) == 0
    told = capsys.readouterr().out
    assert "against greedy: 2 hands." in told
    assert "Elo" not in told, "two hands say nothing of it"
    assert main(["me", "--delete"]) == 0
    assert capsys.readouterr().out == "Hands deleted: 2.\n"
    own.path.write_text('{"seat": 0}\n')
    assert main(["me"]) == 0
    assert f"Line 1 of {own.path} is skipped: title is missing" in capsys.readouterr().out


def kept_hand(**changes: object) -> str:
    """A line of the file, changed."""
    game = json.loads(Game(DUEL, seed=1).to_json())
    hand = {"title": "duel", "agents": ["greedy"], "seat": 0, "hand": 0, "score": 1.0, "game": game, "luck": 0.1,
            "costs": []}  # fmt: skip
    return json.dumps(hand | changes)


RULELESS = {name: value for name, value in json.loads(Game(DUEL, seed=1).to_json()).items() if name != "rules"}


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        *((kept_hand(seat=seat), "seat=") for seat in (2, 99, -1, 1e30, 0.5, None, True)),
        *((kept_hand(score=score), "score=") for score in (math.nan, math.inf, -1, 2, 0.3, 1e400, "1")),
        *((kept_hand(luck=luck), "luck=") for luck in (math.nan, -math.inf, 1e300, [])),
        *((kept_hand(costs=costs), "costs") for costs in ([math.nan], [math.inf], [-1], [0.0], 3)),
        (kept_hand(hand=7), "hand=7"),
        (kept_hand(game=RULELESS), "rules"),
        *((kept_hand(game=game), "") for game in ({}, [], None, 3)),
        (kept_hand(title="\ud800"), "a name in it is no text"),
        (kept_hand(agents=["\udcff"]), "a name in it is no text"),
        (kept_hand(agents=["x" * 10**5]), "agents"),
        (kept_hand(agents=["a", "b"]), "2 players, and 3 are named"),
        (kept_hand(agents=[]), "agents"),
        (kept_hand(more=1), "unknown key 'more'"),
        (kept_hand(**{"\x1b[2J" * 10**4: 1}), "unknown key"),
        ("[" * 10**5, "not JSON"),
        ("{", "not JSON"),
        ("7", "not allowed"),
    ],
)
def test_a_line_that_is_no_hand_is_skipped_with_its_number(own: OwnHands, line: str, sentence: str) -> None:
    own.path.parent.mkdir()
    text = f"{kept_hand()}\n{line}\n{kept_hand(score=0)}\n"
    own.path.write_text(text)
    told = own.report()
    assert told[:2] == ["duel, against greedy: 2 hands.", "  Win rate 50.0 % (9.5 to 90.5), par 50."]
    assert told[-1].startswith(f"Line 2 of {own.path} is skipped: ")
    assert sentence in told[-1]
    assert all(each.isprintable() and len(each) < 400 for each in told)
    assert own.path.read_text() == text


def test_of_many_lines_that_are_no_hands_five_are_named(own: OwnHands) -> None:
    own.path.parent.mkdir()
    own.path.write_bytes(b"\xff\n" * 1000)
    assert [line.split()[0] for line in own.report()] == ["No", *["Line"] * 5, "995"]


def test_names_are_shown_in_one_line(own: OwnHands) -> None:
    own.path.parent.mkdir()
    own.path.write_text(kept_hand(title="\x1b[2Jduel\u202e", agents=["x" * 900]))
    assert own.report()[0] == f"?[2Jduel?, against {'x' * 77}...: 1 hand."


def test_hands_are_appended_and_nothing_else_is_written(own: OwnHands) -> None:
    """A line that was cut off when the power went stays a line of its own."""
    own.path.parent.mkdir()
    own.path.write_bytes(b'{"title": "du')
    own._file.append(HAND)
    own._file.append(HAND)
    assert own.path.read_bytes() == b'{"title": "du\n' + 2 * (HAND.line() + b"\n")
    assert own.report(0)[0] == "duel, against greedy: 1 hand.", "the same one twice"


def test_what_was_measured_before_ctrl_c_is_kept(own: OwnHands, monkeypatch: pytest.MonkeyPatch) -> None:
    own._file.append(HAND)
    own._file.append(replace(HAND, score=0.0))
    measured = iter([replace(HAND, costs=(), luck=0.5)])

    def interrupted(hand: Hand) -> Hand:
        for each in measured:
            return each
        own._file.append(replace(HAND, title="meanwhile"))
        raise KeyboardInterrupt

    monkeypatch.setattr(own_hands, "_measured", interrupted)
    with pytest.raises(KeyboardInterrupt):
        own.report()
    hands, wrong = own._file.read()
    assert [(each.title, each.luck) for each in hands.values()] == [("duel", 0.5), ("duel", None), ("meanwhile", None)]
    assert wrong == []


def test_the_browser_shows_and_deletes_them_to_who_has_the_key(own: OwnHands) -> None:
    lobby = Lobby(DEFAULTS, reviewer=own)
    with client_of(lobby) as client:
        play_hands(own, 1)
        assert client.get("/api/me").status_code == 403
        assert client.post("/api/me", json={}).status_code == 403
        lines = client.get("/api/me", headers=bearer(lobby.key)).json()["lines"]
        assert lines == own.report()
        assert client.post("/api/me", headers=bearer(lobby.key), json={}).json() == {"lines": ["Hands deleted: 1."]}
        assert not own.path.exists()
