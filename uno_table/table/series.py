"""Hand after hand: the game being played, the hand that has just ended, what was won so far: :class:`Series`.

What the seats see of that game: :class:`SeenGame`.
"""

from collections import deque
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import blake2b
from typing import NamedTuple

from uno_env.actions import parse
from uno_env.events import LETTING_GO, Event, events_seen_by
from uno_env.game import Game
from uno_env.rules import Rules

MOST_UNDOS = 100
"""Decisions that can be taken back."""
EVERYBODY = -1
"""The seat of nobody: what it sees, everybody sees."""


class SeenGame:
    """The seats' views of a game until its next decision, each made once."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self._events = len(game.events)
        self._views: dict[int, Game] = {}

    def is_now(self, game: Game) -> bool:
        """Return whether these are the seats' views of a game as it is now."""
        return self.game is game and self._events == len(game.events)

    def by(self, seat: int) -> Game:
        """The game as a seat may see it (:meth:`uno_env.Game.shown_to`)."""
        if seat not in self._views:
            self._views[seat] = self.game.shown_to(seat)
        return self._views[seat]

    @cached_property
    def last_event(self) -> Event:
        """The last event that everybody saw, with its effects if nobody takes a chance that others do not know of, also
        those that are not shown before (:mod:`uno_env.core.observe.unseen`).

        A call before a card is laid does not count: whoever calls may be asked in secret, and still is.
        """
        events = _without_chances(self.game).events
        seen = events_seen_by(events, EVERYBODY, self.game.players + 1)  # each may have called
        while len(seen) > 1 and is_call(seen[-1].phase, seen[-1].action_text):
            call = seen.pop()
            seen[-1] = seen[-1].followed_by(call)
        return seen[-1]


def _without_chances(game: Game) -> Game:
    """The game after all chances were let go that others do not know of: a copy, or the game itself without any."""
    later = game
    while later.shown_to(EVERYBODY) is not later:
        if later is game:
            later = game.clone()
            later.match = False  # the hand stays on the table when it is over
        later.step(parse(LETTING_GO[later.phase], later.rules))
    return later


def is_call(phase: str, action: str) -> bool:
    """Return whether a decision, by the text of its action, is a call of UNO before the card is laid, not in the race
    for a missed call.
    """
    return action == "call" and phase != "catch"


@dataclass(frozen=True)
class Standing:
    """The games and points won at a table so far, by seat."""

    hands: int
    won: tuple[int, ...]
    """Hands."""
    points: tuple[int, ...]
    """Points of the hands that stood alone."""
    matches: tuple[int, ...]
    """Matches."""

    def with_hand(self, winner: int | None, points: list[int]) -> "Standing":
        """After one more hand."""
        summed = tuple(before + more for before, more in zip(self.points, points, strict=True))
        return replace(self, hands=self.hands + 1, won=_one_more(self.won, winner), points=summed)


