"""Agents that follow a written strategy, compiled: :class:`ScriptedAgent`."""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from agents.agent import Agent
from agents.choosing import to_integers
from agents.greedy import choose_greedy
from agents.highest_points import choose_highest_points
from agents.uniform import choose_any, choose_any_play
from uno_env.actions import NUM_ACTIONS
from uno_env.observation import SCALES

Array = npt.NDArray[Any]

STRATEGIES: dict[str, Callable[..., None]] = {
    "random": choose_any,
    "random-play": choose_any_play,
    "highest-points": choose_highest_points,
    "greedy": choose_greedy,
}
"""Kernels by name: ``choose(rows uint8 [N, D], masks uint8 [N, A], random uint64 [1], scores int64 [A], actions)``."""

_INVERSE_SCALES = (1 / SCALES).astype(np.float32)


class ScriptedAgent(Agent):
    """Plays one of :data:`STRATEGIES`.

    ``random``: every legal action with the same chance; draws though it could play, calls or catches when chance
    has it.

    ``random-play``: calls UNO and catches whenever it may; else lays a card if it can, every card-and-colour action
    with the same chance, a card just drawn, an answer to a penalty and jumping in included; else any legal action with
    the same chance. So it draws only when it can lay nothing, and accepts or challenges a Wild Draw Four, declares a
    first colour and swaps hands by chance.

    ``highest-points``: as ``random-play``, but lays the legal card with the most points, ties by chance; declares the
    colour of which it holds the most cards, never challenges, and swaps hands with whoever has the fewest cards.

    ``greedy``: see :mod:`agents.greedy`.

    Args:
        name: one of :data:`STRATEGIES`.
        seed: see :class:`agents.Agent`.
    """

    def __init__(self, name: str, seed: int = 0) -> None:
        super().__init__(name, seed)
        self._kernel = STRATEGIES[name]
        self._scores = np.zeros(NUM_ACTIONS, np.int64)
        self._rows = np.zeros((0, len(SCALES)), np.uint8)

    def _choose(self, rows: Array, masks: npt.NDArray[np.uint8]) -> npt.NDArray[np.int64]:
        if rows.dtype != np.uint8:
            rows = self._integers(rows)
        actions = np.zeros(len(rows), np.int64)
        self._kernel(rows, masks, self._random, self._scores, actions)
        return actions

    def _integers(self, rows: Array) -> Array:
        if len(self._rows) < len(rows):
            self._rows = np.zeros(rows.shape, np.uint8)
        whole = self._rows[: len(rows)]
        to_integers(rows, _INVERSE_SCALES, whole)
        return whole
