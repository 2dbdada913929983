"""Checks of a game's state, one bit each; :mod:`uno_env.invariants` gives them names."""

import numpy as np

from uno_env.core import record as r
from uno_env.core.edition import sizes_of
from uno_env.core.faces import cards_demanded, colour_of, effect_of, is_wild
from uno_env.core.jit.njit import njit
from uno_env.core.legal import legal_actions
from uno_env.core.rules.double_play import can_lay_another, cards_before_last
from uno_env.core.rules.first_card import can_lie_first
from uno_env.core.rules.going_out import decisions_left
from uno_env.core.rules.jump_in import can_jump_in, may_jump_in
from uno_env.core.rules.knowledge import known_at
from uno_env.core.rules.mercy import is_put_out, may_put_out
from uno_env.core.rules.rlcard import is_rlcard
from uno_env.core.rules.roulette import is_roulette
from uno_env.core.rules.seven_zero import moves_hands
from uno_env.core.rules.stacking import can_answer_any
from uno_env.core.rules.turn import is_in
from uno_env.core.rules.turning_over import was_turned_up
from uno_env.core.rules.uno_call import has_called, must_call
from uno_env.core.rules.wild_draw_four import can_be_challenged

PHASE, PHASE_RULES, END, WINNER, SEAT, TO_MOVE, DIRECTION = range(7)
PILE_BOUNDS, PILE_CARD, NEGATIVE_COUNT, CARD_COUNT, HAND_SIZE, EMPTY_SEAT, EMPTY_HAND, TOP_CARD = range(7, 15)
COLOUR, DRAWN_CARD, CALL, ASKED, CATCH_WINDOW, SCORES, PENALTY, KNOWN_CARDS = range(15, 23)
DECISIONS, NO_LEGAL_ACTION, POINTS, SIDES = range(23, 27)
CUSTOMIZABLE = r.effect("customizable")


@njit
def fault_bits(game, rules, mask):
    """The faults of a state as bits; ``mask``, uint8 [A], is overwritten.

    Numbers that compiled code uses as indices are checked first, and alone if one is wrong.
    """
    bits = bound_faults(game, rules) | content_faults(game, rules)
    if bits == 0:
        bits = (
            card_faults(game, rules) | phase_faults(game, rules) | end_faults(game, rules) | known_faults(game, rules)
        )
    if bits == 0 and game.phase != r.OVER:
        legal_actions(game, rules, mask)
        bits |= fault(highest(mask) > 0, NO_LEGAL_ACTION)
    return bits


@njit
def fault(sound, number):
    """The bit of a fault, unless all is sound."""
    return 0 if sound else 1 << number


@njit
def is_seat(seat, rules):
    """Return whether it is the number of a seat."""
    return 0 <= seat < rules.players


@njit
def is_nobody_or_seat(seat, rules):
    """Return whether it is the number of a seat, or NOBODY."""
    return seat == r.NOBODY or is_seat(seat, rules)


@njit
def lowest(values):
    """The lowest of the values."""
    found = values[0]
    for value in values:
        found = min(found, value)
    return found


@njit
def highest(values):
    """The highest of the values."""
    found = values[0]
    for value in values:
        found = max(found, value)
    return found


@njit
def bound_faults(game, rules):
    """Seats, phases and counters outside their range."""
    over = game.phase == r.OVER
    everyone = 1 << rules.players
    seats = is_seat(game.turn, rules) and is_seat(game.dealer, rules)
    seats = seats and (game.to_move == r.NOBODY if over else is_seat(game.to_move, rules))
    seats = seats and is_nobody_or_seat(game.last_player, rules) and is_nobody_or_seat(game.winner, rules)
    seats = seats and is_nobody_or_seat(game.offender, rules) and is_nobody_or_seat(game.match_winner, rules)
    seats = seats and is_nobody_or_seat(game.last_winner, rules)
    seats = seats and 0 <= game.called < everyone and 0 <= game.asked < everyone and 0 <= game.out < everyone
    seats = seats and game.put_out & ~game.out == 0 and (game.put_out == 0 or may_put_out(rules))
    seats = seats and 0 <= game.put_out < everyone
    seats = seats and (over or (turn_fits(game) and is_in(game, game.to_move)))
    return (
        fault(0 <= game.phase < sizes_of(rules).phases, PHASE)
        | fault(0 <= game.end < len(r.END_NAMES) and 0 <= game.last_end < len(r.END_NAMES), END)
        | fault(seats, SEAT)
        | fault(game.direction in (1, -1), DIRECTION)
        | fault(game.decisions >= 0 and decisions_left(game, rules) >= (0 if over else 1), DECISIONS)
        | fault(0 <= game.hands_played <= r.MAX_HANDS and lowest(game.scores) >= 0, SCORES)
    )


