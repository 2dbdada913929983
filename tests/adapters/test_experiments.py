"""Weights & Biases and MLflow get what a run measures: `uno train --wandb`, `--mlflow`."""

import json
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.train.runs.test_callbacks import CONFIG, ITERATION
from train.cli.main import main

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


@pytest.fixture
def mlflow(monkeypatch: pytest.MonkeyPatch) -> Any:
    module = pytest.importorskip("mlflow", reason="MLflow is not installed: make test-adapters")
    monkeypatch.delenv("MLFLOW_EXPERIMENT_NAME", raising=False)
    monkeypatch.setenv("MLFLOW_TRACKING_URI", "sqlite:///kept.db")
    return module


def test_mlflow_gets_config_and_figures_and_a_run_that_goes_on_goes_on_there(config: Path, mlflow: Any) -> None:
    assert main(["train", str(config), "--mlflow"]) == 0
    assert main(["train", "runs/small", "--mlflow", "--total-timesteps", str(6 * ITERATION)]) == 0
    client = mlflow.MlflowClient()
    (run,) = client.search_runs([client.get_experiment_by_name("uno").experiment_id])
    assert run.info.run_name == "small"
    assert run.info.status == "FINISHED"
    assert run.data.params["num_steps"] == "8"
    for tag in ("eval/win_rate_vs_random-play", "train/entropy", "time/fps"):
        kept = [(each.step, each.value) for each in client.get_metric_history(run.info.run_id, tag)]
        assert sorted(kept) == sorted(in_metrics(tag))
        assert kept


def test_where_mlflow_cannot_be_reached_the_command_says_so(
    config: Path, mlflow: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("MLFLOW_TRACKING_URI", "http://127.0.0.1:9")
    monkeypatch.setenv("MLFLOW_HTTP_REQUEST_MAX_RETRIES", "0")
    assert main(["train", str(config), "--mlflow"]) == 2
    assert "uno: MLflow cannot be begun (" in capsys.readouterr().err


@pytest.mark.filterwarnings("default")
def test_a_tracker_that_is_lost_does_not_end_the_run(
    config: Path, mlflow: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def gone(*given: object, **named: object) -> None:
        raise OSError("the server is gone")

    monkeypatch.setattr("train.runs.trackers.MlflowTracker.log", gone)
    assert main(["train", str(config), "--mlflow"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert said.count("MLflow lacks figures (the server is gone): they are in metrics.jsonl") == 1
    assert in_metrics("train/entropy")


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
    names, identifiers = set(), set()
    for file in Path("runs/small").rglob("*.wandb"):
        for data in records_of(file.read_bytes()):
            record = wandb_internal_pb2.Record.FromString(data)
            if record.HasField("run"):
                names.add((record.run.project, record.run.display_name))
                identifiers.add(record.run.run_id)
            if record.HasField("history"):
                items = record.history.item
                kept.append({item.key or "/".join(item.nested_key): json.loads(item.value_json) for item in items})
    assert names == {("uno", "small")}
    assert identifiers == {Path("runs/small/wandb_id.txt").read_text()}
    for tag in ("eval/win_rate_vs_random-play", "train/entropy"):
        assert sorted((each["decisions"], each[tag]) for each in kept if tag in each) == sorted(in_metrics(tag))
