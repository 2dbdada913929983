"""Algorithms on tracks of the suite: ``uno benchmark run TRACK…``.

Each algorithm trains on each track (:mod:`train.common.suite`) with its own config, the rules of the track, and a
budget that is the same for all, once for each of several seeds. Then all policies meet the opponents of the track on
its deals (:mod:`train.benchmarks.measuring`). *Strength* is the mean win rate over the opponents; of an algorithm on a
track, the median and the quartiles over its seeds are reported. :mod:`train.evaluation.aggregate` compares algorithms
over all tracks.

*Decisions* are those of all seats, forced ones included. An algorithm of one's own that goes beyond a budget of
decisions is marked. *Minutes* are those of training; in a budget of minutes, the evaluations on the way count, too.

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
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, NamedTuple

from agents.options import split_options
from agents.policy.policy_file import policy_path
from agents.trust import texts_in
from train.algorithms.registry import ALGORITHMS, config_of, find_algorithm, prepare_training, train
from train.benchmarks.comparison import budget_text, compare, tables
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
"""The file of results in the folder of a run that is done."""

OWN = ("algorithm", "folder", "name", "rules", "players", "truncated_is_lost", "seed", "total_timesteps",
       "max_minutes", "threads", "eval_every", "eval_deals", "eval_against", "save_games", "checkpoint_every", "parts",
       "keep_checkpoints")  # fmt: skip
"""Keys of the configs that the benchmark sets."""

NO_LIMIT = 10**15
"""Decisions, where minutes are the budget."""


class Job(NamedTuple):
    """A run, or a policy that was trained elsewhere."""

    track: str
    algorithm: str
    """With the options behind its name; or the name of the policies."""
    seed: int
    """Of a policy, its place among those of its name."""

    def __str__(self) -> str:
        return f"{self.algorithm}, seed {self.seed}, {self.track}"


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
            Runs(plan, folder).prepared(Job(name, named, plan.seed))
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
    trained = [Job(track, name, seed) for seed in seeds for track in plan.tracks for name in plan.algorithms]
    given = [
        Job(track, name, seed)
        for track in plan.tracks
        for name, files in policies_of(plan).items()
        for seed in range(len(files))
    ]
    return [*given, *trained]


@dataclass(frozen=True)
class Runs:
    """The runs of a plan, in the folder of the benchmark."""

    plan: RunPlan
    folder: Path

    def measure(self, job: Job) -> dict[str, Any]:
        """Train or resume a run, and measure its policy; plain values for JSON. What made it fail is a value, too."""
        began = time.perf_counter()
        measured: dict[str, Any] = job._asdict()
        track = read_suite(self.plan.suite).track(job.track)
        try:
            if job.algorithm in self.plan.algorithms:
                self._train(job)
                measured |= self._training(job, track)
                policy = str(policy_path(self.folder_of(job)))
                trained = Trained(
                    job.algorithm, job.seed, measured["decisions"], measured["seconds"], measured["choices"]
                )
            else:
                policy, measured["scores"] = policies_of(self.plan)[job.algorithm][job.seed], []
                trained = Trained(job.algorithm, job.seed)
            scores = measure_policy(track, policy, trained, self.plan.deals, self.plan.threads)
            measured["scores"] += map(asdict, scores)
        except RunError as error:  # the others are to be measured all the same
            measured["failed"] = str(error)
        gc.collect()  # SB3's models go round in circles, and hold hundreds of megabytes
        return {**measured, "wall_seconds": round(time.perf_counter() - began, 3)}

    def folder_of(self, job: Job) -> Path:
        """The folder of a run."""
        return self.folder / job.track / f"{file_stem(job.algorithm)}-s{job.seed}"

    def part(self, job: Job) -> str:
        """Return the file of a run's results in the folder. For a policy trained elsewhere, it has its digest."""
        files = policies_of(self.plan).get(job.algorithm)
        digest = f"-{files_digest(files[job.seed])[:12]}" if files else ""
        folder = self.folder_of(job).relative_to(self.folder)
        return str(folder.with_name(f"{folder.name}{digest}") / MEASURED)

    def prepared(self, job: Job) -> Callable[[], Path]:
        """The training of a job, with the learner's defaults where the track has no config. Raises ValueError if it is
        not possible.
        """
        algorithm, _ = split_options(job.algorithm)
        if algorithm in ALGORITHMS:
            return prepare_training(config_file(algorithm, job.track), self._changes(job))
        config = self._config(job)
        config.check()
        return lambda: train(config)

    def _config(self, job: Job) -> RunConfig:
        """The config of a job whose algorithm has no shipped one."""
        return config_of({"algorithm": split_options(job.algorithm)[0], **parse_overrides(self._changes(job))})

    def _changes(self, job: Job) -> dict[str, str]:
        """The changes of a run's config."""
        plan, track = self.plan, read_suite(self.plan.suite).track(job.track)
        values = {
            "folder": str(self.folder / job.track),
            "name": self.folder_of(job).name,
            "rules": track.rules().to_dict(),
            "players": None,
            "seed": job.seed,
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
        named, own = split_options(job.algorithm)
        keys = {field.name for field in fields(find_algorithm(named).config_class)}
        if "truncated_is_lost" in keys:
            values["truncated_is_lost"] = track.truncated_is_lost
        return {**plan.changes, **own, **{name: json.dumps(value) for name, value in values.items()}}

    def _train(self, job: Job) -> None:
        run = self.folder_of(job)
        if any((run / "checkpoints").glob("*.safetensors")):
            prepare_training(run, {}, typed=set(texts_in(config_values(self._config(job)))))()
            return
        if run.exists():
            shutil.rmtree(run)  # it was begun, and stopped before anything was learnt
        self.prepared(job)()

    def _training(self, job: Job, track: Track) -> dict[str, Any]:
        """Decisions, seconds and the learning curve of a run, from its folder."""
        table = read_json(self.folder_of(job) / "table.json")
        evaluations = table["evaluations"]
        clocks = {line["decisions"]: line["seconds"] for line in read_metrics(self.folder_of(job))}
        names = {spec: name for name, spec in track.opponent_specs().items()}
        scores = []
        for each in evaluations if len(track.tables) == 1 else ():
            at = each["trained_decisions"]
            spent = sum(other["seconds"] for other in evaluations if other["trained_decisions"] <= at)
            rates: dict[str, Any] = {name: each[name] for name in ("win_rate", "low", "high", "deals", "players")}
            point = Score(
                job.algorithm, job.track, job.seed, names[each["opponent"]], **rates, decisions=at,
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


# --- measuring --------------------------------------------------------------------------------------------------------


def measure(plan: RunPlan, folder: Path, origin: Mapping[str, Any], workers: int | Mapper = 1) -> dict[str, Any]:
    """Do the rest of a benchmark, whose results are in a folder: plain values for JSON (:func:`report`). ``origin`` has
    more fields of the file: the command and the versions. A mapper does the runs on other machines, all at once. Raises
    ValueError as :func:`prepare` does, and Interrupted after Ctrl-C.
    """
    prepare(plan, folder)
    runs, planned, began, done = Runs(plan, folder), jobs(plan), time.perf_counter(), 0

    def work(job: Job) -> dict[str, Any]:
        nonlocal done
        index, spent = planned.index(job), time.perf_counter() - began
        left = f"about {clock(spent / done * (len(planned) - index))} left" if done else "time left unknown yet"
        print(f"{index + 1} of {len(planned)}: {job}.  {clock(spent)} so far, {left}", flush=True)
        measured = runs.measure(job)
        print(f"{job}: {_outcome(measured)}", flush=True)
        done += job.algorithm in plan.algorithms
        return measured

    results: list[dict[str, Any]] = []

    def seen(job: Job, measured: dict[str, Any]) -> None:
        results.append(measured)
        if callable(workers):
            print(f"{len(results)} of {len(planned)}: {job}: {_outcome(measured)}", flush=True)
        elif done and len(results) < len(planned):  # not for each of those that were saved before: a report bootstraps
            _write(folder, origin, report(plan, results))

    parts = {runs.part(job): job for job in planned}
    there = Runs(plan, folder.resolve()).measure
    _open(plan, folder).run(parts, there if callable(workers) else work, workers, seen)
    order = {job: place for place, job in enumerate(planned)}
    values = report(plan, sorted(results, key=lambda run: order[Job(run["track"], run["algorithm"], run["seed"])]))
    _write(folder, origin, values)
    return values


def _write(folder: Path, origin: Mapping[str, Any], values: Mapping[str, Any]) -> None:
    """Write a report in all its forms."""
    write_scores(folder / "scores.jsonl", scores_of(values))
    write_json(folder / "algorithms.json", {**origin, "algorithms": values})
    write_text(folder / "algorithms.md", markdown(values) + "\n")


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


def budget(plan: Mapping[str, Any], comparison: Mapping[str, Any]) -> str:
    """The budget of a plan, ``minutes`` or else ``decisions``, as the runs of a comparison kept to it."""
    minutes = plan["minutes"]
    return f"{minutes:g} minute{'s' * (minutes != 1)}" if minutes else budget_text(comparison, plan["decisions"])


def report_tables(values: Mapping[str, Any]) -> list[MarkdownTable]:
    """The tables of the results."""
    seeds = "one seed" if values["seeds"] == 1 else f"{values['seeds']} seeds"
    deals = f"{values['deals']:,} duplicate deals" if values["deals"] else "the deals of the track"
    made = f"{budget(values, values)} each, {seeds}, {deals} against each opponent, "
    return tables(values, made, values["decisions"])
