"""Write an observation as a row of integers (GUIDE.md 12); the columns are those of layout.py.

While another player has a decision that nobody else may know of, a seat sees the game that unseen.py makes instead.
"""

import numpy as np

from uno_env.core.edition import sizes_of
from uno_env.core.faces import back_of, cards_demanded, colour_of, front_of, symbol_of
from uno_env.core.jit.njit import njit
from uno_env.core.observe.layout import LOW, columns_of
from uno_env.core.record import CATCH, NO_CARD, NO_COLOUR, NOBODY
from uno_env.core.rules.knowledge import known_at, sees_backs
from uno_env.core.rules.six_smackdown import slowness


@njit
def encode(game, rules, seat, row):
    """Write what the seat may see into ``row``, uint8 [OBSERVATION_SIZE], and return whether anybody knows cards of
    others.

    If not, the columns of known cards are not written: they must be 0 before. Those of the rules are never written.
    """
    at = columns_of(rules)
    row[: at.known] = 0
    for kind in range(sizes_of(rules).kinds):
        row[at.hand + kind] = game.seats[seat].hand[kind]
        row[at.discards + kind] = game.discards[kind]
    write_pile(game, rules, row)
    write_players(game, rules, seat, row)
    row[at.phase + game.phase] = 1
    row[at.clockwise] = game.direction == 1
    row[at.penalty] = min(game.penalty, 255)
    if sizes_of(rules).penalties > 1 and game.pending != NO_CARD:
        row[at.penalty + 1] = cards_demanded(game, rules, game.pending)
    if game.drawn != NO_CARD and seat == game.turn:
        write_symbol(game, rules, row, at.drawn_symbol, game.drawn)
        if colour_of(game, rules, game.drawn) != NO_COLOUR:
            row[at.drawn_colour + colour_of(game, rules, game.drawn)] = 1
    if sizes_of(rules).sides > 1:
        write_sides(game, rules, seat, row)
    if game.knows:
        write_known(game, rules, seat, row)
    return game.knows != 0


@njit
def encode_anew(game, rules, seat, row, flags):
    """Same as :func:`encode`, into a row that holds an older observation. The row's ``flags`` say what is old in it,
    and the new flags are returned.

    Bit 0 of the flags: known cards are shown. Bit 1: they were shown in the observation before.
    """
    flags = (flags & 1) << 1 | encode(game, rules, seat, row)
    if flags == 2:
        clear_known(rules, row)
    return flags


@njit
def write_pile(game, rules, row):
    """Write the top card, the colours and the number of cards to draw."""
    at = columns_of(rules)
    if game.colour != NO_COLOUR:
        row[at.colour + game.colour] = 1
    if game.previous_colour != NO_COLOUR:
        row[at.previous_colour + game.previous_colour] = 1
    write_symbol(game, rules, row, at.symbol, game.top)
    row[at.draw_pile] = game.pile_end - game.pile_next


@njit
def write_symbol(game, rules, row, start, kind):
    """Mark the symbol of a kind."""
    row[start + symbol_of(game, rules, kind)] = 1


@njit
def write_sides(game, rules, seat, row):
    """Write what cards with two sides need: whole cards, and the faces that all see of cards that are hidden."""
    at = columns_of(rules)
    row[at.side] = game.side[0]
    row[at.top_card + game.top] = 1
    row[at.lowest_card + game.lowest[0]] = 1
    if game.drawn != NO_CARD and seat == game.turn:
        row[at.drawn_card + game.drawn] = 1
    if game.pile_next < game.pile_end:
        row[at.next_back + back_of(game, rules, int(game.pile[game.pile_next]))] = 1
        if game.last_seen[0]:
            row[at.last_face + front_of(game, rules, int(game.pile[game.pile_end - 1]))] = 1
    if sees_backs(rules):
        for left in range(1, rules.players):
            other, start = absolute_seat(rules, seat, left), at.backs + (left - 1) * sizes_of(rules).designs
            for kind in range(sizes_of(rules).kinds):
                row[start + back_of(game, rules, kind)] += game.seats[other].hand[kind]


@njit
def write_players(game, rules, seat, row):
    """Write what is known of each seat; seats are relative to the observer."""
    at = columns_of(rules)
    row[at.turn + relative_seat(rules, seat, game.turn)] = 1
    row[at.dealer + relative_seat(rules, seat, game.dealer)] = 1
    if game.to_move != NOBODY:
        row[at.to_move + relative_seat(rules, seat, game.to_move)] = 1
    if game.last_player != NOBODY:
        row[at.last_player + relative_seat(rules, seat, game.last_player)] = 1
    for left in range(rules.players):
        other = absolute_seat(rules, seat, left)
        row[at.hand_sizes + left] = game.seats[other].hand_size
        row[at.reflexes + left] = slowness(rules, other)
        for colour in range(sizes_of(rules).colours):
            row[at.drew_on + left * sizes_of(rules).colours + colour] = game.seats[other].drew_on[colour]
    if game.called:
        write_bits(rules, seat, game.called, row, at.called)
    if game.phase == CATCH:
        write_bits(rules, seat, game.asked, row, at.asked)
    if game.out:
        write_bits(rules, seat, game.out, row, at.out)
    if game.hands_played > 0:
        for left in range(rules.players):
            write_two(row, at.scores + 2 * left, game.scores[absolute_seat(rules, seat, left)])


@njit
def relative_seat(rules, seat, other):
    """The other's relative seat: the number of seats to the left of ``seat``."""
    return other - seat if other >= seat else other - seat + rules.players


@njit
def absolute_seat(rules, seat, left):
    """The seat that sits ``left`` seats to the left."""
    other = seat + left
    return other if other < rules.players else other - rules.players


@njit
def write_bits(rules, seat, bits, row, start):
    """Write what is stored as a bit for each seat."""
    for left in range(rules.players):
        row[start + left] = (bits >> absolute_seat(rules, seat, left)) & 1


@njit
def write_two(row, start, number):
    """Write a number above 255 into two columns."""
    row[start] = min(number // LOW, 255)
    row[start + 1] = number % LOW


@njit
def known_end(rules):
    """The end of those columns of known cards that can be other than 0."""
    at = columns_of(rules)
    return at.known + (rules.players - 1) * sizes_of(rules).kinds


@njit
def clear_known(rules, row):
    """Write that no cards are known."""
    at = columns_of(rules)
    row[at.known : known_end(rules)] = 0


@njit
def write_known(game, rules, seat, row):
    """Write the cards that the observer knows others to hold: first the seats after it, then those before."""
    at = columns_of(rules)
    after = (rules.players - 1 - seat) * sizes_of(rules).kinds
    copy_known(game, known_at(rules, seat, seat + 1), after, row, at.known)
    copy_known(game, known_at(rules, seat, 0), seat * sizes_of(rules).kinds, row, at.known + after)


@njit
def copy_known(game, first, number, row, start):
    """Copy ``number`` counts of known cards into the columns from ``start`` on."""
    for index in range(number):
        row[np.uint64(start + index)] = game.known[first + np.uint64(index)]
