"""What happens when a player acts: the game's table of contents, phase by phase."""

from uno_env.actions import CALL, DECLARE, DRAW, PASS
from uno_env.core import record
from uno_env.core.compiled import compiled
from uno_env.core.drawing import keep_drawn, resolve_draw
from uno_env.core.first_card import declare_first_colour
from uno_env.core.going_out import count_decision
from uno_env.core.playing import play
from uno_env.core.uno_call import call_uno, resolve_answer
from uno_env.core.wild_draw_four import resolve_challenge


@compiled
def step(game, rules, action):
    """The player to move does ``action``, which must be legal (not checked here)."""
    phase = game.phase
    if phase == record.CATCH:
        resolve_answer(game, rules, action)
    elif phase == record.CHALLENGE:
        resolve_challenge(game, rules, action)
    elif phase == record.FIRST_COLOUR:
        declare_first_colour(game, action - DECLARE)
    elif action == CALL:
        call_uno(game, game.turn)
    elif action == DRAW:
        resolve_draw(game, rules)
    elif action == PASS:
        keep_drawn(game, rules)
    else:
        play(game, rules, action)
    count_decision(game, rules)
