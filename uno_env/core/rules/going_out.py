"""The end of a hand (GUIDE.md 8). Switches: ``go_out_on``, ``max_decisions``.

The first to play their last card wins the hand. If it is a Draw Two or Wild Draw Four, the next player still draws
before the count. If mercy (13.5) has put out all others, the last player wins.

``go_out_on`` limits the last card. ``not_action``: it may not be a Skip, Reverse or Draw Two. ``number``: it must
be a number.

A hand is truncated if nobody can do anything any more, or if it reaches ``max_decisions``. Then nobody wins.

Decided here: if the last card is a Downpour, or a Customizable that makes everyone draw, the others also draw before
the count. Other effects of a last card (swapping, passing and shuffling hands, slapping, jumping in) do not happen.

Actions: plays that may not be a last card are not marked.
Observation: `phase` (over).
"""

from uno_env.core import record as r
from uno_env.core.jit.njit import njit
from uno_env.core.rules.mercy import is_alone, last_in
from uno_env.core.rules.points import award_points
from uno_env.core.rules.turn import is_in, pass_turn

ANY = r.switch_value("go_out_on", "any")
NUMBER = r.switch_value("go_out_on", "number")


@njit
def must_be_number(game, rules, seat):
    """Return whether numbers are the only coloured cards that the seat may play now."""
    return limits_last_card(rules) and game.seats[seat].hand_size == 1


@njit
def limits_last_card(rules):
    """Return whether coloured actions may not be a last card."""
    return rules.go_out_on != ANY


@njit
def can_go_out_on_wilds(game, rules, seat):
    """Return whether a seat that holds only wilds may play one now."""
    return rules.go_out_on != NUMBER or game.seats[seat].hand_size > 1


@njit
def has_gone_out(game):
    """Return whether the player on turn has laid their last card."""
    return game.seats[game.turn].hand_size == 0 and is_in(game, game.turn)


@njit
def finish_turn(game, rules, missed):
    """End the turn, after which ``missed`` players miss theirs. If its player has no cards left, end the hand."""
    if has_gone_out(game):
        end_won(game, rules, game.turn)
    else:
        pass_turn(game, rules, missed)


@njit
def end_won(game, rules, seat):
    """The seat has won the hand, which ends on its turn; nobody is left to draw what was demanded."""
    game.turn = game.winner = seat
    game.penalty = 0
    end_hand(game, r.WENT_OUT)
    award_points(game, rules)


@njit
def end_alone(game, rules):
    """End the hand if mercy has put out all players but one."""
    if is_alone(game, rules) and game.phase != r.OVER:
        end_won(game, rules, last_in(game))


@njit
def end_hand(game, end):
    """End the hand for a reason; its points are counted afterwards."""
    for seat in range(r.MAX_SEATS):
        game.points[seat] = 0
    game.end = end
    game.phase = r.OVER
    game.drawn = r.NO_CARD
    game.pending = r.NO_CARD
    game.to_move = r.NOBODY


@njit
def end_stalled(game):
    """Nobody can play, and there is nothing left to draw."""
    end_hand(game, r.STALLED)


@njit
def end_illegal(game):
    """The player to move acted illegally, and that ends the hand."""
    game.offender = game.to_move
    end_hand(game, r.ILLEGAL)


@njit
def count_decision(game, rules):
    """Count one more decision. At the limit the hand is truncated, unless this decision ended it."""
    game.decisions += 1
    if decisions_left(game, rules) <= 0 and game.phase != r.OVER:
        end_hand(game, r.MAX_DECISIONS)


@njit
def decisions_left(game, rules):
    """The number of decisions that the hand may still take."""
    return rules.max_decisions - game.decisions
