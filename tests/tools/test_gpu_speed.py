"""The program that measures games on a GPU, on the processor; and its table."""

import json
from pathlib import Path

import pytest

from tools.speed import gpu
from train.algorithms.parts.backends import CudaBackend
from train.algorithms.parts.config import SelfPlayConfig
from train.algorithms.ppo import PPOConfig


def test_it_measures_every_table_and_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And goes on where it was stopped."""
    monkeypatch.setattr(gpu, "FILE", tmp_path / "gpu.json")
    measured = gpu.begun("cpu")
    gpu.measure_games(measured, "cpu", sizes=(2,), steps=1)
    first = list(measured["rows"])
    measured = gpu.begun("cpu")
    gpu.measure_games(measured, "cpu", sizes=(2, 3), steps=1)
    assert measured["device"] == "processor"
    assert measured["rows"][:3] == first
    assert sorted((row["games"], row["rules"]) for row in measured["rows"]) == [
        (size, rules) for size in (2, 3) for rules in ("classic-4p", "duel-2p", "house-4p")
    ]
    assert all(row["calls"] > 0 for row in measured["rows"])


def test_figures_of_another_device_are_not_gone_on_with(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gpu, "FILE", tmp_path / "gpu.json")
    gpu.add(gpu.begun("cpu"), "rows", {"rules": "duel-2p"})
    assert gpu.begun("cpu")["rows"] == [{"rules": "duel-2p"}]
    monkeypatch.setattr(gpu, "name_of", lambda device: "A GPU")
    assert gpu.begun("cuda")["rows"] == []


def test_it_measures_training(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SelfPlayConfig, "new_backend", lambda config: CudaBackend("cpu"))
    config = PPOConfig(num_envs=8, num_steps=8, hidden=(8,), minibatch_size=32, threads=1, precision="float32")
    measured = gpu.measure_training(config, "greedy", (0.01, 0.02), deals=4)
    assert [point["seconds"] for point in measured["curve"]] == [0.01, 0.02]
    assert all(0 <= rate <= 1 for point in measured["curve"] for rate in point["win_rates"])
    assert min(measured["rate"], measured["play"], measured["iteration"]) > 0


def test_it_trains_each_config_without_and_with_graphs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gpu, "FILE", tmp_path / "gpu.json")
    monkeypatch.setattr(gpu, "measure_training", lambda config, *given: {"used": config.cuda_graphs})
    measured = gpu.begun("cpu")
    measured["training"] = [{"config": "ppo_duel-2p_gpu", "graphs": False}]
    gpu.measure_trainings(measured)
    assert [(row["config"], row["graphs"]) for row in measured["training"]] == [
        (name, graphs) for name in ("ppo_duel-2p_gpu", "ppo_classic-4p_gpu") for graphs in (False, True)
    ]
    assert all(row["used"] == row["graphs"] for row in measured["training"][1:])


def test_the_table_is_that_of_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gpu, "FILE", tmp_path / "gpu.json")
    assert gpu.gpu_table() == "Nothing of this was measured yet: no machine with a GPU was there since it was written."
    row = {"rules": "duel-2p", "games": 4096, "calls": 1234567.8, "graph": 2e7}
    point = {"seconds": 20, "decisions": 300_000_000, "win_rates": [0.75, 0.5]}
    trained = {
        "config": "ppo_duel-2p_gpu",
        "graphs": True,
        "rate": 1.5e7,
        "play": 0.25,
        "iteration": 0.5,
        "memory": 2.345,
        "strong": "zoo:duel-2p",
        "curve": [point],
    }
    saved = {"device": "A GPU", "torch": "2.13.0", "cuda": "13.0", "rows": [row, {**row, "games": 2}]}
    saved["training"] = [trained]
    gpu.FILE.write_text(json.dumps(saved))
    assert gpu.gpu_table().splitlines()[:3] == [
        "On A GPU, with PyTorch 2.13.0 and CUDA 13.0:",
        "",
        "| rules | games | decisions/s | decisions/s, one CUDA graph |",
    ]
    assert "| duel-2p | 4,096 | 1,234,568 | 20,000,000 |" in gpu.gpu_table()
    assert "| ppo_duel-2p_gpu | yes | 15,000,000 | 50% | 2.3 | after 20 s | 300,000,000 | 75.0% | 50.0% |" in (
        gpu.gpu_table()
    )
