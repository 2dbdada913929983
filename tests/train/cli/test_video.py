"""`uno video` writes pictures, `uno record` data; a GIF of a hand takes one command."""

from pathlib import Path
from typing import Any

import pytest

from train.cli.main import main
from uno_env import Game

pillow = pytest.importorskip("PIL.Image")


def times(path: Path) -> list[int]:
    """How long each frame is shown, in milliseconds."""
    found = []
    with pillow.open(path) as file:
        for number in range(file.n_frames):
            file.seek(number)
            found.append(file.info["duration"])
    return found


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    game = Game("duel", seed=1)
    for _ in range(5):
        game.step(game.legal_actions()[0])
    file = tmp_path / "game.json"
    file.write_text(game.to_json())
    return file


def test_a_saved_game(saved: Path, tmp_path: Path) -> None:
    out = tmp_path / "game.gif"
    assert main(["video", str(out), str(saved), "--view", "1", "--seconds", "2"]) == 0
    assert times(out) == [2000] * 5 + [4000]


def test_a_hand_that_is_played_for_it(tmp_path: Path) -> None:
    made: dict[str, Any] = {}
    for name, seed in (("one", "3"), ("same", "3"), ("other", "4")):
        out = tmp_path / f"{name}.gif"
        assert main(["video", str(out), "--agents", "greedy", "--rules", "starter,hand_size=3", "--seed", seed]) == 0
        made[name] = out.read_bytes()
        assert len(times(out)) > 5
    assert made["one"] == made["same"] != made["other"]


def test_the_shipped_policy_plays_where_nobody_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["video", str(tmp_path / "hand.gif")]) == 0
    assert len(times(tmp_path / "hand.gif")) > 5
    assert capsys.readouterr().out == f"Wrote {tmp_path / 'hand.gif'}\n"


def test_tuned_plays_where_no_policy_is_shipped(tmp_path: Path) -> None:
    out = tmp_path / "hand.gif"
    assert main(["video", str(out), "--rules", "no_mercy,mercy=9", "--players", "3"]) == 0
    assert len(times(out)) > 1


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("video {}/game.avi {}/game.json", "is no name for a video: let it end in .gif, .webp or .mp4"),
        ("video {}/game.avi", "is no name for a video: let it end in .gif, .webp or .mp4"),
        ("video {}/game.gif {}/none.json", "none.json: No such file or directory"),
        ("video {}/game.gif {}/game.json --rules duel", "--rules is for a hand that is played, not for a saved game"),
        ("video {}/game.gif {}/game.json --agents zoo", "--agents is for a hand that is played, not for a saved game"),
        ("video {}/game.gif --agents gredy", "unknown agent 'gredy' (did you mean 'greedy'?)"),
        ("video {}/game.gif --rules duel --view 2", "seat=2 is no seat of 2 players"),
        ("video {}/none/game.gif --agents zoo", "cannot be written (No such file or directory)"),
        ("record greedy --out {}/hand.gif", "is a picture, and uno record writes data: uno video"),
    ],
)
def test_a_video_that_cannot_be_made_is_one_sentence_and_no_file(
    line: str, sentence: str, saved: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(line.replace("{}", str(tmp_path)).split()) == 2
    said = capsys.readouterr().err
    assert sentence in said
    assert said.count("\n") == 1
    assert sorted(tmp_path.iterdir()) == [saved]


def test_a_file_with_a_name_before_it_is_told_that_it_needs_none(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["video", "--out", "hand.gif"]) == 2
    assert capsys.readouterr().err == "uno: --out is not allowed: give it by its place, as uno video --help shows\n"
