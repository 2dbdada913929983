"""Any agent at the text door: :class:`ThroughText`, so that it is measured in the way of a language model."""

from functools import partial

import numpy as np

from agents.agent import Agent
from agents.chat.chat_agent import TALLIES, Tally, question, rules_told, tokens_of
from uno_env.actions import name as action_name
from uno_env.core.arrays import Array, Bytes, Ints
from uno_env.history import EVENT_SIZE
from uno_env.player import Player, PlayerError
from uno_env.text import EVENTS, read_answer


class ThroughText(Agent):
    """An agent that says its moves: each decision becomes a prompt, and the parser reads what it says.

    It chooses by observations; the prompts are only counted. It plays as the agent itself does. Raises ValueError if
    the agent needs more than observations and the last events.
    """

    history = EVENTS
    is_remote = True

    def __init__(self, player: Player, name: str = "") -> None:
        if player.sees_all_hands or player.state_size or player.history > EVENTS:
            raise ValueError(f"{player.name!r} reads more than an observation and {EVENTS} events: it is told no more")
        self._player = player
        super().__init__(name or player.name)

    def _choose(self, rows: Array, masks: Bytes) -> Ints:
        columns = rows.shape[1] - EVENTS * EVENT_SIZE
        shown = rows[:, columns:].reshape(-1, EVENTS, EVENT_SIZE).astype(np.uint8)
        ask = partial(self._player.act_batch, np.ascontiguousarray(rows[:, :columns]), masks)
        chosen = np.array(ask(shown) if self._player.history else ask())
        tally = TALLIES.setdefault(self.name, Tally())
        for index in np.flatnonzero(masks.sum(axis=1) > 1):
            rules = rules_told(rows[index])
            said = {"role": "assistant", "content": f"[{action_name(int(chosen[index]), rules)}]"}
            answer = read_answer(said["content"], np.flatnonzero(masks[index]).tolist(), rules)
            if answer.action is None:
                raise PlayerError(f"{self.name!r}: {answer.problem}")
            tally.decisions += 1
            tally.tokens_in += tokens_of(question(rows[index], masks[index]))
            tally.tokens_out += tokens_of([said])
            chosen[index] = answer.action
        return chosen
