"""Twins of a game: another state that looks just the same to one seat: :func:`twin`."""

from typing import Any

import numpy as np
import numpy.typing as npt

from uno_env import Game
from uno_env.cards import NUM_KINDS
from uno_env.core.record import DRAWN
from uno_env.invariants import find_faults

Counts = npt.NDArray[np.int64]


def twin(game: Game, seat: int, chance: np.random.Generator) -> Game:
    """A copy in which everything hidden from ``seat`` is dealt anew.

    Draw pile and the other hands' unknown cards are pooled and dealt again, in the same numbers. What the seat has seen
    in other hands stays, and so does a card just drawn that may be played, since the phase tells that it can be. What
    other seats know, whether the last Wild Draw Four was a bluff, used places of the pile and the generator change too.
    """
    other = game.clone()
    record = other.record
    kept = _kept(record, seat, game.players)
    unknown = np.where(np.arange(len(record.hands))[:, None] == seat, 0, record.hands.astype(int) - kept)
    pool = chance.permutation(np.concatenate([_listed(unknown.sum(axis=0)), _pile(record)]))
    for owner in range(game.players):
        if owner != seat:
            drawn, pool = np.split(pool, [unknown[owner].sum()])
            unknown[owner] = np.bincount(drawn, minlength=NUM_KINDS)
            record.hands[owner] = kept[owner] + unknown[owner]
    start, end = int(record.pile_next), int(record.pile_end)
    record.pile[:] = chance.integers(NUM_KINDS, size=len(record.pile))
    record.pile[start:end] = pool
    record.bluffed = chance.integers(2)
    record.rng = chance.integers(2**64, dtype=np.uint64)
    _forget(record, seat, unknown, chance)
    assert find_faults(record, game.rules) == []
    other._mark_legal()
    return other


def _pile(record: Any) -> Counts:
    return record.pile[record.pile_next : record.pile_end].astype(int)


def _listed(counts: Counts) -> Counts:
    return np.repeat(np.arange(NUM_KINDS), counts)


def _kept(record: Any, seat: int, players: int) -> Counts:
    """Cards of each hand that the seat knows of, [MAX_SEATS, NUM_KINDS]; none of its own."""
    kept = np.zeros(record.hands.shape, int)
    for entry in range(record.known_count):
        if record.known_viewers[entry] >> seat & 1 and record.known_owner[entry] != seat:
            kept[record.known_owner[entry], record.known_kind[entry]] += 1
    if record.phase == DRAWN and record.turn != seat:
        kept[record.turn, record.drawn] += 1
    return np.minimum(kept, record.hands)


def _forget(record: Any, seat: int, unknown: Counts, chance: np.random.Generator) -> None:
    """What others know of the cards dealt anew is of the new cards."""
    left = {owner: list(chance.permutation(_listed(unknown[owner]))) for owner in range(len(unknown))}
    for entry in range(record.known_count):
        owner = int(record.known_owner[entry])
        if owner != seat and not record.known_viewers[entry] >> seat & 1:
            record.known_kind[entry] = left[owner].pop()
