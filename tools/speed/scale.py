"""The growth of training beyond one machine: the costs of a decision, and the decisions a second that follow from them.

``python -m tools.speed.measure_scale`` measures the costs, and saves them.
"""

import json
from typing import Any, NamedTuple

from tools import ROOT
from train.common.table import MarkdownTable

FILE = ROOT / "tools" / "docs" / "figures" / "scale.json"
CASES = {
    "1 thread, 1 Gbit/s": (1, 1.25e8),
    "4 threads, 1 Gbit/s": (4, 1.25e8),
    "16 threads, 1 Gbit/s": (16, 1.25e8),
    "16 threads, 100 Mbit/s": (16, 1.25e7),
}
"""Threads of the learner, and bytes a second into its machine."""
WORKERS = (1, 2, 4, 8, 16)


class Costs(NamedTuple):
    """The costs of a decision of all seats; medians over iterations."""

    play: float
    """CPU seconds of a worker."""
    learn: float
    """CPU seconds of the learner."""
    rollout_bytes: float
    weight_bytes: float
    """Of each worker's weights, once an iteration."""
    decisions: float
    """Of a worker in an iteration."""

    @property
    def sent_bytes(self) -> float:
        """Bytes that the network carries for each decision: rollouts one way, weights the other."""
        return self.rollout_bytes + self.weight_bytes / self.decisions

    def rate(self, workers: int, threads: int, bandwidth: float, shared_cores: int | None = None) -> float:
        """Decisions a second at most. The workers play, then send; meanwhile the learner learns.

        ``threads`` of the learner are as many times as fast as one. ``shared_cores`` is the number of cores that
        workers and learner share; None: each has its own.
        """
        seconds = max(self.play / workers + self.sent_bytes / bandwidth, self.learn / threads)
        if shared_cores is not None:
            seconds = max(seconds, (self.play + self.learn) / shared_cores)
        return 1 / seconds


def scale_table() -> str:
    """The saved figures and what follows from them."""
    saved: dict[str, Any] = json.loads(FILE.read_text())
    costs = Costs(**saved["costs"])
    hours, learner_hours = (1e9 * seconds / 3_600 for seconds in (costs.play + costs.learn, costs.learn))
    lines = [
        f"- A worker plays {1 / costs.play:,.0f} decisions in a second of one core. The learner learns from "
        f"{1 / costs.learn:,.0f} in a second of one core.",
        f"- A decision is {costs.rollout_bytes:,.0f} bytes of rollouts. The weights are {costs.weight_bytes:,.0f} "
        f"bytes for each worker after each {costs.decisions:,.0f} of its decisions: "
        f"{costs.weight_bytes / costs.decisions:.1f} bytes a decision.",
        f"- One worker plays as much as {costs.learn / costs.play:.1f} threads learn from. What keeps one thread of "
        f"the learner busy is {costs.sent_bytes / costs.learn * 8 / 1e6:,.0f} Mbit/s.",
        f"- 10⁹ decisions take {hours:.1f} core hours, and at least {learner_hours:.1f} hours with one thread that "
        "learns.",
    ]
    rows = [[str(workers), *(f"{costs.rate(workers, *case):,.0f}" for case in CASES.values())] for workers in WORKERS]
    predicted = MarkdownTable("", ["workers", *CASES], rows).markdown()
    rows = [
        [
            str(workers),
            f"{bandwidth * 8 / 1e6:,.0f} Mbit/s",
            f"{costs.rate(workers, 1, bandwidth, saved['cores']):,.0f}",
            f"{rate:,.0f}",
        ]
        for workers, bandwidth, rate in saved["trained"]
    ]
    checked = MarkdownTable("", ["workers", "network", "predicted", "measured"], rows).markdown()
    lines += ["", "Decisions a second at most, by threads of the learner and network:", "", predicted]
    lines += ["", f"Trained on one machine of {saved['cores']} cores, which workers and learner share:", "", checked]
    return "\n".join(lines)
