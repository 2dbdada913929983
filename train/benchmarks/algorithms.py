"""Algorithms side by side: ``uno benchmark algorithms``.

Each algorithm trains on one or more tracks (:mod:`train.benchmarks.tracks`) with its own config for each and a budget
that is the same for all, in decisions or in minutes, once for each of several seeds. Then all policies meet the same
ladder of opponents on the same duplicate deals. The game belongs to the track: where long hands are truncated and lost
while one algorithm trains, they are for all. What is reported of an algorithm on a track are the median and the
quartiles over its seeds; :mod:`train.evaluation.aggregate` compares algorithms over all tracks.

*Decisions* are those of all seats, forced ones included. In self-play every seat learns from its own; the algorithms of
SB3 learn from one seat's only, and agents, which cost little, decide for the others. *Strength* is the mean win rate
over the opponents of the ladder. *Minutes* are those of training: the evaluations on the way are not counted, but for
a budget of minutes, which is of both.

An algorithm of one's own is named as in a config, ``path/to/file.py:Class`` (:class:`train.runs.learner.Learner`), and
trains with the defaults of its config. What an algorithm changes in its config stands behind its name:
``ppo?symmetry=false&n_epochs=1`` is compared with ``ppo`` as if it were another algorithm. *Policies* that were trained
elsewhere are measured on the same ladder, a file for each seed; what their training took is not known here.

Runs are done one after the other, each in a folder of its own under the benchmark's. What is done is not done again: a
benchmark that was stopped goes on by the same command, which may name more algorithms, tracks or seeds. The folder also
gets ``scores.jsonl`` (:mod:`train.evaluation.scores`), ``algorithms.json`` (``{"command", "versions", "algorithms":
{…}}``), the tables ``algorithms.md``, and plots.
"""

import gc
import itertools
import json
import platform
import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import agents
from agents.options import split_options
from agents.policy.policy_file import policy_path
from train.algorithms.registry import ALGORITHMS, config_of, find_algorithm, prepare_training, train
from train.benchmarks.comparison import compare, tables
from train.benchmarks.ladder import code_version
from train.benchmarks.plans import AlgorithmsPlan
from train.benchmarks.tracks import OPPONENTS, track_of
from train.common.job import ResumableJob
from train.common.processes import cores
from train.common.progress import clock, progress_bar
from train.common.table import MarkdownTable
from train.evaluation.duplicate import evaluate
from train.evaluation.game_recorder import file_stem
from train.evaluation.played_by import player_digest
from train.evaluation.scores import REFERENCES, Score, scores_of, write_scores
from train.evaluation.tournament import files_digest
from train.runs.config import parse_overrides
from train.runs.learner import RunError
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
"""Track, algorithm and seed of a run; a reference has the seed of the deals."""


def default_folder(plan: AlgorithmsPlan) -> Path:
    """Where a benchmark is saved by default."""
    return Path("runs") / (f"algorithms-{plan.minutes:g}min" if plan.minutes else f"algorithms-{plan.decisions}")


def prepare(plan: AlgorithmsPlan, folder: Path) -> None:
    """Check a plan, and open its folder, before hours of work.

    Raises:
        ValueError: something is not allowed, or the folder holds another benchmark.
    """
    tracks = [track_of(name) for name in plan.tracks]
    if (plan.decisions > 0) == (plan.minutes > 0):
        raise ValueError("a budget is needed: decisions or minutes")
    if not plan.algorithms and not plan.policies:
        raise ValueError("there are no algorithms to measure: name one or more")
    policies = policies_of(plan)
    for name in itertools.chain(plan.changes, *(split_options(named)[1] for named in plan.algorithms)):
        if name in OWN:
            raise ValueError(f"--{name} is not allowed: the benchmark sets {name!r} itself")
    for name, track in zip(plan.tracks, tracks, strict=True):
        for named in plan.algorithms:
            algorithm, _ = split_options(named)
            if algorithm in ALGORITHMS and not track.config(algorithm).is_file():
                able = [each for each in ALGORITHMS if track.config(each).is_file()]
                raise ValueError(f"algorithm {algorithm!r} is not allowed on {name}: choose from {', '.join(able)}")
            _prepared(plan, folder, (name, named, plan.seed))
        for file in itertools.chain(*policies.values()):
            agents.load(file, rules=track.rules())
        for opponent in (*OPPONENTS, *REFERENCES):
            agents.load(opponent, rules=track.rules())
    _open(plan, folder)


