"""``moody``: a player whose style changes with the hand.

Players "may change their playing style; switching from an aggressive card-shedding strategy to a more subdued one, or
vice versa" (an encyclopaedia's article on the game). While nobody else holds fewer cards, this player sheds cards as
``aggressive`` does. When somebody is ahead, it keeps its wilds back as ``save-wilds`` does.
"""

from agents.scripted.card_preferences import AGGRESSIVE, SAVE_WILDS, decide_preferred
from agents.scripted.observation_reader import HAND_SIZES, count_players
from agents.scripted.strategy import Scratch
from agents.scripted.turn_effects import smallest_hand
from uno_env.core.arrays import Bytes
from uno_env.core.jit.njit import njit


@njit
def decide_moody(row: Bytes, mask: Bytes, scratch: Scratch) -> int:
    """The action of ``moody``; see :mod:`agents.scripted.strategy`."""
    style = SAVE_WILDS if is_behind(row) else AGGRESSIVE
    return int(decide_preferred(style, row, mask, scratch))


@njit
def is_behind(row: Bytes) -> bool:
    """Whether another player in the match holds fewer cards than the observer."""
    return bool(smallest_hand(row, count_players(row)) < row[HAND_SIZES])
