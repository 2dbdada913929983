"""Algorithms side by side: ``uno benchmark algorithms``.

Each algorithm trains on a track (:mod:`train.benchmarks.tracks`) with its own config for it and a budget that is the
same for all, in decisions or in minutes, once for each of several seeds. Then all policies meet the same ladder of
opponents on the same duplicate deals. What is reported of an algorithm are the median and the quartiles over its seeds.

*Decisions* are those of all seats, forced ones included. In self-play every seat learns from its own; the algorithms of
SB3 learn from one seat's only, and agents, which cost little, decide for the others. *Strength* is the mean win rate
over the opponents of the ladder. *Minutes* are those of training: the evaluations on the way are not counted, but for
a budget of minutes, which is of both.

Runs are done one after the other, each in a folder of its own under the benchmark's. What is done is not done again: a
benchmark that was stopped goes on by the same command, which may name more algorithms or seeds. The folder also gets
``algorithms.json`` (``{"command", "versions", "algorithms": {…}}``), the table ``algorithms.md``, and the plot
``algorithms.png`` and ``.svg``.
"""

import gc
import json
import platform
import shutil
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

import agents
from train.algorithms.registry import ALGORITHMS, prepare_training
from train.benchmarks.ladder import code_version
from train.benchmarks.plans import AlgorithmsPlan
from train.benchmarks.tracks import OPPONENTS, track_of
from train.common.processes import cores
from train.common.progress import clock, progress_bar
from train.common.study import Study
from train.common.table import Table
from train.evaluation.duplicate import evaluate
from train.runs.learner import RunError
from train.runs.tensorboard_log import WIN_RATE
from uno_env.common.files import write_json, write_text

PARTS = 10
"""Points of each learning curve."""

MEASURED = "measured.json"
"""In the folder of a run that is done: what was measured."""

OWN = ("algorithm", "folder", "name", "rules", "players", "seed", "total_timesteps", "max_minutes", "threads",
       "eval_every", "eval_deals", "eval_against", "save_games", "checkpoint_every", "parts",
       "keep_checkpoints")  # fmt: skip
"""Keys of the configs that the benchmark sets."""

NO_LIMIT = 10**15
"""Decisions, where minutes are the budget."""

Job = tuple[str, int]
"""Algorithm and seed of a run."""


def default_folder(plan: AlgorithmsPlan) -> Path:
    """Where a benchmark is saved by default."""
    budget = f"{plan.minutes:g}min" if plan.minutes else f"{plan.decisions}"
    return Path("runs") / f"algorithms-{plan.track}-{budget}"


def prepare(plan: AlgorithmsPlan, folder: Path) -> None:
    """Check a plan, and open its folder, before hours of work.

    Raises:
        ValueError: something is not allowed, or the folder holds another benchmark.
    """
    track = track_of(plan.track)
    if (plan.decisions > 0) == (plan.minutes > 0):
        raise ValueError("a budget is needed: decisions or minutes")
    if not plan.algorithms:
        raise ValueError("there are no algorithms to measure: name one or more")
    for name in plan.changes:
        if name in OWN:
            raise ValueError(f"--{name} is not allowed: the benchmark sets {name!r} itself")
    for algorithm in plan.algorithms:
        if not track.config(algorithm).is_file():
            able = [name for name in ALGORITHMS if track.config(name).is_file()]
            raise ValueError(f"algorithm {algorithm!r} is not allowed on {plan.track}: choose from {', '.join(able)}")
        prepare_training(track.config(algorithm), _changes(plan, folder, algorithm, plan.seed))
    for opponent in OPPONENTS:
        agents.load(opponent, rules=track.rules())
    _open(plan, folder)


def _open(plan: AlgorithmsPlan, folder: Path) -> Study:
    identity = {name: value for name, value in asdict(plan).items() if name not in ("algorithms", "seeds")}
    return Study("benchmark", identity, folder)


def jobs(plan: AlgorithmsPlan) -> list[Job]:
    """Algorithm and seed of each run, in the order in which they are done: seed by seed."""
    return [(name, plan.seed + number) for number in range(plan.seeds) for name in plan.algorithms]


