"""RLCard's deep Monte Carlo in the table: trained by RLCard itself, in RLCard's own environment (:mod:`tools.rlcard`).

It knows RLCard's rules alone, so its trials are on ``rlcard-2p``, the only track that it is measured on. Its runs have
no seed: RLCard's actors and learners do not wait for each other.
"""

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from tools.rlcard.dmc import train_dmc
from tools.rlcard.players import FILES, spec_of
from train.benchmarks import algorithms
from train.benchmarks.measuring import Trained, measure_policy
from train.common.processes import sigterm_interrupts, torch_threads
from train.common.progress import progress_bar
from train.common.suite import Track
from train.evaluation.game_recorder import file_stem
from train.evaluation.scores import scores_of, write_scores
from uno_env.common.files import read_json, write_json

FAMILY, TRACK = "rlcard_dmc", "rlcard-2p"


def train(budget: int, options: Mapping[str, Any], folder: Path) -> tuple[str, Trained]:
    """Train in a folder, or take what was trained there: an agent that :func:`agents.load` takes, and what the training
    took. Raises KeyboardInterrupt after Ctrl-C; what was learnt is lost.
    """
    file, told = folder / "policy.safetensors", folder / "training.json"
    if not told.is_file():
        with sigterm_interrupts(), torch_threads(1), progress_bar(f"RLCard's DMC, {folder.name}", budget) as bar:
            weights, info = train_dmc(actors=1, frames=budget, progress=lambda _, frames: bar(frames), **options)
        if info["frames"] < budget:
            raise KeyboardInterrupt
        FILES["dmc"].save(file, weights, info)
        write_json(told, info)
    info = read_json(told)
    return spec_of("dmc", str(file)), Trained(FAMILY, 0, info["frames"], info["seconds"], info["frames"])


def measure(track: Track, budget: int, options: Mapping[str, Any], seeds: int, folder: Path) -> None:
    """Do the rest of a row: a training for each seed, and the scores of all, where those of the other rows are."""
    runs = []
    for seed in range(seeds):
        run = folder / TRACK / f"{file_stem(FAMILY)}-s{seed}"
        if not (run / algorithms.MEASURED).is_file():
            agent, trained = train(budget, options, run)
            scores = [asdict(score) for score in measure_policy(track, agent, trained._replace(seed=seed), threads=1)]
            write_json(run / algorithms.MEASURED, {"track": TRACK, "algorithm": FAMILY, "seed": seed, "scores": scores})
        runs.append(read_json(run / algorithms.MEASURED))
    write_scores(folder / "scores.jsonl", scores_of({"runs": runs}))
