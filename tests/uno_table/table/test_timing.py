"""GUIDE.md 12 at a table: what a seat sees, and when, does not depend on what others are asked in secret.

Twin tables are played by a clock of the test's own. Their hands differ in a card that another player holds, so that
this player is asked something in one of them only. Under random rules of each edition, so that every switch has its
turn.
"""

import heapq
import itertools
import json
from typing import NamedTuple

import pytest

import agents as agents_of_the_project
from tests.helpers.marks import thorough
from tests.helpers.random_rules import random_flip_rules, random_no_mercy_rules, random_rules
from tests.helpers.worlds import LETS_GO, is_asked_unseen, moments, two_worlds, waits
from tests.uno_table.tables import PERSON, table_of
from uno_env import Game
from uno_env import actions as catalogue
from uno_table.table.moment import quiet_action
from uno_table.table.question import Hints
from uno_table.table.seat_view import seat_view

END = 30.0
"""Seconds that are compared."""
SECRET_SECONDS, PACE = 4.0, 0.8
ADVISER_SECONDS = 0.5


class Twins(NamedTuple):
    """A hand in which another player is asked in secret, and one in which nobody is, or somebody else, the same for the
    observer.
    """

    one: Game
    other: Game
    observer: int


def twins(focus, draw_rules=random_rules):
    """Twins at every question of hands by chance, under all switches; two of a hand at most."""
    for seed in itertools.count():
        worlds = two_worlds(seed, focus, draw_rules)
        if worlds is None:
            continue
        one, other = (first_and_last(game, worlds.observer) for game in (worlds.one, worlds.other))
        pairs = [(one[told], other[told]) for told in one if told in other]
        found = [Twins(*pair, worlds.observer) for pair in comparable(pairs, worlds.observer)]
        yield from found[:2]


def first_and_last(game, observer):
    """By the number of events that the observer has been told of, the game at the first and last moment after them."""
    found = {}
    for told, shown in moments(game, observer):
        now = shown.clone()
        found[told] = (found.get(told, (now,))[0], now)
    return found


def comparable(pairs, observer):
    """The first moments that are asked differently. Where the observer waits for the card on top to act, it must have
    done so in the same way.
    """
    for (one, one_last), (other, other_last) in pairs:
        is_waiting = waits(one, observer) or waits(other, observer)
        has_acted = not is_asked_unseen(one_last, observer) and not is_asked_unseen(other_last, observer)
        if are_asked_differently(one, other, observer) and (has_acted or not is_waiting):
            yield one, other


def are_asked_differently(one, other, observer):
    """Whether somebody else is asked in secret in one of two games, and not the same in the other."""
    asked = [is_asked_unseen(game, observer) and (game.phase, game.to_move) for game in (one, other)]
    return asked[0] != asked[1]