def _changes(plan: AlgorithmsPlan, folder: Path, algorithm: str, seed: int) -> dict[str, str]:
    """What a run changes in its config."""
    values = {
        "folder": str(folder),
        "name": _name(algorithm, seed),
        "seed": seed,
        "total_timesteps": plan.decisions or NO_LIMIT,
        "max_minutes": plan.minutes,
        "threads": plan.threads,
        "eval_every": 0,
        "eval_deals": plan.curve_deals,
        "eval_against": list(OPPONENTS),
        "save_games": 0,
        "checkpoint_every": 0,
        "parts": PARTS,
        "keep_checkpoints": 1,
    }
    return {**plan.changes, **{name: json.dumps(value) for name, value in values.items()}}


def _name(algorithm: str, seed: int) -> str:
    return f"{algorithm}-s{seed}"


# --- measuring --------------------------------------------------------------------------------------------------------


def measure(plan: AlgorithmsPlan, folder: Path, origin: Mapping[str, Any]) -> dict[str, Any]:
    """Do what is left of a benchmark.

    Args:
        plan: what is to be measured.
        folder: where everything is saved.
        origin: what the JSON file is to say besides: the command and the versions.

    Returns:
        Plain values for JSON, see :func:`report`.

    Raises:
        ValueError: see :func:`prepare`.
        Interrupted: after Ctrl-C.
    """
    prepare(plan, folder)
    planned, began, done = jobs(plan), time.perf_counter(), 0

    def work(job: Job) -> dict[str, Any]:
        nonlocal done
        index, spent = planned.index(job), time.perf_counter() - began
        left = f"about {clock(spent / done * (len(planned) - index))} left" if done else "time left unknown yet"
        name = f"{job[0]}, seed {job[1]}"
        print(f"Run {index + 1} of {len(planned)}: {name}.  {clock(spent)} so far, {left}", flush=True)
        measured = _measure(plan, folder, job)
        print(f"{name}: {_outcome(measured)}", flush=True)
        done += 1
        return measured

    runs: list[dict[str, Any]] = []

    def seen(job: Job, measured: dict[str, Any]) -> None:
        runs.append(measured)
        values = report(plan, runs)
        write_json(folder / "algorithms.json", {**origin, "algorithms": values})
        write_text(folder / "algorithms.md", markdown(values) + "\n")

    _open(plan, folder).run({f"{_name(*job)}/{MEASURED}": job for job in planned}, work, seen=seen)
    return report(plan, runs)


def _measure(plan: AlgorithmsPlan, folder: Path, job: Job) -> dict[str, Any]:
    """Train, or go on with it, and measure."""
    began = time.perf_counter()
    measured: dict[str, Any] = {"algorithm": job[0], "seed": job[1]}
    try:
        _train(plan, folder, *job)
        run = folder / _name(*job)
        measured |= _training(run) | {"ladder": _climb(plan, run)}
    except RunError as error:  # the others are to be measured all the same
        measured["failed"] = str(error)
    gc.collect()  # SB3's models go round in circles, and hold hundreds of megabytes
    return {**measured, "wall_seconds": round(time.perf_counter() - began, 3)}


def _train(plan: AlgorithmsPlan, folder: Path, algorithm: str, seed: int) -> None:
    run = folder / _name(algorithm, seed)
    if any((run / "checkpoints").glob("*.safetensors")):
        prepare_training(run, {})()
        return
    if run.exists():
        shutil.rmtree(run)  # it was begun, and stopped before anything was learnt
    prepare_training(track_of(plan.track).config(algorithm), _changes(plan, folder, algorithm, seed))()


def _training(run: Path) -> dict[str, Any]:
    """Decisions, seconds and the learning curve of a run, from its folder."""
    table = json.loads((run / "table.json").read_text(encoding="utf-8"))
    evaluations = table["evaluations"]
    lines = [json.loads(line) for line in (run / "metrics.jsonl").read_text(encoding="utf-8").splitlines()]
    curve = []
    for line in lines:
        if WIN_RATE + OPPONENTS[0] in line:
            spent = sum(each["seconds"] for each in evaluations if each["trained_decisions"] <= line["decisions"])
            rates = {opponent: line[WIN_RATE + opponent] for opponent in OPPONENTS}
            curve.append({"decisions": line["decisions"], "seconds": line["seconds"] - spent, "win_rates": rates})
    seconds = table["seconds"] - sum(each["seconds"] for each in evaluations)
    return {
        "decisions": table["decisions"],
        "choices": table["choices"],
        "seconds": round(seconds, 3),
        "decisions_per_second": round(table["decisions"] / seconds),
        "curve": curve,
    }


