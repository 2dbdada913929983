"""The options that all environments with a single learner share: :class:`SingleAgentOptions`.

Libraries without action masks choose illegal actions, and so do Gymnasium's checkers. The option ``illegal_action``
says what happens then:

``terminate`` (the default): the episode ends, and the learner's reward is −1. PettingZoo's own games do the same, by
``TerminateIllegalWrapper``. :func:`uno_env.env` does what the rules say: by default, they refuse the action.

``penalty``: no action is played, the learner's reward is ``illegal_reward``, and the same decision is asked again.
After :data:`MAX_ILLEGAL_ACTIONS` illegal actions in a row the episode is truncated, since a deterministic policy would
repeat its mistake forever.

``random``: a legal action is played instead, drawn uniformly, and ``illegal_reward`` is added to the learner's reward.

``raise``: an error is raised, and the state does not change. OpenSpiel does the same.

``rules``: the rules in force decide (GUIDE.md 7). Their value ``penalty`` is the penalty of the card table: the player
draws two cards, and the turn passes.

Use ``terminate`` to measure an agent. An illegal action then loses the hand, and returns stay between −1 and 1. With
``penalty``, a return can fall to −1,000; with ``random``, the agent is credited with moves that chance made. Use
``penalty`` or ``random`` to learn without masks: the hand goes on after a mistake, so there is more to learn from. An
agent that follows the mask is not affected by this option.

A number outside the action space always raises an error. Opponents never act illegally.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from inspect import Parameter, signature
from typing import Any, TypeVar

import numpy as np

from uno_env.common.numbers import is_whole
from uno_env.common.spelling import names_arguments
from uno_env.envs.symmetric_form import SymmetricForm
from uno_env.rules import Rules, as_rules

_View = TypeVar("_View", bound=type)

ILLEGAL_ACTIONS = ("penalty", "random", "raise", "terminate", "rules")

MAX_ILLEGAL_ACTIONS = 1_000
"""Illegal actions in a row after which ``penalty`` truncates. Random play hardly ever reaches it (1 in 2,000)."""

MAX_UNSEEN_HANDS = 1_000
"""Hands in a row that may end before the learner has made a decision; after that it is an error."""

NEVER_ASKED = (
    f"{MAX_UNSEEN_HANDS} hands in a row were over before the learner had decided anything: these rules leave it nothing"
)


@dataclass(frozen=True)
class SingleAgentOptions:
    """Arguments of all environments with a single learner. Raises ValueError if a value is not allowed."""

    rules: Rules | str | Mapping[str, Any] = "starter"
    """:class:`Rules`, a preset's name, or a mapping of fields."""
    opponents: Any = ("random-play",)
    """Players of the other seats: agents, or specs for :func:`agents.load`, by relative seat (the first sits to the
    learner's left); a single one plays all other seats. See :class:`uno_env.envs.opponents.Opponents`."""
    seat: int | None = None
    """The learner's seat. None: it starts at a seat that the view chooses and moves one seat to the left after every
    episode."""
    players: int | None = None
    """Number of players, if not that of ``rules``."""
    match: bool = False
    """True if an episode is a match instead of a hand: hands are played until the match is won."""
    reward: str = "outcome"
    """``outcome``, or in a match ``points`` after each hand (:mod:`uno_env.core.rules.reward`)."""
    illegal_action: str = "terminate"
    """Effect of the learner's illegal action, one of :data:`ILLEGAL_ACTIONS`. It is about learning and is no rule of
    the game; the rules have a field of this name for what happens at the table, and ``rules`` uses that field."""
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
    """True if observations are mappings with the key ``action_mask``, int8 [A]."""
    symmetry: bool = False
    """True if observations, masks and actions are in canonical form (:mod:`uno_env.symmetry`): the four colours are
    alike to the learner, and so are the two directions of play. Infos, rendering and errors are as at the table."""

    def __post_init__(self) -> None:
        if self.illegal_action not in ILLEGAL_ACTIONS:
            allowed = ", ".join(map(repr, ILLEGAL_ACTIONS))
            raise ValueError(f"illegal_action={self.illegal_action!r} is not allowed: choose {allowed}")
        reward: Any = self.illegal_reward
        number = isinstance(reward, int | float | np.number) and not isinstance(reward, bool)
        if not number or not np.isfinite(reward):
            raise ValueError(f"illegal_reward={reward!r} is not allowed: give a finite number")
        players = self.rules_in_force.players
        if self.seat is not None and not is_whole(self.seat, 0, players - 1):
            raise ValueError(f"seat={self.seat!r} is no seat of {players} players: 0 to {players - 1}")

    @cached_property
    def rules_in_force(self) -> Rules:
        """The rules that are played, ``players`` and ``illegal_action`` included."""
        rules = as_rules(self.rules, self.players)
        return rules.replace(illegal_action="raise") if self.illegal_action == "raise" else rules

    @property
    def most_illegal_actions(self) -> int:
        """Number of illegal actions in a row that end the episode, under ``terminate`` and ``penalty``."""
        return 1 if self.illegal_action == "terminate" else MAX_ILLEGAL_ACTIONS

    @property
    def reward_of_illegal_action(self) -> float:
        """The reward of one illegal action."""
        return -1.0 if self.illegal_action == "terminate" else float(self.illegal_reward)

    @cached_property
    def observation_form(self) -> SymmetricForm:
        """The form of the observations."""
        form = self.obs_dtype, self.encoding, self.history, self.mask_in_observation
        return SymmetricForm(self.rules_in_force, *form, symmetry=self.symmetry)


def lists_options(view: _View) -> _View:
    """Class decorator for environments: the signature lists every option and its default instead of ``**options``, and
    an argument that is none of them is refused with a sentence.
    """
    shown = signature(view)
    own = [each for each in shown.parameters.values() if each.kind is not Parameter.VAR_KEYWORD]
    options = [field for field in fields(SingleAgentOptions) if field.name not in shown.parameters]
    more = [
        Parameter(each.name, Parameter.KEYWORD_ONLY, default=each.default, annotation=each.type) for each in options
    ]
    view.__signature__ = shown.replace(parameters=[*own, *more])  # type: ignore[attr-defined]
    return names_arguments(view)
