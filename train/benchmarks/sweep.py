"""The search for hyperparameters: ``uno sweep CONFIG --trials N``, by Optuna.

A trial is a run of the config with some keys drawn anew. It is measured :data:`PARTS` times, and pruned where its best
win rate so far, the mean over its opponents, is below the median of the other trials at that part. The study is a
database in the sweep's folder, so that it can be resumed, and several processes can work on it. A trial gives a sign of
life every :data:`HEARTBEAT` seconds. One that is interrupted, or gives none for :data:`SILENCE` seconds, is tried
again: its run goes on from its checkpoint. The folder of a trial's run follows from its number.
"""

import contextlib
import functools
import json
import shutil
import sqlite3
import time
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any

import numpy as np
from filelock import FileLock

from agents.trust import texts_in
from train.algorithms.registry import config_of, prepare_training
from train.evaluation.duplicate import Evaluation
from train.runs.callbacks import Callback, End
from train.runs.config import config_values, find_config, parse_overrides, read_yaml
from train.runs.learner import DivergedError
from train.runs.run_config import RunConfig
from train.runs.run_folder import checkpoints
from train.runs.strict_yaml import parse_yaml
from uno_env.common.files import check_file, reason_of
from uno_env.common.validation import short_repr

if TYPE_CHECKING:
    import optuna

STUDY = "study.db"
"""File of the study, a database of SQLite's."""
HEARTBEAT, SILENCE = 10, 60
"""Seconds between two signs of life of a trial, and after which it counts as killed."""
PARTS = 10
FIRST_TRIALS = 8
"""Trials that are drawn at random, and before which none is pruned."""
FIRST_PARTS = 3
"""Parts of a trial before which it is not pruned: the trial that learns fastest at first need not be the best."""
_IDENTITY = "sweep"
_ENDED = ("COMPLETE", "PRUNED")

_SELF_PLAY = (
    "learning_rate=0.0005:0.008:log",
    "num_envs=128,256,512,1024,2048",
    "num_steps=32,64",
    "minibatch_size=512,1024,2048,4096",
)
_ADVANTAGES = ("gae_lambda=0.8:0.99", "ent_coef=0.003:0.03:log")
SPACES: Mapping[str, Sequence[str]] = {
    "ppo": (*_SELF_PLAY, "n_epochs=1,2,3,4", *_ADVANTAGES),
    "mmd": (*_SELF_PLAY, "n_epochs=1,2,3,4", "gae_lambda=0.8:0.99", "magnet_coef=0.03:0.2:log"),
    "dmc": (*_SELF_PLAY, "n_epochs=1,2", "epsilon=0.02:0.2:log"),
    "sb3_ppo": (
        "learning_rate=0.0003:0.004:log",
        "num_envs=64,128,256,512",
        "minibatch_size=256,512,1024,4096",
        "n_epochs=1,2,4,8",
        *_ADVANTAGES,
    ),
}
"""The search space of an algorithm, if the user does not give one."""


