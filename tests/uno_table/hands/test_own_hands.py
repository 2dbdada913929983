"""A person's own hands: which are kept, what is said of them, that they can be deleted."""

import contextlib
import json
import math
import random
import re
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agents.zoo.shipped import shipped_for
from tests.helpers import ROOT
from tests.helpers.phrases import english
from tests.uno_table.tables import PERSON, play_one, table_of
from tests.uno_table.wire import DEFAULTS, bearer, client_of, wait_for
from tools.docs.saved_figures import elo_by_track
from train.cli.main import main
from train.common import progress
from uno_env import Game, Rules
from uno_env.common.phrases import plain_values
from uno_env.render.page import Advice
from uno_table.commands import Me
from uno_table.hands import own_hands
from uno_table.hands.hands_file import Hand
from uno_table.hands.hands_for_people import KeptHands
from uno_table.hands.measuring import ReviewStep, choices_in_hand
from uno_table.hands.own_hands import MeasuringStep, OwnHands
from uno_table.web.lobby import Lobby

DUEL = Rules.preset("duel")
HAND = Hand("duel", ("greedy",), 0, 0, 1.0, json.loads(Game(DUEL, seed=1).to_json()))


@pytest.fixture
def own(tmp_path: Path, short_reviews: None) -> OwnHands:
    return OwnHands(tmp_path / "me" / "hands.jsonl")


def play_hands(
    own: OwnHands, hands: int, seats: tuple[str | None, ...] = (PERSON, "greedy"), rules: Rules = DUEL, **setup: object
) -> None:
    """Hands that a person plays at random."""
    table, chance = table_of(seats, rules, **setup), random.Random(3)
    table.hand_ended = own.add
    for _ in range(hands):
        play_one(table, chance)
        while not table.series.pausing:
            play_one(table, chance)


def measure(own: OwnHands) -> None:
    for _ in own.measure_kept():
        pass


