"""Algorithms on tracks of the suite: ``uno benchmark run TRACK…``.

Each algorithm trains on each track (:mod:`train.common.suite`) with its own config, the rules of the track, and a
budget that is the same for all, once for each of several seeds. Then all policies meet the opponents of the track on
its deals (:mod:`train.benchmarks.measuring`). *Strength* is the mean win rate over the opponents; of an algorithm on a
track, the median and the quartiles over its seeds are reported. :mod:`train.evaluation.aggregate` compares algorithms
over all tracks.

*Decisions* are those of all seats, forced ones included. *Minutes* are those of training; in a budget of minutes, the
evaluations on the way count, too.

Runs are done one after the other, each in a folder of its own. A benchmark that was stopped goes on by the same
command, which may name more algorithms, tracks or seeds. The folder also gets ``scores.jsonl``, which ``uno benchmark
submit`` takes, ``algorithms.json``, the tables ``algorithms.md``, and plots.
"""

import gc
import itertools
import json
import platform
import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, fields
from functools import partial
from pathlib import Path
from typing import Any

from agents.options import split_options
from agents.policy.policy_file import policy_path
from agents.trust import texts_in
from train.algorithms.registry import ALGORITHMS, config_of, find_algorithm, prepare_training, train
from train.benchmarks.comparison import compare, tables
from train.benchmarks.measuring import Trained, code_version, measure_policy, scale_scores, verify_agent
from train.benchmarks.plans import RunPlan
from train.common.job import ResumableJob
from train.common.processes import Mapper, cores
from train.common.progress import clock
from train.common.suite import BOTTOM, TOP, Track, read_suite
from train.common.table import MarkdownTable
from train.evaluation.game_recorder import file_stem
from train.evaluation.scores import Score, scores_of, write_scores
from train.evaluation.tournament import files_digest
from train.runs.config import SHIPPED, config_values, parse_overrides
from train.runs.learner import RunError
from train.runs.run_config import RunConfig
from train.runs.run_folder import read_metrics
from uno_env.common.files import read_json, write_json, write_text

PARTS = 10
"""Points of each learning curve."""

MEASURED = "measured.json"
"""In the folder of a run that is done: what was measured."""

OWN = ("algorithm", "folder", "name", "rules", "players", "truncated_is_lost", "seed", "total_timesteps",
       "max_minutes", "threads", "eval_every", "eval_deals", "eval_against", "save_games", "checkpoint_every", "parts",
       "keep_checkpoints")  # fmt: skip
"""Keys of the configs that the benchmark sets."""

NO_LIMIT = 10**15
"""Decisions, where minutes are the budget."""

Job = tuple[str, str, int]
"""Track, algorithm and seed of a run."""


def default_folder(plan: RunPlan) -> Path:
    """The default folder of a benchmark."""
    return Path("runs") / (f"algorithms-{plan.minutes:g}min" if plan.minutes else f"algorithms-{plan.decisions}")


def prepare(plan: RunPlan, folder: Path) -> None:
    """Check a plan, and open its folder. Raises ValueError if something is not allowed, or the folder is another's."""
    tracks = tracks_of(plan)
    if (plan.decisions > 0) == (plan.minutes > 0):
        raise ValueError("a budget is needed: decisions or minutes")
    if not plan.algorithms and not plan.policies:
        raise ValueError("there are no algorithms to measure: name one or more")
    policies = policies_of(plan)
    for name in itertools.chain(plan.changes, *(split_options(named)[1] for named in plan.algorithms)):
        if name in OWN:
            raise ValueError(f"--{name} is not allowed: the benchmark sets {name!r} itself")
    for name, track in tracks.items():
        for named in plan.algorithms:
            algorithm, _ = split_options(named)
            if algorithm in ALGORITHMS and not config_file(algorithm, name).is_file():
                able = [each for each in ALGORITHMS if config_file(each, name).is_file()]
                raise ValueError(f"algorithm {algorithm!r} is not allowed on {name}: choose from {', '.join(able)}")
            _prepared(plan, folder, (name, named, plan.seed))
        for agent in itertools.chain(track.opponent_specs().values(), *policies.values()):
            verify_agent(track, agent)
    _open(plan, folder)


