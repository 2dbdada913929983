"""The parts of people's table that :mod:`uno_env.warm_up` compiles: :data:`PARTS`."""

from collections.abc import Callable, Mapping

from uno_env.rules import Rules


def _tables() -> None:
    from uno_table.table.rehearsal import rehearse

    rehearse(["greedy"], Rules.preset("classic", players=2))
    rehearse(["zoo:duel-2p"], Rules.preset("duel"))


PARTS: Mapping[str, Callable[[], None]] = {"tables": _tables}
"""The parts, each compiled by doing a little of it."""
