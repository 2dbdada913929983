"""``moody`` plays one style while nobody is ahead of it, and another one when somebody is."""

import agents
from agents.scripted.faces import faces_of
from agents.scripted.moody import is_behind
from tests.helpers.table import Table
from uno_env.actions import name
from uno_env.editions.classic import CLASSIC

HAND = "w+4 r1 b2"


def _choices(table: Table) -> set[str]:
    row, mask = table.game.observe(0, "uint8"), table.game.action_mask()
    return {name(agents.load("moody", seed=seed).act(row, mask)) for seed in range(12)}


def test_it_sheds_cards_while_nobody_holds_fewer() -> None:
    table = Table(HAND, "g1 g2 g3", None)
    assert all(choice.startswith("w+4") for choice in _choices(table))


def test_it_is_subdued_when_somebody_holds_fewer() -> None:
    table = Table(f"{HAND} y7", "r3 g1 g2 g3", "b9 g4 g5 g6", pile="b8 b7").go("0 draw, 1 r3, 2 draw")
    assert is_behind(faces_of(CLASSIC)[0], table.game.observe(0, "uint8"))
    assert _choices(table) == {"r1"}
