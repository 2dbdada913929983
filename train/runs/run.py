"""What every training run has, whatever its algorithm: limits, a folder, progress, evaluations, checkpoints, resuming.

==================== ==========================================================================================
file of a run        content
==================== ==========================================================================================
``config.yaml``      all fields of the config, resolved
``command.txt``      the command that started or resumed it, a line each
``versions.json``    what it ran on
``events.out.…``     TensorBoard; see :mod:`train.runs.tensorboard_log`
``metrics.jsonl``    the same figures, a line each iteration or evaluation
``checkpoints/``     ``<decisions>.safetensors``, the newest few
``policy.safetensors``  the policy, as of the last checkpoint (see :mod:`agents.policy.policy_file`)
``table.json``       decisions, seconds, decisions per second, evaluations
``games/``           games of the evaluations, for ``uno replay``: ``<decisions>-v-<agent>-<number>.json``
==================== ==========================================================================================
"""

import contextlib
import importlib.metadata
import itertools
import json
import platform
import shlex
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

import torch
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn

from agents.policy.policy_file import PolicyCard, save_policy
from train.common.processes import cores
from train.common.progress import clock
from train.evaluation.duplicate import Evaluation, evaluate
from train.evaluation.game_recorder import file_stem, save_replays
from train.networks.policy_network import NetworkPlayer
from train.runs.checkpoint import Array, load_checkpoint, save_checkpoint
from train.runs.config import config_values, make_config, parse_overrides, read_yaml, save_config
from train.runs.evaluator import RunEvaluation
from train.runs.learner import Learner, WorkersLostError
from train.runs.run_config import RunConfig
from train.runs.tensorboard_log import TensorBoardLog, evaluation_figures, opponent_labels
from uno_env.common.files import write_json

console = Console(highlight=False)
_COLUMNS = (BarColumn(), TextColumn("{task.percentage:>3.0f} %"), TextColumn("{task.description}"))

_C = TypeVar("_C", bound=RunConfig)


