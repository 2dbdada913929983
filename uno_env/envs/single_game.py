"""Shared parts of the environments of a single game: options of ``reset``, seeds of the next hands, and rendering."""

from collections.abc import Mapping
from typing import Any

import gymnasium
import numpy as np

from uno_env.game import Game
from uno_env.render.frames import MODES, Frame, frame


def dealing_options(options: Any) -> tuple[Any, Any]:
    """Return ``deck`` and ``dealer`` of a reset's options; None stands for what is not given. Raises ValueError if the
    options are no mapping.
    """
    if options is not None and not isinstance(options, Mapping):
        raise ValueError(f"options={options!r} is not allowed: give a mapping such as {{'deck': 'r5 g+2 w'}}")
    given = options or {}
    return given.get("deck"), given.get("dealer")


def draw_seed(rng: np.random.Generator) -> int:
    """A seed for the next hand."""
    return int(rng.integers(2**64, dtype=np.uint64))


def rendered(game: Game, seat: int | None, mode: str | None) -> Frame:
    """Return the table as :func:`uno_env.render.frame` shows it. Without a mode, warn and return None."""
    if mode is None:
        modes = ", ".join(map(repr, MODES))
        gymnasium.logger.warn(f"render() shows nothing without a render_mode: choose one of {modes}")
        return None
    return frame(game, seat, mode)
