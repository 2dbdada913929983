"""Whose turn it is: seats in the direction of play (RULES.md 1)."""

from uno_env.core.compiled import compiled
from uno_env.core.record import NO_CARD, PLAY


@compiled
def seat_after(game, rules, seat, places):
    """The seat ``places`` further on in the direction of play."""
    return (seat + places * game.direction) % rules.players


@compiled
def begin_turn(game, seat):
    """It is the seat's turn to play or draw."""
    game.turn = seat
    game.to_move = seat
    game.phase = PLAY
    game.drawn = NO_CARD
    game.asked = 0


@compiled
def pass_turn(game, rules, missed):
    """The turn goes on in the direction of play, past ``missed`` players who miss theirs."""
    begin_turn(game, seat_after(game, rules, game.turn, 1 + missed))
