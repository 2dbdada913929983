"""Illegal actions (GUIDE.md 7). Switch: ``illegal_action``.

- ``raise``: the action is refused with an error, and the state stays as it was.
- ``terminate``: PettingZoo's convention. The hand (and the match) ends. The player who acted gets −1, the others get 0.
- ``penalty``: the card is taken back, two cards are drawn, and the turn passes.

Some published rules punish advice to other players. There is no such rule here, since the players cannot talk.

Decided here: a player can be asked something out of turn. An illegal answer then costs two cards, and counts as a
pass. An illegal answer to a penalty counts as accepting it: the player draws two cards and the penalty, and the turn is
lost or kept as in 5.4. If a colour or a player must be chosen, it is drawn at random. A drawn card is kept. If there is
nothing to draw, the turn still passes.

Actions: all that the mask does not mark.
Observation: none of its own.
"""

from uno_env.core import record
from uno_env.core.edition import actions_of, sizes_of
from uno_env.core.jit.njit import njit
from uno_env.core.record import switch_value
from uno_env.core.rng import below, random_set_bit
from uno_env.core.rules.catching import resolve_answer
from uno_env.core.rules.deck import take_cards
from uno_env.core.rules.drawing import keep_drawn
from uno_env.core.rules.going_out import count_decision, end_alone, end_illegal, finish_turn
from uno_env.core.rules.match import settle_hand
from uno_env.core.rules.playing import let_go, resolve_swap
from uno_env.core.rules.roulette import resolve_roulette
from uno_env.core.rules.stacking import accept_penalty
from uno_env.core.rules.turn import is_in, pass_turn

RAISE = switch_value("illegal_action", "raise")
PENALTY = switch_value("illegal_action", "penalty")

CARDS = 2


@njit
def is_refused(rules):
    """Return whether the caller must refuse an illegal action."""
    return rules.illegal_action == RAISE


@njit
def resolve_illegal(game, rules):
    """The player to move has acted illegally, under rules that do not refuse it."""
    if rules.illegal_action == PENALTY:
        take_cards(game, rules, game.to_move, CARDS)
        forgo(game, rules)
        end_alone(game, rules)
        count_decision(game, rules)
    else:
        end_illegal(game)
    settle_hand(game, rules)


@njit
def forgo(game, rules):
    """Close the open decision as if the player let the chance go."""
    phase = game.phase
    if phase in (record.PLAY, record.DRAWN) and not is_in(game, game.to_move):
        pass_turn(game, rules, 0)
    elif phase == record.CATCH:
        resolve_answer(game, rules, actions_of(rules).keep)
    elif phase == record.JUMP_IN:
        let_go(game, rules)
    elif phase in (record.CHALLENGE, record.STACK):
        accept_penalty(game, rules)
    elif phase == record.FIRST_COLOUR:
        game.colour = below(game, sizes_of(rules).colours)
        pass_turn(game, rules, 0)
    elif phase == record.SWAP and is_in(game, game.turn):
        resolve_swap(game, rules, random_opponent(game, rules))
    elif phase == record.SWAP:
        finish_turn(game, rules, 0)
    elif phase == record.ROULETTE:
        resolve_roulette(game, rules, below(game, sizes_of(rules).colours))
    elif phase == record.DRAWN:
        keep_drawn(game, rules)
    else:
        pass_turn(game, rules, 0)


@njit
def random_opponent(game, rules):
    """A random other player, by the number of seats to the left."""
    others = ((1 << rules.players) - 1) & ~(game.out | 1 << game.turn)
    return (random_set_bit(game, others) - game.turn) % rules.players
