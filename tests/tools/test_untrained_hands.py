"""How long hands are among players who have learnt nothing."""

import pytest

from tools import untrained_hands
from tools.untrained_hands import mean_hand, table, untrained
from uno_env import Rules

pytestmark = pytest.mark.adapters


def test_hands_without_voluntary_drawing_are_shorter() -> None:
    duel, starter = Rules.preset("duel"), Rules.preset("starter")
    assert mean_hand(starter, 0, decisions=25_600) < 100 < mean_hand(duel, 0, decisions=64_000)
    assert mean_hand(starter, 0, untrained(starter, 0), decisions=25_600) < 100


def test_a_network_is_that_of_its_seed() -> None:
    starter = Rules.preset("starter")
    first, again, other = (mean_hand(starter, 1, untrained(starter, seed), 12_800) for seed in (1, 1, 2))
    assert first == again != other


def test_an_untrained_network_ends_hands_of_no_mercy() -> None:
    no_mercy = Rules.preset("no_mercy", players=2)
    assert mean_hand(no_mercy, 0, untrained(no_mercy, 0), decisions=25_600) < 60


def test_a_row_for_each_rule(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(untrained_hands, "SEEDS", 2)
    shown = table(["duel"], decisions=6_400)
    assert [row[:2] for row in shown.rows] == [["`duel`, 2", "yes"], ["`duel`, 2", "no"]]
    assert [len(row[3].split("; ")) for row in shown.rows] == [2, 2]
    assert shown.headings[3] == "2 untrained networks"
