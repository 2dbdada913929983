"""How a hand ends (GUIDE.md 8). Switches: ``go_out_on``, ``max_decisions``.

The first to play their last card wins the hand. If it is a Draw Two or Wild Draw Four, the next player still draws
before the count.

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
from uno_env.core.rules.points import award_points
from uno_env.core.rules.turn import pass_turn

ANY = r.switch_value("go_out_on", "any")
NUMBER = r.switch_value("go_out_on", "number")


@njit
def must_be_number(game, rules, seat):
    """Whether the seat may play none of its coloured cards now but numbers."""
    return rules.go_out_on != ANY and game.seats[seat].hand_size == 1


@njit
def can_go_out_on_wilds(game, rules, seat):
    """Whether the seat's wilds, if it holds nothing else, may be played now."""
    return rules.go_out_on != NUMBER or game.seats[seat].hand_size > 1


@njit
def has_gone_out(game):
    """Whether the player on turn has laid their last card."""
    return game.seats[game.turn].hand_size == 0


@njit
def finish_turn(game, rules, missed):
    """End the turn, after which ``missed`` players miss theirs. If its player has no cards left, end the hand."""
    if has_gone_out(game):
        game.winner = game.turn
        end_hand(game, r.WENT_OUT)
        award_points(game, rules)
    else:
        pass_turn(game, rules, missed)


@njit
def end_hand(game, end):
    """End the hand for a reason; its points are counted afterwards."""
    for seat in range(r.MAX_SEATS):
        game.points[seat] = 0
    game.end = end
    game.phase = r.OVER
    game.drawn = r.NO_CARD
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
    """How many decisions the hand may still take."""
    return rules.max_decisions - game.decisions
