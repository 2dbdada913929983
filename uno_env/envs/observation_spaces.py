"""Observations of the environments, an array or a mapping of parts, and their spaces: :class:`ObservationParts`."""

from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from uno_env.actions import NUM_ACTIONS
from uno_env.encodings import ObservationForm
from uno_env.game import Game
from uno_env.history import history_of, history_space
from uno_env.rules import Rules

Array = npt.NDArray[Any]
Observations: TypeAlias = Array | dict[str, Array]
"""Of many learners: an array, or one for each part."""


class ObservationParts:
    """Observations as an array, or, where more than that is asked for, as a mapping.

    Its parts are then ``observation``, ``action_mask`` int8 [A] with ``mask_in_observation``, and ``history`` uint8
    [history, EVENT_SIZE] with ``history``.

    Args:
        rules: the rules played.
        obs_dtype: see :class:`uno_env.encodings.ObservationForm`.
        encoding: likewise.
        history: likewise.
        mask_in_observation: whether the mask is a part of the observation.

    Raises:
        ValueError: an argument is not allowed.
    """

    def __init__(self, rules: Rules, obs_dtype: str, encoding: str, history: int, mask_in_observation: bool) -> None:
        self._form = ObservationForm(rules, obs_dtype, encoding, history)
        self._obs_dtype = obs_dtype
        self.history = self._form.history
        self._with_mask = mask_in_observation

    def space(self) -> spaces.Space[Any]:
        """The space of one learner's observations."""
        observation = self._form.space()
        parts: dict[str, spaces.Space[Any]] = {"observation": observation}
        if self._with_mask:
            parts["action_mask"] = spaces.Box(0, 1, (NUM_ACTIONS,), np.int8)
        if self.history:
            parts["history"] = history_space(self.history)
        return spaces.Dict(parts) if len(parts) > 1 else observation

    def of(self, rows: Array, masks: Array, histories: Callable[[], Array]) -> Observations:
        """What learners see, in new arrays.

        Args:
            rows: uint8 [K, D], in integer form.
            masks: uint8 [K, A].
            histories: gives uint8 [K, history, EVENT_SIZE]; called only if they are asked for.
        """
        return self._joined(self._form.of(rows), masks, histories)

    def of_seat(self, game: Game, seat: int, mask: Array) -> Any:
        """What one seat of a game sees, in new arrays; ``mask``, [A], is what it may do."""
        if self._form.is_vector:
            observation = game.observe(seat, self._obs_dtype)
        else:
            observation = self._form.of(game.observe(seat, "uint8")[None])[0]
        return self._joined(observation, mask, lambda: history_of(game.events, seat, self.history))

    def _joined(self, observation: Array, masks: Array, histories: Callable[[], Array]) -> Observations:
        parts = {"observation": observation}
        if self._with_mask:
            parts["action_mask"] = masks.astype(np.int8)
        if self.history:
            parts["history"] = histories()
        return parts if len(parts) > 1 else observation


def one_by_one(observations: Observations) -> Iterator[Any]:
    """The observations of many learners, each by itself."""
    if not isinstance(observations, dict):
        return iter(observations)
    return (dict(zip(observations, parts, strict=True)) for parts in zip(*observations.values(), strict=True))
