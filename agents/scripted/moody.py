"""``moody``: a player whose style changes with the hand.

Players "may change their playing style; switching from an aggressive card-shedding strategy to a more subdued one, or
vice versa" (an encyclopaedia's article on the game). While nobody else holds fewer cards, this player sheds cards as
``aggressive`` does. When somebody is ahead, it keeps its wilds back as ``save-wilds`` does.
"""

from agents.scripted.card_preferences import AGGRESSIVE, SAVE_WILDS, decide_preferred
from agents.scripted.faces import Faces
from agents.scripted.observation_reader import count_players, hand_size
from agents.scripted.strategy import Scratch
from agents.scripted.turn_effects import smallest_hand
from uno_env.core.arrays import Bytes
from uno_env.core.jit.njit import njit


@njit
def decide_moody(faces: Faces, row: Bytes, mask: Bytes, scratch: Scratch) -> int:
    """The action of ``moody``; see :mod:`agents.scripted.strategy`."""
    style = SAVE_WILDS if is_behind(faces, row) else AGGRESSIVE
    return int(decide_preferred(style, faces, row, mask, scratch))


@njit
def is_behind(faces: Faces, row: Bytes) -> bool:
    """Return whether another player who is not out holds fewer cards than the observer."""
    return bool(smallest_hand(faces, row, count_players(faces, row)) < hand_size(faces, row, 0))