class Play:
    """A table that goes on by itself, from one thing that the observer sees to the next.

    Args:
        game: where it begins, at 0 seconds.
        seconds: by seat. Agents decide so many seconds after they are asked, people do so at that time of the clock, or
            when they are asked later. A seat that is not named never decides.
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
        """The screens of the observer, each with the time at which it was shown, until something has happened."""
        while self.now <= END:
            self.table.tick(self.now)
            self._ask()
            self._look()
            times = [each[0] for each in self._due[:1]] + [self.table.wake_at(self.now)]
            times = [time for time in times if time is not None]
            if not times or self._something_happened():
                break
            self.now = min(times)
            while self._due and self._due[0][0] <= self.now:
                heapq.heappop(self._due)[2]()
        return self.screens

    def _something_happened(self):
        return len(self.screens) > 1 and self.screens[-1][2] != self.screens[0][2]

    def _at(self, time, key, deed):
        if key not in self._asked:
            self._asked.add(key)
            heapq.heappush(self._due, (time, next(self._number), deed))

    def _ask(self):
        for question in self.table.questions(self.now):
            key = question.seat, question.ticket
            self._at(self.now + self.seconds[question.seat], key, lambda question=question: self._answer(question))
        for person in self.table.people:
            seat, ticket = person.number, self.table.ticket(person.number)
            if seat in self.seconds and self.table.choices(seat) and self.now >= self.table.held_until(seat):
                time = max(self.now, self.seconds[seat])
                self._at(time, (seat, ticket), lambda s=seat, t=ticket: self._move(s, t))
            question = self.table.hint_question(seat, self.now)
            if question is not None:
                self._at(self.now + ADVISER_SECONDS, (seat, ticket, "hints"), lambda q=question: self._hint(q))

    def _answer(self, question):
        legal = self.table.choices(question.seat)
        if question.ticket == self.table.ticket(question.seat) and legal:
            self.table.answer(question, quiet_action(legal, self.table.setup.rules), self.now)

    def _move(self, seat, ticket):
        legal = self.table.choices(seat)
        if ticket == self.table.ticket(seat) and legal:
            rules = self.table.setup.rules
            self.table.move(seat, catalogue.name(quiet_action(legal, rules), rules), ticket, self.now)

    def _hint(self, question):
        drawing = catalogue.parse("draw", self.table.setup.rules)
        self.table.take_hints(question, Hints({drawing: 1.0}, None))

    def _look(self):
        if self.now >= self.table.held_until(self.observer):
            text = json.dumps(seat_view(self.table, self.observer, wants_hints=True))
            if not self.screens or self.screens[-1][1] != text:
                self.screens.append((round(self.now, 6), text, self.table.ticket(self.observer)))


def differences(pair, seconds, **setup):
    """What the observer is shown otherwise in one hand than in the other until something happens: times, or screens.

    Where a player does something else, since its hand is another, there is nothing to compare.
    """
    plays = [Play(game, seconds, pair.observer, **setup) for game in (pair.one, pair.other)]
    one, other = (play.run() for play in plays)
    if plays[0].table.game.events[-1].action != plays[1].table.game.events[-1].action:
        return []
    times = [[time for time, *_ in screens] for screens in (one, other)]
    texts = [[text for _, text, ticket in screens if ticket == screens[0][2]] for screens in (one, other)]
    return [what for what, (this, that) in {"times": times, "screens": texts}.items() if this != that]


def tables(pair):
    """Who sits at the table with the observer, when they decide, and the limits."""
    others = [seat for seat in range(pair.one.players) if seat != pair.observer]
    for observer in (0.2, 2.5, 8.0):
        for turn_seconds, time in itertools.product((0.0, 2.0, 20.0), (1.5, None)):
            seconds = {pair.observer: observer} | ({} if time is None else dict.fromkeys(others, time))
            yield {"seconds": seconds, "turn_seconds": turn_seconds, "secret_seconds": SECRET_SECONDS}
        for thinks in (0.1, 0.5, 1.3, 5.0):
            seconds = {pair.observer: observer} | dict.fromkeys(others, thinks)
            yield {"seconds": seconds, "agents": others, "pace": PACE}
            if len(others) > 1:
                yield {"seconds": seconds, "agents": others[1:], "pace": PACE, "secret_seconds": SECRET_SECONDS}


FOCUSES = (None, *LETS_GO, "deflect")
NUMBER = 8
"""Twins of each focus."""


@pytest.mark.parametrize(
    "draw_rules",
    [random_rules, *thorough(random_no_mercy_rules, random_flip_rules)],
    ids=["classic", "no_mercy", "flip"],
)
@pytest.mark.parametrize("focus", FOCUSES)
def test_nobody_can_tell_by_the_time_that_another_was_asked(focus, draw_rules):
    """Each pair of twins at a few of the tables, in turn."""
    kinds = itertools.count()
    for pair in itertools.islice(twins(focus, draw_rules), NUMBER):
        every = list(tables(pair))
        for _ in range(4):
            table = every[5 * next(kinds) % len(every)]
            assert differences(pair, **table) == [], (pair.one.rules, pair.one.phase, pair.other.phase, table)


@pytest.mark.parametrize("focus", LETS_GO)
def test_without_a_window_the_twins_can_be_told_apart(focus):
    """So the comparison finds what it looks for."""
    found = set()
    for pair in itertools.islice(twins(focus), NUMBER):
        seconds = dict.fromkeys(range(pair.one.players), 1.5) | {pair.observer: 0.2}
        found |= set(differences(pair, seconds, secret_seconds=0.0))
    assert "times" in found