@njit
def turn_fits(game):
    """Return whether the player on turn plays, or was put out after their card, which still acts."""
    acts = game.phase in (r.CHALLENGE, r.STACK, r.JUMP_IN, r.ROULETTE)
    return is_in(game, game.turn) or (acts and is_put_out(game, game.turn))


@njit
def content_faults(game, rules):
    """Cards that are none, and lists that run over."""
    sizes = sizes_of(rules)
    bounds = 0 <= game.pile_next <= game.pile_end <= sizes.most_cards
    pile = True
    if bounds:
        for index in range(game.pile_next, game.pile_end):
            pile = pile and 0 <= game.pile[index] < sizes.kinds
    known = game.knows in (0, 1)
    if game.knows:
        for index in range(known_at(rules, rules.players, 0)):
            known = known and game.known[index] >= 0
    counts = lowest(game.discards) >= 0
    for seat in range(r.MAX_SEATS):
        counts = counts and game.seats[seat].hand_size >= 0 and lowest(game.seats[seat].hand) >= 0
    colours = -1 <= game.colour < sizes.colours and -1 <= game.previous_colour < sizes.colours
    return (
        fault(bounds, PILE_BOUNDS)
        | fault(pile, PILE_CARD)
        | fault(known, KNOWN_CARDS)
        | fault(counts, NEGATIVE_COUNT)
        | fault(colours, COLOUR)
        | fault(0 <= game.top < sizes.kinds, TOP_CARD)
        | fault(r.NO_CARD <= game.drawn < sizes.kinds, DRAWN_CARD)
        | fault(r.NO_CARD <= game.pending < sizes.kinds, PENALTY)
        | fault(sides_fit(game, rules), SIDES)
    )


@njit
def sides_fit(game, rules):
    """Return whether side, lowest discard and what was seen of the last card can be; one side always fits."""
    if sizes_of(rules).sides == 1:
        return True
    if game.side[0] not in (0, 1) or game.last_seen[0] not in (0, 1) or not 0 <= game.lowest[0] < sizes_of(rules).kinds:
        return False
    return game.discards[game.lowest[0]] > 0 and (game.pile_next < game.pile_end or game.last_seen[0] == 0)


@njit
def card_faults(game, rules):
    """Cards lost, doubled, or where they cannot be."""
    conserved = True
    for kind in range(sizes_of(rules).kinds):
        conserved = conserved and count_kind(game, kind) == rules.deck[kind]
    sizes, empty = True, True
    for seat in range(r.MAX_SEATS):
        held = 0
        for kind in range(sizes_of(rules).kinds):
            held += game.seats[seat].hand[kind]
        sizes = sizes and held == game.seats[seat].hand_size
        playing = seat < rules.players and (is_in(game, seat) or game.phase == r.OVER)
        empty = empty and (playing or held == 0)
    return (
        fault(conserved, CARD_COUNT)
        | fault(sizes, HAND_SIZE)
        | fault(empty, EMPTY_SEAT)
        | fault(game.discards[game.top] > 0 or is_rlcard(rules), TOP_CARD)
        | fault(colour_fits(game, rules), COLOUR)
    )


@njit
def count_kind(game, kind):
    """Cards of a kind in hands, discard pile and draw pile."""
    count = int(game.discards[kind])
    for seat in range(r.MAX_SEATS):
        count += game.seats[seat].hand[kind]
    for index in range(game.pile_next, game.pile_end):
        count += game.pile[index] == kind
    return count


@njit
def colour_fits(game, rules):
    """Return whether the active colour is the top card's, or one declared on a wild."""
    if not is_wild(game, rules, game.top):
        return game.colour == colour_of(game, rules, game.top)
    return game.colour != r.NO_COLOUR or game.phase in (r.FIRST_COLOUR, r.OVER)


