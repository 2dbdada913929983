"""The search for the hyperparameters of each family: random search, the same number of trials for all.

``python -m tools.benchmark tune`` runs what is left of it. A trial is one run on ``duel-2p`` with 10⁶ decisions and
one seed. RLCard's DMC knows RLCard's rules alone, so its trials are on ``rlcard-2p``. The strength of a trial is the
mean win rate against the opponents of the track on deals that no score is measured on. Trial 0 is the config that
ships. The others are drawn uniformly from :data:`SPACE`, by a fixed seed. One seed can be lucky, so the best trials are
done :data:`AGAIN` with other seeds. All trials are published in ``benchmark/v1/trials.jsonl``, and the table
(:mod:`tools.benchmark.table`) uses the best of each family on every track.
"""

import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean
from typing import Any, ClassVar

from agents.policy.policy_file import policy_path
from tools.benchmark import rlcard_dmc
from tools.benchmark.freeze import FOLDER
from train.benchmarks import algorithms
from train.benchmarks.measuring import Trained, measure_policy
from train.benchmarks.plans import RunPlan
from train.cli.arguments import Command
from train.cli.errors import user_input
from train.common.options import Folder
from train.common.suite import read_suite
from train.common.table import show_lines
from uno_env.common.files import write_text

FILE = FOLDER / "trials.jsonl"
TRACK, BUDGET, TRIALS = "duel-2p", 1_000_000, 16
SEED, RUN_SEED = 2_033, 1_000
"""Seed of the draws and of the deals; seed of the runs, none that the table uses."""
DEALS = 1_000
FINALISTS, AGAIN = 4, 2
"""So many best trials of each family are done again, so many times; then the mean over the seeds decides."""

_SELF_PLAY: dict[str, Sequence[Any]] = {
    "learning_rate": (0.0005, 0.001, 0.002, 0.004, 0.008),
    "num_envs": (128, 256, 512, 1024, 2048),
    "num_steps": (32, 64),
    "minibatch_size": (512, 1024, 2048, 4096),
    "n_epochs": (1, 2, 3, 4),
}
_PPO: dict[str, Sequence[Any]] = {"gae_lambda": (0.8, 0.9, 0.95, 0.98), "ent_coef": (0.003, 0.007, 0.015, 0.03)}
_THEIRS: dict[str, Sequence[Any]] = {
    **_PPO,
    "learning_rate": (0.0003, 0.0006, 0.001, 0.002, 0.004),
    "n_epochs": (1, 2, 4, 8),
}
SPACE: dict[str, dict[str, Sequence[Any]]] = {
    "ppo": _SELF_PLAY | _PPO,
    "mmd": _SELF_PLAY
    | {"gae_lambda": _PPO["gae_lambda"], "magnet_coef": (0.03, 0.1, 0.2), "magnet_rate": (0.02, 0.05, 0.1)},
    "dmc": _SELF_PLAY | {"epsilon": (0.02, 0.05, 0.1, 0.2)},
    "sb3_ppo": _THEIRS | {"num_envs": (64, 128, 256, 512), "minibatch_size": (256, 512, 1024, 4096)},
    "tools/benchmark/cleanrl_ppo.py:CleanRLPPO": _THEIRS | {"num_envs": (64, 128, 256), "num_minibatches": (4, 8, 16)},
    "tools/rllib_ppo.py:RLlibPPO": _THEIRS
    | {"games_per_worker": (16, 64, 128), "batch": (4096, 8192, 16384), "minibatch_size": (512, 1024, 2048)},
    rlcard_dmc.FAMILY: {
        "learning_rate": (0.0001, 0.0003, 0.001, 0.003),
        "exp_epsilon": (0.01, 0.02, 0.05, 0.1, 0.2),
        "batch_size": (4, 8, 16, 32),
        "unroll_length": (25, 50, 100),
        "num_threads": (1, 4),
    },
}
"""Values of each family's options, drawn independently and uniformly."""


def trial_options(family: str, trial: int) -> dict[str, Any]:
    """The options of a trial; none for trial 0. No trial is drawn twice."""
    rng, drawn = random.Random(f"{SEED} {family}"), [dict[str, Any]()]
    while len(drawn) <= trial:
        options = {name: rng.choice(values) for name, values in SPACE[family].items()}
        if options not in drawn:
            drawn.append(options)
    return drawn[trial]


def with_options(family: str, options: dict[str, Any]) -> str:
    """A family, which may have options already, with more of them, as ``uno benchmark run`` reads it."""
    family, _, first = family.partition("?")
    every = [*([first] if first else []), *(f"{name}={value}" for name, value in options.items())]
    return f"{family}?{'&'.join(every)}" if every else family


