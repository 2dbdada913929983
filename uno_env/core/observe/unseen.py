"""The others' view while a player has a decision that only certain hidden cards give (GUIDE.md 12).

Such a player holds a card that answers a penalty, has drawn a card that can be played, or holds the twin of the top
card. The others must not learn this. So they see the game as it will be if the player lets the chance go: the penalty
is drawn, the card is kept, the card on top acts. They see the same if nobody has such a decision. A drawn
card that must be played is no such decision: all see that its player is about to play it.

Decided here: nothing is shown too early. If the card on top will give the observer cards, if chance decides its effect
(the last to slap a 6), if the penalty would put its player out (13.5), or if cards with two sides (14) would be drawn
or turned over, the observer sees the card on top, not yet in effect, and nobody to move.
"""

from uno_env.core.edition import actions_of, sizes_of
from uno_env.core.faces import is_wild, number_of
from uno_env.core.jit.njit import njit
from uno_env.core.packed_games import copy_game
from uno_env.core.record import DRAWN, JUMP_IN, NOBODY, PLAY, STACK
from uno_env.core.rules.double_play import can_lay_another
from uno_env.core.rules.drawing import may_keep_drawn
from uno_env.core.rules.going_out import end_alone
from uno_env.core.rules.illegal import forgo
from uno_env.core.rules.seven_zero import still_moves_hands
from uno_env.core.rules.six_smackdown import is_slapped
from uno_env.core.rules.uno_call import can_be_caught

LETS_GO = {DRAWN: "pass", STACK: "accept", JUMP_IN: "pass"}
"""The phases that only the holder of a certain card is asked in, and the text of the action that lets the chance go."""


@njit
def is_asked_unseen(rules, phase):
    """Return whether the phase is a question that the others do not know of."""
    return phase in (STACK, JUMP_IN) or (phase == DRAWN and may_keep_drawn(rules))


@njit
def is_let_go(rules, phase, action):
    """Return whether a legal action lets a chance go that the others do not know of."""
    return phase in (DRAWN, STACK, JUMP_IN) and action == letting_go(rules, phase)


@njit
def letting_go(rules, phase):
    """The action that lets the chance go in one of these phases."""
    return actions_of(rules).accept if phase == STACK else actions_of(rules).keep


@njit
def show_to(game, rules, seat, shown):
    """Make ``shown``, another whole record, the seat's view of the game; a negative ``seat`` is an onlooker."""
    copy_game(game, shown, rules)
    while is_asked_unseen(rules, shown.phase) and shown.to_move != seat:
        if acts_by_chance(shown, rules):
            break
        forgo(shown, rules)
        end_alone(shown, rules)
    waits = shows_other_backs(game, rules, shown)
    waits |= (is_asked_unseen(rules, shown.phase) and shown.to_move != seat) or shown.put_out != game.put_out
    for kind in range(sizes_of(rules).kinds):
        waits |= seat >= 0 and shown.seats[seat].hand[kind] != game.seats[seat].hand[kind]
    if waits:
        copy_game(game, shown, rules)
        shown.phase = PLAY
        shown.to_move = NOBODY


@njit
def shows_other_backs(game, rules, shown):
    """Return whether letting go has drawn or turned cards with two sides: their backs would be shown too early."""
    if sizes_of(rules).sides > 1:
        return shown.pile_next != game.pile_next or shown.pile_end != game.pile_end or shown.side[0] != game.side[0]
    return False


@njit
def acts_by_chance(game, rules):
    """Return whether the card on top will move all hands, or hit a player by chance, once nobody jumps in."""
    if game.phase != JUMP_IN or is_wild(game, rules, game.top):
        return False
    if can_lay_another(game, rules) and can_be_caught(game, rules, game.turn):
        return False  # the race for the missing call comes before
    return is_slapped(game, rules) or (still_moves_hands(game, rules) and number_of(game, rules, game.top) == 0)
