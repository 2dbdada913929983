"""A replay as a moving picture: a frame for each decision that may be seen, long enough to be read."""

import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

import numpy as np
import pytest

from tests.helpers.marks import thorough
from uno_env import Game, Rules
from uno_env.render import video
from uno_env.render.frames import frame
from uno_env.render.picture import picture
from uno_env.render.view import view_of
from uno_env.replay import Replay

pillow = pytest.importorskip("PIL.Image")


def a_game(decisions: int = 5, **rules: object) -> Game:
    game = Game(Rules.preset("duel").replace(**rules), seed=1)
    for _ in range(decisions):
        game.step(game.legal_actions()[0])
    return game


def frames(path: Path) -> tuple[list[np.ndarray], list[float]]:
    """The frames of a file, and how long each is shown, in milliseconds."""
    images, times = [], []
    with pillow.open(path) as file:
        for number in range(file.n_frames):
            file.seek(number)
            file.load()
            images.append(np.asarray(file.convert("RGB")))
            times.append(file.info["duration"])
    return images, times


@pytest.mark.parametrize("suffix", [".gif", *thorough(".webp")])
def test_each_decision_has_a_frame_that_can_be_read(tmp_path: Path, suffix: str) -> None:
    game, path = a_game(), tmp_path / f"game{suffix}"
    video.write_video(Replay.of(game), path, seconds=0.8)
    images, times = frames(path)
    assert times == [800] * 5 + [4000]
    last = frame(game, None, "rgb_array")
    assert isinstance(last, np.ndarray)
    assert images[-1].shape == last.shape
    assert np.abs(images[-1].astype(int) - last).mean() < 3  # as few colours or as little quality as the format has


def test_a_seat_sees_its_own_view_alone(tmp_path: Path) -> None:
    game = a_game()
    shown = video._pictures(Replay.of(game), 1)
    assert len(shown) == 6
    assert shown[-1] == picture(view_of(game, 1, ["Player 1", "Player 2"]))
    assert shown[-1].height != video._pictures(Replay.of(game), None)[-1].height


def test_a_decision_that_a_seat_must_not_know_of_has_no_frame() -> None:
    game = Game(Rules.preset("house", players=3), seed=3)
    hidden = 0
    while not game.over and hidden < 3:
        hidden += game.shown_to(1) is not game
        game.step(game.legal_actions()[0])
    assert hidden == 3
    assert len(video._pictures(Replay.of(game), 1)) == len(game.history) + 1 - hidden
    assert len(video._pictures(Replay.of(game), None)) == len(game.history) + 1


@pytest.mark.thorough
def test_the_bar_is_full_once_all_frames_of_a_view_are_drawn(tmp_path: Path) -> None:
    game = Game(Rules.preset("house", players=3), seed=3)
    while game.shown_to(1) is game:
        game.step(game.legal_actions()[0])
    game.step(game.legal_actions()[0])
    told: list[int] = []

    def bar(frames: int) -> AbstractContextManager[Callable[[int], object]]:
        told.append(frames)
        return nullcontext(told.append)

    video.write_video(Replay.of(game), tmp_path / "game.gif", 1, bar=bar)
    assert told == [told[0], *range(1, told[0] + 1)]
    assert told[0] < len(game.history) + 1  # a decision is not shown


def test_a_video_can_be_an_mp4(tmp_path: Path) -> None:
    pytest.importorskip("moviepy")
    video.write_video(Replay.of(a_game()), tmp_path / "game.mp4", seconds=0.5)
    assert (tmp_path / "game.mp4").read_bytes()[4:8] == b"ftyp"


def test_what_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    replay = Replay.of(a_game())
    with pytest.raises(ValueError, match=r"game.avi' is no name for a video: let it end in \.gif, \.webp or \.mp4$"):
        video.write_video(replay, tmp_path / "game.avi")
    monkeypatch.setitem(sys.modules, "moviepy", None)
    with pytest.raises(ValueError, match=r"game.mp4' needs moviepy: pip install 'uno-env\[video\]', or let"):
        video.write_video(replay, tmp_path / "game.mp4")
    monkeypatch.setattr(video, "MOST", 4)
    with pytest.raises(ValueError, match="the game has 5 decisions, and a video shows at most 4"):
        video.write_video(replay, tmp_path / "game.gif")
    assert not list(tmp_path.iterdir())
