"""Weights & Biases and MLflow get what a run measures (`uno train --wandb`, `--mlflow`); `uno sweep`, by Optuna."""

import json
import os
import re
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml

from tests.train.runs.test_callbacks import CONFIG, ITERATION
from train.benchmarks import sweep
from train.cli.main import main
from train.runs import trackers, tracking
from train.runs.learner import DivergedError
from train.runs.run_folder import checkpoints

pytestmark = pytest.mark.adapters


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "config.yaml"
    file.write_text(yaml.safe_dump({**CONFIG, "folder": "runs"}))
    return file


def in_metrics(tag: str) -> list[tuple[int, float]]:
    """Decisions and values of a figure in the run's own file."""
    lines = [json.loads(line) for line in Path("runs/small/metrics.jsonl").read_text().splitlines()]
    return [(line["decisions"], line[tag]) for line in lines if tag in line]


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """The end of a command waits for all figures, however busy the machine is."""
    monkeypatch.setattr(trackers, "SECONDS", 600.0)


@pytest.fixture
def mlflow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    module = pytest.importorskip("mlflow", reason="MLflow is not installed: make test-adapters")
    monkeypatch.delenv("MLFLOW_EXPERIMENT_NAME", raising=False)
    monkeypatch.setenv("MLFLOW_TRACKING_URI", f"sqlite:///{tmp_path}/kept.db")
    monkeypatch.setenv("MLFLOW_HTTP_REQUEST_MAX_RETRIES", "0")
    return module


def kept_runs(mlflow: Any) -> list[Any]:
    client = mlflow.MlflowClient()
    return list(client.search_runs([client.get_experiment_by_name("uno").experiment_id]))


def test_mlflow_gets_config_and_figures_and_a_run_that_goes_on_goes_on_there(config: Path, mlflow: Any) -> None:
    assert main(["train", str(config), "--mlflow"]) == 0
    assert main(["train", "runs/small", "--mlflow", "--total-timesteps", str(6 * ITERATION)]) == 0
    (run,) = kept_runs(mlflow)
    assert run.info.run_name == "small"
    assert run.info.status == "FINISHED"
    assert run.data.params["num_steps"] == "8"
    assert run.data.tags["total_timesteps"] == str(6 * ITERATION)
    for tag in ("eval/win_rate_vs_random-play", "train/entropy", "time/fps"):
        kept = mlflow.MlflowClient().get_metric_history(run.info.run_id, tag)
        assert sorted((each.step, each.value) for each in kept) == sorted(in_metrics(tag))
        assert kept


class Sending:
    """The process that sends a run without a training."""

    def __init__(self, folder: Path, library: str) -> None:
        folder.mkdir(parents=True)
        (folder / "metrics.jsonl").write_text('{"decisions": 64, "seconds": 1.0, "train/loss": 0.5}\n')
        line = [sys.executable, "-P", tracking.__file__]
        self.process = subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        given = {"library": library, "folder": str(folder), "sent": 0, "config": {"seed": 1}, "changeable": []}
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(given) + "\n")
        self.process.stdin.flush()


def test_runs_that_begin_at_once_share_a_new_experiment_and_say_how_they_ended(config: Path, mlflow: Any) -> None:
    """Nothing is said of a run that was killed."""
    ends = {"done": "FINISHED", "stopped": "FINISHED", "interrupted": "KILLED", "failed": "FAILED", "": "KILLED"}
    together = {end: Sending(Path(f"runs/{end or 'killed'}"), "mlflow") for end in ends}
    for end, sending in together.items():
        sending.process.communicate(end)
    runs = {run.info.run_name: run for run in kept_runs(mlflow)}
    assert {name: run.info.status for name, run in runs.items()} == {
        end or "killed": status for end, status in ends.items()
    }
    assert all(run.data.metrics == {"train/loss": 0.5} for run in runs.values())


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """An MLflow that answers 503 to all, or nothing at all."""

    class Handler(BaseHTTPRequestHandler):
        def answer(self) -> None:
            if self.server.silent:  # type: ignore[attr-defined]
                ended.wait()
            self.send_error(503)

        def do_GET(self) -> None:
            self.answer()

        def do_POST(self) -> None:
            self.answer()

        def log_message(self, format: str, *arguments: object) -> None:
            pass

    ended = threading.Event()
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as running:
        running.silent = False  # type: ignore[attr-defined]
        monkeypatch.setenv("MLFLOW_TRACKING_URI", f"http://127.0.0.1:{running.server_port}")
        threading.Thread(target=running.serve_forever, daemon=True).start()
        yield running
        ended.set()
        running.shutdown()


