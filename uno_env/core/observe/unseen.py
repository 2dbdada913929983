"""What the others see while a player is asked something that hidden cards alone allow (GUIDE.md 12).

Only who holds a card to answer a penalty with, who has drawn a card that can be played, or who holds the twin of the
top card is asked. So that nobody else learns it, they see the game as it will be if the chance is let go: the penalty
is drawn, the card is kept, the card on top acts. That is also what they see if nobody could be asked.

Decided here: what is not to be seen too early is not. Where the observer is to get cards when the card on top acts, or
chance decides what it does (who slaps a 6 last), the card lies there and has not acted yet: nobody is to decide.
"""

from uno_env.actions import ACCEPT, PASS
from uno_env.cards import FIRST_WILD, NUM_KINDS, RANKS_PER_COLOUR
from uno_env.core.jit.njit import njit
from uno_env.core.packed_games import copy_game
from uno_env.core.record import DRAWN, JUMP_IN, NOBODY, PLAY, STACK
from uno_env.core.rules.double_play import can_lay_another
from uno_env.core.rules.illegal import forgo
from uno_env.core.rules.seven_zero import moves_hands
from uno_env.core.rules.six_smackdown import is_slapped
from uno_env.core.rules.uno_call import can_be_caught

LETS_GO = {DRAWN: PASS, STACK: ACCEPT, JUMP_IN: PASS}
"""The phases in which only who holds a certain card is asked, and the action that lets the chance go."""


@njit
def is_asked_unseen(phase):
    """Whether only who holds a certain card is asked in the phase."""
    return phase in (DRAWN, STACK, JUMP_IN)


@njit
def is_let_go(phase, action):
    """Whether the action, in the phase, lets a chance go that the others do not know of."""
    return action == (ACCEPT if phase == STACK else PASS) and is_asked_unseen(phase)


@njit
def show_to(game, rules, seat, shown):
    """Make ``shown``, another whole record, what the seat may know of the game; any other number is an onlooker's."""
    copy_game(game, shown, rules)
    while is_asked_unseen(shown.phase) and shown.to_move != seat:
        if acts_by_chance(shown, rules):
            break
        forgo(shown, rules)
    waits = is_asked_unseen(shown.phase) and shown.to_move != seat
    for kind in range(NUM_KINDS):
        waits |= seat >= 0 and shown.seats[seat].hand[kind] != game.seats[seat].hand[kind]
    if waits:
        copy_game(game, shown, rules)
        shown.phase = PLAY
        shown.to_move = NOBODY


@njit
def acts_by_chance(game, rules):
    """Whether the card on top, once nobody jumps in on it, gives everybody other cards, or chance decides whom."""
    if game.phase != JUMP_IN or game.top >= FIRST_WILD:
        return False
    if can_lay_another(game, rules) and can_be_caught(game, rules, game.turn):
        return False  # the race for the missing call comes before
    rank = game.top % RANKS_PER_COLOUR
    return is_slapped(game, rules, rank) or (moves_hands(game, rules, rank) and rank == 0)
