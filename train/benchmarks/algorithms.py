"""Algorithms side by side: ``uno benchmark algorithms``.

Each algorithm trains on a track (:mod:`train.benchmarks.tracks`) with its own config for it and a budget that is the
same for all, in decisions or in minutes, once for each of several seeds. Then all policies meet the same ladder of
opponents on the same duplicate deals. What is told of an algorithm are the median and the quartiles over its seeds.

*Decisions* are those of all seats, forced ones included. In self-play every seat learns from its own; the algorithms of
SB3 learn from one seat's only, and agents, which cost little, decide for the others. *Strength* is the mean win rate
over the opponents of the ladder. *Minutes* are those of training: the evaluations on the way are not counted, but for
a budget of minutes, which is of both.

Runs are done one after the other, each in a folder of its own under the benchmark's. What is done is not done again: a
benchmark that was stopped goes on by the same command, which may name more algorithms or seeds. The folder also gets
``algorithms.json`` (``{"command", "versions", "algorithms": {…}}``), the table ``algorithms.md``, and the plot
``algorithms.png`` and ``.svg``.

``python -m train.benchmarks.algorithms FILE`` keeps the figures of such a JSON file in
``train/benchmarks/algorithms.json``, track by track, from which the README's tables are made (``python -m
tests.project.readme``).
"""

import gc
import json
import platform
import shutil
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import agents
from train.algorithms.registry import ALGORITHMS, prepare_training
from train.benchmarks.ladder import code_version
from train.benchmarks.tracks import OPPONENTS, TRACKS, track_of
from train.common.processes import cores
from train.common.progress import clock, progress_bar
from train.evaluation.duplicate import evaluate
from train.runs.learner import RunError
from train.runs.tensorboard_log import WIN_RATE
from uno_env.common.files import write_json, write_text
from uno_env.rules import Rules

CHOSEN = ("ppo", "dmc", "mmd", "sb3_ppo", "sb3_dqn", "sb3_qrdqn")
"""Algorithms that are measured if nothing else is said."""

PARTS = 10
"""Points of each learning curve."""

KEPT = Path(__file__).with_name("algorithms.json")
MEASURED = "measured.json"
"""In the folder of a run that is done: what was measured."""

OWN = ("algorithm", "folder", "name", "rules", "players", "seed", "decisions", "max_minutes", "threads", "eval_every",
       "eval_deals", "eval_against", "save_games", "checkpoint_every", "parts", "keep_checkpoints")  # fmt: skip
"""Keys of the configs that the benchmark sets."""

NO_LIMIT = 10**15
"""Decisions, where minutes are the budget."""


@dataclass(frozen=True)
class Plan:
    """What is to be measured."""

    track: str
    decisions: int = 0
    """Decisions that each run trains for, 0: no limit."""
    minutes: float = 0.0
    """Minutes that each run takes, evaluations on the way included, 0: no limit."""
    algorithms: tuple[str, ...] = CHOSEN
    seeds: int = 3
    """Runs of each algorithm."""
    seed: int = 0
    """Seed of the first runs, the next one for the next, and of the deals."""
    deals: int = 10_000
    """Duplicate deals against each opponent of the ladder."""
    curve_deals: int = 1_000
    """The same for each point of a learning curve."""
    threads: int = 0
    """Threads, 0: as many as there are cores."""
    changes: Mapping[str, str] = field(default_factory=dict)
    """Keys of all configs that are changed, their values as YAML."""

    def rules(self) -> Rules:
        """The rules."""
        return track_of(self.track).rules()

    def jobs(self) -> list[tuple[str, int]]:
        """Algorithm and seed of each run, in the order in which they are done: seed by seed."""
        return [(name, self.seed + number) for number in range(self.seeds) for name in self.algorithms]


def default_folder(plan: Plan) -> Path:
    """Where a benchmark is kept if nothing else is said."""
    budget = f"{plan.minutes:g}min" if plan.minutes else f"{plan.decisions}"
    return Path("runs") / f"algorithms-{plan.track}-{budget}"


def prepare(plan: Plan, folder: Path) -> None:
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


def _open(plan: Plan, folder: Path) -> None:
    told = {name: value for name, value in asdict(plan).items() if name not in ("algorithms", "seeds")}
    note = folder / "plan.json"
    if note.exists() and json.loads(note.read_text(encoding="utf-8")) != told:
        raise ValueError(
            f"{str(folder)!r} holds another benchmark: give the same arguments to go on (algorithms and seeds may "
            "change), or another folder"
        )
    folder.mkdir(parents=True, exist_ok=True)
    write_json(note, told)


