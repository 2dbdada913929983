"""GUIDE.md 12: nothing hidden is told of the past, in events, renderings and the option ``history``.

Two hands are compared whose decks differ in cards that one seat never sees. If the hands went alike before that
seat's eyes, decision by decision, then the seat must be told of them alike.
"""

import random
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pytest

from tests.helpers.playing import lively_action
from tests.helpers.random_rules import random_rules
from uno_env import Game, Rules
from uno_env import actions as catalogue
from uno_env.events import Event, events_seen_by
from uno_env.history import history_of
from uno_env.render import ansi

ATTEMPTS = 1_000
LENGTHS = (1, 4, 60)


class Worlds(NamedTuple):
    """Two hands that went alike for a seat."""

    observer: int
    one: Game
    other: Game

    @property
    def asked_differently(self) -> bool:
        """Whether only one of them had chances to jump in that others let go by."""
        return len(self.one.events) != len(self.other.events)


class Seen(NamedTuple):
    """A decision that the observer is told of, and what it saw right before."""

    seat: int
    action: int
    row: bytes


def play(game: Game, observer: int, chance: random.Random, decisions: int) -> list[Seen]:
    """Play on until nobody is being asked in secret; what the observer saw."""
    seen = []
    while not game.over and (len(game.history) < decisions or asked_in_secret(game, observer)):
        secret = asked_in_secret(game, observer)
        action = lively_action(game, chance)
        if not secret or action != catalogue.PASS:
            seen.append(Seen(game.to_move, action, game.observe(observer).tobytes()))
        game.step(action)
    return seen


def asked_in_secret(game: Game, observer: int) -> bool:
    """Whether another seat may jump in, and the observer need not know."""
    return game.phase == "jump_in" and game.to_move != observer


def went_alike(game: Game, observer: int, seen: list[Seen]) -> bool:
    """Do in a game what the observer saw in another; whether it can be done and looks the same to it."""
    for decision in seen:
        while asked_in_secret(game, observer) and decision.action not in (catalogue.JUMP_IN, catalogue.CALL):
            game.step("pass")
        while asked_in_secret(game, observer) and game.to_move != decision.seat:
            game.step("pass")
        if game.to_move != decision.seat or decision.action not in game.legal_actions():
            return False
        if game.observe(observer).tobytes() != decision.row:
            return False
        game.step(decision.action)
    while asked_in_secret(game, observer):
        game.step("pass")
    return True


def with_another_card(deck: list[int], one: Game, chance: random.Random) -> list[int]:
    """The deck with two cards in each other's place, one of them often the twin of one that was laid."""
    dealt = one.players * one.rules.hand_size
    first, second = chance.randrange(dealt), chance.randrange(len(deck))
    laid = [kind for kind in one.history if kind < catalogue.PLAY_WILD]
    twins = [place for place, kind in enumerate(deck) if kind in laid]
    if twins and chance.random() < 0.8:
        second = chance.choice(twins)
    swapped = list(deck)
    swapped[first], swapped[second] = deck[second], deck[first]
    return swapped


def rules_by_chance(chance: random.Random) -> Rules:
    """Any rules, half of them with jumping in."""
    rules = random_rules(chance, illegal_action="raise")
    return rules.replace(jump_in=True) if chance.random() < 0.5 else rules


def two_worlds(seed: int) -> Worlds | None:
    """Two hands that went alike for a seat though their decks differ; None if they did not."""
    chance = random.Random(seed)
    rules = rules_by_chance(chance)
    observer, dealer = chance.randrange(rules.players), chance.randrange(rules.players)
    deck = np.repeat(np.arange(len(rules.deck_counts)), rules.deck_counts).tolist()
    chance.shuffle(deck)
    try:
        one = Game(rules, seed, deck, dealer)
        seen = play(one, observer, chance, decisions=chance.randrange(4, 30))
        other = Game(rules, seed, with_another_card(deck, one, chance), dealer)
    except ValueError:
        return None  # no card may lie first
    alike = went_alike(other, observer, seen) and one.observe(observer).tobytes() == other.observe(observer).tobytes()
    return Worlds(observer, one, other) if alike and not one.over and str(one) != str(other) else None


@cache
def pairs() -> list[Worlds]:
    """All the pairs of worlds that a number of attempts finds."""
    return [worlds for worlds in map(two_worlds, range(ATTEMPTS)) if worlds]


def told(game: Game, observer: int) -> dict[str, Any]:
    """Everything that a seat is told of the past."""
    tokens = {f"history={length}": history_of(game.events, observer, length).tolist() for length in LENGTHS}
    return {"events": events_seen_by(game.events, observer), "rendering": ansi(game, observer), **tokens}


def test_what_is_told_of_the_past_tells_nothing_hidden() -> None:
    for observer, one, other in pairs():
        assert told(one, observer) == told(other, observer)


def test_the_pairs_cover_what_could_leak() -> None:
    found = pairs()
    assert len(found) >= 100
    assert sum(worlds.asked_differently for worlds in found) >= 10
    assert sum(worlds.one.rules.jump_in for worlds in found) >= 20
    assert {worlds.one.players for worlds in found} >= {2, 3, 4, 5, 7, 10}


def test_leaving_out_a_secret_event_alone_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """What came of it must be told with the event before, or its absence tells that somebody was asked."""
    monkeypatch.setattr(Event, "followed_by", lambda self, secret: self)
    differing = [name for worlds in pairs() for name in _differing(worlds)]
    assert {"rendering", "history=60"} <= set(differing)


def test_telling_a_secret_event_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Event, "is_seen_by", lambda self, observer: True)
    differing = [name for worlds in pairs() for name in _differing(worlds)]
    assert {"rendering", "history=60"} <= set(differing)


def _differing(worlds: Worlds) -> list[str]:
    one, other = (told(game, worlds.observer) for game in (worlds.one, worlds.other))
    return [name for name, value in one.items() if value != other[name]]
