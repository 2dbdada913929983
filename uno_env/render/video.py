"""A game as a moving picture, with a frame for each decision: :func:`write_video`, behind ``uno video``."""

import io
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from uno_env.common.files import replace_file
from uno_env.core.arrays import Bytes
from uno_env.render.drawing import Drawing
from uno_env.render.frames import PIXELS
from uno_env.render.picture import picture
from uno_env.render.raster import rgb_array
from uno_env.render.replay_frames import player_names
from uno_env.render.view import view_of

if TYPE_CHECKING:
    from uno_env.replay import Replay

SUFFIXES = (".gif", ".webp", ".mp4")
SECONDS = 1.5
"""Seconds that a decision is shown: enough to read it."""
LAST_SECONDS = 4.0
MOST = 2_000
"""Decisions of a video at most: an hour at a usual pace, and what memory holds."""
_FPS = 10

Bar = Callable[[int], AbstractContextManager[Callable[[int], object]]]
"""Shows progress: takes the number of frames, and gives, in a ``with`` block, a function of how many are drawn."""


def write_video(
    replay: "Replay",
    path: Path,
    seat: int | None = None,
    seconds: float = SECONDS,
    bar: Bar = lambda frames: nullcontext(lambda drawn: None),
) -> None:
    """Write a replay as a video that shows the table before the first decision and after each one.

    Args:
        replay: the game.
        path: the file: ``.gif`` and ``.webp`` are made by Pillow, ``.mp4`` by moviepy.
        seat: whose view is shown, only what that seat may know (GUIDE.md 12); None: all hands. A decision of which the
            seat must not know that there was one has no frame.
        seconds: how long each frame is shown, 0.1 or more; the last one at least :data:`LAST_SECONDS`.
        bar: shows how many frames are drawn.

    Raises:
        ValueError: there is no such seat, the file's name ends otherwise, the game is too long for a video, or moviepy
            is not installed.
        ModuleNotFoundError: Pillow is not installed.
        OSError: the file cannot be written.
    """
    check_name(path)
    if seat is not None:
        replay.game.observe(seat)  # refuses a seat that there is not
    if len(replay.game.history) > MOST:
        raise ValueError(f"the game has {len(replay.game.history):,} decisions, and a video shows at most {MOST:,}")
    pictures = _pictures(replay, seat)
    times = [seconds] * (len(pictures) - 1) + [max(seconds, LAST_SECONDS)]
    with bar(len(pictures)) as progress:
        images = _images(pictures, progress)
        video = _mp4(images, times) if path.suffix == ".mp4" else _moving(images, times, path.suffix[1:])
    replace_file(path, video)


def check_name(path: Path) -> None:
    """Raise :class:`ValueError` if a file's name is that of no video, or of one that nothing here can make."""
    if path.suffix not in SUFFIXES:
        raise ValueError(f"{str(path)!r} is no name for a video: let it end in .gif, .webp or .mp4")
    if path.suffix == ".mp4":
        try:
            import moviepy  # noqa: F401
        except ModuleNotFoundError:
            raise ValueError(
                f"{str(path)!r} needs moviepy: pip install 'uno-env[video]', or let the name end in .gif"
            ) from None


def _pictures(replay: "Replay", seat: int | None) -> list[Drawing]:
    """The table before the first decision and after each one, all of one size."""
    shown, names = replay.game.start(), player_names(replay)
    pictures = []
    for action in (*replay.game.history, None):
        if seat is None or shown.over or shown.shown_to(seat) is shown:
            pictures.append(picture(view_of(shown, seat, names)))
        if action is not None:
            shown.step(action)
    return pictures


def _images(pictures: list[Drawing], progress: Callable[[int], object]) -> Iterator[Bytes]:
    """The frames, uint8 [H, W, 3] each. They are drawn as they are taken, since they are large."""
    for drawn, each in enumerate(pictures, 1):
        yield rgb_array(each, PIXELS)
        progress(drawn)


def _moving(images: Iterator[Bytes], times: list[float], kind: str) -> bytes:
    from PIL import Image

    others = (Image.fromarray(image) for image in images)
    first = next(others)
    milliseconds = [round(1000 * time) for time in times]
    options = {"method": 4, "quality": 70} if kind == "webp" else {}
    data = io.BytesIO()
    first.save(data, kind, save_all=True, append_images=others, duration=milliseconds, loop=0, **options)
    return data.getvalue()


def _mp4(images: Iterator[Bytes], times: list[float]) -> bytes:
    try:
        from moviepy import ImageSequenceClip
    except ImportError:  # before version 2
        from moviepy.editor import ImageSequenceClip

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "video.mp4")
        clip = ImageSequenceClip(list(images), durations=times)
        clip.write_videofile(str(file), fps=_FPS, codec="libx264", audio=False, logger=None)
        return file.read_bytes()
