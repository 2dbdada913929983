"""What the views for single-agent learning have in common: :class:`SingleAgentOptions`."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from uno_env.common.numbers import is_whole
from uno_env.core.record import NOBODY
from uno_env.envs.illegal_actions import rules_with, verify_illegal_action
from uno_env.envs.observation_spaces import ObservationParts
from uno_env.envs.opponents import Opponents
from uno_env.rules import Rules, as_rules

Array = npt.NDArray[Any]

MAX_UNSEEN_HANDS = 1_000
"""Hands in a row that may end before their learner has decided anything."""

NEVER_ASKED = (
    f"{MAX_UNSEEN_HANDS} hands in a row were over before the learner had decided anything: these rules leave it nothing"
)


@dataclass(frozen=True)
class SingleAgentOptions:
    """Arguments of every view in which one seat learns and agents play the other seats.

    Raises:
        ValueError: a value is not allowed.
    """

    rules: Rules | str | Mapping[str, Any] = "duel"
    """:class:`Rules`, a preset's name, or a mapping of fields."""
    opponents: Any = ("random-play",)
    """Who plays the other seats: agents, or specs for :func:`agents.load`, by relative seat (the first sits to the
    learner's left); a single one plays all other seats. See :class:`uno_env.envs.opponents.Opponents`."""
    seat: int | None = None
    """The learner's seat. None: it starts at a seat that the view chooses and moves one seat to the left after every
    episode."""
    players: int | None = None
    """Number of players, if not that of ``rules``."""
    match: bool = False
    """Whether an episode is a match instead of a hand: hands are played until the match is won."""
    reward: str = "outcome"
    """``outcome``, or in a match ``points`` after each hand (:mod:`uno_env.core.rules.reward`)."""
    illegal_action: str = "penalty"
    """What the learner's illegal action does: ``penalty``, ``random``, ``raise``, ``terminate`` or ``rules``
    (:mod:`uno_env.envs.illegal_actions`). It is about learning and is no rule of the game; the rules have a field of
    this name for what happens at the table, and ``rules`` uses that field."""
    illegal_reward: float = -1.0
    """Reward of each illegal action under ``penalty`` and ``random``."""
    obs_dtype: str = "float32"
    """``float32`` (scaled), or ``uint8`` (the same facts as integers, a quarter of the size)."""
    encoding: str = "vector"
    """``vector``, or ``planes`` or ``rlcard``, observations as images (:mod:`uno_env.encodings`)."""
    history: int = 0
    """Number of last public events in the observation, 0 for none: uint8 [history, EVENT_SIZE]
    (:mod:`uno_env.history`). Observations are then mappings, ``{"observation": …, "history": …}``."""
    mask_in_observation: bool = False
    """Whether observations are mappings with the key ``action_mask``, int8 [A]."""

    def __post_init__(self) -> None:
        verify_illegal_action(self.illegal_action, self.illegal_reward)
        players = self.rules_in_force.players
        if self.seat is not None and not is_whole(self.seat, 0, players - 1):
            raise ValueError(f"seat={self.seat!r} is no seat of {players} players: 0 to {players - 1}")

    @cached_property
    def rules_in_force(self) -> Rules:
        """The rules that are played, ``players`` and ``illegal_action`` included."""
        return rules_with(as_rules(self.rules, self.players), self.illegal_action)

    def make_opponents(self) -> Opponents:
        """The agents at the other seats."""
        return Opponents(self.opponents, self.rules_in_force)

    def make_parts(self) -> ObservationParts:
        """The form of the observations."""
        return ObservationParts(
            self.rules_in_force, self.obs_dtype, self.encoding, self.history, self.mask_in_observation
        )


def end_info(
    winner: Array, seat: Array, players: int, points: Array, end: Array, scores: Array | None
) -> dict[str, Array]:
    """What the infos of episodes that are over say about their learners; all arrays are [K].

    Args:
        winner: int64, the seat that won, −1 if nobody did.
        seat: int64, the learner's seat.
        players: number of players.
        points: int64, the learner's points of the last hand.
        end: str, why the last hand ended, one of :data:`uno_env.core.record.END_NAMES`.
        scores: int64, the learner's points in all; None without a match.

    Returns:
        ``is_success`` (bool), whether the learner won; ``winner`` (int64), the winner's relative seat, counted to the
        left of the learner (0 is the learner, −1 nobody); ``points``; ``end``; in a match also ``score``.
    """
    info = {
        "is_success": winner == seat,
        "winner": np.where(winner == NOBODY, NOBODY, (winner - seat) % players),
        "points": points,
        "end": end,
    }
    return info if scores is None else {**info, "score": scores}