def _open(plan: AlgorithmsPlan, folder: Path) -> ResumableJob:
    grows = ("algorithms", "policies", "tracks", "seeds")
    identity = {name: value for name, value in asdict(plan).items() if name not in grows}
    return ResumableJob("benchmark", identity, folder)


def policies_of(plan: AlgorithmsPlan) -> dict[str, list[str]]:
    """The specs of policies trained elsewhere, by name; one for each seed.

    Raises:
        ValueError: a text is not ``NAME=FILE,FILE``, or a name is taken.
    """
    policies: dict[str, list[str]] = {}
    for text in plan.policies:
        name, equals, files = text.partition("=")
        if not equals or not name or not all(files.split(",")):
            raise ValueError(f"--policies {text!r} is not allowed: write NAME=FILE,FILE")
        if name in policies or name in (*plan.algorithms, *REFERENCES):
            raise ValueError(f"--policies {text!r} is not allowed: {name!r} is measured already, choose another name")
        policies[name] = files.split(",")
    return policies


def jobs(plan: AlgorithmsPlan) -> list[Job]:
    """What is measured, in this order: the references of each track, then the runs, seed by seed."""
    references = [(track, name, plan.seed) for track in plan.tracks for name in REFERENCES]
    seeds = range(plan.seed, plan.seed + plan.seeds)
    trained = [(track, name, seed) for seed in seeds for track in plan.tracks for name in plan.algorithms]
    given = [(track, name, seed) for track in plan.tracks for name, files in policies_of(plan).items()
             for seed in range(len(files))]  # fmt: skip
    return [*references, *given, *trained]


