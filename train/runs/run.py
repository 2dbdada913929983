"""A training run of any algorithm: limits, folder, progress, evaluations, checkpoints, resuming.

docs/reference/files.md lists the files of a run. Each is replaced whole, so that a run survives a power cut or a full
disk: it continues from its newest undamaged checkpoint (:mod:`train.runs.run_folder`).
"""

import contextlib
import itertools
import json
import shlex
import signal
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

from filelock import FileLock
from rich.progress import BarColumn, Progress, TextColumn

from agents.policy.policy_file import POLICY
from agents.trust import OPTION, risk_of, texts_in
from train.common import replicas
from train.common.interrupts import once_a_second
from train.common.progress import clock
from train.common.suite import read_suite
from train.evaluation.duplicate import Evaluation, evaluate
from train.evaluation.game_recorder import file_stem, save_replays
from train.runs import run_folder
from train.runs.callbacks import Callback, CallbackError, CallbackList
from train.runs.checkpoint import check_finite, save_checkpoint
from train.runs.config import config_values, make_config, parse_overrides
from train.runs.evaluator import DrawingPlayer, RunEvaluation, crosses, is_due
from train.runs.learner import DivergedError, Learner, RunError, WorkersLostError
from train.runs.run_config import RunConfig
from train.runs.tensorboard_log import TensorBoardLog, evaluation_figures, opponent_labels
from uno_env.common.files import remove_temporary_files, write_json
from uno_env.common.lock import lock_folder
from uno_env.common.output import replace_unprintable
from uno_env.common.validation import convert
from uno_env.core.arrays import Array
from uno_env.observation import LAYOUT_VERSION

_COLUMNS = (BarColumn(), TextColumn("{task.percentage:>3.0f} %"), TextColumn("{task.description}"))

LEAST_CHECKPOINTS = 2
"""Least number of checkpoints that are kept: if the newest is damaged, the one before it is used."""


