"""Penalties for the next player, and stacking them (GUIDE.md 10.1). Switch: ``stacking``.

- ``off``: a player who is hit by a Draw Two or Wild Draw Four draws and misses the turn.
- ``same``: a draw card may be answered with a card of the same symbol. It adds to the penalty and passes it on.
- ``any``: a Draw Two may be answered with a Wild Draw Four as well.
- ``both``: a Wild Draw Four may also be answered with a Draw Two of the declared colour.
- ``value`` (not in the first edition): a draw card may be answered with any that demands as many cards or more.

A player who cannot or will not stack draws all the cards and misses the turn (but see 5.4). A penalty may also be
turned away (10.5).

Decided here:

- Nobody stacks on a player's last card: the hand is over, and the total is drawn.
- A Draw Two answers a Draw Two of any colour, also under ``action_match="colour"``. The conditions of
  5.1 also hold for a Wild Draw Four on a stack, with the colour that is active then.
- A first discard acts as if the dealer had played it, so a first Draw Two can be answered.
- A player with nothing to answer with is not asked, unless a challenge is possible. The others cannot tell whether
  somebody was asked and accepted (12).
- A jump-in on a draw card adds up, too (10.3).

Actions: coloured Draw Twos and `w+4:r` to `w+4:b` as answers, `accept`.
Observation: `phase` (stack, shown only to the player who is asked), `penalty`.
"""

from uno_env.core import record
from uno_env.core.edition import actions_of, sizes_of, tables_of
from uno_env.core.faces import cards_demanded, colour_of, is_wild, symbol_of
from uno_env.core.jit.njit import njit
from uno_env.core.record import NO_CARD, switch_value
from uno_env.core.rules.deflect import can_deflect_any, legal_deflections
from uno_env.core.rules.draw_colour import draws_colour, take_penalty
from uno_env.core.rules.draw_two_turn import keeps_turn
from uno_env.core.rules.going_out import can_go_out_on_wilds, finish_turn, has_gone_out, must_be_number
from uno_env.core.rules.matching import legal_card
from uno_env.core.rules.rlcard import cards_to_draw
from uno_env.core.rules.turn import is_in, lapse_call, seat_after
from uno_env.core.rules.wild_draw_four import can_be_challenged, can_play_wild_draw_four

OFF = switch_value("stacking", "off")
SAME = switch_value("stacking", "same")
BOTH = switch_value("stacking", "both")
VALUE = switch_value("stacking", "value")


@njit
def add_penalty(game, rules, kind):
    """A card of the kind was laid. If it demands cards, they add up with those of a stack, or of a card jumped on.

    A Skip or a Reverse adds nothing to the penalty that it turns away.
    """
    cards = cards_demanded(game, rules, kind)
    if cards > 0:
        game.pending = kind
        if rules.stacking == OFF:
            game.penalty = 0
    game.penalty += cards


@njit
def demand_penalty(game, rules):
    """Demand the penalty of the next player. If there is something to decide, the player is asked first."""
    victim = seat_after(game, rules, game.turn, 1)
    game.to_move = victim
    if can_be_challenged(game, rules):
        game.phase = record.CHALLENGE
    elif can_answer_any(game, rules, victim):
        game.phase = record.STACK
    else:
        accept_penalty(game, rules)


@njit
def can_stack(game, rules, seat, kind):
    """Return whether the seat, holding the kind, may answer the draw card on top with it."""
    if rules.stacking == OFF or has_gone_out(game) or cards_demanded(game, rules, kind) == 0:
        return False
    if draws_colour(game, rules, kind) or draws_colour(game, rules, game.pending):
        return False
    if not answers(game, rules, kind):
        return False
    if is_wild(game, rules, kind):
        return can_go_out_on_wilds(game, rules, seat) and can_play_wild_draw_four(game, rules, seat)
    return not must_be_number(game, rules, seat)


@njit
def answers(game, rules, kind):
    """Return whether a draw card may answer the one with the pending penalty, which may lie under a deflection."""
    if rules.stacking == VALUE:
        return cards_demanded(game, rules, kind) >= cards_demanded(game, rules, game.pending)
    if symbol_of(game, rules, kind) == symbol_of(game, rules, game.pending):
        return True
    if is_wild(game, rules, kind):
        return rules.stacking != SAME and not is_wild(game, rules, game.pending)
    return rules.stacking == BOTH and is_wild(game, rules, game.pending) and colour_of(game, rules, kind) == game.colour


@njit
def can_stack_any(game, rules, seat):
    """Return whether the seat holds a card to stack."""
    for index in range(sizes_of(rules).draw_kinds):
        kind = tables_of(rules).draw_kind[index]
        if game.seats[seat].hand[kind] and can_stack(game, rules, seat, kind):
            return True
    return False


@njit
def can_answer_any(game, rules, seat):
    """Return whether the seat holds a card to answer the penalty with: to stack, or to turn it away."""
    return can_stack_any(game, rules, seat) or can_deflect_any(game, rules, seat)


@njit
def legal_answers_to_penalty(game, rules, mask):
    """Mark accepting, every card that can be stacked, and every card that turns the penalty away. Return whether there
    is such a card.
    """
    mask[actions_of(rules).accept] = 1
    seat, found = game.to_move, False
    for index in range(sizes_of(rules).draw_kinds):
        kind = tables_of(rules).draw_kind[index]
        if game.seats[seat].hand[kind] and can_stack(game, rules, seat, kind):
            legal_card(game, rules, mask, kind)
            found = True
    return legal_deflections(game, rules, mask) or found


@njit
def accept_penalty(game, rules):
    """The player asked draws the penalty and misses the turn, unless the turn is kept."""
    cards, seat = game.penalty, game.to_move
    game.penalty = 0
    game.pending = NO_CARD
    take_penalty(game, rules, seat, cards_to_draw(game, rules, cards))
    lapse_call(game, seat)
    finish_turn(game, rules, int(is_in(game, seat) and not keeps_turn(game, rules)))