@njit
def phase_faults(game, rules):
    """Facts that do not fit what is being decided."""
    phase = game.phase
    over = phase == r.OVER
    own_turn = phase in (r.PLAY, r.DRAWN, r.FIRST_COLOUR, r.SWAP)
    out_of_turn = phase in (r.CHALLENGE, r.STACK)
    asked_rightly = over or (
        (not own_turn or game.to_move == game.turn)
        and (not (out_of_turn or phase == r.ROULETTE) or game.to_move != game.turn)
    )
    drawn = game.drawn == r.NO_CARD if phase != r.DRAWN else True
    if phase == r.DRAWN:
        drawn = game.drawn != r.NO_CARD and game.seats[game.turn].hand[game.drawn] > 0
    uncalled = game.seats[game.turn].hand_size == 1 and not has_called(game, game.turn)
    penalty = game.penalty > 0 if out_of_turn else game.penalty == 0 or phase in (r.CATCH, r.JUMP_IN, r.OVER)
    penalty = penalty and (over or (game.penalty > 0) == (game.pending != r.NO_CARD))
    penalty = penalty and (game.pending == r.NO_CARD or cards_demanded(game, rules, game.pending) > 0)
    asked = game.asked == 0 or over or (phase in (r.CATCH, r.JUMP_IN) and (game.asked >> game.to_move) & 1 == 0)
    calls, hands = True, True
    for seat in range(rules.players):
        if has_called(game, seat):
            calls = calls and call_fits(game, rules, seat)
        if game.seats[seat].hand_size == 0 and is_in(game, seat):
            hands = hands and (seat == game.winner if over else phase == r.CHALLENGE and seat == game.turn)
    return (
        fault(phase_fits_rules(game, rules), PHASE_RULES)
        | fault(asked_rightly, TO_MOVE)
        | fault(drawn, DRAWN_CARD)
        | fault(phase != r.CATCH or uncalled, CATCH_WINDOW)
        | fault(asked, ASKED)
        | fault(penalty, PENALTY)
        | fault(calls, CALL)
        | fault(hands or game.end in (r.MAX_DECISIONS, r.ILLEGAL), EMPTY_HAND)
    )


@njit
def phase_fits_rules(game, rules):
    """Return whether the rules and the cards can lead to the phase."""
    phase = game.phase
    if phase == r.CATCH:
        return must_call(rules)
    if phase == r.CHALLENGE:
        return can_be_challenged(game, rules)
    if phase == r.STACK:
        return can_answer_any(game, rules, game.to_move)
    if phase == r.JUMP_IN:
        return can_lay_another(game, rules) or (may_jump_in(rules) and can_jump_in(game, rules, game.to_move))
    if phase == r.SWAP:
        return effect_of(game, rules, game.top) == CUSTOMIZABLE or moves_hands(game, rules)
    if phase == r.ROULETTE:
        return is_roulette(game, rules, game.top)
    if phase == r.FIRST_COLOUR:
        undeclared = is_wild(game, rules, game.top) and game.colour == r.NO_COLOUR
        first = game.last_player == r.NOBODY and can_lie_first(game, rules, game.top)
        return undeclared and (first or was_turned_up(game, rules))
    return True


@njit
def call_fits(game, rules, seat):
    """Return whether the seat's call can stand: it has one card, is asked to play and may have one afterwards, or waits
    for hands that move first.
    """
    if not must_call(rules):
        return False
    if game.seats[seat].hand_size == 1:
        return True
    if sizes_of(rules).moves_first and game.phase == r.SWAP and seat == game.turn:
        return True
    asked = seat == game.to_move and game.phase in (r.PLAY, r.DRAWN, r.STACK, r.CHALLENGE, r.JUMP_IN)
    few = 1 < game.seats[seat].hand_size <= cards_before_last(rules)
    return (asked or game.phase == r.OVER) and (few or sizes_of(rules).discards_all)


@njit
def end_faults(game, rules):
    """An end, a winner, points or scores that do not fit together."""
    won = game.end == r.WENT_OUT
    winner = (game.winner != r.NOBODY) == won
    winner = winner and (not won or game.seats[game.winner].hand_size == 0 or others_are_out(game, rules))
    first_hand = game.hands_played == 0
    return (
        fault((game.end == r.RUNNING) == (game.phase != r.OVER), END)
        | fault(winner, WINNER)
        | fault(won or not first_hand or highest(game.points) == 0, POINTS)
        | fault(not first_hand or (highest(game.scores) == 0 and game.out == game.put_out), SCORES)
    )


@njit
def others_are_out(game, rules):
    """Return whether mercy left the winner alone, who may be out of the match for it: see points.py."""
    return game.put_out != 0 and game.out | (1 << game.winner) == (1 << rules.players) - 1


@njit
def known_faults(game, rules):
    """More cards are known than there are."""
    if game.knows:
        for viewer in range(rules.players):
            for owner in range(rules.players):
                if owner != viewer and knows_too_much(game, rules, known_at(rules, viewer, owner), owner):
                    return 1 << KNOWN_CARDS
    return 0


@njit
def knows_too_much(game, rules, first, owner):
    """Return whether more cards of a kind are known, counted from ``first`` on, than the owner holds."""
    for kind in range(sizes_of(rules).kinds):
        if game.known[first + np.uint64(kind)] > game.seats[owner].hand[kind]:
            return True
    return False