def tracks_of(plan: RunPlan) -> dict[str, Track]:
    """The tracks of a plan, by name. Raises ValueError if there is no such suite or track, or none is named."""
    suite = read_suite(plan.suite)
    if not plan.tracks:
        raise ValueError(f"a track is needed: name some of {', '.join(suite.tracks)}")
    return {name: suite.track(name) for name in plan.tracks}


def config_file(algorithm: str, track: str) -> Path:
    """The shipped config of an algorithm for a track."""
    return SHIPPED / algorithm / f"{track}.yaml"


def _open(plan: RunPlan, folder: Path) -> ResumableJob:
    grows = ("algorithms", "policies", "tracks", "seeds")
    identity = {name: value for name, value in asdict(plan).items() if name not in grows}
    return ResumableJob("benchmark", identity, folder)


def policies_of(plan: RunPlan) -> dict[str, list[str]]:
    """The specs of policies by name, one for each seed. Raises ValueError if a text is not ``NAME=FILE,FILE``."""
    policies: dict[str, list[str]] = {}
    for text in plan.policies:
        name, equals, files = text.partition("=")
        if not equals or not name or not all(files.split(",")):
            raise ValueError(f"--policies {text!r} is not allowed: write NAME=FILE,FILE")
        if name in policies or name in (*plan.algorithms, BOTTOM, TOP):
            raise ValueError(f"--policies {text!r} is not allowed: {name!r} is measured already, choose another name")
        policies[name] = files.split(",")
    return policies


def jobs(plan: RunPlan) -> list[Job]:
    """The measurements in their order: given policies first, then the runs, seed by seed."""
    seeds = range(plan.seed, plan.seed + plan.seeds)
    trained = [(track, name, seed) for seed in seeds for track in plan.tracks for name in plan.algorithms]
    given = [(track, name, seed) for track in plan.tracks for name, files in policies_of(plan).items()
             for seed in range(len(files))]  # fmt: skip
    return [*given, *trained]


def _changes(plan: RunPlan, folder: Path, job: Job) -> dict[str, str]:
    """The changes of a run's config."""
    name, algorithm, seed = job
    track = read_suite(plan.suite).track(name)
    values = {
        "folder": str(folder / name),
        "name": _folder(folder, job).name,
        "rules": track.rules().to_dict(),
        "players": None,
        "seed": seed,
        "total_timesteps": plan.decisions or NO_LIMIT,
        "max_minutes": plan.minutes,
        "threads": plan.threads,
        "eval_every": 0,
        "eval_deals": plan.curve_deals,
        "eval_against": list(track.opponent_specs().values()),
        "save_games": 0,
        "checkpoint_every": 0,
        "parts": PARTS if len(track.tables) == 1 else 0,  # there are no curves over several tables
        "keep_checkpoints": 1,
    }
    named, own = split_options(algorithm)
    keys = {field.name for field in fields(find_algorithm(named).config_class)}
    if "truncated_is_lost" in keys:
        values["truncated_is_lost"] = track.truncated_is_lost
    return {**plan.changes, **own, **{name: json.dumps(value) for name, value in values.items()}}


def _folder(folder: Path, job: Job) -> Path:
    track, algorithm, seed = job
    return folder / track / f"{file_stem(algorithm)}-s{seed}"


def _part(plan: RunPlan, job: Job) -> str:
    """The file of what was measured; that of a policy trained elsewhere says which file it was."""
    files = policies_of(plan).get(job[1])
    digest = f"-{files_digest(files[job[2]])[:12]}" if files else ""
    folder = _folder(Path(), job)
    return str(folder.with_name(f"{folder.name}{digest}") / MEASURED)


