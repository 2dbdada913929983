"""What a card does once it lies (RULES.md 5). Switch: ``two_player_reverse``.

Skip: the next player misses a turn. Reverse: direction turns round; with two players it acts as a Skip, unless
``two_player_reverse`` is ``reverse``. Draw Two: the next player draws two and misses the turn. Wild: a colour is
declared.

Decided here: a Reverse that acts as a Skip leaves the direction as it is.
"""

from uno_env.cards import DRAW_TWO, FIRST_WILD, RANKS_PER_COLOUR, REVERSE, SKIP, WILD_DRAW_FOUR
from uno_env.core.compiled import compiled
from uno_env.core.deck import take_cards
from uno_env.core.going_out import finish_turn
from uno_env.core.record import switch_value
from uno_env.core.turn import seat_after
from uno_env.core.wild_draw_four import resolve_wild_draw_four

REVERSE_AS_SKIP = switch_value("two_player_reverse", "skip")


@compiled
def resolve_card(game, rules):
    """Let the card just played act, and end its player's turn."""
    rank = game.top % RANKS_PER_COLOUR if game.top < FIRST_WILD else 0
    if game.top == WILD_DRAW_FOUR:
        resolve_wild_draw_four(game, rules)
    elif rank == SKIP:
        finish_turn(game, rules, 1)
    elif rank == REVERSE:
        resolve_reverse(game, rules)
    elif rank == DRAW_TWO:
        take_cards(game, seat_after(game, rules, game.turn, 1), 2)
        finish_turn(game, rules, 1)
    else:
        finish_turn(game, rules, 0)


@compiled
def resolve_reverse(game, rules):
    """Turn the direction round, or skip the only opponent."""
    if rules.players == 2 and rules.two_player_reverse == REVERSE_AS_SKIP:
        finish_turn(game, rules, 1)
    else:
        game.direction = -game.direction
        finish_turn(game, rules, 0)
