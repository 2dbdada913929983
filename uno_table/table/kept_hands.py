"""What a person's page shows of the hands that are kept: :class:`KeptHands`."""

from dataclasses import dataclass
from typing import NamedTuple

from uno_env.replay import Replay


@dataclass(frozen=True)
class OpponentsRecord:
    """All hands against the same opponents by the same rules."""

    title: str
    """The level, or the rules and the opponents, in words for people."""
    people: tuple[str, ...]
    """The names of the others, who have faces; empty if they are not all of one level."""
    hands: int
    won: int
    rate: float
    """Win rate, from 0 to 1. A hand that nobody won counts 1 / players."""
    low: float
    high: float
    """The 95 % interval of :attr:`rate`."""
    fair: float
    """1 / players: the win rate if all were equally strong."""
    measured: int
    """Hands of which the choices are measured."""
    habit: str
    """A sentence on the habit that costs most; empty if there is none."""


@dataclass(frozen=True)
class KeptHand:
    """One hand."""

    id: str
    """Names the hand in addresses."""
    title: str
    """As of :class:`OpponentsRecord`."""
    result: str
    """``"won"``, ``"lost"``, or ``"nobody"`` if nobody won."""
    costly: int | None
    """Choices that surely cost something; None before they are measured."""


@dataclass(frozen=True)
class KeptHands:
    """All hands of a person."""

    records: tuple[OpponentsRecord, ...]
    """Levels first, the weakest at the head, then others, those of most hands at the head."""
    latest: tuple[KeptHand, ...]
    """The last hands, the newest first."""
    unmeasured: int
    """Hands whose choices are still to be measured."""
    unreadable: int
    """Lines of the file that are no hands."""


class KeptGame(NamedTuple):
    """The game of a hand, to look at it again."""

    replay: Replay
    """Of the game until the hand was over."""
    seat: int
    """The person's."""
    hand: int
    """Of the match, counted from 0."""
