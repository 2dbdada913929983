"""Agents that follow a written strategy, compiled: :class:`ScriptedAgent`."""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from agents.agent import Agent
from agents.scripted.aggressive import choose_aggressive
from agents.scripted.colour_major import choose_colour_major
from agents.scripted.counter import choose_counter, choose_mixed
from agents.scripted.dump_wilds import choose_dump_wilds
from agents.scripted.greedy import choose_greedy
from agents.scripted.highest_points import choose_highest_points
from agents.scripted.keep_zero import choose_keep_zero
from agents.scripted.rlcard_rule import choose_rlcard_rule
from agents.scripted.save_wilds import choose_save_wilds
from agents.scripted.strategy import Floats, Mind, Random, to_integers
from agents.scripted.tuned import choose_tuned, load_weights
from agents.scripted.uniform import choose_any, choose_any_play
from uno_env.actions import NUM_ACTIONS
from uno_env.observation import SCALES

Array = npt.NDArray[Any]

STRATEGIES: dict[str, Callable[..., None]] = {
    "random": choose_any,
    "random-play": choose_any_play,
    "highest-points": choose_highest_points,
    "save-wilds": choose_save_wilds,
    "dump-wilds": choose_dump_wilds,
    "keep-zero": choose_keep_zero,
    "colour-major": choose_colour_major,
    "aggressive": choose_aggressive,
    "counter": choose_counter,
    "mixed": choose_mixed,
    "rlcard-rule": choose_rlcard_rule,
    "greedy": choose_greedy,
    "tuned": choose_tuned,
}
"""Kernels by name, ``choose(rows uint8 [N, D], masks uint8 [N, A], mind, actions int64 [N])``: every row is decided."""

_NO_WEIGHTS = np.zeros((0, 0))
_tuned_weights = cache(load_weights)
_INVERSE_SCALES = (1 / SCALES).astype(np.float32)


def new_mind(name: str, random: Random, weights: Floats | None = None) -> Mind:
    """What the strategy ``name`` thinks with.

    Args:
        name: one of :data:`STRATEGIES`.
        random: its chance, uint64 [1], which is used and not copied.
        weights: float64 [sets, features] for ``tuned``, those shipped by default; other strategies have none.
    """
    if weights is None:
        weights = _tuned_weights() if name == "tuned" else _NO_WEIGHTS
    return Mind(random, np.zeros(NUM_ACTIONS, np.int64), np.zeros(NUM_ACTIONS), weights)


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

    The others have modules of their names, which tell their ideas and sources: :mod:`agents.scripted.save_wilds`,
    :mod:`agents.scripted.dump_wilds`, :mod:`agents.scripted.keep_zero`, :mod:`agents.scripted.colour_major`,
    :mod:`agents.scripted.aggressive`, :mod:`agents.scripted.counter` (``mixed`` too),
    :mod:`agents.scripted.rlcard_rule`, :mod:`agents.scripted.greedy`, :mod:`agents.scripted.tuned`.

    Args:
        name: one of :data:`STRATEGIES`.
        seed: see :class:`agents.Agent`.
        weights: see :func:`new_mind`.
    """

    def __init__(self, name: str, seed: int = 0, weights: Floats | None = None) -> None:
        super().__init__(name, seed)
        self._kernel = STRATEGIES[name]
        self._mind = new_mind(name, self._random, weights)
        self._rows = np.zeros((0, len(SCALES)), np.uint8)

    def _choose(self, rows: Array, masks: npt.NDArray[np.uint8]) -> npt.NDArray[np.int64]:
        if rows.dtype != np.uint8:
            rows = self._integers(rows)
        actions = np.zeros(len(rows), np.int64)
        self._kernel(rows, masks, self._mind, actions)
        return actions

    def _integers(self, rows: Array) -> Array:
        if len(self._rows) < len(rows):
            self._rows = np.zeros(rows.shape, np.uint8)
        whole = self._rows[: len(rows)]
        to_integers(rows, _INVERSE_SCALES, whole)
        return whole
