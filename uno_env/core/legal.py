"""What may be done now: the game's questions, phase by phase."""

from uno_env.actions import CALL, DECLARE
from uno_env.core import record
from uno_env.core.compiled import compiled
from uno_env.core.drawing import legal_after_draw, legal_draw
from uno_env.core.first_card import legal_first_colours
from uno_env.core.playing import legal_plays
from uno_env.core.uno_call import can_call, legal_answers
from uno_env.core.wild_draw_four import legal_challenge


@compiled
def legal_actions(game, rules, mask):
    """Mark with 1 what the player to move may do, all else with 0; ``mask`` is uint8 or int8 [NUM_ACTIONS]."""
    mask[:] = 0
    phase = game.phase
    if phase == record.PLAY:
        legal_draw(rules, mask, legal_plays(game, rules, game.turn, mask))
        legal_call(game, rules, mask)
    elif phase == record.DRAWN:
        legal_after_draw(game, rules, mask)
        legal_call(game, rules, mask)
    elif phase == record.CATCH:
        legal_answers(game, mask)
    elif phase == record.CHALLENGE:
        legal_challenge(mask)
    elif phase == record.FIRST_COLOUR:
        legal_first_colours(mask, DECLARE)


@compiled
def legal_call(game, rules, mask):
    """Mark calling UNO before the play."""
    if can_call(game, rules, game.turn):
        mask[CALL] = 1
