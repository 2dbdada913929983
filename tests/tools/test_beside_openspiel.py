"""Speed beside OpenSpiel's is measured on the same game."""

import pytest

from tools.benchmark.beside_openspiel import compare
from uno_env import Rules


@pytest.mark.adapters
def test_openspiel_has_the_same_exploitability_on_the_same_game() -> None:
    pytest.importorskip("pyspiel", reason="OpenSpiel is not installed")
    *times, values = compare(Rules.preset("mini", deck="r1 r2 b1 b2 w", hand_size=1, max_decisions=4))
    assert len(times) == 3
    assert float(values.split()[-2]) < 1e-9