def test_the_command_shows_how_far_the_measuring_is(own: OwnHands, monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[Any] = []

    @contextlib.contextmanager
    def bar(title: str, total: int) -> Iterator[Callable[[int], None]]:
        shown.append((title, total))
        yield shown.append

    play_hands(own, 2)
    monkeypatch.setattr(progress, "progress_bar", bar)
    monkeypatch.setattr(own_hands, "OwnHands", lambda: own)
    Me().run()
    choices = sum(len(each.costs or ()) for each in own._file.read()[0].values())
    assert shown[0] == ("choices", choices)
    assert sorted(set(shown[1:])) == list(range(1, choices + 1))
    assert shown[1:] == sorted(shown[1:]), "it goes up"


@pytest.mark.thorough
@pytest.mark.parametrize("match", [False, True])
def test_hands_are_kept_measured_once_and_deleted(own: OwnHands, match: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    play_hands(own, 12, match=match)
    assert own.path.stat().st_mode & 0o077 == 0
    measure(own)
    lines = own.report()
    assert lines[0].endswith("against greedy: 12 hands.")
    for number, part in enumerate(("  Win rate ", "  Without luck ", "  Regret ", "  Elo ")):
        assert lines[1 + number].startswith(part)
    assert str(own.path) in lines[-1]
    kept = [json.loads(line) for line in own.path.read_text().splitlines()]
    assert len(kept) == 12
    assert sum(each["score"] for each in kept) == round(12 * float(lines[1].split()[2]) / 100)
    assert list(own.measure_kept()) == [MeasuringStep(0, 0, 0, 0)], "all is measured"
    assert own.report() == lines
    assert own.delete() == 12
    assert not own.path.exists()
    assert own.report()[0].startswith("No hands of yours yet")
    assert own.delete() == 0


def test_hands_with_other_people_or_moves_taken_back_are_not_kept(own: OwnHands) -> None:
    play_hands(own, 1, (PERSON, PERSON))
    assert own.report()[0].startswith("No hands")
    table, chance = table_of((PERSON, "greedy"), DUEL, match=False), random.Random(3)
    table.hand_ended = own.add
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


def test_uno_me_tells_and_deletes_the_hands(
    own: OwnHands, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("uno_table.hands.own_hands.OwnHands", lambda: own)
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
        (kept_hand(better=["draw"]), "it has 1 better actions, and 0 costs"),
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
    hands, _ = own._file.read()
    assert list(hands.values()) == [HAND], "the same one twice"


def test_what_was_measured_before_ctrl_c_is_kept(own: OwnHands, monkeypatch: pytest.MonkeyPatch) -> None:
    own._file.append(HAND)
    own._file.append(replace(HAND, score=0.0))
    measured = iter([ReviewStep(Advice("", [], 0.5), 0, 0)])

    def interrupted(game: Game, seat: int, hand: int) -> Iterator[ReviewStep]:
        for each in measured:
            yield each
            return
        own._file.append(replace(HAND, title="meanwhile"))
        raise KeyboardInterrupt

    monkeypatch.setattr(own_hands, "measure_choices", interrupted)
    with pytest.raises(KeyboardInterrupt):
        measure(own)
    hands, wrong = own._file.read()
    assert [(each.title, each.luck) for each in hands.values()] == [("duel", None), ("duel", 0.5), ("meanwhile", None)]
    assert wrong == []


def test_hands_are_measured_choice_by_choice_and_what_is_measured_is_kept(own: OwnHands) -> None:
    play_hands(own, 2)
    steps = own.measure_kept()
    begun = next(steps)
    assert (begun.hands_done, begun.hands, begun.choices_done) == (0, 2, 0)
    while next(steps).hands_done < 1:
        pass
    one, other = own._file.read()[0].values()
    assert (one.costs, other.costs is None) == (None, False), "the newest first"
    assert other.better is not None
    assert other.costs is not None
    assert len(other.better) == len(other.costs) > 1
    assert own.kept().unmeasured == 1
    step = next(steps)
    assert (step.hands_done, step.choices_done) == (1, len(other.costs) + 1)
    assert begun.choices > step.choices_done
    steps.close()
    assert next(own.measure_kept()).hands == 1


CLASSIC = Rules.preset("classic", players=4)


def hand_at(agents: tuple[str, ...], score: float, rules: Rules = CLASSIC, **changes: object) -> Hand:
    game = json.loads(Game(rules, seed=int(1e6 * score)).to_json())
    return replace(Hand("classic; every hand stands alone", agents, 0, 0, score, game), **changes)


def test_the_page_says_how_often_the_person_wins_at_each_level_and_elsewhere(own: OwnHands) -> None:
    house = Rules.preset("house", players=3, stacking="any")
    assert own.kept() == KeptHands((), (), 0, 0)
    hands = [
        hand_at(("greedy",) * 3, 1.0),
        hand_at(("random-play?bluff=0",) * 3, 0.0),
        hand_at(("greedy",) * 3, 0.25),
        hand_at(("greedy", "mymodule:Mine"), 0.0, house),
    ]
    for each in hands:
        own._file.append(each)
    with own.path.open("a") as file:
        file.write("no hand\n")
    kept = own.kept()
    assert [each.title for each in kept.records] == ["Easy", "Hard", "House, stacking any, against Hard and Mine"]
    easy, hard, other = kept.records
    assert (easy.people, hard.people, other.people) == (("Pip", "Nell", "Otto"), ("Ada", "Iris", "Felix"), ())
    assert (hard.hands, hard.won, hard.rate, hard.fair) == (2, 1, 0.625, 0.25)
    assert hard.low < 0.625 < hard.high
    assert other.fair == pytest.approx(1 / 3)
    assert [(each.result, each.costly, each.id) for each in kept.latest] == [
        ("lost", None, hands[3].id), ("nobody", None, hands[2].id), ("lost", None, hands[1].id),
        ("won", None, hands[0].id)]  # fmt: skip
    assert (kept.unmeasured, kept.unreadable) == (4, 1)


def test_the_network_for_the_rules_is_the_master(own: OwnHands) -> None:
    (best, *_), duel = shipped_for(CLASSIC), Rules.preset("duel")
    own._file.append(hand_at((best,) * 3, 1.0))
    own._file.append(hand_at((shipped_for(duel)[0],), 1.0, duel, title="duel; match to 500 points"))
    own._file.append(hand_at((shipped_for(duel)[-1],), 0.0, duel, title="duel; match to 500 points"))
    titles = [each.title for each in own.kept().records]
    assert titles == ["Master", "Duel, against Master", "Duel, against Zoo any"]


def test_a_hand_that_was_kept_in_english_is_named_in_every_language(own: OwnHands) -> None:
    """The file holds a title in English, of whatever version: pages make the words anew from the rules."""
    rules = Rules.preset("duel", hand_size=5)
    own._file.append(hand_at(("highest-points",), 1.0, rules, title="what a duel was called once; hand after hand"))
    (record,) = own.kept().records
    preset = {"phrase": "preset.duel"}
    changed = {"phrase": "changed_rule", "rule": {"phrase": "rule.hand_size"}, "value": 5}
    named = {"phrase": "list", "parts": [preset, changed]}
    assert plain_values(record.title) == {
        "phrase": "opponents",
        "rules": {"phrase": "capital", "text": named},
        "names": {"phrase": "and", "parts": [{"phrase": "agent.highest-points"}]},
    }
    review = own.review(own.kept().latest[0].id)
    assert review is not None
    assert plain_values(review.replay.title) == {
        "phrase": "clauses",
        "parts": [named, {"phrase": "match.stands_alone"}],
    }


def test_the_page_names_the_costliest_habit_of_each_record(own: OwnHands) -> None:
    """Three hands in each of which the first choice, whatever it was, cost a tenth of a win, a Wild being better."""
    play_hands(own, 3)
    hands, _ = own._file.read()
    for each in hands.values():
        game = each.played()
        choices = len(choices_in_hand(game, each.seat, each.hand))
        costs, better = (0.1,) + (0.0,) * (choices - 1), ("call",) * choices
        own._file.replace({each.line(): replace(each, costs=costs, better=better)})
    (record,) = own.kept().records
    assert record.habit == "You did not call UNO in time: this cost you about 10 wins in 100 hands."
    assert (record.measured, record.title) == (3, "Duel, against Hard")
    assert [each.costly for each in own.kept().latest] == [1, 1, 1]


def test_the_browser_shows_and_deletes_them_to_who_has_the_key(own: OwnHands) -> None:
    lobby = Lobby(DEFAULTS, own_hands=own)
    with client_of(lobby) as client:
        play_hands(own, 1)
        kept = own.kept()
        key, hand = bearer(lobby.key), f"/api/me/hands/{kept.latest[0].id}"
        for method, path in (("GET", "/api/me"), ("DELETE", "/api/me"), ("POST", "/api/me/measuring"),
                             ("POST", f"{hand}/replay"), ("POST", f"{hand}/review")):  # fmt: skip
            assert client.request(method, path).status_code == 403
            assert client.request(method, path, headers=bearer("x")).status_code == 403
        shown = client.get("/api/me", headers=key).json()
        assert shown == {"keeps": True, **plain_values(asdict(kept))}
        assert english(shown["records"][0]["title"]) == "Duel: no calls, no challenges, against Hard"
        replayed = client.get(client.post(f"{hand}/replay", headers=key).json()["page"]).text
        assert '"sealed":false' in replayed
        assert '"names":[{"phrase":"player","number":1},"Ada"],"you":0' in replayed
        reviewed = f"/api/jobs/{client.post(f'{hand}/review', headers=key).json()['job']}"
        wait_for(lambda: client.get(reviewed).json()["over"])
        assert '"sealed":true' in client.get(client.get(reviewed).json()["page"]).text
        measuring = f"/api/jobs/{client.post('/api/me/measuring', headers=key).json()['job']}"
        wait_for(lambda: client.get(measuring).json() == {"done": 1, "total": 1, "over": True})
        assert own.kept().unmeasured == 0
        again = f"/api/jobs/{client.post('/api/me/measuring', headers=key).json()['job']}"
        wait_for(lambda: client.get(again).json() == {"done": 0, "total": 0, "over": True})
        assert client.post("/api/me/hands/0123456789abcdef/review", headers=key).status_code == 404
        assert client.request("DELETE", "/api/me", headers=key).json() == {"deleted": 1}
        assert not own.path.exists()


def test_a_server_that_keeps_no_hands_says_so() -> None:
    lobby = Lobby(DEFAULTS)
    with client_of(lobby) as client:
        assert client.get("/api/me", headers=bearer(lobby.key)).json() == {"keeps": False}
        assert client.post("/api/me/hands/0123456789abcdef/replay", headers=bearer(lobby.key)).status_code == 404


def test_a_hand_of_a_match_that_goes_on_is_shown_as_the_person_saw_it(own: OwnHands) -> None:
    """The hands of others in the match, and in what comes, stay hidden."""
    play_hands(own, 1, rules=Rules.preset("classic", players=2), match=True)
    lobby = Lobby(DEFAULTS, own_hands=own)
    with client_of(lobby) as client:
        path = f"/api/me/hands/{own.kept().latest[0].id}/replay"
        page = client.get(client.post(path, headers=bearer(lobby.key)).json()["page"]).text
        assert '"sealed":true' in page