class Run:
    """A run: its config, folder and clock."""

    def __init__(self, config: RunConfig, folder: Path, seconds: float = 0.0) -> None:
        self.config, self.folder = config, folder
        self.evaluations: list[Evaluation] = []
        self._before = seconds
        self._began = time.perf_counter()

    @property
    def seconds(self) -> float:
        """Seconds that the run has taken, evaluations and checkpoints included."""
        return self._before + time.perf_counter() - self._began

    def progress(self, decisions: int) -> float:
        """How much of the run is done, 0 to 1."""
        minutes = self.config.max_minutes
        by_time = self.seconds / (60 * minutes) if minutes else 0.0
        return min(1.0, max(decisions / self.config.total_timesteps, by_time))

    def train(self, learner: Learner) -> Path:
        """Train to the end of the run; the folder.

        Raises:
            DivergedError: the learner has arrived at numbers that are not finite; the last checkpoint stays.
            WorkersLostError: the learner cannot go on; a checkpoint is written.
            SystemExit: with code 130, after Ctrl-C and a checkpoint.
        """
        evaluator = learner.evaluator()
        with (
            TensorBoardLog(self.folder, self.config, learner.decisions) as tensorboard,
            (self.folder / "metrics.jsonl").open("a", buffering=1) as metrics,
            Progress(*_COLUMNS, console=console, transient=True) as bar,
            _stopping() as stopped,
        ):
            bar.add_task("compiling", total=1.0)
            self._warm_up(learner)

            def log(figures: dict[str, float], decisions: int) -> None:
                tensorboard.show_figures(figures, decisions)
                print(json.dumps({"decisions": decisions, "seconds": self.seconds, **figures}), file=metrics)

            def record_evaluations(wait: bool) -> None:
                for measured in evaluator.finished(wait):
                    log(self._record_evaluation(measured, tensorboard), measured.decisions)

            def save() -> None:
                record_evaluations(wait=True)
                self.save(learner)

            part = self._part(learner.decisions)
            while self.progress(learner.decisions) < 1 and not stopped():
                before = learner.decisions
                try:
                    figures = learner.iterate(self.progress(before))
                except WorkersLostError:
                    save()
                    raise
                log({**figures, "time/fps": learner.decisions / self.seconds}, learner.decisions)
                self._show(bar, learner)
                last, part = part, self._part(learner.decisions)
                if part > last or _crosses(self.config.eval_every, before, learner.decisions):
                    evaluator.begin(learner.network, learner.decisions)
                record_evaluations(wait=False)
                if part > last or _crosses(self.config.checkpoint_every, before, learner.decisions):
                    save()
            save()
        if self.progress(learner.decisions) < 1:
            console.print(f"Stopped. To go on: uno train {shlex.quote(str(self.folder))}")
            raise SystemExit(130)
        return self.folder

    def _part(self, decisions: int) -> int:
        """How many of the config's parts are done."""
        return int(self.progress(decisions) * self.config.parts)

    def save(self, learner: Learner) -> None:
        """Write checkpoint, policy and table, and delete old checkpoints."""
        arrays, values = learner.get_state()
        path = self.folder / "checkpoints" / f"{learner.decisions:012d}.safetensors"
        evaluations = [evaluation.to_dict() for evaluation in self.evaluations]
        save_checkpoint(path, arrays, {**values, "seconds": self.seconds, "evaluations": evaluations})
        for old in sorted(path.parent.glob("*.safetensors"))[: -self.config.keep_checkpoints]:
            old.unlink()
        table = self.table(learner)
        save_policy(self.folder / "policy.safetensors", learner.network.weights(), self._card(learner, table))
        write_json(self.folder / "table.json", table)

    def table(self, learner: Learner) -> dict[str, Any]:
        """What was measured, as plain values for JSON."""
        seconds = self.seconds
        return {
            "algorithm": self.config.algorithm,
            "decisions": learner.decisions,
            "choices": learner.choices,
            "seconds": round(seconds, 3),
            "decisions_per_second": round(learner.decisions / seconds),
            "choices_per_second": round(learner.choices / seconds),
            "threads": self.config.threads,
            "device": self.config.device,
            "evaluations": [evaluation.to_dict() for evaluation in self.evaluations],
        }

    def _card(self, learner: Learner, table: dict[str, Any]) -> PolicyCard:
        rules, *others = self.config.all_rules()
        return PolicyCard(
            rules=rules.to_dict(),
            more_players=sorted(each.players for each in others),
            columns=learner.network.columns.tolist(),
            actions=learner.network.actions.tolist(),
            hidden=learner.network.hidden,
            history=learner.network.history,
            event_width=learner.network.event_width,
            trained_by={"run": self.folder.name, "config": config_values(self.config)}
            | {name: value for name, value in table.items() if name != "evaluations"}
            | dict(learner.notes),
            evaluation=table["evaluations"][-len(self.config.eval_against) * (1 + len(others)) :],
        )

    def _warm_up(self, learner: Learner) -> None:
        """Compile before the clock starts, which takes a minute on a machine where nothing is compiled yet."""
        learner.warm_up()
        for opponent, rules in itertools.product(self.config.eval_against, self.config.all_rules()):
            evaluate(NetworkPlayer(learner.network), opponent, rules, deals=2)
        self._began = time.perf_counter()

    def _record_evaluation(self, measured: RunEvaluation, tensorboard: TensorBoardLog) -> dict[str, float]:
        """Save and show the results of an evaluation; its figures."""
        decisions, texts = measured.decisions, []
        results = [result for result, _ in measured.pairs]
        for label, (result, replays) in zip(opponent_labels(results), measured.pairs, strict=True):
            name = f"{self.folder.name} after {decisions:,}"
            self.evaluations.append(replace(result, agent=name, trained_decisions=decisions))
            if replays:
                save_replays(replays, self.folder / "games", f"{decisions:012d}-{file_stem('v', label)}")
            half = (result.high - result.low) / 2
            texts.append(f"{100 * result.win_rate:.1f} ± {100 * half:.1f} % v {label}")
        if measured.pairs and (replays := measured.pairs[-1][1]):  # one picture tells enough
            tensorboard.show_game(replays[0], decisions)
        if texts:
            console.print(f"{decisions:>13,} decisions  {clock(self.seconds)}  {',  '.join(texts)}", soft_wrap=True)
        tensorboard.show_evaluations(results, decisions)
        return evaluation_figures(results)

    def _show(self, bar: Progress, learner: Learner) -> None:
        part, seconds = self.progress(learner.decisions), self.seconds
        left = clock(seconds * (1 - part) / part)
        text = f"{learner.decisions:,} decisions, {learner.decisions / seconds:,.0f} a second, {left} left"
        bar.update(bar.task_ids[0], completed=part, description=text)


