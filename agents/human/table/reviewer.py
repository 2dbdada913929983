"""What measures and keeps the hands that people play: :class:`Reviewer`."""

from typing import TYPE_CHECKING, Protocol

from uno_env.game import Game
from uno_env.render.page import Advice

if TYPE_CHECKING:
    from agents.human.table.table import Table


class Reviewer(Protocol):
    """What a table needs of an object that measures hands, such as
    :class:`train.evaluation.choices.own_hands.OwnHands`.
    """

    def measure(self, game: Game, seat: int, hand: int) -> Advice:
        """Return the cost of a seat's choices and the luck of its cards in a hand of a game, counted from 0."""
        ...

    def add(self, table: "Table") -> None:
        """Keep the hand that has just ended."""

    def report(self, most: int | None = None) -> list[str]:
        """Return sentences on the person, once ``most`` more hands are measured. With None, all hands are."""
        ...

    def delete(self) -> int:
        """Delete all that is kept. Return the number of hands."""
        ...
