"""What a seat may see, written as a row of integers (GUIDE.md 12); the columns are those of layout.py."""

import numpy as np

from uno_env.cards import FIRST_WILD, NUM_COLOURS, NUM_KINDS, RANKS_PER_COLOUR
from uno_env.core.jit.njit import njit
from uno_env.core.observe.layout import KNOWN_START, LAYOUT, LOW
from uno_env.core.record import CATCH, JUMP_IN, NO_CARD, NO_COLOUR, NOBODY
from uno_env.core.rules.knowledge import known_at
from uno_env.core.rules.matching import symbol_of
from uno_env.core.rules.six_smackdown import slowness

HAND = LAYOUT["hand"].start
DRAWN_COLOUR = LAYOUT["drawn_colour"].start
DRAWN_SYMBOL = LAYOUT["drawn_symbol"].start
COLOUR = LAYOUT["colour"].start
SYMBOL = LAYOUT["symbol"].start
PREVIOUS_COLOUR = LAYOUT["previous_colour"].start
DISCARDS = LAYOUT["discards"].start
HAND_SIZES = LAYOUT["hand_sizes"].start
DRAW_PILE = LAYOUT["draw_pile"].start
PHASE = LAYOUT["phase"].start
TURN = LAYOUT["turn"].start
TO_MOVE = LAYOUT["to_move"].start
LAST_PLAYER = LAYOUT["last_player"].start
DEALER = LAYOUT["dealer"].start
CLOCKWISE = LAYOUT["clockwise"].start
CALLED = LAYOUT["called"].start
ASKED = LAYOUT["asked"].start
PENALTY = LAYOUT["penalty"].start
DREW_ON = LAYOUT["drew_on"].start
OUT = LAYOUT["out"].start
SCORES = LAYOUT["scores"].start
REFLEXES = LAYOUT["reflexes"].start


@njit
def encode(game, rules, seat, row):
    """Write what the seat may see into ``row``, uint8 [OBSERVATION_SIZE]; whether known cards are among it.

    If not, their columns are left alone, and must be 0 before; those of the rules in force always are.
    """
    row[:KNOWN_START] = 0
    for kind in range(NUM_KINDS):
        row[HAND + kind] = game.seats[seat].hand[kind]
        row[DISCARDS + kind] = game.discards[kind]
    write_pile(game, row)
    write_players(game, rules, seat, row)
    row[PHASE + game.phase] = 1
    row[CLOCKWISE] = game.direction == 1
    row[PENALTY] = min(game.penalty, 255)
    if game.drawn != NO_CARD and seat == game.turn:
        write_symbol(row, DRAWN_SYMBOL, game.drawn)
        if game.drawn < FIRST_WILD:
            row[DRAWN_COLOUR + game.drawn // RANKS_PER_COLOUR] = 1
    if game.knows:
        write_known(game, rules, seat, row)
    return game.knows != 0


@njit
def encode_anew(game, rules, seat, row, flags):
    """As :func:`encode`, over what was written before.

    The flags: bit 0 says that known cards are shown, bit 1 that they were before. Given are those of before.
    """
    flags = (flags & 1) << 1 | encode(game, rules, seat, row)
    if flags == 2:
        clear_known(rules, row)
    return flags


@njit
def write_pile(game, row):
    """Top card, colours and the number of cards to draw."""
    if game.colour != NO_COLOUR:
        row[COLOUR + game.colour] = 1
    if game.previous_colour != NO_COLOUR:
        row[PREVIOUS_COLOUR + game.previous_colour] = 1
    write_symbol(row, SYMBOL, game.top)
    row[DRAW_PILE] = game.pile_end - game.pile_next


@njit
def write_symbol(row, start, kind):
    """Mark the symbol of a kind."""
    row[start + symbol_of(kind)] = 1


@njit
def write_players(game, rules, seat, row):
    """Everything that is known of each seat, in places relative to the observer."""
    row[TURN + place_of(rules, seat, game.turn)] = 1
    row[DEALER + place_of(rules, seat, game.dealer)] = 1
    if game.to_move == seat or (game.to_move != NOBODY and game.phase != JUMP_IN):
        row[TO_MOVE + place_of(rules, seat, game.to_move)] = 1
    if game.last_player != NOBODY:
        row[LAST_PLAYER + place_of(rules, seat, game.last_player)] = 1
    for place in range(rules.players):
        other = seat_at(rules, seat, place)
        row[HAND_SIZES + place] = game.seats[other].hand_size
        row[REFLEXES + place] = slowness(rules, other)
        for colour in range(NUM_COLOURS):
            row[DREW_ON + place * NUM_COLOURS + colour] = game.seats[other].drew_on[colour]
    if game.called:
        write_bits(rules, seat, game.called, row, CALLED)
    if game.phase == CATCH:
        write_bits(rules, seat, game.asked, row, ASKED)
    if game.hands_played > 0:
        write_bits(rules, seat, game.out, row, OUT)
        for place in range(rules.players):
            write_two(row, SCORES + 2 * place, game.scores[seat_at(rules, seat, place)])


@njit
def place_of(rules, seat, other):
    """How many places to the left of ``seat`` the other sits."""
    return other - seat if other >= seat else other - seat + rules.players


@njit
def seat_at(rules, seat, place):
    """The seat so many places to the left."""
    other = seat + place
    return other if other < rules.players else other - rules.players


@njit
def write_bits(rules, seat, bits, row, start):
    """Write what is kept as a bit for each seat."""
    for place in range(rules.players):
        row[start + place] = (bits >> seat_at(rules, seat, place)) & 1


@njit
def write_two(row, start, number):
    """Write a number above 255 into two columns."""
    row[start] = min(number // LOW, 255)
    row[start + 1] = number % LOW


@njit
def known_end(rules):
    """Where the columns of known cards end that can be other than 0."""
    return KNOWN_START + (rules.players - 1) * NUM_KINDS


@njit
def clear_known(rules, row):
    """Write that no cards are known."""
    row[KNOWN_START : known_end(rules)] = 0


@njit
def write_known(game, rules, seat, row):
    """Cards that the observer knows others to hold: those who sit after it, then those before."""
    after = (rules.players - 1 - seat) * NUM_KINDS
    copy_known(game, known_at(rules, seat, seat + 1), after, row, KNOWN_START)
    copy_known(game, known_at(rules, seat, 0), seat * NUM_KINDS, row, KNOWN_START + after)


@njit
def copy_known(game, first, number, row, start):
    """Copy so many numbers of known cards into the columns from ``start`` on."""
    for place in range(number):
        row[np.uint64(start + place)] = game.known[first + np.uint64(place)]
