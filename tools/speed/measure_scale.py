"""Measure what a decision of distributed training costs, and whether its speed is what the costs predict.

``python -m tools.speed.measure_scale`` plays and learns some iterations of ``distributed_ppo_duel-2p`` in this process,
as a worker and the learner do. Seconds are CPU seconds of one thread, so that other programs count little. Bytes are
those of the pickled rollouts and weights, which is what Ray sends. Then it trains with one and two workers on this
machine, also behind a slow network that the workers imitate by sleeping, and measures decisions a second.
"""

import argparse
import os
import pickle
import time
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from tools.speed.scale import FILE, Costs, scale_table
from train.algorithms.ppo import PPO
from train.algorithms.ray import worker_pool
from train.algorithms.ray.distributed_ppo import DistributedConfig, DistributedPPO
from train.algorithms.ray.worker_pool import NOT_SENT, Rollouts, Worker
from train.common.processes import cores
from uno_env.common.files import write_json
from uno_env.core.arrays import Array

CHECKED = ((1, 1.25e9), (2, 1.25e9), (1, 1.25e6), (2, 1.25e6))
"""Workers, and bytes a second of the network, of the trainings on this machine."""
SECONDS_A_BYTE = "UNO_SCALE_SECONDS_A_BYTE"
"""The environment variable that tells workers how slow the network is."""


class DistantWorker(Worker):
    """A worker that sleeps for as long as its rollouts would take through a slow network."""

    def play(self, weights: Mapping[str, Array], steps: int) -> Rollouts:
        """Play, then wait."""
        rollouts = super().play(weights, steps)
        time.sleep(float(os.environ[SECONDS_A_BYTE]) * len(pickle.dumps(rollouts, 5)))
        return rollouts


def measure(iterations: int) -> Costs:
    """Play and learn, after one iteration that is not counted."""
    config = DistributedConfig(rules="duel", symmetry=True, threads=1)
    seen: list[tuple[float, ...]] = []
    with PPO(config) as ppo:
        ppo.warm_up()
        for _ in range(iterations + 1):
            began = time.process_time()
            stats, buffer = ppo.play(ppo.config.num_steps), ppo.games.buffer
            fields = vars(buffer.select(buffer.closed()))
            sent = {name: field.numpy() for name, field in fields.items() if name not in NOT_SENT}
            played = time.process_time()
            size = len(pickle.dumps(sent, 5))
            before = time.process_time()
            ppo.update(buffer, stats, 0.0)
            learnt = time.process_time()
            seen.append(tuple(cost / stats.decisions for cost in (played - began, learnt - before, size)))
        weights = len(pickle.dumps(ppo.trainer.get_weights(), 5))
    play, learn, size_each = np.median(seen[1:], axis=0)
    return Costs(float(play), float(learn), float(size_each), weights, stats.decisions)


def trained(workers: int, bandwidth: float, iterations: int) -> float:
    """Decisions a second of a training on this machine, after two iterations that are not counted."""
    os.environ[SECONDS_A_BYTE] = str(workers / bandwidth)  # the workers share the network
    worker_pool.Worker = DistantWorker  # type: ignore[misc]
    config = DistributedConfig(rules="duel", symmetry=True, threads=1, workers=workers)
    with DistributedPPO(config) as learner:
        learner.warm_up()
        for _ in range(2):
            learner.iterate(0.0)
        began, before = time.perf_counter(), learner.decisions
        for _ in range(iterations):
            learner.iterate(0.0)
        return (learner.decisions - before) / (time.perf_counter() - began)


def main() -> None:
    """Measure, and save."""
    parser = argparse.ArgumentParser(prog="python -m tools.speed.measure_scale", description=__doc__)
    parser.add_argument("--iterations", type=int, default=5, help="iterations of each measurement that count")
    parser.add_argument("--out", type=Path, default=FILE, help="the file of figures")
    named = parser.parse_args()
    costs, rates = [], []
    for case in CHECKED:  # costs drift with what else the machine does: measured in turns
        costs.append(measure(named.iterations))
        rates.append((*case, trained(*case, named.iterations)))
    medians = np.median(costs, axis=0).tolist()
    write_json(named.out, {"cores": cores(), "costs": Costs(*medians)._asdict(), "trained": rates})
    print(scale_table())


if __name__ == "__main__":
    main()
