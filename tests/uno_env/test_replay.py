"""Replays: files that say who played and what they thought, and the web page that shows them."""

import json
import random
import re
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from typing import Any

import pytest

from tests.helpers.marks import thorough
from tests.helpers.phrases import english
from tests.helpers.playing import lively_action, played
from tests.helpers.random_rules import RANDOM_RULES
from tests.helpers.table import Table
from tests.helpers.worlds import LETS_GO, asked_in
from uno_env import Game, Rules
from uno_env.actions import name
from uno_env.editions import edition_for
from uno_env.events import events_seen_by, player_name
from uno_env.render.languages import languages
from uno_env.render.page import Advice, replay_page
from uno_env.render.sentences import Sentences
from uno_env.replay import MAX_TEXT, Note, Replay, decisions_of

HOSTILE = "</script><script>alert(1)</script>&lt;<img src=x onerror=alert(2)>{{data}}"


def noted(rules: Rules | str, players: int, seed: int, title: str = "") -> Replay:
    """A game of lively play in which seat 1 notes what it thinks."""
    game, chance, notes = Game(rules, seed=seed, players=players), random.Random(seed), []
    while not game.over:
        legal = game.legal_actions()
        note = Note(dict.fromkeys(legal, 1 / len(legal)), 0.25) if game.to_move == 1 else None
        notes.append(note)
        game.step(lively_action(game, chance))
    return Replay.of(game, [f"agent {seat}" for seat in range(players)], notes, title)


def test_the_decisions_of_a_game_one_by_one() -> None:
    game, again = noted("house", 3, 4).game, Game("house", seed=4, players=3)
    for past, action in decisions_of(game):
        assert past.to_json() == again.to_json()
        again.step(action)
    assert again.to_json() == game.to_json()


class Page(HTMLParser):
    """A page taken apart: its scripts, its data, and the elements that could fetch something."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.scripts: list[str] = []
        self.tags: list[str] = []
        self.links: list[str] = []
        self.text = ""
        self._in_script = False
        self.feed(text)
        self.data = _in_english(json.loads(self.scripts[0]))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """An element begins."""
        self.tags.append(tag)
        self._in_script = tag == "script"
        if self._in_script:
            self.scripts.append("")
        self.links += [value or "" for key, value in attrs if key in ("src", "href", "action")]
        assert not any(key.startswith("on") for key, _ in attrs), "no handlers in the markup"

    def handle_endtag(self, tag: str) -> None:
        """An element ends."""
        self._in_script = self._in_script and tag != "script"

    def handle_data(self, data: str) -> None:
        """A text."""
        if self._in_script:
            self.scripts[-1] += data
        else:
            self.text += data


def _in_english(data: dict[str, Any]) -> dict[str, Any]:
    """A page's data with texts in place of phrases and of the numbers of sentences."""
    sentences = [english(each) for each in data["sentences"]]
    for frame in data["frames"]:
        for each in (frame, *filter(None, frame["seen"])):
            if "said" in each:
                each["said"] = [sentences[number] for number in each["said"]]
            if "words" in each:
                each["words"] = sentences[each["words"]]
    return {**data, "title": english(data["title"]), "names": list(map(english, data["names"]))}


@pytest.fixture(scope="module")
def house() -> Replay:
    return noted("house", 4, 3, "A house game")


@pytest.fixture(scope="module")
def house_page(house: Replay) -> str:
    return replay_page(house)


@pytest.mark.parametrize("rules", ["house", "no_mercy", "flip"])
def test_a_file_comes_back(rules: str) -> None:
    saved = noted(rules, 4, 3, "A game")
    again = Replay.from_json(saved.to_json())
    assert (again.names, again.title) == (saved.names, saved.title)
    assert again.game.to_json() == saved.game.to_json()
    assert again.to_json() == saved.to_json()
    assert [note is None for note in again.notes] == [note is None for note in saved.notes]
    for note, other in zip(again.notes, saved.notes, strict=True):
        if note is not None and other is not None:
            assert note.probabilities == pytest.approx(dict(other.probabilities), abs=1e-6)
            assert note.value == other.value


