"""Playing for nobody, so that what a table takes is compiled before a person waits for it: :func:`rehearse`."""

from collections.abc import Sequence

from uno_env.rules import Rules
from uno_table.table.seat_view import seat_view
from uno_table.table.table import Table
from uno_table.table.table_config import Setup

DECISIONS = 150
"""About five hands of two players: one ends, and one player is asked what the other may not know."""
SLOW = ("search:", "chat:")
"""The beginnings of the specs of agents that think for a second, compiled or not: greedy plays for them."""


def rehearse(specs: Sequence[str], rules: Rules) -> None:
    """Play a few hands among agents. This takes a fraction of a second where everything is compiled.

    The specs are those of the agents to the person's left; each decides once, and gives hints once. Raises ValueError
    if an agent cannot be loaded, or does not play by these rules.
    """
    names = ["greedy" if spec.startswith(SLOW) else spec for spec in specs]
    table = Table(Setup.against(names, rules, adviser=names[0], reaction_seconds=0.0, pace=0.0))
    table.seats[0].agent = table.seats[1].agent
    asked = set()
    for _ in range(DECISIONS):
        question = table.question()
        if question is None:
            table.go_on(0.0)
            continue
        seat_view(table, 0)
        if question.agent not in asked:
            asked.add(question.agent)
            question.hints()
            question.choose()
        table.answer(question, int(question.mask.argmax()), 0.0)
