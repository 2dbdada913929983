"""train/evaluation/scores.py: what is a line of scores, and what is refused."""

import json
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from train.evaluation.scores import Score, read_scores, write_scores

SCORE = Score("ppo", "duel-2p", 0, "tuned", 0.5, 0.49, 0.51, 1_000, 2, 5_000, 1.5, True)


def test_scores_of_several_files_are_taken_together(tmp_path: Path) -> None:
    files = [tmp_path / "ours.jsonl", tmp_path / "theirs.jsonl"]
    theirs = replace(SCORE, algorithm="theirs")
    write_scores(files[0], [SCORE, replace(SCORE, final=False, decisions=10)])
    write_scores(files[1], [theirs])
    assert read_scores(files) == [SCORE, replace(SCORE, final=False, decisions=10), theirs]
    assert read_scores([files[0], files[0]]) == read_scores(files[:1]), "the same line twice is one score"


@pytest.mark.parametrize("order", [1, -1])
def test_of_references_measured_twice_the_one_on_more_deals_is_kept(tmp_path: Path, order: int) -> None:
    """Else nobody could compare scores of their own, which came with references of their own."""
    few = replace(SCORE, algorithm="tuned", deals=100, win_rate=0.4)
    many = replace(few, deals=10_000, win_rate=0.5)
    files = [tmp_path / "ours.jsonl", tmp_path / "theirs.jsonl"]
    write_scores(files[0], [SCORE, many])
    write_scores(files[1], [few, replace(SCORE, algorithm="theirs")])
    assert many in read_scores(files[::order])
    assert few not in read_scores(files[::order])


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "there are no scores of trained policies"),
        (json.dumps(asdict(replace(SCORE, final=False))), "there are no scores of trained policies"),
        ("{", "line 1 is no score"),
        ("[" * 100_000, "line 1 is no score"),
        ("\xff", "line 1 is no score"),
        (json.dumps(asdict(replace(SCORE, win_rate=1.5))), r"win_rate=1.5 is not allowed: choose a number from 0 to 1"),
        (json.dumps(asdict(SCORE) | {"win_rate": float("nan")}), "win_rate=nan is not allowed"),
        (json.dumps(asdict(SCORE) | {"rate": 1}), "unknown key 'rate'"),
        (json.dumps({"algorithm": "ppo"}), "track is missing"),
        ("\n".join(json.dumps(asdict(replace(SCORE, win_rate=rate))) for rate in (0.4, 0.5)),
         "line 2: another score of ppo, seed 0, on duel-2p against tuned was read before"),
    ],
)  # fmt: skip
def test_what_is_no_file_of_scores_is_refused(tmp_path: Path, text: str, sentence: str) -> None:
    file = tmp_path / "scores.jsonl"
    file.write_text(text, encoding="latin-1")
    with pytest.raises(ValueError, match=sentence):
        read_scores([file])
