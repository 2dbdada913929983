"""tools/docs/saved_figures.py: what cannot be saved is refused in one sentence."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tools.docs.saved_figures import save, save_comparison
from train.evaluation.scores import read_scores

TEXTS = ("{}", "[]", "nothing", '{"ladder": {}}', '{"command": "x", "ladder": {}}',
         '{"command": "x", "search": {}}')  # fmt: skip
SCORE = {"algorithm": "ppo", "track": "duel-2p", "seed": 0, "opponent": "tuned", "win_rate": 0.5, "low": 0.4,
         "high": 0.6, "deals": 10, "players": 2, "decisions": 5, "seconds": 1.0, "final": True}  # fmt: skip


@pytest.mark.parametrize("text", TEXTS)
def test_files_that_hold_no_benchmark(tmp_path: Path, text: str) -> None:
    (tmp_path / "file.json").write_text(text)
    with pytest.raises(ValueError, match="holds no ladder and no benchmark of searches"):
        save(tmp_path / "file.json", tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["file.json"]


def test_from_the_command_line() -> None:
    done = subprocess.run([sys.executable, "-m", "tools.docs.saved_figures"], capture_output=True, text=True)
    assert done.returncode == 2
    assert "usage: python -m tools.docs.saved_figures" in done.stderr


def benchmark(path: Path, **changes: object) -> Path:
    values = {"minutes": 1, "decisions": 0, "deals": 10, "commit": "abc", "date": "2026-11-22", "machine": {}}
    run = {"scores": [SCORE | changes]}
    path.write_text(json.dumps({"command": "uno benchmark algorithms", "algorithms": {**values, "runs": [run]}}))
    return path


def test_benchmarks_of_algorithms_are_put_together(tmp_path: Path) -> None:
    files = [benchmark(tmp_path / "one"), benchmark(tmp_path / "same"), benchmark(tmp_path / "two", seed=1)]
    save_comparison(files, "algorithms", tmp_path, tmp_path)
    assert [score.seed for score in read_scores([tmp_path / "algorithms.jsonl"])] == [0, 1]
    assert len(json.loads((tmp_path / "algorithms.json").read_text())["made"]) == 3


def test_two_scores_of_one_run_are_refused_and_so_is_another_file(tmp_path: Path) -> None:
    files = [benchmark(tmp_path / "one"), benchmark(tmp_path / "other", win_rate=0.6)]
    with pytest.raises(ValueError, match="another score of"):
        save_comparison(files, "algorithms", tmp_path, tmp_path)
    (tmp_path / "none").write_text('{"command": "x", "algorithms": {"track": "duel-2p"}}')
    with pytest.raises(ValueError, match="holds no benchmark of algorithms"):
        save_comparison([tmp_path / "none"], "algorithms", tmp_path, tmp_path)
