"""What follows from the costs of a decision: the slowest of playing, learning, network and shared cores decides."""

import pytest

from tools.speed.scale import Costs

COSTS = Costs(play=1e-5, learn=2e-5, rollout_bytes=90, weight_bytes=1_000, decisions=100)


@pytest.mark.parametrize(
    ("workers", "threads", "bandwidth", "shared_cores", "rate"),
    [
        (1, 1, 1e9, None, 50_000),  # learning
        (1, 4, 1e12, None, 100_000),  # playing
        (4, 16, 1e12, None, 400_000),
        (1, 1, 1e5, None, 1 / (1e-5 + 100 / 1e5)),  # the network, after playing
        (1, 1, 1e9, 1, 1 / 3e-5),  # one core for both
    ],
)
def test_the_slowest_decides(
    workers: int, threads: int, bandwidth: float, shared_cores: int | None, rate: float
) -> None:
    assert COSTS.sent_bytes == 100
    assert COSTS.rate(workers, threads, bandwidth, shared_cores) == pytest.approx(rate, rel=1e-3)