def test_a_game_is_a_replay_and_a_replay_a_game(house: Replay) -> None:
    assert Game.from_json(house.to_json()).history == house.game.history
    plain = Replay.from_json(house.game.to_json())
    assert plain.names == tuple(player_name(seat) for seat in range(4))
    assert set(plain.notes) == {None}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"title": 3}, "'title'"),
        ({"title": "x" * (MAX_TEXT + 1)}, "'title'"),
        ({"title": "\ud800"}, "'title'"),
        ({"seats": ["a"]}, "'seats': 2 texts"),
        ({"seats": ["a", 2]}, "'seats'"),
        ({"notes": [None]}, "'notes': a list of 5"),
        ({"notes": {"0": None}}, "'notes'"),
        ({"notes": [3, None, None, None, None]}, "note for action 1"),
        ({"notes": [None, {"probabilities": {"r5": 2}}, None, None, None]}, "note for action 2"),
        ({"notes": [None, {"probabilities": {"r5": float("nan")}}, None, None, None]}, "note for action 2"),
        ({"notes": [None, {"probabilities": {"<b>": 0.5}}, None, None, None]}, "note for action 2"),
        ({"notes": [None, {"probabilities": [0.5]}, None, None, None]}, "note for action 2"),
        ({"notes": [None, {"value": float("inf")}, None, None, None]}, "note for action 2"),
        ({"notes": [None, {"value": "high"}, None, None, None]}, "note for action 2"),
    ],
)
def test_what_is_no_replay(change: dict[str, Any], words: str) -> None:
    saved = json.loads(Replay.of(played(Game("duel", seed=1), 1, 5)).to_json())
    with pytest.raises(ValueError, match=re.escape(words)) as caught:
        Replay.from_json(json.dumps({**saved, **change}))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("no_game", [None, 3, "duel"])
def test_a_replay_is_of_a_game(no_game: Any) -> None:
    with pytest.raises(ValueError, match=r"^game=.* is not allowed: give a uno_env\.Game$"):
        Replay.of(no_game)


def test_the_page_needs_nothing_else(house_page: str) -> None:
    page = Page(house_page)
    assert all(link.startswith("#") for link in page.links)
    assert not {"link", "img", "iframe", "object", "embed", "base", "form"} & set(page.tags)
    assert set(re.findall(r"https?://[\w./]+", house_page)) == {"http://www.w3.org/2000/svg"}
    assert re.search(r"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-[\w+/=]{44}'", house_page)
    assert not re.search(r"innerHTML|insertAdjacentHTML|document\.write|eval\(|fetch\(|XMLHttp|import\(", house_page)


def test_without_its_program_the_page_says_so_in_all_languages(house_page: str) -> None:
    for language in languages():
        assert f'<p lang="{language.code}">{language.texts["replay.no_script"]}</p>' in house_page
    assert house_page.count("<title>") == 1, "the program gives cards their titles, in the reader's language"


@pytest.mark.parametrize("rules", ["house", *thorough("no_mercy", "flip")])
def test_the_page_holds_every_decision(rules: str) -> None:
    replay = noted(rules, 4, 3)
    data, edition = Page(replay_page(replay)).data, edition_for(replay.game.rules)
    game = replay.game.start()
    assert len(data["frames"]) == len(replay.game.history) + 1
    for frame, action, note in zip(data["frames"], [*replay.game.history, None], [*replay.notes, None], strict=True):
        assert frame["legal"] == game.legal_names()
        held = [sorted(edition.shown(kind, game.side) for kind in game.hand(seat)) for seat in range(4)]
        assert [sorted(hand) for hand in frame["hands"]] == held
        assert frame["chosen"] == (None if action is None else name(action, game.rules))
        assert (frame["probabilities"] is None) == (note is None)
        if note is not None:
            assert set(frame["probabilities"]) == set(frame["legal"])
            assert frame["value"] == 0.25
        if action is not None:
            game.step(action)
    assert data["frames"][-1]["over"]
    said = [line for frame in data["frames"] for line in frame["said"]]
    sentences = Sentences(replay.names, None, edition_for(game.rules))
    assert said == [sentences.event(event) for event in game.events]


def test_what_each_player_is_told() -> None:
    """A player's view never tells of a secret, and in the end what the events tell the player."""
    hands = ("r5 r1 r2", "r5 y1 y2", "b1 b2 b3")
    table = Table(*hands, jump_in=True, uno_call="automatic", deck="r5 r5 r9 r1 r2 y1 y2 b1 b2 b3 g4 g5").go("0 r5")
    assert table.game.phase == "jump_in"
    data = Page(replay_page(Replay.of(table.go("1 pass").game))).data
    asked, after = data["frames"][1:3]
    assert asked["to_move"] == 1
    assert [own is None for own in asked["seen"]] == [True, False, True]
    assert (asked["said"], after["said"]) == (["Player 1 plays red 5."], ["Player 2 lets it go."])
    told = [own.get("said", after["said"]) for own in after["seen"]]
    assert told == [["You play red 5."], ["You let it go."], ["Player 1 plays red 5."]]


@pytest.mark.thorough
@pytest.mark.parametrize("draw_rules", RANDOM_RULES)
@pytest.mark.parametrize("phase", LETS_GO)
def test_a_player_sees_the_same_whoever_could_be_asked(phase: str, draw_rules: Callable[..., Rules]) -> None:
    """Hands that differ in a card and go alike (tests/helpers/worlds.py)."""
    differing = asked_in(phase, draw_rules, most=12)
    assert len(differing) >= 4
    for worlds in differing:
        assert seen_in_page(worlds.one, worlds.observer) == seen_in_page(worlds.other, worlds.observer)


