"""Scripted agents that do not bluff with a Wild Draw Four: :class:`HonestAgent`.

The rules are not changed by it: other players may bluff, and may challenge the agent.
"""

import numpy as np
import numpy.typing as npt

from agents.agent import Agent
from agents.scripted.agent import ScriptedAgent
from uno_env.actions import catalogue
from uno_env.core.arrays import Array, Bytes, Floats, Ints
from uno_env.core.observe.layout import layout_of, rule_columns_of
from uno_env.core.rules.wild_draw_four import BLUFF
from uno_env.editions.edition import NO_COLOUR, Edition
from uno_env.observation import edition_shown, integer_form


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
    edition = edition_shown(rows.shape[1])
    if edition.sides == 1:
        return _bluffs_on(edition, 0, rows)
    sides = rows[:, layout_of(edition)["side"].start]
    found = np.zeros((len(rows), catalogue(edition).first.number), bool)
    for side in range(edition.sides):
        found[sides == side] = _bluffs_on(edition, side, rows[sides == side])
    return found


def _bluffs_on(edition: Edition, side: int, rows: Bytes) -> npt.NDArray[np.bool_]:
    """The same of rows in which a side is in force."""
    sections, rules = layout_of(edition), rule_columns_of(edition)
    hand, active = rows[:, sections["hand"].columns] > 0, rows[:, sections["colour"].columns] > 0
    faces = edition.faces_on(side)
    colours = np.array([face.colour for face in faces])
    draws = (colours == NO_COLOUR) & (np.array([face.demands for face in faces]) > 0)
    matches = np.zeros(len(rows), bool)
    for colour in range(len(edition.colours)):
        matches |= hand[:, colour == colours].any(1) & active[:, colour]
    other_wilds = (colours == NO_COLOUR) & ~draws
    matches |= (rows[:, rules["wild_is_match"]] > 0) & hand[:, other_wilds].any(1)
    guilty = matches & (rows[:, rules["wild_draw_four"]] == BLUFF)
    lays_draw = [kind >= 0 and bool(draws[kind]) for kind in catalogue(edition).kinds]
    return np.logical_and.outer(guilty, lays_draw)
