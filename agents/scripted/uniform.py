"""``random`` and ``random-play``: any legal action, and any of the cards that fit."""

from agents.scripted.faces import Faces
from agents.scripted.strategy import Scratch, best_of, draw_below, list_legal
from uno_env.core.arrays import Bytes
from uno_env.core.edition import actions_of
from uno_env.core.jit.njit import njit

SPEAK, LAY, REST = 2, 1, 0


@njit
def decide_any(faces: Faces, row: Bytes, mask: Bytes, scratch: Scratch) -> int:
    """``random``: each legal action with the same probability."""
    return int(scratch.legal[draw_below(scratch.random, list_legal(mask, scratch.legal))])


@njit
def decide_any_play(faces: Faces, row: Bytes, mask: Bytes, scratch: Scratch) -> int:
    """``random-play``: calls or catches if it may, else lays a card if it can, else does anything legal."""
    number = list_legal(mask, scratch.legal)
    for action in scratch.legal[:number]:
        scratch.scores[action] = play_first(faces, action)
    return best_of(scratch, number)


@njit
def play_first(faces: Faces, action: int) -> int:
    """Score of an action: speaking comes before laying a card, on turn or not, and that before everything else."""
    does = actions_of(faces)
    if action in (does.call, does.catch):
        return SPEAK
    return LAY if action < does.draw or action == does.jump_in else REST
