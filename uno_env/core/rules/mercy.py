"""Mercy (GUIDE.md 13.5). Switch: ``mercy``.

A player who holds ``mercy`` cards or more is out of the hand at once, whether the last card came by a turn, a penalty
or a roulette, and whether it could be played or not. The player draws no further. With 0, nobody is put out.

The cards go under the discard pile, in the open; the one whose kind has the highest number lies lowest. The turns of a
player who is out pass to the next one, and so do questions, as if the chance was let go. "Two players" (5, 10.5) means
two who are not out. The last player who is not out wins the hand (8). A player who is out counts in the points (9.1).
In a match, the next hand is played by all who are not out of the match (9.2).

Cards come one by one, by drawing alone. Hands that move (5.3) are smaller than ``mercy``, so nobody is put out by them.

Decided here:

- The effect of a card stands if its player is put out in the race for a missing call (6.2). But then the player swaps
  with nobody, and has no second turn.
- The last player who is not out takes no more cards.
- A deal in which the first card ends the hand is dealt again.

Actions: none of its own.
Observation: `out`, `hand_sizes`, `discards`, `rules`.
"""

from uno_env.core.edition import sizes_of
from uno_env.core.jit.njit import njit
from uno_env.core.rules.knowledge import forget_hand
from uno_env.core.rules.turn import is_in, players_in

POINTS = 250
"""Points for a player who was put out (9.1)."""


@njit
def may_put_out(rules):
    """Return whether players can be put out at all."""
    return sizes_of(rules).mercy and rules.mercy > 0


@njit
def may_take(game, rules, seat):
    """Return whether the seat still takes cards: it is not out, and is not the last one."""
    return not may_put_out(rules) or (is_in(game, seat) and players_in(game, rules) > 1)


@njit
def show_mercy(game, rules, seat):
    """The seat has taken a card. If its hand is full, it is out, and its cards go under the discard pile."""
    if may_put_out(rules) and game.seats[seat].hand_size >= rules.mercy:
        for kind in range(sizes_of(rules).kinds):
            if sizes_of(rules).sides > 1 and game.seats[seat].hand[kind] > 0:
                game.lowest[0] = kind
            game.discards[kind] += game.seats[seat].hand[kind]
            game.seats[seat].hand[kind] = 0
        game.seats[seat].hand_size = 0
        game.out |= 1 << seat
        game.put_out |= 1 << seat
        forget_hand(game, rules, seat)


@njit
def is_put_out(game, seat):
    """Return whether the seat was put out of this hand."""
    return (game.put_out >> seat) & 1 == 1


@njit
def size_reached(game, rules, seat, before):
    """The cards that the seat holds after it held ``before``; of one that was put out now, those that put it out."""
    return rules.mercy if before > 0 and is_put_out(game, seat) else game.seats[seat].hand_size


@njit
def let_back_in(game):
    """The hand is over: whoever was put out of it is not out of the match."""
    game.out &= ~game.put_out


@njit
def leave_out(game):
    """The match is over: whoever was put out of its last hand is shown as out."""
    game.out |= game.put_out


@njit
def is_alone(game, rules):
    """Return whether all but one player are out of the hand."""
    return may_put_out(rules) and game.put_out != 0 and players_in(game, rules) == 1


@njit
def last_in(game):
    """The first seat that is not out."""
    seat = 0
    while not is_in(game, seat):
        seat += 1
    return seat
