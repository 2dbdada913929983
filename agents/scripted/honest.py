"""Scripted agents that do not bluff with a Wild Draw Four: :class:`HonestAgent`.

The rules are not changed by it: other players may bluff, and may challenge the agent.
"""

import numpy as np
import numpy.typing as npt

from agents.agent import Agent
from agents.scripted import faces
from agents.scripted.agent import ScriptedAgent
from agents.scripted.observation_reader import COLOUR, HAND, rule_column
from agents.scripted.strategy import KIND_OF
from uno_env.core.arrays import Array, Bytes, Floats, Ints
from uno_env.core.rules.wild_draw_four import BLUFF
from uno_env.editions.edition import NO_COLOUR
from uno_env.observation import integer_form

_CHALLENGED = rule_column("wild_draw_four")
_WILD_IS_MATCH = rule_column("wild_is_match")
_WILD_DRAWS = (faces.COLOUR == NO_COLOUR) & (faces.DEMANDS > 0)
_OTHER_WILDS = (faces.COLOUR == NO_COLOUR) & (faces.DEMANDS == 0)
_LAYS_WILD_DRAW_FOUR = (KIND_OF != faces.NO_CARD) & _WILD_DRAWS[KIND_OF]


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
    hand = rows[:, HAND : HAND + faces.KINDS] > 0
    matches = np.zeros(len(rows), bool)
    for colour in range(faces.COLOURS):
        matches |= hand[:, colour == faces.COLOUR].any(1) & (rows[:, COLOUR + colour] > 0)
    matches |= (rows[:, _WILD_IS_MATCH] > 0) & hand[:, _OTHER_WILDS].any(1)
    guilty = matches & (rows[:, _CHALLENGED] == BLUFF)
    return np.logical_and.outer(guilty, _LAYS_WILD_DRAW_FOUR)
