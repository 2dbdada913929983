"""The last public events of each game of a batch, as each seat was told of them (GUIDE.md 12).

A batch that is asked for a history notes, before a step, what is about to be decided, and after it what came of it.
Every seat has a ring of rows of its own, in places relative to it; columns are those of history_layout.py. Rows hold
what is said and done in the open and nothing else. A new hand begins with its deal and nothing of the one before.

Who lets a chance to jump in go by holds the card on top, and only the seat itself may know. The others' rows are as if
nobody had been asked: what came of it is added to the newest event that they were told of.

``history`` is a tuple: the rings, uint8 [N, seats, K, EVENT_SIZE]; how many events were told, int64 [N, seats]; by how
many cards each hand grew in the newest of them, laid ones aside, int16 [N, seats, MAX_SEATS]; and the facts noted
before a step, int16 [N, FACTS], where hand sizes become what each hand has grown by.
"""

from uno_env.actions import DRAW, JUMP_IN, PASS, PLAY_PAIR
from uno_env.cards import NUM_KINDS
from uno_env.core import record
from uno_env.core.jit.njit import njit
from uno_env.core.observe.history_layout import EVENT_SIZE, HISTORY_LAYOUT
from uno_env.core.packed_games import game_at
from uno_env.core.record import MAX_SEATS
from uno_env.core.rules.rlcard import is_rlcard
from uno_env.core.rules.turn import is_in

SEAT = HISTORY_LAYOUT["seat"].start
TURN = HISTORY_LAYOUT["turn"].start
PHASE = HISTORY_LAYOUT["phase"].start
ACTION = HISTORY_LAYOUT["action"].start
LEGAL = HISTORY_LAYOUT["legal"].start
TOP = HISTORY_LAYOUT["top"].start
COLOUR = HISTORY_LAYOUT["colour"].start
LAID_AT_ONCE = HISTORY_LAYOUT["laid_at_once"].start
TAKEN = HISTORY_LAYOUT["taken"].start
HAND_SIZES = HISTORY_LAYOUT["hand_sizes"].start

# Facts noted before a step: the columns SEAT to LEGAL as they are, seats absolute; then these.
STEPPED = LEGAL + 1
HELD = STEPPED + 1
FACTS = HELD + MAX_SEATS


@njit
def note_before(games, mask, actions, history, start, stop):
    """Note what is about to be decided in each of ``games[start:stop]``, and how; ``mask`` says what may be."""
    for index in range(start, stop):
        action = actions[index]
        note_decision(game_at(games, index), history[0].shape[1], action, mask[index, action], history[3][index])


@njit
def note_decision(game, players, action, legal, facts):
    """Note what is about to be decided in a game, and how."""
    facts[SEAT] = game.to_move
    facts[TURN] = game.turn
    facts[PHASE] = game.phase
    facts[ACTION] = action
    facts[LEGAL] = legal
    for seat in range(players):
        facts[HELD + seat] = game.seats[seat].hand_size


@njit
def note_after(games, rules, history, start, stop):
    """Tell each seat what has happened in those of ``games[start:stop]`` that are marked as stepped or dealt."""
    for index in range(start, stop):
        if history[3][index, STEPPED]:
            tell_all(game_at(games, index), rules, history, index)


@njit
def tell_all(game, rules, history, index):
    """Tell each seat what has just happened in a game: a deal, or a decision."""
    if game.decisions == 0:
        tell_deal(game, rules, history, index)
    else:
        tell_event(game, rules, history, index)


@njit
def tell_deal(game, rules, history, index):
    """A hand was dealt: it is the first event of every seat's history."""
    rings, told, growth, facts = history[0][index], history[1][index], history[2][index], history[3][index]
    facts[SEAT] = game.dealer
    facts[TURN] = game.turn
    for seat in range(rules.players):
        facts[HELD + seat] = game.seats[seat].hand_size - rules.hand_size * is_in(game, seat)
    for observer in range(rules.players):
        told[observer] = 1
        row = rings[observer, 0]
        write_deed(rules, facts, observer, row)
        row[PHASE] = 0
        row[ACTION] = 0
        row[LEGAL] = 1
        row[LAID_AT_ONCE] = 0
        note_growth(rules, facts, growth[observer], True)
        write_outcome(game, rules, growth[observer], observer, row)


