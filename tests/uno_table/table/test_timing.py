"""GUIDE.md 12 at a table: what a seat sees, and when, does not depend on what others are asked in secret.

Twin tables are played by a clock of the test's own. Their hands differ in a card that another player holds, so that
this player is asked something in one of them only.
"""

import heapq
import itertools
import json
from typing import NamedTuple

import pytest

import agents as agents_of_the_project
from tests.helpers.worlds import LETS_GO, is_asked_unseen, moments, two_worlds
from tests.uno_table.tables import PERSON, table_of
from uno_env import actions as catalogue
from uno_table.table.question import Hints
from uno_table.table.seat_view import seat_view

END = 30.0
"""Seconds that are compared."""
ADVISER_SECONDS = 0.5


class Twins(NamedTuple):
    """A hand in which another player is asked in secret, and one in which nobody is, the same for the observer."""

    asking: object
    calm: object
    observer: int


def twins(phase, number=6):
    """So many twins of a phase."""
    found = []
    for seed in range(3_000):
        worlds = two_worlds(seed, phase)
        if worlds is None or phase not in worlds.asked_differently():
            continue
        for asking, calm in ((worlds.one, worlds.other), (worlds.other, worlds.one)):
            calm_at = {}
            for told, game in moments(calm, worlds.observer):
                calm_at.setdefault(told, None if is_asked_unseen(game, worlds.observer) else game.clone())
            for told, game in moments(asking, worlds.observer):
                is_twin = game.phase == phase and game.to_move != worlds.observer and calm_at.get(told)
                if is_twin and calm_at[told].to_move == worlds.observer:
                    found.append(Twins(game.clone(), calm_at[told], worlds.observer))
                    calm_at[told] = None
        if len(found) >= number:
            return found
    pytest.fail("there are too few twins")


class Play:
    """A table that goes on by itself: people and agents decide so many seconds after they are asked.

    Args:
        game: where it begins, at 0 seconds.
        seconds: by seat; a seat that is not named never decides.
        observer: whose screen is kept, with hints.
        agents: seats of agents; all others are people.
        setup: further fields of the table's setup.
    """

    def __init__(self, game, seconds, observer, agents=(), **setup):
        seats = [("greedy" if seat in agents else PERSON) for seat in range(game.players)]
        self.table = table_of([PERSON, *seats[1:]], game.rules, match=False, adviser="greedy", **setup)
        if 0 in agents:
            self.table.seats[0].agent = agents_of_the_project.load("greedy", rules=game.rules)
        self.table.series.game = self.table.series.shown = game.clone()
        self.table.restart_clock(0.0)
        self.seconds, self.observer, self.now = seconds, observer, 0.0
        self.screens, self._asked, self._due, self._number = [], set(), [], itertools.count()

    def run(self):
        """The screens of the observer, each with the time at which it was shown, until they have decided."""
        while self.now <= END:
            self.table.tick(self.now)
            self._ask()
            self._look()
            times = [each[0] for each in self._due[:1]] + [self.table.wake_at(self.now)]
            times = [time for time in times if time is not None]
            if not times or self._has_decided():
                break
            self.now = min(times)
            while self._due and self._due[0][0] <= self.now:
                heapq.heappop(self._due)[2]()
        return self.screens

    def _has_decided(self):
        return len(self.screens) > 1 and self.screens[-1][2] != self.screens[0][2]

    def _later(self, key, seconds, deed):
        if key not in self._asked and seconds is not None:
            self._asked.add(key)
            heapq.heappush(self._due, (self.now + seconds, next(self._number), deed))

    def _ask(self):
        for question in self.table.questions(self.now):
            key = question.seat, question.ticket
            self._later(key, self.seconds.get(question.seat), lambda question=question: self._answer(question))
        for person in self.table.people:
            seat, ticket = person.number, self.table.ticket(person.number)
            if self.table.choices(seat) and self.now >= self.table.held_until(seat):
                self._later((seat, ticket), self.seconds.get(seat), lambda s=seat, t=ticket: self._move(s, t))
            question = self.table.hint_question(seat, self.now)
            if question is not None:
                deed = lambda question=question: self.table.take_hints(question, Hints({catalogue.DRAW: 1.0}, None))  # noqa: E731
                self._later((seat, ticket, "hints"), ADVISER_SECONDS, deed)

    def _answer(self, question):
        legal = self.table.choices(question.seat)
        if question.ticket == self.table.ticket(question.seat) and legal:
            self.table.answer(question, quiet(legal), self.now)

    def _move(self, seat, ticket):
        legal = self.table.choices(seat)
        if ticket == self.table.ticket(seat) and legal:
            self.table.move(seat, catalogue.name(quiet(legal)), ticket, self.now)

    def _look(self):
        if self.now >= self.table.held_until(self.observer):
            text = json.dumps(seat_view(self.table, self.observer, wants_hints=True))
            if not self.screens or self.screens[-1][1] != text:
                self.screens.append((round(self.now, 6), text, self.table.ticket(self.observer)))


def quiet(legal):
    """Let it go, or else the first legal action."""
    return next((action for action in (catalogue.PASS, catalogue.ACCEPT) if action in legal), legal[0])


def differences(pair, seconds, **setup):
    """What the observer is shown otherwise in one hand than in the other: times, and screens until the move is seen."""
    one, other = (Play(game, seconds, pair.observer, **setup).run() for game in (pair.asking, pair.calm))
    times = [[time for time, *_ in screens] for screens in (one, other)]
    texts = [[text for _, text, ticket in screens if ticket == screens[0][2]] for screens in (one, other)]
    assert len(one) > 1, "the observer's move is seen"
    return [what for what, (this, that) in {"times": times, "screens": texts}.items() if this != that]


DECIDE = {"at once": 0.2, "after the others": 2.5, "after a while": 8.0}
"""Seconds that the observer takes."""


@pytest.mark.parametrize("decides", DECIDE)
@pytest.mark.parametrize("phase", LETS_GO)
@pytest.mark.parametrize("turn_seconds", [0.0, 2.0])
def test_people_are_shown_the_same_at_the_same_time_whoever_else_is_asked(phase, decides, turn_seconds):
    for pair in twins(phase):
        for others in (1.5, None):
            seconds = dict.fromkeys(range(pair.calm.players), others) | {pair.observer: DECIDE[decides]}
            assert differences(pair, seconds, turn_seconds=turn_seconds, secret_seconds=4.0) == []


@pytest.mark.parametrize("phase", LETS_GO)
def test_without_a_window_the_twins_can_be_told_apart(phase):
    """So the comparison finds what it looks for."""
    found = set()
    for pair in twins(phase):
        seconds = dict.fromkeys(range(pair.calm.players), 1.5) | {pair.observer: 0.2}
        found |= set(differences(pair, seconds, secret_seconds=0.0))
    assert "times" in found


@pytest.mark.parametrize("phase", LETS_GO)
@pytest.mark.parametrize("thinks", [0.1, 1.3, 5.0])
def test_who_plays_alone_cannot_tell_that_an_agent_was_asked(phase, thinks):
    for pair in twins(phase):
        agents = [seat for seat in range(pair.calm.players) if seat != pair.observer]
        for decides in DECIDE.values():
            seconds = dict.fromkeys(agents, thinks) | {pair.observer: decides}
            assert differences(pair, seconds, agents=agents, pace=0.8) == []
