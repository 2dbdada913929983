"""What happens when a player acts: the game's table of contents, phase by phase."""

from uno_env.actions import ACCEPT, CALL, CHALLENGE, DECLARE, DRAW, JUMP_IN, PASS, SWAP
from uno_env.core import record
from uno_env.core.jit.njit import njit
from uno_env.core.rules.catching import resolve_answer
from uno_env.core.rules.drawing import keep_drawn, resolve_draw
from uno_env.core.rules.first_card import declare_first_colour
from uno_env.core.rules.going_out import count_decision
from uno_env.core.rules.hands import resolve_swap
from uno_env.core.rules.match import settle_hand
from uno_env.core.rules.playing import jump_in, let_go, play
from uno_env.core.rules.stacking import accept_penalty
from uno_env.core.rules.uno_call import call_uno
from uno_env.core.rules.wild_draw_four import resolve_challenge


@njit
def step(game, rules, action):
    """The player to move does ``action``, which must be legal (not checked here)."""
    phase = game.phase
    if phase == record.CATCH:
        resolve_answer(game, rules, action)
    elif phase == record.FIRST_COLOUR:
        declare_first_colour(game, action - DECLARE)
    elif phase == record.SWAP:
        resolve_swap(game, rules, action - SWAP + 1)
    elif action == CALL:
        call_uno(game, game.to_move)
    elif action == DRAW:
        resolve_draw(game, rules)
    elif action == CHALLENGE:
        resolve_challenge(game, rules)
    elif action == ACCEPT:
        accept_penalty(game, rules)
    elif action == JUMP_IN:
        jump_in(game, rules)
    elif phase == record.JUMP_IN:
        let_go(game, rules)
    elif action == PASS:
        keep_drawn(game, rules)
    else:
        play(game, rules, action)
    count_decision(game, rules)
    settle_hand(game, rules)
