"""The past of a hand, for policies that read it: the last events as tokens, and the states of recurrent players.

The option ``history=K`` shows a policy a history, uint8 [K, :data:`EVENT_SIZE`]. It has one row for each of the last K
events of the hand that the observer has seen, the newest last. If there are fewer than K events, rows of zeros come
first. :data:`HISTORY_LAYOUT` describes the columns, and :mod:`uno_env.core.observe.history` says who sees which events.
:class:`Memory` keeps the states of recurrent players.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from uno_env.common.numbers import checked_whole
from uno_env.core.arrays import Array, Bytes, Ints
from uno_env.core.observe import history as kernels
from uno_env.core.observe.history_layout import (
    EVENT_SIZE,
    HISTORY_LAYOUT,
    HISTORY_VERSION,
    EventColumns,
    history_layout_of,
)
from uno_env.core.record import ALL_PHASE_NAMES, MAX_SEATS
from uno_env.editions import EDITIONS
from uno_env.editions.classic import CLASSIC
from uno_env.editions.edition import Edition
from uno_env.events import Event, events_seen_by, verify_events
from uno_env.player import Player

if TYPE_CHECKING:
    from uno_env.game import Game

__all__ = [
    "EVENT_SIZE",
    "HISTORY_LAYOUT",
    "HISTORY_VERSION",
    "EventColumns",
    "Histories",
    "Memory",
    "histories_for",
    "history_for",
    "history_of",
    "history_space",
    "recall",
]

_PHASES = ("deal", *ALL_PHASE_NAMES)
LONGEST = 10**6
"""Events that are given at most."""
MOST_EVENTS = 2**62
"""More than any seat can see; indices made of their numbers stay below 2**63."""


def history_of(events: Sequence[Event], observer: int, length: int) -> Bytes:
    """The last ``length`` events, 1 or more, of a hand as a seat has seen them, uint8 [length, EVENT_SIZE]; ``events``
    are a game's, from a deal on. Raises ValueError if they are none, or there is no such seat or length.
    """
    verify_events(events)
    checked_whole("observer", observer, 0, (len(events[0].held) if events else MAX_SEATS) - 1)
    checked_whole("length", length, 1, LONGEST)
    seen = events_seen_by(events, observer, length)
    deals = [index for index, event in enumerate(seen) if event.phase == "deal"]
    seen = seen[deals[-1] :] if deals else seen
    rows = np.zeros((length, EVENT_SIZE), np.uint8)
    for row, event in zip(rows[length - len(seen) :], seen, strict=True):
        row[:] = _row(event, observer)
    return rows


def history_for(agent: Player, events: Sequence[Event], observer: int) -> tuple[Bytes, ...]:
    """Return the arguments of an agent besides the observation: a tuple of its history as ``observer``, or an empty one
    if it reads none. ``events`` are those of a game from a deal on.
    """
    return (history_of(events, observer, agent.history),) if agent.history else ()


def histories_for(agent: Player, histories: Array | None, indices: Array) -> tuple[Array, ...]:
    """The same for the games ``indices`` of a batch, whose :attr:`uno_env.BatchedGames.history` is given."""
    return () if histories is None or not agent.history else (histories[indices],)


def _row(event: Event, observer: int) -> list[int]:
    players = len(event.held)
    seats = [(observer + relative) % players for relative in range(players)]
    empty = [0] * (MAX_SEATS - players)
    return [
        1 + (event.seat - observer) % players,
        1 + (event.turn - observer) % players,
        _PHASES.index(event.phase),
        0 if event.action is None else 1 + event.action,
        int(event.legal),
        1 + event.top + event.side * len(EDITIONS[event.edition].kinds),
        1 + event.colour,
        int(event.laid_at_once),
        *(event.taken[seat] for seat in seats),
        *empty,
        *(event.held[seat] for seat in seats),
        *empty,
    ]


@cache
def highest_in(edition: Edition) -> Bytes:
    """The highest number that each column of an event can have in an edition, uint8 [EVENT_SIZE]."""
    runs = history_layout_of(edition).values()
    return np.concatenate([np.full(run.width, run.values - 1, np.uint8) for run in runs])


def history_space(length: int, edition: Edition = CLASSIC) -> spaces.Box:
    """Space of a history of ``length`` events. Raises ValueError if there are none of them, or too many."""
    checked_whole("length", length, 1, LONGEST)
    high = np.tile(highest_in(edition), (length, 1))
    return spaces.Box(np.zeros_like(high), high, dtype=np.uint8)


class Histories:
    """The events that every seat of each of N games has seen, recorded by compiled code around each step.

    ``edition`` is that of the games. ``shown``, uint8 [N, K, EVENT_SIZE], is room for what one seat of each game has
    seen; ``arrays`` is what is recorded, as :mod:`uno_env.core.observe.history` takes it.
    """

    def __init__(self, num_games: int, players: int, length: int, edition: Edition = CLASSIC) -> None:
        self._highest = highest_in(edition)
        self._rings = np.zeros((num_games, players, length, EVENT_SIZE), np.uint8)
        self._seen = np.zeros((num_games, players), np.int64)
        self._growth = np.zeros((num_games, players, MAX_SEATS), np.int16)
        self._facts = np.zeros((num_games, kernels.FACTS), np.int16)
        self.arrays = (self._rings, self._seen, self._growth, self._facts)
        self.shown = np.zeros((num_games, length, EVENT_SIZE), np.uint8)

    def state(self) -> dict[str, Array]:
        """The arrays that hold everything recorded, by name; not copies."""
        return {"history": self._rings, "told": self._seen, "growth": self._growth}

    def verify(self, state: Mapping[str, Array]) -> None:
        """Raise :class:`ValueError` if the arrays of a :meth:`state` from outside cannot have been recorded."""
        seen = state["told"]
        if seen.size and not 0 <= seen.min() <= seen.max() < MOST_EVENTS:
            raise ValueError(f"the state has 'told' from {seen.min()} to {seen.max()}: it counts events from 0 up")
        if (state["history"] > self._highest).any():
            raise ValueError("the state's 'history' holds events that there are not")


class Memory:
    """The states of the recurrent players in a batch of ``num_games`` games with ``seats`` seats.

    A recurrent player has a :attr:`uno_env.player.Player.state_size` above 0. It has one state for each game and seat,
    a vector float32 [state_size], which is all zeros when a hand begins. Its ``act_recurrent`` receives the states of
    the rows that it is asked about and overwrites them with the new states. Players without a state are asked by
    ``act_batch``.
    """

    def __init__(self, players: Sequence[Player], num_games: int, seats: int) -> None:
        self._states = {
            number: np.zeros((num_games, seats, player.state_size), np.float32)
            for number, player in enumerate(players)
            if player.state_size
        }

    def forget(self, games: Array) -> None:
        """Set the states of these games, integers [K], to zeros, because their hands are over."""
        for states in self._states.values():
            states[games] = 0

    def take(self, games: Array) -> None:
        """Keep only these games, integers [K], in this order. The others are dropped."""
        self._states = {number: states[games] for number, states in self._states.items()}

    def act(
        self, number: int, player: Player, observations: Array, masks: Array, at: tuple[Array, Array], *histories: Array
    ) -> Ints:
        """Ask a player, by its index ``number`` in ``players``, for actions; a recurrent one reads and updates its
        states.

        The M rows are observations float32 or uint8 [M, D] with masks [M, A] and what
        :func:`uno_env.history.histories_for` returns; ``at`` are their games and seats, two arrays of integers [M].
        Returns an action for each row.
        """
        if number not in self._states:
            return player.act_batch(observations, masks, *histories)
        states = self._states[number][at]
        actions = player.act_recurrent(observations, masks, states, *histories)
        self._states[number][at] = states
        return actions


def recall(player: Player, game: "Game", seat: int) -> npt.NDArray[np.float32]:
    """The state of a recurrent player at a seat of a game, float32 [1, state_size].

    The game is replayed, and the player is asked again about each of the seat's decisions so far.
    """
    states = np.zeros((1, player.state_size), np.float32)
    past = game.start()
    hand = past.hands_played
    for action in game.history:
        if past.hands_played > hand:
            hand, states[:] = past.hands_played, 0
        if past.to_move == seat:
            history = (each[None] for each in history_for(player, past.events, seat))
            player.act_recurrent(past.observe(seat, "uint8")[None], past.action_mask()[None], states, *history)
        past.step(action)
    if game.hands_played > hand:
        states[:] = 0
    return states