@njit
def tell_event(game, rules, history, index):
    """A decision was taken: each seat has a new event, or more came of the one before."""
    rings, told, growth, facts = history[0][index], history[1][index], history[2][index], history[3][index]
    at_once = laid_at_once(game, rules, facts)
    for seat in range(rules.players):
        facts[HELD + seat] = game.seats[seat].hand_size - facts[HELD + seat]
    facts[HELD + facts[SEAT]] += cards_laid(facts) + at_once
    for observer in range(rules.players):
        new = is_told_to(facts, observer)
        told[observer] += new
        row = rings[observer, (told[observer] - 1) % rings.shape[1]]
        if new:
            write_deed(rules, facts, observer, row)
            row[LAID_AT_ONCE] = at_once
        note_growth(rules, facts, growth[observer], new)
        write_outcome(game, rules, growth[observer], observer, row)


@njit
def note_growth(rules, facts, growth, new):
    """Note by how much each hand grew, in a new event or on top of the one before; ``facts`` hold it now."""
    for seat in range(rules.players):
        growth[seat] = facts[HELD + seat] if new else growth[seat] + facts[HELD + seat]


@njit
def is_told_to(facts, observer):
    """Whether the observer may know of the decision: of a chance to jump in let go by, only who had it."""
    secret = facts[PHASE] == record.JUMP_IN and facts[ACTION] == PASS and facts[LEGAL]
    return not secret or observer == facts[SEAT]


@njit
def cards_laid(facts):
    """Cards that the action takes from the hand of its player."""
    action = facts[ACTION]
    if not facts[LEGAL]:
        return 0
    if action < PLAY_PAIR or action == JUMP_IN:
        return 1
    return 2 if action < DRAW else 0


@njit
def laid_at_once(game, rules, facts):
    """Whether a card was drawn and has left the hand again (rlcard.py), not that there was none."""
    seat = facts[SEAT]
    if not is_rlcard(rules) or facts[ACTION] != DRAW or not facts[LEGAL]:
        return False
    if game.seats[seat].hand_size > facts[HELD + seat]:
        return False
    for other in range(rules.players):
        if game.seats[other].hand_size != facts[HELD + other]:
            return True
    for kind in range(NUM_KINDS):
        if game.discards[kind]:
            return True
    return False


@njit
def write_deed(rules, facts, observer, row):
    """Write who did what."""
    row[SEAT] = 1 + (facts[SEAT] - observer) % rules.players
    row[TURN] = 1 + (facts[TURN] - observer) % rules.players
    row[PHASE] = 1 + facts[PHASE]
    row[ACTION] = 1 + facts[ACTION]
    row[LEGAL] = facts[LEGAL]


@njit
def write_outcome(game, rules, growth, observer, row):
    """Write what came of it."""
    row[TOP] = 1 + game.top
    row[COLOUR] = 1 + game.colour
    moved = False
    for seat in range(rules.players):
        moved |= growth[seat] < 0
    seat = observer
    for place in range(rules.players):
        row[TAKEN + place] = 0 if moved else growth[seat]
        row[HAND_SIZES + place] = game.seats[seat].hand_size
        seat += 1
        if seat == rules.players:
            seat = 0


@njit
def view_histories(history, seats, out, start, stop):
    """Write what ``seats``, int8 [N], were told to ``out``, uint8 [N, K, EVENT_SIZE]: the newest event is last."""
    length = out.shape[1]
    for index in range(start, stop):
        ring, told = history[0][index, seats[index]], history[1][index, seats[index]]
        blank = max(length - told, 0)
        for place in range(blank):
            out[index, place] = 0
        for place in range(blank, length):
            copy_event(ring[(told + place) % length], out[index, place])


@njit
def copy_event(event, row):
    """Copy an event into a row."""
    for column in range(EVENT_SIZE):
        row[column] = event[column]
