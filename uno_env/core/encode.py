"""What a seat may see, written as a row of integers (RULES.md 12); the columns are those of layout.py."""

from uno_env.cards import FIRST_WILD, NUM_COLOURS, NUM_KINDS, RANKS_PER_COLOUR
from uno_env.core.compiled import compiled
from uno_env.core.layout import KNOWN_START, LAYOUT, LOW
from uno_env.core.record import CATCH, JUMP_IN, NO_CARD, NO_COLOUR
from uno_env.core.six_smackdown import slowness

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


@compiled
def encode(game, rules, seat, row):
    """Write what the seat may see into ``row``, uint8 [OBSERVATION_SIZE]; whether it knows others' cards.

    The columns of known cards must be 0 before, and the rules in force are left alone.
    """
    row[:KNOWN_START] = 0
    for kind in range(NUM_KINDS):
        row[HAND + kind] = game.hands[seat, kind]
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
    return game.known_count > 0 and write_known(game, rules, seat, row)


@compiled
def write_pile(game, row):
    """Top card, colours and the number of cards to draw."""
    if game.colour != NO_COLOUR:
        row[COLOUR + game.colour] = 1
    if game.previous_colour != NO_COLOUR:
        row[PREVIOUS_COLOUR + game.previous_colour] = 1
    write_symbol(row, SYMBOL, game.top)
    row[DRAW_PILE] = game.pile_end - game.pile_next


@compiled
def write_symbol(row, start, kind):
    """Mark the symbol of a kind."""
    row[start + (kind % RANKS_PER_COLOUR if kind < FIRST_WILD else kind - FIRST_WILD + RANKS_PER_COLOUR)] = 1


@compiled
def write_players(game, rules, seat, row):
    """Everything that is known of each seat, in places relative to the observer."""
    other = seat
    for place in range(rules.players):
        row[HAND_SIZES + place] = game.hand_sizes[other]
        row[TURN + place] = game.turn == other
        row[TO_MOVE + place] = game.to_move == other and (game.phase != JUMP_IN or other == seat)
        row[LAST_PLAYER + place] = game.last_player == other
        row[DEALER + place] = game.dealer == other
        row[CALLED + place] = (game.called >> other) & 1
        row[OUT + place] = (game.out >> other) & 1
        row[ASKED + place] = (game.asked >> other) & 1 and game.phase == CATCH
        for colour in range(NUM_COLOURS):
            row[DREW_ON + place * NUM_COLOURS + colour] = game.drew_on[other, colour]
        row[REFLEXES + place] = slowness(rules, other)
        write_two(row, SCORES + 2 * place, game.scores[other])
        other += 1
        if other == rules.players:
            other = 0


@compiled
def write_two(row, start, number):
    """Write a number above 255 into two columns."""
    row[start] = min(number // LOW, 255)
    row[start + 1] = number % LOW


@compiled
def write_known(game, rules, seat, row):
    """Cards that the observer knows others to hold; whether there are any."""
    found = False
    for entry in range(game.known_count):
        if (game.known_viewers[entry] >> seat) & 1 and game.known_owner[entry] != seat:
            place = (game.known_owner[entry] - seat) % rules.players
            row[KNOWN_START + (place - 1) * NUM_KINDS + game.known_kind[entry]] += 1
            found = True
    return found