@dataclass(frozen=True)
class Sweep:
    """A search: a config, the keys that are the same in all trials, and those that are drawn."""

    target: Path
    """A YAML file, or the name of a shipped config."""
    changes: Mapping[str, Any]
    """Keys that differ from the config in all trials; texts are read as YAML."""
    over: Sequence[str]
    """``key=LOW:HIGH``, ``key=LOW:HIGH:log`` or ``key=VALUE,VALUE``; empty: those of :data:`SPACES`."""
    folder: Path
    """The study and the runs are here."""
    trust_code: bool = False
    """True if the config may name code (:mod:`agents.trust`)."""

    @functools.cached_property
    def config(self) -> RunConfig:
        """The config without the drawn keys. Raises ValueError if it is none, or names code that is not trusted."""
        file = find_config(self.target)
        if file.is_dir():
            raise ValueError(f"{str(self.target)!r} is a folder: a sweep begins with a config")
        prepare_training(self.target, self.changes, self.trust_code)
        return config_of(read_yaml(file) | parse_overrides(self.changes))

    @functools.cached_property
    def space(self) -> "dict[str, optuna.distributions.BaseDistribution]":
        """The values that are drawn from, by key. Raises ValueError if a text does not say it."""
        over = self.over or SPACES.get(self.config.algorithm, ())
        if not over:
            raise ValueError(
                f"--over is missing: what to search of {self.config.algorithm!r} is not known, so name keys, such as "
                "--over learning_rate=1e-4:1e-2:log num_envs=64,128"
            )
        named = (text.partition("=") for text in over)
        return {key: _distribution(key, text, getattr(self.config, key, None)) for key, _, text in named}

    def check(self) -> None:
        """Raise :class:`ValueError` if the config, a key or a value is not allowed."""
        if not self.config.eval_against:
            raise ValueError("eval_against=[] is not allowed in a sweep: name who trials are measured against")
        for low_or_high in (0, -1):
            drawn = {key: _ends(each)[low_or_high] for key, each in self.space.items()}
            prepare_training(self.target, self._overrides(drawn, "check"), self.trust_code)

    def study(self) -> "optuna.Study":
        """The study, begun or gone on with. Raises ValueError if the folder holds that of another sweep, a damaged one,
        or runs without their study.
        """
        import optuna

        study = _study_in(self.folder)
        space = {key: json.loads(optuna.distributions.distribution_to_json(each)) for key, each in self.space.items()}
        identity = json.loads(json.dumps({"config": config_values(self.config), "space": space}))
        known = study.user_attrs.get(_IDENTITY, identity)
        differing = [name for name, value in identity.items() if known.get(name) != value]
        if differing:
            raise ValueError(
                f"{str(self.folder)!r} holds a sweep with another {' and '.join(differing)}: give the same, or another "
                "--save"
            )
        study.set_user_attr(_IDENTITY, identity)
        return study

    def run(self, study: "optuna.Study", trials: int) -> None:
        """Run the trials that are missing to ``trials``, and wait for those that other processes run. Raises
        KeyboardInterrupt if one is stopped, and the errors of a run.
        """
        import optuna

        waits = False
        while True:
            optuna.storages.fail_stale_trials(study)
            states = [trial.state.name for trial in study.get_trials(deepcopy=False)]
            if sum(states.count(state) for state in _ENDED) >= trials:
                return
            if len(states) - states.count("FAIL") - states.count("WAITING") < trials:
                run_trial = functools.partial(self._run_trial, trials)
                study.optimize(run_trial, n_trials=1, catch=(_SuperfluousTrialError,))
                continue
            if not waits:
                print(f"Waiting for {states.count('RUNNING')} trials that other processes began", flush=True)
            waits = True
            time.sleep(HEARTBEAT)

    def _run_trial(self, trials: int, trial: "optuna.Trial") -> float:
        """The win rate that a trial reaches: Optuna's objective."""
        import optuna

        known = trial.study.get_trials(deepcopy=False)
        if sum(each.number <= trial.number and each.state.name != "FAIL" for each in known) > trials:
            raise _SuperfluousTrialError
        (seed,) = np.random.SeedSequence([self.config.seed, trial.number]).generate_state(1)
        trial.study.sampler = optuna.samplers.TPESampler(
            n_startup_trials=FIRST_TRIALS, multivariate=False, seed=int(seed)
        )
        drawn = {key: _suggest(trial, key, each) for key, each in self.space.items()}
        frozen = trial.study.get_trials(deepcopy=False)[trial.number]
        number = _number(frozen)
        print(f"\nTrial {number}: {', '.join(f'{key}={shown(each)}' for key, each in drawn.items())}", flush=True)
        told = _Told(trial, self.config, frozen.intermediate_values)
        run = self.folder / _folder(number)
        target, overrides = run, dict[str, Any]()
        if not checkpoints(run):
            if run.exists():
                shutil.rmtree(run)  # it was begun, and killed before anything was learnt
            target, overrides = self.target, self._overrides(drawn, run.name)
        try:
            typed = [*texts_in(parse_overrides(self.changes))]
            prepare_training(target, overrides, self.trust_code, typed, [told])()
        except DivergedError as error:
            raise optuna.TrialPruned from error
        except (SystemExit, KeyboardInterrupt) as stopped:
            _retry()(trial.study, trial.study.get_trials(deepcopy=True)[trial.number])
            raise KeyboardInterrupt("Stopped. The same command goes on.") from stopped
        if told.end == "stopped":
            print(f"Trial {number} is pruned: {told.win_rate:.1%}")
            raise optuna.TrialPruned
        return told.win_rate

    def _overrides(self, drawn: Mapping[str, Any], name: str) -> dict[str, Any]:
        measured = {"eval_every": 0, "parts": self.config.parts or PARTS}
        return {**self.changes, **drawn, **measured, "folder": str(self.folder), "name": name}


class _SuperfluousTrialError(Exception):
    """Another process runs the last trial."""


class _Told(Callback):
    """Tells Optuna of the evaluations of a run, and stops it where Optuna prunes it; ``before`` are the win rates by
    part that were told before the run was interrupted.
    """

    def __init__(self, trial: "optuna.Trial", config: RunConfig, before: Mapping[int, float]) -> None:
        self._trial, self._config = trial, config
        self._known, self._evaluations = set(before), len(before)
        self.win_rate = before[max(before)] if before else 0.0
        """The last one, the mean over opponents and numbers of players."""
        self.end: End = "failed"

    def on_evaluation(self, results: Sequence[Evaluation], decisions: int) -> bool:
        """Report the mean win rate at the part that is done: trials are compared at the same parts."""
        self.win_rate = fmean(result.win_rate for result in results)
        self._evaluations += 1
        parts, total = self._config.parts or PARTS, self._config.total_timesteps
        part = self._evaluations if self._config.max_minutes else min(parts, round(decisions * parts / total))
        if part not in self._known:  # it was measured, and no checkpoint written after it
            self._trial.report(self.win_rate, part)
        return not self._trial.should_prune()

    def on_training_end(self, decisions: int, end: End) -> None:
        """Keep how it ended."""
        self.end = end