class Run:
    """A run: its config, folder and clock. Its folder is locked until it has been trained."""

    def __init__(self, config: RunConfig, folder: Path, lock: FileLock, seconds: float = 0.0) -> None:
        self.config, self.folder, self._lock = config, folder, lock
        self.evaluations: list[Evaluation] = []
        self._before = seconds
        self._began = time.perf_counter()

    @property
    def seconds(self) -> float:
        """Seconds that the run has taken, evaluations and checkpoints included."""
        return self._before + time.perf_counter() - self._began

    def progress(self, learner: Learner) -> float:
        """The share of the run that is done, from 0 to 1: also where there is no room for another iteration."""
        total, minutes = self.config.total_timesteps, self.config.max_minutes
        if total - learner.decisions < learner.least_decisions():
            return 1.0
        by_time = self.seconds / (60 * minutes) if minutes else 0.0
        return min(1.0, max(learner.decisions / total, by_time))

    def train(self, learner: Learner, callbacks: Sequence[Callback] = ()) -> Path:
        """Train to the end of the run, or until a callback asks to stop, and return the folder.

        Raises:
            DivergedError: the training led to numbers that are not finite; the last checkpoint stays.
            WorkersLostError: the learner cannot continue; a checkpoint is written.
            RunError: the folder cannot be written any more, such as on a full disk; the last checkpoint stays.
            SystemExit: after Ctrl-C (with code 130) or SIGTERM (143), and a checkpoint.
        """
        replace_unprintable()
        told = CallbackList(callbacks)
        try:
            with run_folder.disk_errors(self.folder, self._how_to_go_on):
                run_folder.record_start(self.folder, self.config, learner.decisions)
                run_folder.console.print(self._introduction(learner), soft_wrap=True)
                signal_number = self._train(learner, told)
        except CallbackError as error:
            raise error.error from None
        finally:
            self._lock.release()
        if self.progress(learner) < 1:
            by = "" if signal_number else " by a callback"
            run_folder.console.print(f"Stopped{by}. To go on: {self._command()}", soft_wrap=True)
            if signal_number:
                raise SystemExit(128 + signal_number)
        return self.folder

    def _introduction(self, learner: Learner) -> str:
        """Algorithm, rules, network, device and budget, for the terminal."""
        config, network = self.config, getattr(learner, "network", None)
        rules = _name_of_rules(config)
        players = " or ".join(str(each.players) for each in config.all_rules())
        reads = "Network of its own"
        if network is not None:
            weights = sum(weight.size for weight in network.weights().values())
            reads = f"Network: hidden layers of {' × '.join(map(str, network.hidden))}, {weights:,} weights"
        minutes = f" or {config.max_minutes:g} minutes" if config.max_minutes else ""
        done = f", of which {learner.decisions:,} are done" if learner.decisions else ""
        return (
            f"Run {self.folder}: {config.algorithm} on {rules}, {players} players\n"
            f"{reads}, on {config.device}; {config.threads} thread{'s' * (config.threads > 1)}\n"
            f"Budget: at most {config.total_timesteps:,} decisions{minutes}{done}"
        )

    def _how_to_go_on(self) -> str:
        if run_folder.checkpoints(self.folder):
            return f"go on with: {self._command()}"
        return "start it anew, since it has no checkpoint yet"

    def _command(self) -> str:
        """The command that goes on."""
        risky = any(risk_of(text) for text in texts_in(config_values(self.config)))
        return shlex.join(["uno", "train", str(self.folder), *([OPTION] if risky else [])])

    def _train(self, learner: Learner, told: CallbackList) -> int:
        """Train to the end of the run, or until a signal or a callback, and return the signal's number, or 0."""
        with (
            learner.evaluator() as evaluator,
            TensorBoardLog(self.folder, self.config, learner.decisions) as tensorboard,
            (self.folder / run_folder.METRICS).open("a", buffering=1, encoding="utf-8") as metrics,
            Progress(*_COLUMNS, console=run_folder.console, transient=True) as bar,
            _stopping() as stop,
            _plain_warnings(),
            told.during(self.config, self.folder, learner.decisions),
        ):
            bar.add_task("compiling", total=1.0)
            self._warm_up(learner)
            stop.has_begun = True

            def log(figures: dict[str, float], decisions: int) -> None:
                tensorboard.show_figures(figures, decisions)
                print(json.dumps({"decisions": decisions, "seconds": self.seconds, **figures}), file=metrics)

            def record_evaluations(wait: bool) -> None:
                for measured in evaluator.finished(wait):
                    log(self._record_evaluation(measured, tensorboard), measured.decisions)
                    told.on_evaluation([result for result, _ in measured.pairs], measured.decisions)

            def save() -> None:
                record_evaluations(wait=True)
                self.save(learner)

            if not learner.decisions and self.config.eval_every and not self.evaluations:
                evaluator.begin(learner.policy(), 0)
                record_evaluations(wait=False)
            part = self._part(learner)
            while self.progress(learner) < 1 and not stop.number and not told.stopped:
                before = learner.decisions
                try:
                    figures = learner.iterate(replicas.from_first(self.progress(learner)))
                except WorkersLostError:
                    save()
                    raise
                if learner.decisions <= before:
                    raise RunError(f"{self.config.algorithm} played nothing: iterate() must raise `decisions`")
                figures = {**figures, "time/fps": learner.decisions / self.seconds}
                log(figures, learner.decisions)
                told.on_iteration(figures, learner.decisions)
                self._show(bar, learner)
                last, part = part, self._part(learner)
                if part > last or is_due(self.config, before, learner.decisions):
                    evaluator.begin(learner.policy(), learner.decisions)
                record_evaluations(wait=False)
                if part > last or crosses(self.config.checkpoint_every, before, learner.decisions):
                    save()
            record_evaluations(wait=True)
            measured = {each.trained_decisions for each in self.evaluations}
            if self.config.eval_every and not stop.number and learner.decisions not in measured:
                evaluator.begin(learner.policy(), learner.decisions)
            save()
            told.end = "interrupted" if stop.number else "done" if self.progress(learner) == 1 else "stopped"
            return stop.number

    def _part(self, learner: Learner) -> int:
        """The number of the config's parts that are done."""
        return int(self.progress(learner) * self.config.parts)

    def save(self, learner: Learner) -> None:
        """Write checkpoint, policy and table. Raises DivergedError, and writes nothing, if a weight is not finite."""
        arrays, values = learner.get_state()
        try:
            check_finite(arrays)
        except ValueError as error:
            raise DivergedError(
                f"{error} after {learner.decisions:,} decisions: choose a smaller learning_rate; the last checkpoint "
                "stays as it was"
            ) from None
        path = self.folder / run_folder.CHECKPOINTS / f"{learner.decisions:012d}.safetensors"
        run: dict[str, Any] = {
            "seconds": self.seconds,
            "evaluations": [evaluation.to_dict() for evaluation in self.evaluations],
            "config": config_values(self.config),
            "layout_version": LAYOUT_VERSION,
        }
        counts = {"decisions": learner.decisions, "choices": learner.choices}
        save_checkpoint(path, arrays, {**counts, **values, **run})
        for old in run_folder.checkpoints(self.folder)[: -max(LEAST_CHECKPOINTS, self.config.keep_checkpoints)]:
            old.unlink()
        table = self.table(learner)
        learner.save_policy((self.folder / POLICY).with_suffix(learner.policy_suffix), self._about(learner, table))
        write_json(self.folder / "table.json", table)

    def table(self, learner: Learner) -> dict[str, Any]:
        """The figures of the run so far, as plain values for JSON."""
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

    def _about(self, learner: Learner, table: dict[str, Any]) -> dict[str, Any]:
        """The fields about the run for the card of the saved policy."""
        rules, *others = self.config.all_rules()
        return {
            "rules": rules.to_dict(),
            "more_players": sorted(each.players for each in others),
            "random_rules": getattr(self.config, "random_rules", 0),
            "trained_by": {"run": self.folder.name, "config": config_values(self.config)}
            | {name: value for name, value in table.items() if name != "evaluations"}
            | dict(learner.notes),
            "evaluation": table["evaluations"][-len(self.config.eval_against) * (1 + len(others)) :],
        }

    def _warm_up(self, learner: Learner) -> None:
        """Compile before the clock starts; this takes a minute on a machine where nothing is compiled yet."""
        learner.warm_up()
        for opponent, rules in itertools.product(self.config.eval_against, self.config.all_rules()):
            evaluate(DrawingPlayer(learner.policy(), 0), opponent, rules, deals=2)
        self._began = time.perf_counter()

    def _record_evaluation(self, measured: RunEvaluation, tensorboard: TensorBoardLog) -> dict[str, float]:
        """Save and show the results of an evaluation, and return its figures."""
        decisions, texts = measured.decisions, []
        results = [result for result, _ in measured.pairs]
        for label, (result, replays) in zip(opponent_labels(results), measured.pairs, strict=True):
            name = f"{self.folder.name} after {decisions:,}" + ("" if decisions else ", actions drawn")
            self.evaluations.append(replace(result, agent=name, trained_decisions=decisions))
            if replays:
                save_replays(replays, self.folder / "games", f"{decisions:012d}-{file_stem('v', label)}")
            texts.append(f"{result.estimate.text()} % v {_without_folders(label)}")
        if measured.pairs and (replays := measured.pairs[-1][1]):  # one picture tells enough
            tensorboard.show_game(replays[0], decisions)
        if texts:
            run_folder.console.print(
                f"{decisions:>13,} decisions  {clock(self.seconds)}  {',  '.join(texts)}", soft_wrap=True
            )
        tensorboard.show_evaluations(results, decisions)
        return evaluation_figures(results)

    def _show(self, bar: Progress, learner: Learner) -> None:
        part, seconds = self.progress(learner), self.seconds
        left = clock(seconds * (1 - part) / part)
        text = f"{learner.decisions:,} decisions, {learner.decisions / seconds:,.0f} a second, {left} left"
        bar.update(bar.task_ids[0], completed=part, description=text)


