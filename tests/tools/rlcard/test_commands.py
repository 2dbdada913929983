"""tools/rlcard/commands.py: a comparison from the command line, and mistakes in it."""

import json
from pathlib import Path

import pytest
import torch

from tools.rlcard.commands import PROGRAM
from tools.rlcard.dmc import train_dmc
from tools.rlcard.players import FILES

pytestmark = pytest.mark.adapters


def test_a_comparison_is_printed_and_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("rlcard")
    file = tmp_path / "measured.json"
    line = ["compare", "greedy", "--against", "rlcard:random", "--games", "20", "--json", str(file)]
    assert PROGRAM.main(line) == 0
    assert "in RLCard's environment" in capsys.readouterr().out
    (compared,) = json.loads(file.read_text())["rlcard"]
    assert (compared["agent"], compared["opponent"], compared["games"]) == ("greedy", "rlcard:random", 20)


@pytest.mark.parametrize("algorithm", ["dmc", "nfsp"])
def test_what_learns_computes_on_the_threads_that_it_is_given(
    algorithm: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("rlcard")
    asked = []

    def asking(*_: object) -> object:
        asked.append(torch.get_num_threads())
        raise ValueError("enough")

    monkeypatch.setattr(f"tools.rlcard.commands.train_{algorithm}", asking)
    for more in ([], ["--threads", "2"]):
        line = ["train", "--algorithm", algorithm, "--save", str(tmp_path / "saved.safetensors"), *more]
        with pytest.raises(ValueError, match="enough"):
            PROGRAM.main(line)
    assert asked == [1, 2]


def test_dmc_ends_after_a_number_of_frames_with_the_options_that_it_is_given() -> None:
    pytest.importorskip("rlcard")
    seen: list[int] = []
    options = {"batch_size": 4, "unroll_length": 25, "num_threads": 1}
    weights, info = train_dmc(actors=1, frames=1_000, progress=lambda seconds, frames: seen.append(frames), **options)
    assert 1_000 <= info["frames"] < 100_000
    assert info["frames"] % 100 == 0  # of whole batches
    assert options.items() <= info.items()
    assert seen == sorted(seen)
    assert weights.keys() == FILES["dmc"].shapes.keys()
