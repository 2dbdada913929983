"""The course of a game from its deal on: :class:`Course`."""

from typing import Self, cast

import numpy as np

from uno_env.core.arrays import Array
from uno_env.core.legal import legal_actions
from uno_env.core.loops.single_game import ACTION, DEAL, ENTRY_SIZE, begin
from uno_env.events import Event, event_of
from uno_env.rules import Rules

ROOM = 64
"""Decisions that a course has room for before it is given more."""


class Course:
    """A game's record, and a log of what was done, both of which one call of compiled code changes.

    So an interrupt finds a decision done and noted, or neither; all else is derived from these. A game that is dealt
    anew has another course.

    Args:
        array: the game as it was dealt, a record [1].
        rules: a single hand's, as compiled code reads them, [1].

    Attributes:
        array: the game as it is now.
        start: as it was dealt.
        mask: uint8 [A], what may be done now.
        log: int16 [room, ENTRY_SIZE], what happened (:mod:`uno_env.core.loops.single_game`).
        length: int64 [1], entries of the log.
    """

    __slots__ = ("_added", "_events", "array", "length", "log", "mask", "start")

    def __init__(self, array: Array, rules: Array) -> None:
        self.array, self.start = array, array.copy()
        self.mask = np.zeros(rules["action_kind"].shape[-1], np.uint8)
        self.log, self.length = np.zeros((ROOM, ENTRY_SIZE), np.int16), np.zeros(1, np.int64)
        self._events: list[Event] = []
        self._added = 0
        begin(array, rules, self.mask, self.log, self.length)

    def copy(self) -> Self:
        """An independent copy."""
        twin = object.__new__(type(self))
        for name in ("array", "start", "mask", "log", "length", "_events"):
            setattr(twin, name, getattr(self, name).copy())
        twin._added = self._added
        return twin

    def make_room(self) -> None:
        """Let the log hold twice as many entries."""
        self.log = np.concatenate((self.log, np.zeros_like(self.log)))

    @property
    def history(self) -> list[int]:
        """Ids of all actions so far."""
        actions = self.log[: self.length.item(), ACTION]
        return cast(list[int], actions[actions != DEAL].tolist())

    def events(self, rules: Rules) -> list[Event]:
        """Events since the deal, the deal included. It is the course's own list, which grows with it."""
        unread = self.log[len(self._events) - self._added : self.length.item()].tolist()
        self._events += [event_of(entry, rules) for entry in unread]
        return self._events

    def forget_events(self, number: int) -> None:
        """Drop the oldest events from the list; the log keeps them."""
        del self._events[:number]
        self._added -= number  # the next unread entry of the log stays the same

    def show(self, array: Array, hand: Array, event: Event, rules: Rules) -> None:
        """Replace the game's record by ``array``, which an event that is not in the log leads to."""
        self.events(rules).append(event)
        self._added += 1
        self.array = array
        legal_actions(array[0], hand[0], self.mask)
