"""How a learner is given what it sees, in every view for single-agent learning: :class:`LearnerForm`."""

from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from uno_env.actions import NUM_ACTIONS
from uno_env.core.loops.learner_batch import scale_all
from uno_env.encodings import ObservationForm
from uno_env.history import history_space
from uno_env.observation import SCALES
from uno_env.rules import Rules

Array = npt.NDArray[Any]
Observations: TypeAlias = Array | dict[str, Array]
"""Of many learners: an array, or one for each part."""


class LearnerForm:
    """Observations as an array, or, where more than that is asked for, as a mapping.

    Its parts are then ``observation``, ``action_mask`` int8 [A] with ``mask_in_observation``, and ``history`` uint8
    [history, EVENT_SIZE] with ``history``, as in PettingZoo's view.

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
        observation = self._vectors(rows) if self._form.is_vector else self._form.of(rows)
        if not (self._with_mask or self.history):
            return observation
        parts = {"observation": observation}
        if self._with_mask:
            parts["action_mask"] = masks.astype(np.int8)
        if self.history:
            parts["history"] = histories()
        return parts

    def _vectors(self, rows: Array) -> Array:
        if self._form.dtype == np.uint8:
            return rows.copy()
        out = np.empty(rows.shape, np.float32)
        scale_all(rows, SCALES, out)
        return out


def one_by_one(observations: Observations) -> Iterator[Any]:
    """The observations of many learners, each by itself."""
    if not isinstance(observations, dict):
        return iter(observations)
    return (dict(zip(observations, parts, strict=True)) for parts in zip(*observations.values(), strict=True))
