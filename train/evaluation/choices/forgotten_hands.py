"""Hands that are measured and not kept, as `uno play --forget` wants it: :class:`ForgottenHands`."""

from agents.human.table import Table
from train.evaluation.choices.hand_review import measure_choices


class ForgottenHands:
    """The reviewer of tables (:mod:`agents.human.table.reviewer`) that keeps nothing."""

    measure = staticmethod(measure_choices)

    def add(self, table: Table) -> None:
        """Keep no hand."""

    def report(self, most: int | None = None) -> list[str]:
        """Say that there are no hands."""
        return ["With --forget, no hands are kept."]

    def delete(self) -> int:
        """Return 0: there is nothing to delete."""
        return 0
