"""The question that an agent at a table is asked: :class:`Question`."""

import logging
from typing import Any, NamedTuple

import numpy.typing as npt

from agents import Agent
from agents.human.table.hints import Hints, ask_hints
from uno_env.player import PlayerError

_log = logging.getLogger(__name__)


class Question(NamedTuple):
    """A decision that an agent is asked for, as its own or as a hint; what it sees of it."""

    seat: int
    agent: Agent
    observation: npt.NDArray[Any]
    mask: npt.NDArray[Any]
    history: tuple[npt.NDArray[Any], ...]
    """Empty unless the agent reads one."""
    state: npt.NDArray[Any]
    """The agent's memory of the hand, float32 [1, state_size]."""
    stage: int
    is_reaction: bool
    """Whether it is asked in a race, or because of a card alone: nobody then waits for the looks of it."""

    def choose(self) -> int:
        """The agent's choice, which may take a while; −1 if it fails."""
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
        """Ask the agent what it would do, which may take a while; None if it fails."""
        try:
            if self.state.size:
                return Hints({self.choose(): 1.0}, None)
            return ask_hints(self.agent, self.observation, self.mask, *self.history)
        except PlayerError as error:
            _log.warning("%s; there is no hint", error)
            return Hints({}, None)