def seen_in_page(game: Game, seat: int) -> list[Any]:
    """What the page shows of each frame that a seat's view knows."""
    frames = [frame for frame in Page(replay_page(Replay.of(game))).data["frames"] if frame["seen"][seat] is not None]
    views = [{**frame, **frame["seen"][seat]} for frame in frames]
    names = ["top", "colour", "side", "next_back", "last_face", "clockwise", "pile", "discards", "phase", "to_move"]
    names += ["out", "put_out", "called", "penalty", "drawn", "scores", "said", "words"]
    known = [[frame["seen"][seat].get(name, {}) for name in ("known", "backs")] for frame in frames]
    sizes = [[len(hand) for hand in view["hands"]] for view in views]
    own = [view["hands"][seat] for view in views]
    return [[[view[name] for name in names] for view in views], known, sizes, own]


@pytest.mark.thorough
@pytest.mark.parametrize("seed", range(4))
def test_a_player_is_told_all_that_is_open(seed: int) -> None:
    house, no_mercy = Rules.preset("house", stacking="any"), Rules.preset("no_mercy", jump_in=True)
    replay = noted((house if seed % 2 else no_mercy).replace(players=3), 3, seed)
    frames = Page(replay_page(replay)).data["frames"]
    for seat in range(3):
        known = [frame for frame in frames if frame["seen"][seat] is not None]
        said = [line for frame in known for line in frame["seen"][seat].get("said", frame["said"])]
        sentences = Sentences(replay.names, seat, edition_for(replay.game.rules))
        told = [sentences.event(event) for event in events_seen_by(replay.game.events, seat)]
        assert set(told) <= set(said)


@pytest.mark.parametrize("rules", ["classic", "edition_2018"])
def test_what_a_player_has_seen_of_other_hands(rules: str) -> None:
    table = Table("r1 r2 w+4", "b1 b2 b3", "y1 y2 y3", first="r9", pile="g1 g2 g3 g4", preset=rules)
    table.go("0 w+4:b", "1 challenge")
    last = Page(replay_page(Replay.of(table.game))).data["frames"][-1]
    assert [own.get("known", {}) for own in last["seen"]] == [{}, {"0": ["r1", "r2"]}, {}]


def test_a_match_and_an_unfinished_game_have_pages_too() -> None:
    rules = Rules(players=3, hand_size=2, scoring="lowest", target=30, uno_call="automatic")
    game, chance = Game(rules, seed=4, match=True), random.Random(4)
    while not game.over:
        game.step(lively_action(game, chance))
    frames = Page(replay_page(Replay.of(game))).data["frames"]
    assert sum("deals" in " ".join(frame["said"]) for frame in frames) == game.hands_played
    assert frames[-1]["scores"] == game.scores
    unfinished = Page(replay_page(Replay.of(Game("duel")), seat=1)).data
    assert (len(unfinished["frames"]), unfinished["view"]) == (1, 1)
    with pytest.raises(ValueError, match="seat=2 is no seat"):
        replay_page(Replay.of(Game("duel")), seat=2)


def test_a_hand_of_a_match_ends_before_the_next_is_dealt() -> None:
    game, chance = Game(Rules(players=2, hand_size=3, target=1_000), seed=2, match=True), random.Random(2)
    while game.hands_played < 2:
        game.step(lively_action(game, chance))
    frames = Page(replay_page(Replay.of(game))).data["frames"]
    assert [frame["hand"] for frame in frames] == sorted(frame["hand"] for frame in frames)
    ends = [frame for frame in frames if frame["over"]]
    assert [frame["hand"] for frame in ends] == [0, 1]
    assert all(min(map(len, frame["hands"])) == 0 and "wins the hand" in frame["words"] for frame in ends)
    assert len(frames) == len(game.history) + 1 + len(ends)


def test_players_have_names_and_no_codes() -> None:
    game = played(Game("duel", seed=1), 1, 5)
    assert Page(replay_page(Replay.of(game))).data["names"] == ["Player 1", "Player 2"]
    assert Page(replay_page(Replay.of(game, ["Greedy", "Greedy"]))).data["names"] == ["Greedy", "Greedy 2"]
    page = Page(replay_page(Replay.of(game, ["You", "Zoo duel"])))
    assert page.data["names"] == ["Player 1", "Zoo duel"], "others would read 'You plays red 5'"
    assert not re.search(r"player_\d|\b[rygb][0-9]\b", " ".join(frame["words"] for frame in page.data["frames"]))


