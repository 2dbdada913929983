"""The program that measures games on a GPU, on the processor; and its table."""

import json
from pathlib import Path

import pytest

from tools.speed import gpu


def test_it_measures_every_table_and_size(capsys: pytest.CaptureFixture[str]) -> None:
    measured = gpu.measure("cpu", sizes=(2, 3), steps=1)
    assert measured["device"] == "processor"
    assert [(row["rules"], row["games"]) for row in measured["rows"]] == [
        (rules, size) for rules in ("duel-2p", "classic-4p", "house-4p") for size in (2, 3)
    ]
    assert all(row["calls"] > 0 for row in measured["rows"])


def test_the_table_is_that_of_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gpu, "FILE", tmp_path / "gpu.json")
    assert gpu.gpu_table() == "Nothing of this was measured yet: no machine with a GPU was there since it was written."
    row = {"rules": "duel-2p", "games": 4096, "calls": 1234567.8, "graph": 2e7}
    saved = {"device": "A GPU", "torch": "2.13.0", "cuda": "13.0", "rows": [row, {**row, "games": 2}]}
    gpu.FILE.write_text(json.dumps(saved))
    assert gpu.gpu_table().splitlines()[:3] == [
        "On A GPU, with PyTorch 2.13.0 and CUDA 13.0:",
        "",
        "| rules | games | decisions/s | decisions/s, one CUDA graph |",
    ]
    assert "| duel-2p | 4,096 | 1,234,568 | 20,000,000 |" in gpu.gpu_table()