def test_a_server_that_fails_is_told_of_and_asked_again(config: Path, mlflow: Any, server: Any) -> None:
    sending = Sending(Path("runs/one"), "mlflow")
    assert sending.process.stdout is not None
    said = sending.process.stdout.readline()
    assert said.startswith("figures could not be sent (MlflowException: ")
    assert "503" in said
    assert sending.process.poll() is None
    sending.process.kill()
    sending.process.communicate()


def test_training_does_not_wait_for_a_server(
    config: Path, mlflow: Any, server: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """One that takes a connection and never answers."""
    server.silent = True
    monkeypatch.setattr(trackers, "SECONDS", 0.0)
    started, start = [], trackers.Tracker.on_training_start

    def noting(tracker: trackers.Tracker, *given: Any) -> None:
        start(tracker, *given)
        started.append(tracker.process)

    monkeypatch.setattr(trackers.Tracker, "on_training_start", noting)
    assert main(["train", str(config), "--mlflow"]) == 0
    assert "mlflow: not all figures are sent yet; a process in the background goes on" in capsys.readouterr().out
    assert in_metrics("train/entropy")
    (process,) = started
    process.kill()
    process.wait()


def records_of(data: bytes) -> Iterator[bytes]:
    """The records of a file of an offline run: LevelDB's log, with 7 bytes in front."""
    blocks = [data[start : start + 32_768] for start in range(0, len(data), 32_768)]
    whole, place = b"", 7
    for block in blocks:
        while place + 7 <= len(block):
            length, kind = struct.unpack_from("<HB", block, place + 4)
            whole += block[place + 7 : place + 7 + length]
            place += 7 + length
            if kind in (1, 4):  # whole, or the last part of one
                yield whole
                whole = b""
        place = 0


def test_wandb_gets_config_and_figures(config: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("wandb", reason="Weights & Biases is not installed: make test-adapters")
    from wandb.proto import wandb_internal_pb2

    monkeypatch.setenv("WANDB_MODE", "offline")
    monkeypatch.setenv("WANDB_SILENT", "true")
    assert main(["train", str(config), "--wandb"]) == 0
    assert main(["train", "runs/small", "--wandb", "--total-timesteps", str(6 * ITERATION)]) == 0
    kept: list[dict[str, Any]] = []
    names, identifiers, totals = set(), set(), set()
    for file in Path("runs/small").rglob("*.wandb"):
        for data in records_of(file.read_bytes()):
            record = wandb_internal_pb2.Record.FromString(data)
            if record.HasField("config"):
                totals |= {item.value_json for item in record.config.update if item.key == "total_timesteps"}
            if record.HasField("run"):
                names.add((record.run.project, record.run.display_name))
                identifiers.add(record.run.run_id)
            if record.HasField("history"):
                items = record.history.item
                kept.append({item.key or "/".join(item.nested_key): json.loads(item.value_json) for item in items})
    assert names == {("uno", "small")}
    assert totals == {str(4 * ITERATION), str(6 * ITERATION)}
    assert identifiers == {Path("runs/small/wandb_id.txt").read_text()}
    for tag in ("eval/win_rate_vs_random-play", "train/entropy"):
        assert sorted((each["decisions"], each[tag]) for each in kept if tag in each) == sorted(in_metrics(tag))


def test_wandb_is_told_how_a_run_ended(config: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("wandb", reason="Weights & Biases is not installed: make test-adapters")
    from wandb.proto import wandb_internal_pb2

    monkeypatch.setenv("WANDB_MODE", "offline")
    ends = {"done": 0, "interrupted": 130, "failed": 1, "": 137}
    together = {end: Sending(Path(f"runs/{end or 'killed'}"), "wandb") for end in ends}
    for end, sending in together.items():
        sending.process.communicate(end)
        (file,) = Path(f"runs/{end or 'killed'}").rglob("*.wandb")
        records = [wandb_internal_pb2.Record.FromString(data) for data in records_of(file.read_bytes())]
        assert [record.exit.exit_code for record in records if record.HasField("exit")] == [ends[end]]


# --- uno sweep --------------------------------------------------------------------------------------------------------

OVER = ["--over", "learning_rate=1e-4:1e-1:log", "num_envs=8,16", "hidden=[8],[4, 4]"]


@pytest.fixture
def optuna() -> Any:
    return pytest.importorskip("optuna", reason="Optuna is not installed: make test-adapters")


def swept(config: Path, *arguments: str) -> list[dict[str, Any]]:
    """The trials that `uno sweep` writes."""
    assert main(["sweep", str(config), "--save", "swept", "--json", "trials.json", *arguments]) == 0
    trials: list[dict[str, Any]] = json.loads(Path("trials.json").read_text())["trials"]
    return trials


class Runs:
    """Runs that are not trained: their win rate, part by part, follows from the options."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, win_rate: Callable[[int, dict[str, Any]], float]) -> None:
        self.win_rate, self.begun = win_rate, list[tuple[str, dict[str, Any]]]()
        self.stop_in_part = 0
        self.check = sweep.prepare_training
        monkeypatch.setattr(sweep, "prepare_training", self.prepare)

    def prepare(
        self, target: Path, overrides: Mapping[str, Any], trust: bool = False, typed: Any = (), callbacks: Any = ()
    ) -> Callable[[], object]:
        if not callbacks:
            return self.check(target, overrides, trust)
        (callback,) = callbacks
        folder = target if target.is_dir() else Path(overrides["folder"]) / overrides["name"]
        if not target.is_dir():
            (folder / "checkpoints").mkdir(parents=True)
            (folder / "checkpoints" / "000000000000.safetensors").touch()
            (folder / "config.yaml").write_text(yaml.safe_dump(dict(overrides)))
        options = yaml.safe_load((folder / "config.yaml").read_text())

        def start() -> None:
            self.begun.append((str(target), options))
            for part in range(1, 11):
                if part == self.stop_in_part:
                    self.stop_in_part = 0
                    raise SystemExit(130)
                result, decisions = SimpleNamespace(win_rate=self.win_rate(part, options)), 0
                total = options.get("total_timesteps", CONFIG["total_timesteps"])
                if not callback.on_evaluation([result], -(-part * total // 10)) and part < 10:
                    callback.on_training_end(decisions, "stopped")
                    return
            callback.on_training_end(decisions, "done")

        return start


def test_a_sweep_trains_and_goes_on(config: Path, optuna: Any, capsys: pytest.CaptureFixture[str]) -> None:
    first = swept(config, "--trials", "2", *OVER)
    assert {each["trial"] for each in first} == {0, 1}
    both = swept(config, "--trials", "3", *OVER)
    assert [each for each in both if each["trial"] < 2] == first
    for each in both:
        run = yaml.safe_load((Path("swept") / each["run"] / "config.yaml").read_text())
        assert run["learning_rate"] == each["options"]["learning_rate"]
        assert run["hidden"] == json.loads(each["options"]["hidden"])
        assert (each["state"], each["parts"]) == ("complete", 10)
    assert both[0]["win_rate"] == max(each["win_rate"] for each in both)
    said = " ".join(capsys.readouterr().out.split())
    assert f"The best of 3 trials is swept/{both[0]['run']}." in said
    assert f"--learning-rate={both[0]['options']['learning_rate']}" in said
    assert main(["sweep", str(config), "--save", "swept", "--over", "n_epochs=1,2"]) == 2
    assert "'swept' holds a sweep with another space: give the same, or another --save" in capsys.readouterr().err
    assert main(["sweep", str(config), "--save", "swept", *OVER, "--seed", "1"]) == 2
    assert "'swept' holds a sweep with another config" in capsys.readouterr().err


def test_a_sweep_finds_what_is_better_and_prunes_what_is_worse(
    config: Path, optuna: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = Runs(monkeypatch, lambda part, options: part / 10 - abs(options["gae_lambda"] - 0.7))
    trials = swept(config, "--trials", "30", "--over", "gae_lambda=0.0:1.0")
    assert abs(trials[0]["options"]["gae_lambda"] - 0.7) < 0.05
    pruned = [each for each in trials if each["state"] == "pruned"]
    assert pruned
    assert all(sweep.FIRST_PARTS <= each["parts"] < 10 and each["trial"] >= sweep.FIRST_TRIALS for each in pruned)
    best = min(each["win_rate"] for each in trials if each["state"] == "complete" and each["trial"] > 20)
    assert best > 0.5
    again = Runs(monkeypatch, runs.win_rate)
    same = swept(config, "--trials", "30", "--over", "gae_lambda=0.0:1.0")
    assert (same, again.begun) == (trials, [])


def test_the_same_seed_draws_the_same_trials(config: Path, optuna: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = []
    for seed in ("3", "3", "4"):
        runs = Runs(monkeypatch, lambda part, options: options["gae_lambda"])
        line = ["sweep", str(config), "--save", f"swept-{len(drawn)}", "--trials", "12", "--seed", seed]
        assert main([*line, "--over", "gae_lambda=0.0:1.0"]) == 0
        drawn.append([options["gae_lambda"] for _, options in runs.begun])
    assert drawn[0] == drawn[1]
    assert not set(drawn[0]) & set(drawn[2])


def test_a_trial_that_is_stopped_goes_on_from_its_run(
    config: Path, optuna: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    runs = Runs(monkeypatch, lambda part, options: 0.5)
    runs.stop_in_part = 5
    line = ["sweep", str(config), "--save", "swept", "--trials", "2", "--over", "gae_lambda=0.0:1.0"]
    assert main(line) == 130
    assert "Stopped. The same command goes on." in capsys.readouterr().err
    assert main(line) == 0
    assert [target for target, _ in runs.begun] == [str(config), "swept/trial-0000", str(config)]
    assert len({options["gae_lambda"] for _, options in runs.begun}) == 2
    assert [each["trial"] for each in swept(config, "--trials", "2", "--over", "gae_lambda=0.0:1.0")] == [0, 2]


def test_a_trial_that_is_killed_goes_on_from_its_run(
    config: Path, optuna: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By kill −9: its process could not say anything."""
    monkeypatch.setattr(sweep, "HEARTBEAT", 1)
    monkeypatch.setattr(sweep, "SILENCE", 1)
    line = ["--trials", "1", "--total-timesteps", "1000000", *OVER]
    arguments = ["sweep", str(config), "--save", "swept", *line]
    code = (
        f"from train.benchmarks import sweep\nsweep.HEARTBEAT = sweep.SILENCE = 1\n"
        f"from train.cli.main import main\nmain({arguments!r})"
    )
    process = subprocess.Popen([sys.executable, "-c", code])
    while not checkpoints(Path("swept/trial-0000")):  # a whole one, not the file that is being written
        assert process.poll() is None
        time.sleep(0.05)
    process.kill()
    process.wait()
    runs = Runs(monkeypatch, lambda part, options: 0.5)
    (trial,) = swept(config, *line)
    assert (trial["trial"], trial["run"], trial["state"]) == (0, "trial-0000", "complete")
    assert [target for target, _ in runs.begun] == ["swept/trial-0000"]


@pytest.mark.parametrize("damage", ["short", "text", "pipe", "folder", "missing"])
def test_a_study_that_is_damaged_is_named(
    damage: str, config: Path, optuna: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    Runs(monkeypatch, lambda part, options: 0.5)
    line = ["sweep", str(config), "--save", "swept", "--trials", "1", "--over", "gae_lambda=0.0:1.0"]
    assert main(line) == 0
    file = Path("swept/study.db")
    data = file.read_bytes()
    file.unlink()
    if damage == "pipe":
        os.mkfifo(file)
    elif damage == "folder":
        file.mkdir()
    elif damage != "missing":
        file.write_bytes(data[: -len(data) // 2] if damage == "short" else b"no database, but a text" * 99)
    capsys.readouterr()
    assert main(line) == 2
    said = capsys.readouterr().err
    assert "'swept/study.db' cannot be used as the study of a sweep (" in said
    assert said.count("\n") == 1


def test_a_study_is_nowhere_but_in_its_folder(config: Path, optuna: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """In the address of a database, what is behind ? is no part of its name."""
    before = {*Path().iterdir()}
    assert main(["sweep", str(config), "--save", "a?b", "--trials", "1", *OVER]) == 2
    assert "'a?b/study.db' cannot be used as the study of a sweep (its path has one of" in capsys.readouterr().err
    assert {*Path().iterdir()} == before


def test_a_trial_that_diverges_is_pruned(config: Path, optuna: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def diverge(part: int, options: dict[str, Any]) -> float:
        raise DivergedError("numbers are not finite")

    Runs(monkeypatch, diverge)
    trials = swept(config, "--trials", "2", "--over", "gae_lambda=0.0:1.0")
    assert [(each["state"], each["parts"]) for each in trials] == [("pruned", 0)] * 2


TOGETHER = """
import os, sys, time
from pathlib import Path
from train.benchmarks.sweep import Sweep
from train.cli.main import main

run_trial = Sweep._run_trial

def together(self, trials, trial):
    Path(f"here-{os.getpid()}").touch()
    limit = time.monotonic() + 120
    while len(list(Path().glob("here-*"))) < 2 and time.monotonic() < limit:
        time.sleep(0.05)
    return run_trial(self, trials, trial)

Sweep._run_trial = together
sys.exit(main(sys.argv[1:]))
"""
"""The command, whose first trial begins when another process has got one, too."""


def test_two_processes_work_on_one_study(config: Path, optuna: Any) -> None:
    line = [sys.executable, "-c", TOGETHER, "sweep", str(config), "--save", "swept", "--trials", "4", *OVER]
    both = [subprocess.Popen(line, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    shares = [re.findall(r"^Trial (\d+):", process.communicate()[0], re.MULTILINE) for process in both]
    assert [process.returncode for process in both] == [0, 0]
    assert all(shares), "each had a share"
    numbers = [number for share in shares for number in share]
    assert sorted(numbers) == ["0", "1", "2", "3"]
    trials = swept(config, "--trials", "4", *OVER)
    assert {str(each["trial"]) for each in trials} == set(numbers)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--over", "lr=1e-4:1e-2"], "unknown key 'lr' (did you mean 'learning_rate'?)"),
        (["--over", "learning_rate=low:high"], "--over 'learning_rate=low:high' is not allowed: write KEY=LOW:HIGH"),
        (["--over", "learning_rate=1:0"], "--over 'learning_rate=1:0' is not allowed"),
        (["--over", "learning_rate"], "--over 'learning_rate=' is not allowed"),
        (["--over", "learning_rate=-1:1"], "learning_rate=-1 is not allowed: choose a number, 0 or more"),
        (["--over", "num_envs=8,0"], "num_envs=0 is not allowed"),
        (["--algorithm", "response"], "--over is missing: what to search of 'response' is not known"),
        (["--lr", "1"], "unknown key 'lr' (did you mean 'learning_rate'?)"),
        (["--eval-against", "[]"], "eval_against=[] is not allowed in a sweep: name who trials are measured against"),
        (["--trials", "0"], "'0' is not allowed: choose a whole number, 1 or more"),
    ],
)
def test_mistakes_in_a_sweep(
    arguments: list[str], sentence: str, config: Path, optuna: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["sweep", str(config), "--save", "swept", *arguments]) == 2
    said = capsys.readouterr().err
    assert sentence in said
    assert said.count("\n") == 1
    assert not Path("swept").exists()


def test_a_sweep_begins_with_a_config_that_may_be_trusted(
    config: Path, optuna: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    config.write_text("algorithm: nobodys:Learner")
    assert main(["sweep", str(config)]) == 2
    assert "is code, and names of code are taken from the command line" in capsys.readouterr().err
    assert main(["sweep", "."]) == 2
    assert "'.' is a folder: a sweep begins with a config" in capsys.readouterr().err


def test_what_is_searched_by_default_is_allowed(optuna: Any) -> None:
    for algorithm in sweep.SPACES:
        sweep.Sweep(Path(f"{algorithm}_duel-2p"), {}, (), Path("swept")).check()