def _changes(plan: AlgorithmsPlan, folder: Path, job: Job) -> dict[str, str]:
    """What a run changes in its config."""
    track, algorithm, seed = job
    values = {
        "folder": str(folder / track),
        "name": _folder(folder, job).name,
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
    name, own = split_options(algorithm)
    keys = {field.name for field in fields(find_algorithm(name).config_class)}
    values |= {name: value for name, value in track_of(track).training().items() if name in keys}
    return {**plan.changes, **own, **{name: json.dumps(value) for name, value in values.items()}}


def _folder(folder: Path, job: Job) -> Path:
    track, algorithm, seed = job
    return folder / track / f"{file_stem(algorithm)}-s{seed}"


def _part(plan: AlgorithmsPlan, job: Job) -> str:
    """The file of what was measured; that of a policy trained elsewhere says which file it was."""
    files = policies_of(plan).get(job[1])
    digest = f"-{files_digest(files[job[2]])[:12]}" if files else ""
    folder = _folder(Path(), job)
    return str(folder.with_name(f"{folder.name}{digest}") / MEASURED)


def _prepared(plan: AlgorithmsPlan, folder: Path, job: Job) -> Callable[[], Path]:
    """What trains for a job; with the defaults of its config, if that comes without configs for the tracks.

    Raises:
        ValueError: there is no such algorithm, or its config is not allowed.
    """
    track, changes = track_of(job[0]), _changes(plan, folder, job)
    algorithm, _ = split_options(job[1])
    if algorithm in ALGORITHMS:
        return prepare_training(track.config(algorithm), changes)
    config = config_of({"algorithm": algorithm, **parse_overrides(changes)})
    config.check()
    return lambda: train(config)


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
        name = f"{job[1]}, seed {job[2]}, {job[0]}"
        print(f"{index + 1} of {len(planned)}: {name}.  {clock(spent)} so far, {left}", flush=True)
        measured = _measure(plan, folder, job)
        print(f"{name}: {_outcome(measured)}", flush=True)
        done += job[1] in plan.algorithms
        return measured

    runs: list[dict[str, Any]] = []

    def seen(job: Job, measured: dict[str, Any]) -> None:
        runs.append(measured)
        if done and len(runs) < len(planned):  # not for each of those that were saved before: a report bootstraps
            _write(folder, origin, report(plan, runs))

    parts = {_part(plan, job): job for job in planned}
    _open(plan, folder).run(parts, work, seen=seen)
    values = report(plan, runs)
    _write(folder, origin, values)
    return values


def _write(folder: Path, origin: Mapping[str, Any], values: Mapping[str, Any]) -> None:
    """Write a report in all its forms."""
    write_scores(folder / "scores.jsonl", scores_of(values))
    write_json(folder / "algorithms.json", {**origin, "algorithms": values})
    write_text(folder / "algorithms.md", markdown(values) + "\n")


def _measure(plan: AlgorithmsPlan, folder: Path, job: Job) -> dict[str, Any]:
    """Train, or go on with it, and measure."""
    track, algorithm, seed = job
    began = time.perf_counter()
    measured: dict[str, Any] = {"track": track, "algorithm": algorithm, "seed": seed}
    try:
        if algorithm in REFERENCES:
            measured["scores"] = _climb(plan, job, algorithm, 0, 0.0)
        elif algorithm not in plan.algorithms:
            measured["scores"] = _climb(plan, job, policies_of(plan)[algorithm][seed], 0, 0.0)
        else:
            _train(plan, folder, job)
            run = _folder(folder, job)
            measured |= _training(job, run)
            measured["scores"] += _climb(plan, job, str(policy_path(run)), measured["decisions"], measured["seconds"])
    except RunError as error:  # the others are to be measured all the same
        measured["failed"] = str(error)
    gc.collect()  # SB3's models go round in circles, and hold hundreds of megabytes
    return {**measured, "wall_seconds": round(time.perf_counter() - began, 3)}


def _train(plan: AlgorithmsPlan, folder: Path, job: Job) -> None:
    run = _folder(folder, job)
    if any((run / "checkpoints").glob("*.safetensors")):
        prepare_training(run, {})()
        return
    if run.exists():
        shutil.rmtree(run)  # it was begun, and stopped before anything was learnt
    _prepared(plan, folder, job)()


def _training(job: Job, run: Path) -> dict[str, Any]:
    """Decisions, seconds and the learning curve of a run, from its folder."""
    table = read_json(run / "table.json")
    evaluations = table["evaluations"]
    clocks = {line["decisions"]: line["seconds"] for line in read_metrics(run)}
    scores = []
    for each in evaluations:
        at = each["trained_decisions"]
        spent = sum(other["seconds"] for other in evaluations if other["trained_decisions"] <= at)
        scores.append(asdict(_score(job, each, at, clocks[at] - spent, final=False)))
    seconds = table["seconds"] - sum(each["seconds"] for each in evaluations)
    return {
        "decisions": table["decisions"],
        "choices": table["choices"],
        "seconds": round(seconds, 3),
        "decisions_per_second": round(table["decisions"] / seconds),
        "scores": scores,
    }


def _climb(plan: AlgorithmsPlan, job: Job, agent: str, decisions: int, seconds: float) -> list[dict[str, Any]]:
    """Scores of a policy, or another agent, against the ladder of opponents."""
    rules, threads = track_of(job[0]).rules(), plan.threads or cores()
    scores, digest = [], player_digest(agent)
    for opponent in OPPONENTS:
        with progress_bar(f"{job[1]} against {opponent}", plan.deals * rules.players) as progress:
            result = evaluate(agent, opponent, rules, plan.deals, plan.seed, threads=threads, progress=progress)
        scores.append(asdict(_score(job, result.to_dict(), decisions, seconds, final=True, digest=digest)))
    return scores


def _score(job: Job, result: Mapping[str, Any], decisions: int, seconds: float, final: bool, digest: str = "") -> Score:
    track, algorithm, seed = job
    names = ("opponent", "win_rate", "low", "high", "deals", "players")
    measured: dict[str, Any] = {name: result[name] for name in names}
    return Score(
        algorithm=algorithm,
        track=track,
        seed=seed,
        **measured,
        decisions=decisions,
        seconds=round(seconds, 3),
        final=final,
        digest=digest,
    )


def _outcome(measured: Mapping[str, Any]) -> str:
    if "failed" in measured:
        return f"failed: {measured['failed']}"
    rates = [f"{100 * each['win_rate']:.1f} % v {each['opponent']}" for each in measured["scores"] if each["final"]]
    speed = f"; {measured['decisions_per_second']:,} decisions a second" if "decisions" in measured else ""
    return ", ".join(rates) + speed


def report(plan: AlgorithmsPlan, runs: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The plan, where it was measured, the ``runs``, and what :func:`train.benchmarks.comparison.compare` says."""
    return {
        **asdict(plan),
        "opponents": list(OPPONENTS),
        **code_version(),
        "machine": {"platform": platform.platform(), "cores": cores(), "threads": plan.threads or cores()},
        **compare(scores_of({"runs": runs}), [(run["track"], run["algorithm"]) for run in runs if "failed" in run]),
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
    made = f"{budget(values)} each, {seeds}, {values['deals']:,} duplicate deals against each opponent, "
    return tables(values, made)