def test_a_reader_without_a_name_is_called_you_with_all_hands_open_too() -> None:
    game = played(Game("duel", seed=1), 1, 5)
    own, named = (Page(replay_page(Replay.of(game, [name, "Ada"]), 0)).data for name in ("", "Ann"))
    assert (own["you"], named["you"]) == (0, None)
    for data, word in ((own, "You"), (named, "Ann")):
        said = " ".join(line for frame in data["frames"] for line in frame["said"])
        assert set(re.findall(r"\b(You|Ann|Player 1|Ada)\b", said)) == {word, "Ada"}


@pytest.mark.thorough
@pytest.mark.parametrize("draw_rules", RANDOM_RULES)
@pytest.mark.parametrize("phase", LETS_GO)
def test_a_page_for_one_player_holds_nothing_that_others_hide(phase: str, draw_rules: Callable[..., Rules]) -> None:
    """Hands that differ in a card of another give the same page to the byte (tests/helpers/worlds.py)."""
    worlds = asked_in(phase, draw_rules, most=4)
    assert len(worlds) == 4
    for each in worlds:
        one, other = (replay_page(noted_by_all(game), each.observer, only_hand=0) for game in (each.one, each.other))
        assert one == other


def noted_by_all(game: Game) -> Replay:
    """A replay in which everybody tells what they may do, and who holds it."""
    past, notes = game.start(), []
    for action in game.history:
        notes.append(Note({action: 1.0, past.hand(past.to_move)[0]: 0.0}, past.to_move / 10))
        past.step(action)
    return Replay.of(game, notes=notes)


@pytest.mark.thorough
def test_what_an_adviser_thinks_stands_beside_what_the_player_thought(house: Replay) -> None:
    notes = [Note({action: 0.75}, -0.5) if seat % 3 else None for seat, action in enumerate(house.game.history)]
    data = Page(replay_page(house, advice=Advice("Zoo </script>", notes))).data
    assert data["adviser"] == "Zoo </script>"
    for frame, note, thought in zip(data["frames"], notes, house.notes, strict=False):
        assert (frame["advice"] is None) == (note is None)
        assert note is None or frame["advice"] == {"probabilities": {frame["chosen"]: 0.75}, "value": -0.5}
        assert (frame["probabilities"] is None) == (thought is None)


def test_texts_of_strangers_stay_texts() -> None:
    game = played(Game("duel", seed=1), 1, 5)
    page = Page(replay_page(Replay.of(game, [HOSTILE, "x"], title=HOSTILE)))
    assert page.tags.count("script") == 2
    assert "img" not in page.tags
    assert (page.data["title"], page.data["names"][0]) == (HOSTILE, HOSTILE)
    told = sum(line.count(HOSTILE) for frame in page.data["frames"] for line in frame["said"])
    assert page.text.count(HOSTILE) == 2 + told, "the title, the heading and the transcript show it as it is"


@pytest.mark.parametrize("number", [10**30, 10**400, -(10**400), 2**64], ids=["e30", "e400", "-e400", "2^64"])
def test_numbers_that_no_field_holds_are_refused_wherever_they_stand(number: int) -> None:
    saved = json.loads(noted("duel", 2, seed=3).to_json())
    for place in _places(saved):
        if place[0] == "notes" and abs(number) < 10**300:
            continue  # such a value can be expected
        with pytest.raises(ValueError):
            Replay.from_json(json.dumps(_replaced(saved, place, number)))


def test_a_number_of_more_digits_than_are_read_is_refused() -> None:
    for text in ("9" * 5_000, '{"format": "uno-game", "version": ' + "9" * 4_000 + "}"):
        with pytest.raises(ValueError, match=r"^.{1,200}$"):
            Replay.from_json(text)


def _places(value: Any, place: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where the numbers are in plain values: keys and indices, of the first elements of lists."""
    keyed = value.items() if isinstance(value, dict) else enumerate(value[:3]) if isinstance(value, list) else ()
    for key, each in keyed:
        yield from _places(each, (*place, key))
    if isinstance(value, int | float) and not isinstance(value, bool):
        yield place


def _replaced(value: Any, place: tuple[Any, ...], new: Any) -> Any:
    if not place:
        return new
    copied = value.copy()
    copied[place[0]] = _replaced(value[place[0]], place[1:], new)
    return copied


@pytest.mark.thorough
def test_the_page_of_a_long_game_tells_each_event_a_few_times_only(monkeypatch: pytest.MonkeyPatch) -> None:
    told, event = [0], Sentences.event

    def counted(sentences: Sentences, happened: Any) -> str:
        told[0] += 1
        return event(sentences, happened)

    monkeypatch.setattr(Sentences, "event", counted)
    game = played(Game("house", seed=3, players=10), 1, 200)
    replay_page(Replay.of(game, [str(seat) for seat in range(10)]))
    assert told[0] < 10 * 200 * 11, "ten times for each decision and each who looks on"