def start_run(config: RunConfig) -> Run:
    """A new run in a folder of its own. Raises RunError if the folder cannot be written."""
    rules = config.rules if isinstance(config.rules, str) else "rules"
    players = "-".join(str(each.players) for each in config.all_rules())
    chosen = config.name or f"{file_stem(config.algorithm)}-{rules}-{players}p-{datetime.now():%Y%m%d-%H%M%S}"
    try:
        folder = run_folder.new_folder(Path(config.folder), chosen)
        return Run(replace(config, name=folder.name), folder, lock_folder(folder, "run"))
    except (OSError, ValueError) as error:
        raise RunError(f"no folder for the run can be made: {error}") from error


def reopen_run(
    folder: Path, class_of: Callable[[Mapping[str, Any]], type[RunConfig]], overrides: Mapping[str, Any]
) -> tuple[Run, dict[str, Array], dict[str, Any]]:
    """The run in a folder as of its last checkpoint, locked, with some fields of its config changed, and that state.

    ``class_of`` gives the class of a config from its values; overrides have fields to change, their values as in
    :func:`train.runs.config.parse_overrides`. Raises ValueError if the run is being trained, there is no usable
    checkpoint or config, or an override is not one of :attr:`train.runs.run_config.RunConfig.changeable`.
    """
    changes = parse_overrides(overrides)
    lock = lock_folder(folder, "run")
    try:
        remove_temporary_files(folder)
        arrays, values = run_folder.newest_checkpoint(folder)
        saved = run_folder.read_config(folder, values)
        cls = class_of(saved)
        for name in changes:
            if name not in cls.changeable:
                raise ValueError(
                    f"{name}={changes[name]!r} cannot be changed when resuming: {', '.join(cls.changeable)} can"
                )
        config = make_config(cls, {**saved, **changes})
        config.check()
    except BaseException:
        lock.release()
        raise
    run = Run(config, folder, lock, values["seconds"])
    run.evaluations = [convert(evaluation, Evaluation) for evaluation in values["evaluations"]]
    return run, arrays, values