def _prepared(plan: RunPlan, folder: Path, job: Job) -> Callable[[], Path]:
    """The learner of a job, with its defaults where the track has no config. Raises ValueError if there is none."""
    changes = _changes(plan, folder, job)
    algorithm, _ = split_options(job[1])
    if algorithm in ALGORITHMS:
        return prepare_training(config_file(algorithm, job[0]), changes)
    config = _config(changes, job)
    config.check()
    return lambda: train(config)


def _config(changes: Mapping[str, str], job: Job) -> RunConfig:
    """The config of a job whose algorithm has no shipped one."""
    return config_of({"algorithm": split_options(job[1])[0], **parse_overrides(changes)})


# --- measuring --------------------------------------------------------------------------------------------------------


def measure(plan: RunPlan, folder: Path, origin: Mapping[str, Any], workers: int | Mapper = 1) -> dict[str, Any]:
    """Do the rest of a benchmark, whose results are in a folder: plain values for JSON (:func:`report`). ``origin`` has
    more fields of the file: the command and the versions. A mapper does the runs on other machines, all at once. Raises
    ValueError as :func:`prepare` does, and Interrupted after Ctrl-C.
    """
    prepare(plan, folder)
    planned, began, done = jobs(plan), time.perf_counter(), 0

    def work(job: Job) -> dict[str, Any]:
        nonlocal done
        index, spent = planned.index(job), time.perf_counter() - began
        left = f"about {clock(spent / done * (len(planned) - index))} left" if done else "time left unknown yet"
        name = f"{job[1]}, seed {job[2]}, {job[0]}"
        print(f"{index + 1} of {len(planned)}: {name}.  {clock(spent)} so far, {left}", flush=True)
        measured = _measure(plan, folder, job)
        print(f"{name}: {_outcome(measured)}", flush=True)
        done += job[1] in plan.algorithms
        return measured

    runs: list[dict[str, Any]] = []

    def seen(job: Job, measured: dict[str, Any]) -> None:
        runs.append(measured)
        if callable(workers):
            print(f"{len(runs)} of {len(planned)}: {job[1]}, seed {job[2]}, {job[0]}: {_outcome(measured)}", flush=True)
        elif done and len(runs) < len(planned):  # not for each of those that were saved before: a report bootstraps
            _write(folder, origin, report(plan, runs))

    parts = {_part(plan, job): job for job in planned}
    there = partial(_measure, plan, folder.resolve())
    _open(plan, folder).run(parts, there if callable(workers) else work, workers, seen)
    values = report(plan, sorted(runs, key=lambda run: planned.index((run["track"], run["algorithm"], run["seed"]))))
    _write(folder, origin, values)
    return values


def _write(folder: Path, origin: Mapping[str, Any], values: Mapping[str, Any]) -> None:
    """Write a report in all its forms."""
    write_scores(folder / "scores.jsonl", scores_of(values))
    write_json(folder / "algorithms.json", {**origin, "algorithms": values})
    write_text(folder / "algorithms.md", markdown(values) + "\n")


def _measure(plan: RunPlan, folder: Path, job: Job) -> dict[str, Any]:
    """Train or resume, and measure."""
    track, algorithm, seed = job
    began = time.perf_counter()
    measured: dict[str, Any] = {"track": track, "algorithm": algorithm, "seed": seed}
    try:
        policy, trained = "", Trained(algorithm, seed)
        if algorithm not in plan.algorithms:
            policy, measured["scores"] = policies_of(plan)[algorithm][seed], []
        else:
            _train(plan, folder, job)
            run = _folder(folder, job)
            measured |= _training(plan, job, run)
            policy = str(policy_path(run))
            trained = Trained(algorithm, seed, *(measured[name] for name in ("decisions", "seconds", "choices")))
        scores = measure_policy(read_suite(plan.suite).track(track), policy, trained, plan.deals, plan.threads)
        measured["scores"] += map(asdict, scores)
    except RunError as error:  # the others are to be measured all the same
        measured["failed"] = str(error)
    gc.collect()  # SB3's models go round in circles, and hold hundreds of megabytes
    return {**measured, "wall_seconds": round(time.perf_counter() - began, 3)}