def start_run(config: RunConfig) -> Run:
    """A new run in a folder of its own."""
    rules = config.rules if isinstance(config.rules, str) else "rules"
    players = "-".join(str(each.players) for each in config.all_rules())
    chosen = config.name or f"{config.algorithm}-{rules}-{players}p-{datetime.now():%Y%m%d-%H%M%S}"
    folder = _new_folder(Path(config.folder), chosen)
    config = replace(config, name=folder.name)
    save_config(config, folder / "config.yaml")
    _record_start(folder)
    return Run(config, folder)


def reopen_run(
    folder: Path, cls: type[_C], overrides: Mapping[str, str]
) -> tuple[_C, Run, dict[str, Array], dict[str, Any]]:
    """The run in a folder as of its last checkpoint: its config with some fields changed, itself, and that state.

    Raises:
        ValueError: there is no usable checkpoint, or an override is not one of
            :attr:`train.runs.run_config.RunConfig.changeable`.
    """
    changes = parse_overrides(overrides)
    found = sorted((folder / "checkpoints").glob("*.safetensors"))
    if not found:
        raise ValueError(f"{str(folder)!r} has no checkpoint to resume from")
    for name in changes:
        if name not in cls.changeable:
            raise ValueError(
                f"{name}={changes[name]!r} cannot be changed when resuming: {', '.join(cls.changeable)} can"
            )
    arrays, values = load_checkpoint(found[-1])
    config = make_config(cls, {**read_yaml(folder / "config.yaml"), **changes})
    run = Run(config, folder, values["seconds"])
    run.evaluations = [Evaluation(**evaluation) for evaluation in values["evaluations"]]
    save_config(config, folder / "config.yaml")
    _drop_metrics_after(folder / "metrics.jsonl", values["decisions"])
    _record_start(folder)
    return config, run, arrays, values


def _new_folder(base: Path, name: str) -> Path:
    for number in range(1, 1_000_000):
        folder = base / (name if number == 1 else f"{name}-{number}")
        with contextlib.suppress(FileExistsError):
            folder.mkdir(parents=True)
            return folder
    raise ValueError(f"there is no free name like {name!r} in {base}")


def _record_start(folder: Path) -> None:
    with (folder / "command.txt").open("a") as file:
        print(shlex.join([sys.executable, *sys.argv]), file=file)
    packages = ("uno-env", "numpy", "numba", "torch")
    versions = {name: importlib.metadata.version(name) for name in packages}
    machine = {"python": platform.python_version(), "machine": platform.platform(), "cores": cores(),
               "cpu": torch.backends.cpu.get_cpu_capability()}  # fmt: skip
    write_json(folder / "versions.json", {**versions, **machine})


def _drop_metrics_after(path: Path, decisions: int) -> None:
    lines = path.read_text().splitlines() if path.exists() else []
    lines_before = [line for line in lines if json.loads(line)["decisions"] <= decisions]
    path.write_text("".join(line + "\n" for line in lines_before))


def _crosses(every: int, before: int, after: int) -> bool:
    return every > 0 and before // every != after // every


@contextlib.contextmanager
def _stopping() -> Iterator[Callable[[], bool]]:
    """Whether Ctrl-C was pressed; pressed again, it interrupts at once, as it does outside the main thread."""
    if threading.current_thread() is not threading.main_thread():
        yield lambda: False
        return
    pressed = False
    before = signal.getsignal(signal.SIGINT)

    def stop(number: int, frame: Any) -> None:
        nonlocal pressed
        pressed = True
        signal.signal(signal.SIGINT, before)
        console.print("Stopping after this iteration; Ctrl-C again stops at once, without a checkpoint.")

    signal.signal(signal.SIGINT, stop)
    try:
        yield lambda: pressed
    finally:
        signal.signal(signal.SIGINT, before)