def _name_of_rules(config: RunConfig) -> str:
    """Return the preset, or the track of the suite where a config lists the fields of its rules."""
    if isinstance(config.rules, str):
        return config.rules
    suite, (rules, *_) = read_suite(), config.all_rules()
    return next((name for name in suite.tracks if suite.track(name).rules() == rules), "own rules")


def _without_folders(opponent: str) -> str:
    """Return a saved policy by the name of its file, and another opponent as it is."""
    return Path(opponent).name if opponent.endswith((".safetensors", ".onnx")) else opponent


@contextlib.contextmanager
def _plain_warnings() -> Iterator[None]:
    """Show each warning as a line above the progress bar, without the place in the code that gave it."""

    def show(message: Warning | str, *place: Any, **more: Any) -> None:
        run_folder.console.print(f"Warning: {message}", soft_wrap=True, markup=False)

    with warnings.catch_warnings():
        warnings.showwarning = show
        yield


class _Stop:
    """The wishes of signals.

    Attributes:
        number: of the signal that asks to stop, Ctrl-C's or SIGTERM, or 0.
        has_begun: whether there is something to save.
    """

    number = 0
    has_begun = False


@contextlib.contextmanager
def _stopping() -> Iterator[_Stop]:
    """Have a first signal ask to stop. The second one ends the process at once, unless it comes within a second. While
    the run has not begun, the first one is a SystemExit.

    Outside the main thread signals keep their usual handlers.
    """
    asked = _Stop()
    if threading.current_thread() is not threading.main_thread():
        yield asked
        return
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}

    def give_back() -> None:
        for number, handler in before.items():
            signal.signal(number, handler)

    def stop(number: int, frame: Any) -> None:
        if not asked.has_begun:
            raise SystemExit(128 + number)
        if asked.number:
            give_back()
            signal.raise_signal(number)
            return
        asked.number = number
        run_folder.console.print("Stopping after this iteration; Ctrl-C again stops at once, without a checkpoint.")

    handler = once_a_second(stop)
    for number in before:
        signal.signal(number, handler)
    try:
        yield asked
    finally:
        give_back()
