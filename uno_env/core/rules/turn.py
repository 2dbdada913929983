"""Words: seats, turns, hands (GUIDE.md 1).

A *seat* is a number from 0 to players − 1. Seat s + 1 sits to the left of seat s. The *direction* of play is +1
(clockwise, to the left) or −1.

A *hand* is the cards that a player holds. It is also the play from one deal until someone has gone out. A *match* is
hand after hand, played to a score. A *turn* belongs to one player. It can take more than one *decision* (draw, then
keep or play), and other players can be asked within it. The *active colour* is the one to match: the colour of the top
card, or the one declared with a wild.

Published rules disagree in some places. Each reading is then a value of a switch. Where they say nothing, this guide
decides, and says so: *Decided here*. Seats that are out of the match (9.2) are skipped as if they were not at the
table.
"""

from uno_env.core.jit.njit import njit
from uno_env.core.record import NO_CARD, PLAY


@njit
def is_in(game, seat):
    """Return whether the seat still plays."""
    return (game.out >> seat) & 1 == 0


@njit
def players_in(game, rules):
    """The number of players who still play."""
    count = 0
    for seat in range(rules.players):
        count += is_in(game, seat)
    return count


@njit
def seat_along(game, rules, seat, steps, direction):
    """The seat ``steps`` seats further on, clockwise (+1) or counter-clockwise (−1)."""
    if game.out == 0:
        return (seat + steps * direction) % rules.players
    while steps > 0:
        seat = (seat + direction) % rules.players
        steps -= is_in(game, seat)
    return seat


@njit
def seat_after(game, rules, seat, steps):
    """The seat ``steps`` seats further on in the direction of play."""
    return seat_along(game, rules, seat, steps, game.direction)


@njit
def begin_turn(game, seat):
    """It is the seat's turn to play or draw."""
    game.turn = seat
    game.to_move = seat
    game.phase = PLAY
    game.drawn = NO_CARD
    game.asked = 0


@njit
def pass_turn(game, rules, missed):
    """The turn goes on in the direction of play, past ``missed`` players who miss theirs."""
    lapse_call(game, game.turn)
    begin_turn(game, seat_after(game, rules, game.turn, 1 + missed))


@njit
def lapse_call(game, seat):
    """A call of UNO that was not followed by one card left falls away."""
    if game.seats[seat].hand_size != 1:
        game.called &= ~(1 << seat)
