"""The effects of an action: the game's table of contents, phase by phase."""

from uno_env.core import record
from uno_env.core.edition import actions_of, sizes_of
from uno_env.core.jit.njit import njit
from uno_env.core.rules.catching import resolve_answer
from uno_env.core.rules.drawing import keep_drawn, resolve_draw
from uno_env.core.rules.first_card import declare_first_colour
from uno_env.core.rules.going_out import count_decision, end_alone
from uno_env.core.rules.match import settle_hand
from uno_env.core.rules.playing import jump_in, let_go, play, resolve_swap
from uno_env.core.rules.roulette import resolve_roulette
from uno_env.core.rules.stacking import accept_penalty
from uno_env.core.rules.uno_call import call_uno
from uno_env.core.rules.wild_draw_four import resolve_challenge


@njit
def step(game, rules, action):
    """The player to move does ``action``, which must be legal (not checked here)."""
    phase, at = game.phase, actions_of(rules)
    if phase == record.CATCH:
        resolve_answer(game, rules, action)
    elif phase == record.FIRST_COLOUR:
        declare_first_colour(game, rules, (action - at.declare) % sizes_of(rules).colours)
    elif phase == record.SWAP:
        resolve_swap(game, rules, action - at.swap + 1)
    elif phase == record.ROULETTE:
        resolve_roulette(game, rules, action - at.declare)
    elif action == at.call:
        call_uno(game, game.to_move)
    elif action == at.draw:
        resolve_draw(game, rules)
    elif action == at.challenge:
        resolve_challenge(game, rules)
    elif action == at.accept:
        accept_penalty(game, rules)
    elif action == at.jump_in:
        jump_in(game, rules)
    elif phase == record.JUMP_IN:
        let_go(game, rules)
    elif action == at.keep:
        keep_drawn(game, rules)
    else:
        play(game, rules, action)
    end_alone(game, rules)
    count_decision(game, rules)
    settle_hand(game, rules)