def _climb(plan: AlgorithmsPlan, run: Path) -> list[dict[str, Any]]:
    rules, policy = track_of(plan.track).rules(), str(run / "policy.safetensors")
    results = []
    for opponent in OPPONENTS:
        with progress_bar(f"{run.name} against {opponent}", plan.deals * rules.players) as progress:
            threads = plan.threads or cores()
            result = evaluate(policy, opponent, rules, plan.deals, plan.seed, threads=threads, progress=progress)
        results.append({name: value for name, value in result.to_dict().items() if name != "rules"})
    return results


def _outcome(measured: Mapping[str, Any]) -> str:
    if "failed" in measured:
        return f"failed: {measured['failed']}"
    rates = ", ".join(f"{100 * each['win_rate']:.1f} % v {each['opponent']}" for each in measured["ladder"])
    return f"{rates}; {measured['decisions_per_second']:,} decisions a second"


# --- reporting --------------------------------------------------------------------------------------------------------


def report(plan: AlgorithmsPlan, runs: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The plan, where it was measured, the ``runs``, and a ``summary`` of each algorithm: the strongest first."""
    machine = {"platform": platform.platform(), "cores": cores(), "threads": plan.threads or cores()}
    names = [name for name in plan.algorithms if any(run["algorithm"] == name for run in runs)]
    summary = [_summary(name, [run for run in runs if run["algorithm"] == name]) for name in names]
    return {
        **asdict(plan),
        "algorithms": list(plan.algorithms),
        "players": track_of(plan.track).rules().players,
        "opponents": list(OPPONENTS),
        **code_version(),
        "machine": machine,
        "summary": sorted(summary, key=lambda row: -row["strength"][1] if row["seeds"] else 1),
        "runs": list(runs),
    }


def _summary(algorithm: str, runs: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """An algorithm's lower quartile, median and upper quartile over seeds of each figure."""
    done = [run for run in runs if "failed" not in run]
    counts = {"algorithm": algorithm, "seeds": len(done), "failed": len(runs) - len(done)}
    if not done:
        return counts
    rates = [{each["opponent"]: each["win_rate"] for each in run["ladder"]} for run in done]
    return {
        **counts,
        "strength": quartiles([sum(each.values()) / len(each) for each in rates]),
        "against": {opponent: quartiles([each[opponent] for each in rates]) for opponent in OPPONENTS},
        "minutes": quartiles([run["seconds"] / 60 for run in done]),
        **{name: quartiles([run[name] for run in done]) for name in ("decisions", "decisions_per_second")},
    }


def quartiles(values: Sequence[float]) -> list[float]:
    """Lower quartile, median and upper quartile, between neighbours in proportion."""
    return [float(value) for value in np.percentile(values, (25, 50, 75))]


def markdown(values: Mapping[str, Any]) -> str:
    """The table of a report, or of its saved figures, with its title."""
    budget = f"{values['minutes']:g} minutes" if values["minutes"] else f"{values['decisions']:,} decisions"
    seeds = "one seed" if values["seeds"] == 1 else f"{values['seeds']} seeds"
    title = (
        f"**{values['track']}**: {budget} each, {seeds}, {values['deals']:,} duplicate deals against each "
        f"opponent, par {1 / values['players']:.0%}; median and quartiles over seeds"
    )
    heads = ["algorithm", "strength", *(f"v `{name}`" for name in values["opponents"]), "decisions/s", "decisions",
             "minutes"]  # fmt: skip
    return Table(title, heads, [_cells(row, values["opponents"]) for row in values["summary"]]).markdown()


def _cells(row: Mapping[str, Any], opponents: Sequence[str]) -> list[str]:
    name = f"`{row['algorithm']}`" + (f" ({row['failed']} failed)" if row["failed"] else "")
    if not row["seeds"]:
        return [name, *[""] * (len(opponents) + 4)]
    rates = [row["strength"], *(row["against"][opponent] for opponent in opponents)]
    return [
        name,
        *(f"{100 * middle:.1f} ({100 * low:.1f}–{100 * high:.1f})" for low, middle, high in rates),
        f"{row['decisions_per_second'][1]:,.0f}",
        f"{row['decisions'][1]:,.0f}",
        f"{row['minutes'][1]:.1f}",
    ]