def _changes(plan: Plan, folder: Path, algorithm: str, seed: int) -> dict[str, str]:
    """What a run changes in its config."""
    values = {
        "folder": str(folder),
        "name": _name(algorithm, seed),
        "seed": seed,
        "decisions": plan.decisions or NO_LIMIT,
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


def benchmark(plan: Plan, folder: Path, note: Mapping[str, Any]) -> dict[str, Any]:
    """Do what is left of a benchmark.

    Args:
        plan: what is to be measured.
        folder: where everything is kept.
        note: what the JSON file is to say besides.

    Returns:
        Plain values for JSON, see :func:`report`.

    Raises:
        ValueError: see :func:`prepare`.
        KeyboardInterrupt: with a sentence that says how to go on.
    """
    prepare(plan, folder)
    jobs, began = plan.jobs(), time.perf_counter()
    for number, (algorithm, seed) in enumerate(jobs):
        if (folder / _name(algorithm, seed) / MEASURED).exists():
            continue
        spent = time.perf_counter() - began
        left = _time_left(plan, folder, jobs[number:])
        print(
            f"Run {number + 1} of {len(jobs)}: {algorithm}, seed {seed}.  {clock(spent)} so far, "
            + ("time left unknown yet" if left is None else f"about {clock(left)} left"),
            flush=True,
        )
        try:
            measured = _measure(plan, folder, algorithm, seed)
        except (KeyboardInterrupt, SystemExit):
            raise KeyboardInterrupt(f"Stopped; what is done is in {folder}, the same command goes on.") from None
        print(_sentence(measured), flush=True)
        _write(plan, folder, note)
    return _write(plan, folder, note)


def _measure(plan: Plan, folder: Path, algorithm: str, seed: int) -> dict[str, Any]:
    """Train, or go on with it, and measure; kept in the run's folder."""
    run, began = folder / _name(algorithm, seed), time.perf_counter()
    measured: dict[str, Any] = {"algorithm": algorithm, "seed": seed}
    try:
        _train(plan, folder, algorithm, seed)
        measured |= _told(run) | {"ladder": _climb(plan, run)}
    except RunError as error:  # the others are to be measured all the same
        measured["failed"] = str(error)
    gc.collect()  # SB3's models go round in circles, and hold hundreds of megabytes
    measured["wall_seconds"] = round(time.perf_counter() - began, 3)
    run.mkdir(exist_ok=True)
    write_json(run / MEASURED, measured)
    return measured


def _train(plan: Plan, folder: Path, algorithm: str, seed: int) -> None:
    run = folder / _name(algorithm, seed)
    if any((run / "checkpoints").glob("*.safetensors")):
        prepare_training(run, {})()
        return
    if run.exists():
        shutil.rmtree(run)  # it was begun, and stopped before anything was learnt
    prepare_training(track_of(plan.track).config(algorithm), _changes(plan, folder, algorithm, seed))()


def _told(run: Path) -> dict[str, Any]:
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


def _climb(plan: Plan, run: Path) -> list[dict[str, Any]]:
    rules, policy = plan.rules(), str(run / "policy.safetensors")
    results = []
    for opponent in OPPONENTS:
        with progress_bar(f"{run.name} against {opponent}", plan.deals * rules.players) as progress:
            threads = plan.threads or cores()
            result = evaluate(policy, opponent, rules, plan.deals, plan.seed, threads=threads, progress=progress)
        results.append({name: value for name, value in result.to_dict().items() if name != "rules"})
    return results


def _time_left(plan: Plan, folder: Path, jobs: Sequence[tuple[str, int]]) -> float | None:
    """Seconds that the runs left will take, as those took that are done; None if none is."""
    known: dict[str, list[float]] = {}
    for measured in _measured(plan, folder):
        known.setdefault(measured["algorithm"], []).append(measured["wall_seconds"])
    typical = np.mean([np.mean(times) for times in known.values()]) if known else 60 * plan.minutes
    left = sum(
        float(np.mean(known.get(algorithm, [typical])))
        for algorithm, seed in jobs
        if not (folder / _name(algorithm, seed) / MEASURED).exists()
    )
    return left or None


def _measured(plan: Plan, folder: Path) -> list[dict[str, Any]]:
    """What was measured of each run that is done."""
    files = [folder / _name(algorithm, seed) / MEASURED for algorithm, seed in plan.jobs()]
    return [json.loads(file.read_text(encoding="utf-8")) for file in files if file.exists()]


def _sentence(measured: Mapping[str, Any]) -> str:
    name = f"{measured['algorithm']}, seed {measured['seed']}"
    if "failed" in measured:
        return f"{name} failed: {measured['failed']}"
    rates = ", ".join(f"{100 * each['win_rate']:.1f} % v {each['opponent']}" for each in measured["ladder"])
    return f"{name}: {rates}; {measured['decisions_per_second']:,} decisions a second"


def _write(plan: Plan, folder: Path, note: Mapping[str, Any]) -> dict[str, Any]:
    told = report(plan, _measured(plan, folder))
    write_json(folder / "algorithms.json", {**note, "algorithms": told})
    write_text(folder / "algorithms.md", markdown(told) + "\n")
    return told


# --- telling ----------------------------------------------------------------------------------------------------------


def report(plan: Plan, runs: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The plan, where it was measured, the ``runs``, and a ``summary`` of each algorithm: the strongest first."""
    machine = {"platform": platform.platform(), "cores": cores(), "threads": plan.threads or cores()}
    names = [name for name in plan.algorithms if any(run["algorithm"] == name for run in runs)]
    summary = [_summary(name, [run for run in runs if run["algorithm"] == name]) for name in names]
    return {
        **asdict(plan),
        "algorithms": list(plan.algorithms),
        "players": plan.rules().players,
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


def markdown(told: Mapping[str, Any]) -> str:
    """The table of a report, or of its kept part, with its title."""
    budget = f"{told['minutes']:g} minutes" if told["minutes"] else f"{told['decisions']:,} decisions"
    seeds = "one seed" if told["seeds"] == 1 else f"{told['seeds']} seeds"
    title = (
        f"**{told['track']}**: {budget} each, {seeds}, {told['deals']:,} duplicate deals against each "
        f"opponent, par {1 / told['players']:.0%}; median and quartiles over seeds"
    )
    heads = ["algorithm", "strength", *(f"v `{name}`" for name in told["opponents"]), "decisions/s", "decisions",
             "minutes"]  # fmt: skip
    rows = [_cells(row, told["opponents"]) for row in told["summary"]]
    return "\n".join([title, "", *(f"| {' | '.join(cells)} |" for cells in (heads, ["---"] * len(heads), *rows))])


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


def keep(file: Path, kept: Path = KEPT) -> None:
    """Keep what the README tells of a benchmark's JSON file, in place of what was kept of that track.

    Raises:
        ValueError: the file holds no such benchmark.
    """
    names = ("track", "players", "decisions", "minutes", "seeds", "deals", "opponents", "commit", "date", "machine",
             "summary")  # fmt: skip
    try:
        written = json.loads(file.read_text(encoding="utf-8"))
        told = {"command": written["command"], **{name: written["algorithms"][name] for name in names}}
        markdown(told)
    except (KeyError, TypeError, json.JSONDecodeError) as error:
        raise ValueError(f"{str(file)!r} holds no benchmark of algorithms: {error!r}") from None
    others = json.loads(kept.read_text(encoding="utf-8")) if kept.exists() else {}
    tracks = {**others, told["track"]: told}
    write_json(kept, {name: tracks[name] for name in TRACKS if name in tracks})


def kept_tables(kept: Path = KEPT) -> str:
    """The tables that were kept, with what they were made by."""
    tracks = json.loads(kept.read_text(encoding="utf-8")) if kept.exists() else {}
    if not tracks:
        return "Not measured yet."
    parts = [
        f"`{told['command']}`, code of commit {told['commit']} ({told['date']}), "
        f"{_threads(told['machine']['threads'])}.\n\n{markdown(told)}"
        for told in tracks.values()
    ]
    return "\n\n".join(parts)


def _threads(number: int) -> str:
    return "one thread" if number == 1 else f"{number} threads"


if __name__ == "__main__":
    try:
        keep(Path(sys.argv[1]))
    except (ValueError, OSError, IndexError) as error:
        sys.exit(f"train.benchmarks.algorithms: {error}; usage: python -m train.benchmarks.algorithms FILE")