def _train(plan: RunPlan, folder: Path, job: Job) -> None:
    run = _folder(folder, job)
    if any((run / "checkpoints").glob("*.safetensors")):
        own = config_values(_config(_changes(plan, folder, job), job))
        prepare_training(run, {}, typed=set(texts_in(own)))()
        return
    if run.exists():
        shutil.rmtree(run)  # it was begun, and stopped before anything was learnt
    _prepared(plan, folder, job)()


def _training(plan: RunPlan, job: Job, run: Path) -> dict[str, Any]:
    """Decisions, seconds and the learning curve of a run, from its folder."""
    table = read_json(run / "table.json")
    evaluations = table["evaluations"]
    clocks = {line["decisions"]: line["seconds"] for line in read_metrics(run)}
    track = read_suite(plan.suite).track(job[0])
    names = {spec: name for name, spec in track.opponent_specs().items()}
    scores = []
    for each in evaluations if len(track.tables) == 1 else ():
        at = each["trained_decisions"]
        spent = sum(other["seconds"] for other in evaluations if other["trained_decisions"] <= at)
        rates: dict[str, Any] = {name: each[name] for name in ("win_rate", "low", "high", "deals", "players")}
        point = Score(
            job[1], job[0], job[2], names[each["opponent"]], **rates, decisions=at,
            seconds=round(clocks[at] - spent, 3), final=False, suite=track.suite, track_digest=track.digest,
        )  # fmt: skip
        scores.append(asdict(point))
    seconds = table["seconds"] - sum(each["seconds"] for each in evaluations)
    return {
        "decisions": table["decisions"],
        "choices": table["choices"],
        "seconds": round(seconds, 3),
        "decisions_per_second": round(table["decisions"] / seconds),
        "scores": scores,
    }


def _outcome(measured: Mapping[str, Any]) -> str:
    if "failed" in measured:
        return f"failed: {measured['failed']}"
    rates = [f"{100 * each['win_rate']:.1f} % v {each['opponent']}" for each in measured["scores"] if each["final"]]
    speed = f"; {measured['decisions_per_second']:,} decisions a second" if "decisions" in measured else ""
    return ", ".join(rates) + speed


def report(plan: RunPlan, runs: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The plan, where it was measured, the ``runs``, and what :func:`train.benchmarks.comparison.compare` says."""
    failed = [(run["track"], run["algorithm"]) for run in runs if "failed" in run]
    ends = [end for track in tracks_of(plan).values() for end in scale_scores(track)]
    return {
        **asdict(plan),
        **code_version(),
        "machine": {"platform": platform.platform(), "cores": cores(), "threads": plan.threads or cores()},
        **compare([*scores_of({"runs": runs}), *ends], failed),
        "scale": [asdict(end) for end in ends],
        "runs": list(runs),
    }


def markdown(values: Mapping[str, Any]) -> str:
    """The tables of a report, with a title for each track."""
    return "\n\n".join(table.markdown() for table in report_tables(values))


def budget(values: Mapping[str, Any]) -> str:
    """The budget of a report: its ``minutes``, or else its ``decisions``."""
    minutes = values["minutes"]
    return f"{minutes:g} minute{'s' * (minutes != 1)}" if minutes else f"{values['decisions']:,} decisions"


def report_tables(values: Mapping[str, Any]) -> list[MarkdownTable]:
    """The tables of what was measured."""
    seeds = "one seed" if values["seeds"] == 1 else f"{values['seeds']} seeds"
    deals = f"{values['deals']:,} duplicate deals" if values["deals"] else "the deals of the track"
    made = f"{budget(values)} each, {seeds}, {deals} against each opponent, "
    return tables(values, made)
