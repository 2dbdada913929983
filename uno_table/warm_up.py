"""The parts of people's table that :mod:`uno_env.warm_up` compiles: :data:`PARTS`."""

from collections.abc import Callable, Mapping

from uno_env.editions import OTHERS
from uno_env.game import Game
from uno_env.rules import Rules


def _tables() -> None:
    from uno_table.table.rehearsal import rehearse

    rehearse(["greedy"], Rules.preset("classic", players=2))
    rehearse(["zoo:duel-2p"], Rules.preset("duel"))


def _tables_of_other_editions() -> None:
    from uno_table.table.rehearsal import rehearse

    for name in OTHERS:
        for agent in ("greedy", f"zoo:{name.replace('_', '-')}-2p"):
            rehearse([agent], Rules.preset(name, players=2))


def _reviews() -> None:
    for name in ("duel", *OTHERS):
        _review(Game(Rules.preset(name, players=2), seed=5))


def _review(game: Game) -> None:
    """Review two choices of a game: what they cost, and the luck between them where it is measured."""
    from uno_table.hands.measuring import measure_choices

    while not game.over:
        game.step(game.legal_actions()[0])
    steps = measure_choices(game, 1, 0)
    next(steps), next(steps)


PARTS: Mapping[str, Callable[[], None]] = {
    "tables": _tables,
    "tables of No Mercy and Flip": _tables_of_other_editions,
    "reviews": _reviews,
}
"""The parts, each compiled by doing a little of it."""
