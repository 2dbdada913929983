"""Write an observation back into a record: the inverse of encode.py (GUIDE.md 12).

The seats are those of the observation: seat 0 is the observer, seat k the k-th player to the left. An observation lacks
some facts, and the record has them empty: decisions taken, the state of the generator (``rng``), points of earlier
hands, what others know, and whether a Wild Draw Four was a bluff, unless the observer laid it. Hands of others hold the
cards that the observer knows of. All cards that the observer does not see lie in the draw pile, in the order of kinds,
until determinize.py deals them. If cards have two sides, it leaves notes of what is seen of their backs.

Decided here: in a window for jumping in, all players before the observer in turn order count as asked. They hold no
twin or have let go, so nobody asks them again.
"""

import numpy as np

from uno_env.core.edition import sizes_of
from uno_env.core.faces import back_of, cards_demanded, colour_of, coloured_below, is_wild, symbol_of
from uno_env.core.jit.njit import njit
from uno_env.core.observe.layout import LOW, columns_of
from uno_env.core.record import JUMP_IN, MAX_SEATS, NO_CARD
from uno_env.core.rules.deal import clear_match, clear_table
from uno_env.core.rules.knowledge import begin_to_know, known_at
from uno_env.core.rules.match import has_reached_target
from uno_env.core.rules.mercy import may_put_out
from uno_env.core.rules.turn import is_in, seat_after

OBSERVER = 0
"""The observer's seat in the record."""


@njit
def decode(row, rules, game):
    """Write an observation, uint8 [OBSERVATION_SIZE], into a record; return whether its cards are possible.

    ``rules`` are those of the observation, with ``reflexes`` by the record's seats; ``game.rng`` is not changed.
    """
    clear_match(game, rules)
    clear_table(game, rules)
    read_table(row, rules, game)
    read_players(row, rules, game)
    if not is_in(game, OBSERVER):
        return False
    read_hand_and_discards(row, rules, game)
    read_known(row, rules, game)
    if sizes_of(rules).sides > 1:
        note_backs(row, rules, game)
    if game.phase == JUMP_IN:
        mark_asked_before(game, rules)
    return gather_unseen(rules, game)


@njit
def read_table(row, rules, game):
    """Read the cards on the table, and the phase."""
    at = columns_of(rules)
    if sizes_of(rules).sides > 1:
        game.side[0] = row[at.side]
        game.lowest[0] = max(marked(row, at.lowest_card, sizes_of(rules).kinds), 0)
        game.last_seen[0] = marked(row, at.last_face, sizes_of(rules).designs) >= 0
    game.phase = max(marked(row, at.phase, sizes_of(rules).phases), 0)
    game.direction = 1 if row[at.clockwise] else -1
    game.colour = marked(row, at.colour, sizes_of(rules).colours)
    game.previous_colour = marked(row, at.previous_colour, sizes_of(rules).colours)
    if sizes_of(rules).sides > 1:
        game.top = max(marked(row, at.top_card, sizes_of(rules).kinds), 0)
        game.drawn = marked(row, at.drawn_card, sizes_of(rules).kinds)
    else:
        game.top = read_kind(row, rules, game, at.symbol, int(game.colour))
        game.drawn = read_kind(row, rules, game, at.drawn_symbol, marked(row, at.drawn_colour, sizes_of(rules).colours))
    game.penalty = row[at.penalty]
    game.pending = read_pending(row, rules, game) if game.penalty > 0 else NO_CARD


@njit
def read_kind(row, rules, game, start, colour):
    """The kind of a marked symbol and a colour, the first if there is none; NO_CARD if no symbol is marked."""
    symbol = marked(row, start, sizes_of(rules).symbols)
    if symbol < 0:
        return NO_CARD
    for kind in range(sizes_of(rules).kinds):
        of_colour = is_wild(game, rules, kind) or colour_of(game, rules, kind) == max(colour, 0)
        if symbol_of(game, rules, kind) == symbol and of_colour:
            return kind
    return NO_CARD


@njit
def read_pending(row, rules, game):
    """The draw card whose penalty is pending: the top card, or one that such a card has turned away (any colour)."""
    if cards_demanded(game, rules, game.top) > 0:
        return game.top
    column = columns_of(rules).penalty + 1
    for kind in range(sizes_of(rules).coloured):
        demanded = cards_demanded(game, rules, kind) * coloured_below(game, rules, kind)
        if demanded > 0 and (sizes_of(rules).penalties == 1 or demanded == row[column]):
            return kind
    return NO_CARD


@njit
def marked(row, start, width):
    """Index of the 1 in a one-hot run of columns, or −1."""
    for index in range(width):
        if row[start + index]:
            return index
    return -1


