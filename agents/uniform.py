"""``random`` and ``random-play``: chance alone, and chance among the cards."""

from agents.choosing import Bytes, Ints, Random, any_action, best_action
from uno_env.actions import CALL, CATCH, DRAW, NUM_ACTIONS, PLAY
from uno_env.core.compiled import compiled

SPEAK, LAY, REST = 2, 1, 0


@compiled
def choose_any(rows: Bytes, masks: Bytes, random: Random, scores: Ints, actions: Ints) -> None:
    """``random``: each legal action with the same chance."""
    for index in range(rows.shape[0]):
        actions[index] = any_action(masks[index], random)


@compiled
def choose_any_play(rows: Bytes, masks: Bytes, random: Random, scores: Ints, actions: Ints) -> None:
    """``random-play``: calls or catches if it may, else lays a card if it can, else does anything legal."""
    score_play_first(scores)
    for index in range(rows.shape[0]):
        actions[index] = best_action(scores, masks[index], random)


@compiled
def score_play_first(scores: Ints) -> None:
    """Speaking comes before laying a card, and that before everything else."""
    for action in range(NUM_ACTIONS):
        scores[action] = LAY if PLAY <= action < DRAW else REST
    scores[CALL] = SPEAK
    scores[CATCH] = SPEAK
