"""Agents that follow a written strategy, compiled: :class:`ScriptedAgent`."""

from functools import cache

import numpy as np

from agents.agent import Agent
from agents.scripted.dispatch import STRATEGIES, for_each_row
from agents.scripted.sides import editions_seen
from agents.scripted.strategy import Random, Scratch, to_integers
from agents.scripted.tuned_weights import FEATURES, SETS, load_weights
from uno_env.actions import catalogue
from uno_env.common.copies import compiled_view
from uno_env.core.arrays import Array, Bytes, Floats, Ints
from uno_env.core.observe.layout import scales_in, starts_of
from uno_env.editions.classic import CLASSIC
from uno_env.editions.edition import Edition
from uno_env.observation import edition_shown

__all__ = ["STRATEGIES", "ScriptedAgent", "new_scratch"]


_NO_WEIGHTS = np.zeros((0, 0))
_tuned_weights = cache(load_weights)
_rows_function = cache(lambda name, edition: for_each_row(STRATEGIES[name].decide, edition))
_inverse_scales = cache(lambda edition: (1 / scales_in(edition)).astype(np.float32))


def new_scratch(name: str, random: Random, weights: Floats | None = None, edition: Edition = CLASSIC) -> Scratch:
    """Memory for the strategy ``name`` in an edition, with its random generator, uint64 [1], which is used and not
    copied; ``weights``, float64 [sets, features], are for ``tuned`` alone. Raises ValueError if they are of another
    shape or dtype.
    """
    shape = len(SETS), len(FEATURES)
    if name == "tuned" and weights is not None and (np.shape(weights) != shape or weights.dtype != np.float64):
        raise ValueError(f"the weights of tuned must be float64 {list(shape)}, not of shape {list(np.shape(weights))}")
    if weights is None:
        weights = _tuned_weights() if name == "tuned" else _NO_WEIGHTS
    seen, two_sided = editions_seen(edition)[0], edition.sides > 1
    actions = catalogue(seen).first.number
    return Scratch(
        random=random,
        legal=np.zeros(actions, np.int64),
        scores=np.zeros(actions),
        weights=weights,
        row=np.zeros(starts_of(seen).end + 1 if two_sided else 0, np.uint8),
        mask=np.zeros(actions if two_sided else 0, np.uint8),
    )


class ScriptedAgent(Agent):
    """Plays one of :data:`STRATEGIES`.

    ``random``: every legal action has the same probability. ``random-play``: it calls UNO and catches whenever it may,
    and else lays a card if it can, every card-and-colour action with the same probability; all else is at random.
    ``highest-points``: like ``random-play``, but it lays the legal card with the most points, declares the colour of
    which it holds the most cards, never challenges, and swaps with the player who has the fewest cards.

    The docstrings of the others' modules tell their ideas and sources: :mod:`agents.scripted.card_preferences`,
    :mod:`agents.scripted.counter` (``mixed`` too), :mod:`agents.scripted.rlcard_rule`, :mod:`agents.scripted.greedy`
    and :mod:`agents.scripted.tuned`. For ``weights`` see :func:`new_scratch`.

    Attributes:
        strategy: the name in :data:`STRATEGIES`.
    """

    only_reads = True

    def __init__(self, name: str, seed: int = 0, weights: Floats | None = None) -> None:
        super().__init__(name, seed)
        self.strategy = name
        self._prepare(CLASSIC, new_scratch(name, self._random, weights))

    def _prepare(self, edition: Edition, scratch: Scratch) -> None:
        """Make ready for rows of an edition."""
        self._edition = edition
        self._decide_rows = _rows_function(self.strategy, edition)
        self._scratch, self._inverse_scales = scratch, _inverse_scales(edition)
        self._rows = np.zeros((0, len(self._inverse_scales)), np.uint8)

    @property
    def weights(self) -> Floats:
        """The weights of ``tuned``, float64 [sets, features]; [0, 0] for the others."""
        return self._scratch.weights

    def _choose(self, rows: Array, masks: Bytes) -> Ints:
        rows, masks = compiled_view(rows), compiled_view(masks)
        if rows.shape[1] != self._rows.shape[1]:
            edition = edition_shown(rows.shape[1])
            self._prepare(edition, new_scratch(self.strategy, self._random, self.weights, edition))
        if rows.dtype != np.uint8:
            rows = self._integers(rows)
        actions = np.zeros(len(rows), np.int64)
        self._decide_rows(rows, masks, self._scratch, actions)
        return actions

    def _integers(self, rows: Array) -> Array:
        if len(self._rows) < len(rows):
            self._rows = np.zeros(rows.shape, np.uint8)
        whole = self._rows[: len(rows)]
        to_integers(rows, self._inverse_scales, whole)
        return whole