def _study_in(folder: Path) -> "optuna.Study":
    """The study in a folder, or a new one. Raises ValueError if its file is damaged, or runs are there without it."""
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
    file = folder / STUDY
    try:
        if not set("?%{}").isdisjoint(str(file)):  # they mean something in the address of a database
            raise ValueError("its path has one of ? % { }")
        folder.mkdir(parents=True, exist_ok=True)
        with FileLock(folder / ".lock"):  # a new database is made by one process
            if file.exists():
                _verify_database(file)
            elif any(folder.glob("trial-*")):
                raise ValueError("it is missing, and runs of it are there")
            storage = optuna.storages.RDBStorage(
                f"sqlite:///{file}",
                engine_kwargs={"connect_args": {"timeout": SILENCE}},
                heartbeat_interval=HEARTBEAT,
                grace_period=SILENCE,
                heartbeat_stale_trial_callback=_retry(),
            )
            return optuna.create_study(
                storage=storage,
                study_name="sweep",
                direction="maximize",
                pruner=optuna.pruners.MedianPruner(FIRST_TRIALS, n_warmup_steps=FIRST_PARTS),
                load_if_exists=True,
            )
    except Exception as error:  # Optuna passes on those of SQLAlchemy and of SQLite
        raise ValueError(
            f"{str(file)!r} cannot be used as the study of a sweep ({reason_of(error)}): name another --save"
        ) from error


def _retry() -> "optuna.storages.RetryHeartbeatStaleTrialCallback":
    """Lets a trial that did not end be tried again, with what it has reported."""
    import optuna

    return optuna.storages.RetryHeartbeatStaleTrialCallback(inherit_intermediate_values=True)


def _number(trial: "optuna.trial.FrozenTrial") -> int:
    """The number of a trial, or of the one that it tries again."""
    import optuna

    retried = optuna.storages.RetryHeartbeatStaleTrialCallback.retried_trial_number(trial)
    return int(trial.number if retried is None else retried)


def _folder(number: int) -> str:
    """The name of the folder of a trial's run."""
    return f"trial-{number:04d}"


def _verify_database(file: Path) -> None:
    """Raise OSError or sqlite3.DatabaseError if a file is no sound database."""
    check_file(file)
    with contextlib.closing(sqlite3.connect(file, timeout=SILENCE)) as database:
        (said,) = database.execute("PRAGMA quick_check(1)").fetchone()
    if said != "ok":
        raise sqlite3.DatabaseError(said)


def shown(value: Any) -> str:
    """A drawn value, short."""
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def results(study: "optuna.Study") -> list[dict[str, Any]]:
    """The trials that have ended, the best first, as plain values: number, run, state, win rate, parts and options."""
    ended = [trial for trial in study.get_trials(deepcopy=False) if trial.state.name in _ENDED]
    values = [
        {
            "trial": _number(trial),
            "run": _folder(_number(trial)),
            "state": trial.state.name.lower(),
            "win_rate": trial.intermediate_values[max(trial.intermediate_values)] if trial.intermediate_values else 0.0,
            "parts": max(trial.intermediate_values, default=0),
            "options": trial.params,
        }
        for trial in ended
    ]
    return sorted(values, key=lambda each: (each["state"] != "complete", -each["win_rate"]))


def _distribution(key: str, text: str, usual: Any) -> "optuna.distributions.BaseDistribution":
    """The values of a key by a text such as ``1e-4:1e-2:log`` or ``64,128``; the ``usual`` value says whether they are
    whole numbers. Raises ValueError if it says nothing.
    """
    from optuna import distributions

    wrong = (
        f"--over {short_repr(f'{key}={text}')} is not allowed: write KEY=LOW:HIGH, KEY=LOW:HIGH:log or KEY=VALUE,VALUE"
    )
    try:
        if ":" not in text:
            values = parse_yaml(f"[{text}]")
            if not key or not isinstance(values, list) or not values:
                raise ValueError(wrong)
            return distributions.CategoricalDistribution(
                [json.dumps(value) if isinstance(value, list | dict) else value for value in values]
            )
        low, high, *more = text.split(":")
        ends = [parse_yaml(low), parse_yaml(high)]
        if more not in ([], ["log"]) or not all(type(each) in (int, float) for each in ends):
            raise ValueError(wrong)
        kind = distributions.IntDistribution if isinstance(usual, int) else distributions.FloatDistribution
        return kind(*ends, log=bool(more))
    except ValueError as error:
        raise ValueError(wrong) from error


def _ends(each: Any) -> tuple[Any, ...]:
    """Return the values at both ends of a distribution, or all values where they are listed."""
    return each.choices if hasattr(each, "choices") else (each.low, each.high)


def _suggest(trial: "optuna.Trial", key: str, each: Any) -> Any:
    if hasattr(each, "choices"):
        return trial.suggest_categorical(key, each.choices)
    suggest = trial.suggest_int if type(each).__name__ == "IntDistribution" else trial.suggest_float
    return suggest(key, each.low, each.high, log=each.log)
