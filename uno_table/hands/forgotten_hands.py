"""Hands that are measured and not kept, as `uno play --forget` wants it: :class:`ForgottenHands`."""

from collections.abc import Iterator

from uno_table.hands.hand_review import measure_choices
from uno_table.table import Table
from uno_table.table.reviewer import MeasuringStep


class ForgottenHands:
    """The reviewer of tables (:mod:`uno_table.table.reviewer`) that keeps nothing."""

    measure = staticmethod(measure_choices)

    def add(self, table: Table) -> None:
        """Keep no hand."""

    def kept(self) -> None:
        """Return None: no hands are kept."""

    def game(self, hand_id: str) -> None:
        """Return None: there is no such hand."""

    def measure_kept(self) -> Iterator[MeasuringStep]:
        """Measure nothing."""
        return iter(())

    def delete(self) -> int:
        """Return 0: there is nothing to delete."""
        return 0