class Series:
    """The games of a table, or its matches. In a match, a finished hand stays on show until :meth:`go_on`.

    Game k (from 0) is dealt from ``seed + k``, or from a ``secret`` and k if that is not empty.
    """

    def __init__(self, rules: Rules, seed: int, match: bool, secret: str = "") -> None:
        self.rules, self.seed, self.match, self.secret = rules, seed, match, secret
        self.number = 0
        """Games before this one."""
        none = (0,) * rules.players
        self.standing = self.standing_at_deal = Standing(0, none, none, none)
        """Now, and when the game began."""
        self.standing_before = self.standing
        """Before the hand that has ended last."""
        self.game = Game(rules, self.game_seed, match=match)
        self.shown = self.game
        """The game that people look at, or the hand of the match that has just ended."""
        self._seen = SeenGame(self.game)

    @classmethod
    def resumed(
        cls, game: Game, seed: int, number: int, standing: Standing, pausing: bool, secret: str = ""
    ) -> tuple["Series", list["Mark"]]:
        """Play a saved game again up to where it stopped.

        Args:
            game: the saved game; it is not changed.
            seed: the seed of the series.
            number: the number of the game in the series.
            standing: what the players had won when the game began.
            pausing: whether a hand has just ended, and people still look at it.
            secret: what games are dealt from together with their numbers; empty for the seed.

        Returns:
            The series with this game, and the marks before the last decisions of the first seat, to take them back.
        """
        series = cls(game.rules, seed, game.match, secret)
        series.number, series.standing, series.standing_at_deal = number, standing, standing
        series.game = series.shown = game.start()
        ends, choices = _landmarks(game)
        marks = []
        for index, action in enumerate(game.history):
            if series.pausing:
                series.go_on()
            if index in choices:
                marks.append(series.mark())
            if index in ends:
                series.step(action)
            else:  # without the copies that showing the end of a hand takes
                series.game.step(action)
        if series.pausing and not series.game.over and not pausing:
            series.go_on()
        return series, marks

    @property
    def game_seed(self) -> int:
        """The seed of the game's deals."""
        if self.secret:
            return int.from_bytes(blake2b(f"{self.secret} {self.number}".encode(), digest_size=8).digest())
        return (self.seed + self.number) % 2**64

    @property
    def pausing(self) -> bool:
        """True if a hand has ended and people look at it. Nobody moves before :meth:`go_on`."""
        return self.shown is not self.game or self.game.over

    @property
    def seen(self) -> SeenGame:
        """The seats' views of the game that is played."""
        if not self._seen.is_now(self.game):
            self._seen = SeenGame(self.game)
        return self._seen

    def step(self, action: int) -> None:
        """Let the player to move act. Raises ValueError if the action may not be done now, and changes nothing then."""
        before = self.game.clone() if self.match else self.game
        hands = self.game.hands_played
        self.game.step(action)
        if not self.match:
            if self.game.over:
                self._count_hand(self.game)
        elif self.game.hands_played > hands or self.game.over:
            ended = before.clone()  # the hand as it lies on the table before the next one is dealt
            ended.match = False
            ended.step(action)
            self._count_hand(ended)
            self.shown = ended
            if self.game.over:
                matches = _one_more(self.standing.matches, self.game.winner)
                self.standing = replace(self.standing, matches=matches)

    def _count_hand(self, ended: Game) -> None:
        self.standing_before = self.standing
        self.standing = self.standing.with_hand(ended.winner, ended.points)

    def go_on(self) -> None:
        """Go on to the next hand, in a new game if this one is over. Raises ValueError if the hand is not over."""
        if not self.pausing:
            raise ValueError("the hand is not over yet")
        if self.game.over:
            self.number += 1
            self.standing_at_deal = self.standing
            self.game = Game(self.rules, self.game_seed, dealer=self._next_dealer(), match=self.match)
        self.shown = self.game

    def _next_dealer(self) -> int | None:
        """The dealer of the next game, or None if the rules choose one, as they do for every match (GUIDE.md 3.2).

        Hands that stand alone follow each other like those of a match: the deal passes to the left after a high card.
        """
        if self.match or self.rules.dealer != "high_card":
            return None
        return (int(self.game.start().record.dealer) + 1) % self.rules.players

    def mark(self) -> "Mark":
        """A mark of the present moment, for :meth:`back`. There is none while people look at a hand that has ended."""
        return Mark(copy(self), len(self.game.history))

    @classmethod
    def back(cls, mark: "Mark") -> "Series":
        """The series as it was at a mark, its game played again."""
        series = copy(mark.series)
        history, series.game = series.game.history[: mark.decisions], series.game.start()
        for action in history:
            series.game.step(action)
        series.shown = series.game
        return series


class Mark(NamedTuple):
    """A moment of a series. The marks of a game share that game, so they take little room in a long match."""

    series: Series
    """Its game has gone on since."""
    decisions: int
    """Of the game, until then."""


def _landmarks(game: Game) -> tuple[set[int], set[int]]:
    """The actions of a game, by index, that ended a hand, and those that were the first seat's last choices."""
    played, ends, choices = game.start(), set(), deque[int](maxlen=MOST_UNDOS)
    for index, action in enumerate(game.history):
        hands = played.hands_played
        if played.to_move == 0:
            choices.append(index)
        played.step(action)
        if played.over or played.hands_played > hands:
            ends.add(index)
    return ends, set(choices)


def _one_more(counts: tuple[int, ...], seat: int | None) -> tuple[int, ...]:
    return tuple(count + (index == seat) for index, count in enumerate(counts))
