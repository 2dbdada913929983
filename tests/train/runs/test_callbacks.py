"""train/runs/callbacks.py: what callbacks are told, when, and that they can stop a run."""

import errno
import signal
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import yaml

from agents.policy.policy_file import load_policy
from train.algorithms.registry import prepare_training
from train.evaluation.duplicate import Evaluation
from train.runs import trackers
from train.runs.callbacks import Callback, End
from train.runs.run_config import RunConfig

ITERATION = 8 * 8
CONFIG = {
    "name": "small", "rules": {"preset": "duel", "deck": "r1 r2 r3 g1 g2 g3 b1 b2 b3 w w", "hand_size": 3},
    "threads": 1, "precision": "float32", "num_envs": 8, "num_steps": 8, "hidden": [8], "n_epochs": 1,
    "total_timesteps": 4 * ITERATION, "eval_every": 2 * ITERATION, "eval_deals": 2, "eval_against": ["random-play"],
    "checkpoint_every": ITERATION,
}  # fmt: skip


class Told(Callback):
    """Keeps the moments; says False at one of them, or raises an error in the first iteration."""

    def __init__(
        self, stop_at: tuple[str, int] | None = None, answer: Any = False, fail: BaseException | None = None
    ) -> None:
        self.moments: list[tuple[str, int]] = []
        self.stop_at, self.answer, self.fail = stop_at, answer, fail
        self.end: End | None = None

    def _answer(self, moment: str, decisions: int) -> Any:
        self.moments.append((moment, decisions))
        return self.answer if (moment, decisions) == self.stop_at else None

    def on_training_start(self, config: RunConfig, folder: Path, decisions: int) -> None:
        assert (config.name, folder.name) == ("small", "small")
        assert (folder / "config.yaml").is_file()
        self._answer("start", decisions)

    def on_iteration(self, figures: Mapping[str, float], decisions: int) -> bool | None:
        assert figures["time/fps"] > 0
        if self.fail:
            raise self.fail
        return self._answer("iteration", decisions)

    def on_evaluation(self, results: Sequence[Evaluation], decisions: int) -> bool | None:
        assert [result.opponent for result in results] == ["random-play"]
        return self._answer("evaluation", decisions)

    def on_training_end(self, decisions: int, end: End) -> None:
        self.end = end
        self._answer("end", decisions)


def run(folder: Path, *callbacks: Callback) -> Path:
    file = folder / "config.yaml"
    file.write_text(yaml.safe_dump({**CONFIG, "folder": str(folder / "runs")}))
    return prepare_training(file, {}, callbacks=callbacks)()


def times(moments: Sequence[tuple[str, int]], moment: str) -> list[int]:
    return [decisions // ITERATION for each, decisions in moments if each == moment]


def test_the_moments_of_a_run(tmp_path: Path) -> None:
    first, second = Told(), Told()
    run(tmp_path, first, second)
    assert first.moments == second.moments
    assert first.moments[0] == ("start", 0)
    assert first.moments[-1] == ("end", 4 * ITERATION)
    assert times(first.moments, "iteration") == [1, 2, 3, 4]
    assert times(first.moments, "evaluation") == [0, 1, 2, 4]
    assert first.moments.index(("iteration", 2 * ITERATION)) < first.moments.index(("evaluation", 2 * ITERATION))


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("stop_at", "answer", "done"),
    [
        (("iteration", 3 * ITERATION), False, 3),
        (("evaluation", 2 * ITERATION), np.False_, 2),
        (("evaluation", 0), False, 0),
        (("iteration", ITERATION), None, 4),
        (("iteration", ITERATION), True, 4),
    ],
)
def test_false_stops_the_run_which_can_go_on(
    stop_at: tuple[str, int], answer: Any, done: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told, beside = Told(stop_at, answer), Told()
    folder = run(tmp_path, told, beside)
    assert told.moments == beside.moments, "the others are told, too"
    assert told.moments[-1] == ("end", done * ITERATION)
    assert told.end == beside.end == ("stopped" if done < 4 else "done")
    assert load_policy(folder)[1].trained_by["decisions"] == done * ITERATION
    assert ("Stopped by a callback. To go on: uno train" in " ".join(capsys.readouterr().out.split())) == (done < 4)
    assert done in times(told.moments, "evaluation"), "what was reached is measured"
    again = Told()
    prepare_training(folder, {"total_timesteps": 5 * ITERATION}, callbacks=[again])()
    assert again.moments[0] == ("start", done * ITERATION)
    assert again.moments[-1] == ("end", 5 * ITERATION)
    measured = times([*told.moments, *again.moments], "evaluation")
    assert len(measured) == len(set(measured)), "nothing is measured twice"


@pytest.mark.parametrize(
    ("error", "end"),
    [
        (RuntimeError("of the user's own"), "failed"),
        (OSError(errno.ENOSPC, "of the user's own"), "failed"),
        (KeyboardInterrupt("Ctrl-C"), "interrupted"),
    ],
)
def test_an_error_in_a_callback_ends_the_run_and_all_are_told_how(
    error: BaseException, end: End, tmp_path: Path
) -> None:
    told, fails = Told(), Told(fail=error)
    with pytest.raises(type(error)) as raised:
        run(tmp_path, told, fails)
    assert raised.value is error, "an OSError is not taken for one of the run's folder"
    assert told.moments == [("start", 0), ("evaluation", 0), ("iteration", ITERATION), ("end", ITERATION)]
    assert told.end == end


def test_a_training_goes_on_without_a_tracker_that_cannot_be_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse(*given: Any, **options: Any) -> None:
        raise OSError(errno.EAGAIN, "no more processes")

    monkeypatch.setattr(trackers, "subprocess", SimpleNamespace(Popen=refuse, PIPE=-1, DEVNULL=-3))
    told = Told()
    run(tmp_path, trackers.Tracker("yaml"), told)
    assert told.end == "done"
    assert "yaml: no figures are sent (no more processes): they are in metrics.jsonl" in capsys.readouterr().out


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_after_a_signal_all_are_told_that_the_run_was_interrupted(number: int, tmp_path: Path) -> None:
    class Signals(Callback):
        def on_iteration(self, figures: Mapping[str, float], decisions: int) -> None:
            signal.raise_signal(number)

    told = Told()
    with pytest.raises(SystemExit, match=str(128 + number)):
        run(tmp_path, Signals(), told)
    assert (told.end, told.moments[-1]) == ("interrupted", ("end", ITERATION))


def test_a_config_without_a_key_is_no_run_of_all_defaults(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    for text in ("", "# rules: duel\n", "{}"):
        file.write_text(text)
        with pytest.raises(ValueError, match=r"mine\.yaml: this config is empty: write at least one key"):
            prepare_training(file, {"rules": "duel"})


def test_what_is_no_callback_is_refused_before_anything_is_made(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"^callbacks=\['print'\] is not allowed: choose objects of train.runs.call"):
        run(tmp_path, "print")  # type: ignore[arg-type]
    assert not (tmp_path / "runs").exists()