@njit
def read_players(row, rules, game):
    """Read what is known of each seat."""
    at = columns_of(rules)
    game.turn = max(marked(row, at.turn, MAX_SEATS), 0)
    game.to_move = marked(row, at.to_move, MAX_SEATS)
    game.dealer = max(marked(row, at.dealer, MAX_SEATS), 0)
    game.last_player = marked(row, at.last_player, MAX_SEATS)
    called = asked = out = np.int64(0)
    scored = 0
    for seat in range(MAX_SEATS):
        called |= np.int64(row[at.called + seat]) << seat
        asked |= np.int64(row[at.asked + seat]) << seat
        out |= np.int64(row[at.out + seat]) << seat
        game.scores[seat] = np.int64(row[at.scores + 2 * seat]) * LOW + row[at.scores + 2 * seat + 1]
        scored += game.scores[seat]
        game.seats[seat].hand_size = row[at.hand_sizes + seat] if seat < rules.players else 0
        for colour in range(sizes_of(rules).colours):
            game.seats[seat].drew_on[colour] = row[at.drew_on + seat * sizes_of(rules).colours + colour]
    game.called = called
    game.asked = asked
    game.out = out
    game.put_out = 0
    for seat in range(MAX_SEATS):
        if may_put_out(rules) and not is_in(game, seat) and not has_reached_target(game, rules, seat):
            game.put_out |= 1 << seat
    game.hands_played = 1 if scored > 0 or game.out != game.put_out else 0


@njit
def read_hand_and_discards(row, rules, game):
    """Read the observer's hand and the discard pile; the hands of others are made empty."""
    at = columns_of(rules)
    for kind in range(sizes_of(rules).kinds):
        game.discards[kind] = row[at.discards + kind]
        for seat in range(MAX_SEATS):
            game.seats[seat].hand[kind] = row[at.hand + kind] if seat == OBSERVER else 0


@njit
def read_known(row, rules, game):
    """Read the cards that the observer knows others to hold."""
    at = columns_of(rules)
    for seat in range(1, rules.players):
        for kind in range(sizes_of(rules).kinds):
            known = np.int64(row[at.known + (seat - 1) * sizes_of(rules).kinds + kind])
            if known > 0:
                begin_to_know(game, rules)
                game.seats[seat].hand[kind] = known
                game.known[known_at(rules, OBSERVER, seat) + np.uint64(kind)] = known


@njit
def notes_at(rules, seat):
    """The place in ``known`` for notes on a hand: the cards that its own player knows in it, which mean nothing."""
    return known_at(rules, seat, seat)


@njit
def note_backs(row, rules, game):
    """Note how many hidden cards of each hand have each back, and what is seen of the draw pile."""
    begin_to_know(game, rules)
    at = columns_of(rules)
    for seat in range(1, rules.players):
        notes, shown = notes_at(rules, seat), at.backs + (seat - 1) * sizes_of(rules).designs
        for back in range(sizes_of(rules).designs):
            game.known[notes + np.uint64(back)] = row[shown + back]
        for kind in range(sizes_of(rules).kinds):
            place = notes + np.uint64(back_of(game, rules, kind))
            game.known[place] = max(game.known[place] - game.seats[seat].hand[kind], 0)
    notes = notes_at(rules, 1) + np.uint64(sizes_of(rules).designs)
    game.known[notes] = 1 + marked(row, at.next_back, sizes_of(rules).designs)
    game.known[notes + np.uint64(1)] = 1 + marked(row, at.last_face, sizes_of(rules).designs)


@njit
def note_of_next(game, rules):
    """The back of the draw pile's next card, −1 if there is none."""
    return int(game.known[notes_at(rules, 1) + np.uint64(sizes_of(rules).designs)]) - 1


@njit
def note_of_last(game, rules):
    """The front of the draw pile's last card, −1 if it was not seen."""
    return int(game.known[notes_at(rules, 1) + np.uint64(sizes_of(rules).designs + 1)]) - 1


@njit
def mark_asked_before(game, rules):
    """Mark the players before the observer in turn order as asked whether they jump in."""
    game.asked = 0
    seat = int(game.turn)
    while seat != OBSERVER and (game.asked >> seat) & 1 == 0:
        game.asked |= 1 << seat
        seat = seat_after(game, rules, seat, 1)


@njit
def gather_unseen(rules, game):
    """Put all cards that the observer does not see into the draw pile; return whether their numbers are possible."""
    game.pile_next = 0
    game.pile_end = 0
    end = 0
    for kind in range(sizes_of(rules).kinds):
        unseen = int(rules.deck[kind]) - game.discards[kind]
        for seat in range(MAX_SEATS):
            unseen -= game.seats[seat].hand[kind]
        if unseen < 0 or end + unseen > sizes_of(rules).most_cards:
            return False
        for _ in range(unseen):
            game.pile[end] = kind
            end += 1
    game.pile_end = end
    return True
