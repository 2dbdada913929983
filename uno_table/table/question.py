"""The questions to an agent at a table: its own decision (:class:`Question`), or its advice in a person's place."""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from agents import Agent
from uno_env import actions as catalogue
from uno_env.core.arrays import Array
from uno_env.core.jit.notice import NOTICE
from uno_env.player import PlayerError
from uno_env.rules import Rules
from uno_table.table.view_fields import HintsView, HintView

_log = logging.getLogger(__name__)

MOST_HINTS = 5
"""Actions that a person is shown."""


@dataclass(frozen=True)
class Hints:
    """The adviser's choice."""

    shares: dict[int, float]
    """Probability of each action that it considers, most probable first; 1 for an only choice."""
    value: float | None
    """The reward that it expects, −1 to 1; None if it does not say."""


def ask_hints(adviser: Agent, observation: Array, action_mask: Array, *history: Array) -> Hints:
    """An agent's choice for a person who sees an observation, [D], with a mask, [A], and what
    :func:`uno_env.history.history_for` gives. Probabilities and a value are those of a saved policy.
    """
    shown = [each[None] for each in history]
    probabilities = adviser.probabilities(observation[None], action_mask[None], *shown)
    if probabilities is None:
        return Hints({adviser.act(observation, action_mask, *history): 1.0}, None)
    row = probabilities[0]
    order = [int(action) for action in np.argsort(-row, kind="stable") if row[action] > 0]
    values = adviser.values(observation[None], *shown)
    return Hints({action: float(row[action]) for action in order}, None if values is None else float(values[0]))


def hints_view(hints: Hints | None, by: str, name_of: Callable[[int], str], rules: Rules | None = None) -> HintsView:
    """Return hints as plain values for JSON, without any action as long as they are None.

    ``by`` is the adviser's name, and ``name_of`` says what an action is called; ``rules`` are of the edition that the
    actions belong to, None means the first edition.
    """
    if hints is None:
        return {"by": by, "compiling": NOTICE.is_slow, "actions": [], "value": None}
    actions: list[HintView] = [
        {"action": catalogue.name(action, rules), "name": name_of(action), "share": round(share, 4)}
        for action, share in list(hints.shares.items())[:MOST_HINTS]
    ]
    value = hints.value and round(hints.value, 3)
    return {"by": by, "compiling": False, "actions": actions, "value": value}


class Question(NamedTuple):
    """A decision that an agent is asked for, as its own or as a hint, and what the agent sees of it."""

    seat: int
    agent: Agent
    observation: npt.NDArray[Any]
    mask: npt.NDArray[Any]
    history: tuple[npt.NDArray[Any], ...]
    """Empty unless the agent reads one."""
    state: npt.NDArray[Any]
    """The agent's memory of the hand, float32 [1, state_size]."""
    ticket: str
    """That of the table for the seat: the answer is void once there is another one."""
    phase: str
    asked_at: float
    """In seconds of the table's clock."""

    def choose(self) -> int:
        """The agent's choice, which may take a while. It is −1 if the agent fails."""
        try:
            if not self.state.size:
                return int(self.agent.act(self.observation, self.mask, *self.history))
            history = (each[None] for each in self.history)
            state = self.state.copy()
            return int(self.agent.act_recurrent(self.observation[None], self.mask[None], state, *history)[0])
        except PlayerError as error:
            _log.warning("%s; a quiet move is made for it", error)
            return -1

    def hints(self) -> Hints:
        """Ask the agent what it would do, which may take a while. There are no hints if the agent fails."""
        try:
            if self.state.size:
                return Hints({self.choose(): 1.0}, None)
            return ask_hints(self.agent, self.observation, self.mask, *self.history)
        except PlayerError as error:
            _log.warning("%s; there is no hint", error)
            return Hints({}, None)
