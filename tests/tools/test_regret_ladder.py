"""``python -m tools.regret_ladder``: agents that lose less in positions win more."""

import numpy as np
import pytest

from tools.regret_ladder import correlation, main, regrets_of


def test_rank_correlation_has_an_interval_over_positions() -> None:
    regrets = np.random.default_rng(0).random((4, 400)) + np.array([[0.0], [0.5], [1.0], [1.02]])
    rank, low, high = correlation(regrets, [0.6, 0.5, 0.4, 0.3])
    assert rank == pytest.approx(1)
    assert -1 <= low < high <= 1
    assert correlation(regrets, [0.3, 0.4, 0.5, 0.6])[0] == pytest.approx(-1)


def test_agents_of_the_ladder_are_ordered(capsys: pytest.CaptureFixture[str]) -> None:
    lost = regrets_of("classic-2p", ["tuned", "random"])
    assert lost.shape == (2, 500)
    assert lost[0].mean() < lost[1].mean() / 3
    with pytest.raises(SystemExit):
        main(["--help"])
    assert "orders agents" in capsys.readouterr().out
