"""The legal actions of the player to move: the game's questions, phase by phase."""

from uno_env.core import record
from uno_env.core.edition import actions_of
from uno_env.core.jit.njit import njit
from uno_env.core.rules.catching import legal_answers
from uno_env.core.rules.double_play import legal_pairs
from uno_env.core.rules.drawing import legal_after_draw, legal_draw
from uno_env.core.rules.first_card import legal_first_colours
from uno_env.core.rules.hands import legal_swaps
from uno_env.core.rules.jump_in import legal_jump_in
from uno_env.core.rules.playing import legal_plays
from uno_env.core.rules.stacking import legal_answers_to_penalty
from uno_env.core.rules.uno_call import can_call
from uno_env.core.rules.wild_draw_four import legal_challenge


@njit
def legal_actions(game, rules, mask):
    """Mark with 1 what the player to move may do, all else with 0; ``mask`` is uint8 or int8 [A]."""
    mask[:] = 0
    phase = game.phase
    if phase == record.PLAY:
        legal_draw(game, rules, mask, legal_plays(game, rules, game.turn, mask))
        legal_pairs(game, rules, game.turn, mask)
        legal_call(game, rules, mask)
    elif phase == record.DRAWN:
        legal_after_draw(game, rules, mask)
        legal_call(game, rules, mask)
    elif phase == record.CATCH:
        legal_answers(game, rules, mask)
    elif phase == record.CHALLENGE:
        legal_challenge(rules, mask)
        legal_penalty(game, rules, mask)
    elif phase == record.STACK:
        legal_penalty(game, rules, mask)
    elif phase == record.JUMP_IN:
        legal_jump_in(rules, mask)
        legal_call(game, rules, mask)
    elif phase == record.SWAP:
        legal_swaps(game, rules, mask)
    elif phase in (record.FIRST_COLOUR, record.ROULETTE):
        legal_first_colours(game, rules, mask)


@njit
def legal_penalty(game, rules, mask):
    """Mark the answers to a penalty. If one of them is to lay a card, calling UNO before it is marked, too."""
    if legal_answers_to_penalty(game, rules, mask):
        legal_call(game, rules, mask)


@njit
def legal_call(game, rules, mask):
    """Mark calling UNO before the play."""
    if can_call(game, rules, game.to_move):
        mask[actions_of(rules).call] = 1
