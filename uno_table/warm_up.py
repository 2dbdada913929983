"""The parts of people's table that :mod:`uno_env.warm_up` compiles: :data:`PARTS`."""

from collections.abc import Callable, Mapping

from uno_env.game import Game
from uno_env.rules import Rules


def _tables() -> None:
    from uno_table.table.rehearsal import rehearse

    rehearse(["greedy"], Rules.preset("classic", players=2))
    rehearse(["zoo:duel-2p"], Rules.preset("duel"))


def _reviews() -> None:
    from uno_table.hands.measuring import measure_choices

    game = Game("duel", seed=5)
    while not game.over:
        game.step(game.legal_actions()[0])
    steps = measure_choices(game, 1, 0)
    next(steps), next(steps)  # the costs of two choices, and the luck between them


PARTS: Mapping[str, Callable[[], None]] = {"tables": _tables, "reviews": _reviews}
"""The parts, each compiled by doing a little of it."""
