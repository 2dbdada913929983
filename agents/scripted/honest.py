"""Scripted agents that do not bluff with a Wild Draw Four: :class:`HonestAgent`.

The rules are not changed by it: other players may bluff, and may challenge the agent.
"""

import numpy as np
import numpy.typing as npt

from agents.agent import Agent
from agents.scripted.agent import ScriptedAgent
from agents.scripted.observation_reader import COLOUR, HAND, rule_column
from agents.scripted.strategy import KIND_OF
from uno_env.cards import FIRST_WILD, NUM_COLOURS, NUM_KINDS, RANKS_PER_COLOUR, WILD_DRAW_FOUR
from uno_env.core.arrays import Array, Bytes, Floats, Ints
from uno_env.core.rules.wild_draw_four import BLUFF
from uno_env.observation import integer_form

_CHALLENGED = rule_column("wild_draw_four")
_WILD_IS_MATCH = rule_column("wild_is_match")
_LAYS_WILD_DRAW_FOUR = KIND_OF == WILD_DRAW_FOUR


class HonestAgent(Agent):
    """Plays one of :data:`agents.scripted.dispatch.STRATEGIES`, but lays no Wild Draw Four of which a challenge would
    find it guilty (GUIDE.md 5.1).

    It bluffs only if it may do nothing else. The arguments are those of :class:`agents.scripted.agent.ScriptedAgent`.
    """

    only_reads = True

    def __init__(self, name: str, seed: int = 0, weights: Floats | None = None) -> None:
        self._agent = ScriptedAgent(name, seed, weights)
        super().__init__(f"{name}?bluff=0", seed)

    def reset(self, seed: int) -> None:
        self._agent.reset(seed)

    def _choose(self, rows: Array, masks: Bytes) -> Ints:
        seen = rows if rows.dtype == np.uint8 else integer_form(rows)
        honest = np.where(find_bluffs(seen), 0, masks).astype(np.uint8)
        return self._agent.act_batch(seen, np.where(honest.any(1, keepdims=True), honest, masks))


def find_bluffs(rows: Bytes) -> npt.NDArray[np.bool_]:
    """The actions that lay a Wild Draw Four of which a challenge would find the observer guilty, bool [N, A].

    ``rows`` are observations in integer form, uint8 [N, D].
    """
    hand = rows[:, HAND : HAND + NUM_KINDS] > 0
    holds_colour = hand[:, :FIRST_WILD].reshape(-1, NUM_COLOURS, RANKS_PER_COLOUR).any(2)
    matches = (holds_colour & (rows[:, COLOUR : COLOUR + NUM_COLOURS] > 0)).any(1)
    others = [kind for kind in range(FIRST_WILD, NUM_KINDS) if kind != WILD_DRAW_FOUR]
    matches |= (rows[:, _WILD_IS_MATCH] > 0) & hand[:, others].any(1)
    guilty = matches & (rows[:, _CHALLENGED] == BLUFF)
    return np.logical_and.outer(guilty, _LAYS_WILD_DRAW_FOUR)