def trials() -> list[dict[str, Any]]:
    """What is published: the trials that were done."""
    return [json.loads(line) for line in FILE.read_text().splitlines()] if FILE.is_file() else []


def is_done(family: str) -> bool:
    """Whether a family has all its trials, and the best were done again."""
    done = _trials_of(family)
    return len(done) >= TRIALS and all(len(best.get("again", ())) >= AGAIN for best in _finalists(done))


def best_options(family: str) -> dict[str, Any]:
    """The options of a family's best trial by :func:`mean_strength`, of those that are done again; none as long as its
    search is not done."""
    if not is_done(family):
        return {}
    options: dict[str, Any] = max(_finalists(_trials_of(family)), key=mean_strength)["options"]
    return options


def tuned(family: str) -> str:
    """A family with its best options; as it ships if it has none."""
    return with_options(family, best_options(family))


def mean_strength(trial: Mapping[str, Any]) -> float:
    """The mean strength of a trial over its seeds."""
    return fmean([trial["strength"], *trial.get("again", ())])


def _trials_of(family: str) -> list[dict[str, Any]]:
    return [trial for trial in trials() if trial["family"] == family]


def _finalists(done: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The trials of a family that are done again; the best first."""
    return sorted(done, key=lambda trial: -trial["strength"])[:FINALISTS]


def track_of(family: str) -> str:
    """The track that a family's trials are on."""
    return rlcard_dmc.TRACK if family == rlcard_dmc.FAMILY else TRACK


def run_trial(family: str, trial: int, folder: Path, origin: dict[str, Any], again: int = 0) -> dict[str, Any]:
    """Train and measure; plain values for the published file. ``again``: how often the trial was done before."""
    options = trial_options(family, trial)
    run = folder / (f"{family.rpartition(':')[2].lower()}-{trial:02d}" + (f"-again{again}" if again else ""))
    values: dict[str, Any] = {"family": family, "trial": trial, "options": options}
    if family == rlcard_dmc.FAMILY:
        policy, trained = rlcard_dmc.train(BUDGET, options, run)
    else:
        plan = RunPlan(
            (TRACK,), decisions=BUDGET, algorithms=(with_options(family, options),), seeds=1, seed=RUN_SEED + again,
            deals=2, curve_deals=2, threads=1,
        )  # fmt: skip
        (measured,) = algorithms.measure(plan, run, origin)["runs"]
        if "failed" in measured:
            return {**values, "strength": 0.0, "failed": measured["failed"]}
        policy = str(policy_path(next(run.glob(f"*/*/{algorithms.MEASURED}")).parent))
        trained = Trained(family, 0, measured["decisions"], measured["seconds"])
    track = replace(read_suite().track(track_of(family)), seed=SEED)
    rates = [score.win_rate for score in measure_policy(track, policy, trained, DEALS, threads=1)]
    strength = round(sum(rates) / len(rates), 5)
    return {**values, "strength": strength, "decisions": trained.decisions, "seconds": trained.seconds}


def _publish(made: Mapping[str, Any]) -> None:
    """Write a trial to the published file, in place of what is there of it."""
    others = [each for each in trials() if (each["family"], each["trial"]) != (made["family"], made["trial"])]
    lines = sorted([*others, made], key=lambda each: (list(SPACE).index(each["family"]), each["trial"]))
    write_text(FILE, "".join(json.dumps(each) + "\n" for each in lines))


@dataclass(frozen=True, kw_only=True)
class Tune(Command):
    """Search for hyperparameters: run what is left of the trials, and write them to benchmark/v1/trials.jsonl."""

    needs: ClassVar = ("scipy",)

    families: tuple[str, ...] = tuple(SPACE)
    """whose trials are run"""
    save: Folder = Path("runs/tuning")
    """where runs are saved"""

    def run(self) -> None:
        for family in self.families:
            with user_input():
                if family not in SPACE:
                    raise ValueError(f"family {family!r} is not allowed: choose from {', '.join(SPACE)}")
            there = {trial["trial"] for trial in _trials_of(family)}
            for trial in range(TRIALS):
                if trial not in there:
                    _publish(run_trial(family, trial, self.save, dict(self.origin())))
            for best in _finalists(_trials_of(family)):
                for again in range(len(best.setdefault("again", [])) + 1, AGAIN + 1):
                    made = run_trial(family, best["trial"], self.save, dict(self.origin()), again)
                    best["again"].append(made["strength"])
                    _publish(best)
        show_lines(
            [f"{each['family']} {each['trial']}: {mean_strength(each):.2%} {each['options']}" for each in trials()]
        )
