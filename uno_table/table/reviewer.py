"""What measures and keeps the hands that people play: :class:`Reviewer`."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple, Protocol

from uno_env.game import Game
from uno_env.render.page import Advice
from uno_table.table.kept_hands import KeptGame, KeptHands

if TYPE_CHECKING:
    from uno_table.table.table import Table


class ReviewStep(NamedTuple):
    """How far the review of a hand has come."""

    advice: Advice
    """A note for each action of the game; None where nothing was measured, or not yet."""
    done: int
    """Choices with a note."""
    choices: int
    """Choices that get one."""


class MeasuringStep(NamedTuple):
    """How far the measuring of the hands that are kept has come."""

    hands_done: int
    hands: int
    """Hands that were not measured before."""
    choices_done: int
    choices: int
    """Choices in these hands."""


class Reviewer(Protocol):
    """What a table needs of an object that measures hands, such as
    :class:`uno_table.hands.own_hands.OwnHands`.
    """

    def measure(self, game: Game, seat: int, hand: int) -> Iterator[ReviewStep]:
        """Measure the cost of a seat's choices and the luck of its cards in a hand of a game, counted from 0. There is
        a step after each choice, and the last one has all notes and the luck.
        """
        ...

    def add(self, table: "Table") -> None:
        """Keep the hand that has just ended."""

    def kept(self) -> KeptHands | None:
        """Return what a page shows of the hands that are kept; None if none ever are. Nothing is measured."""
        ...

    def game(self, hand_id: str) -> KeptGame | None:
        """Return the game of a hand that is kept, by its id; None if there is none."""
        ...

    def measure_kept(self) -> Iterator[MeasuringStep]:
        """Measure hands that are not measured yet, and keep that. There is a step at the beginning, after each choice
        and after each hand.
        """
        ...

    def delete(self) -> int:
        """Delete all that is kept. Return the number of hands."""
        ...
