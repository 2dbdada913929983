"""The last public events of each game of a batch, as each seat has seen them (GUIDE.md 12).

A batch with a history records each decision before the step, and its outcome after the step. Every seat has a ring of
rows of its own, in which seats are relative to it; columns are those of history_layout.py. Rows hold only what is said
and done in the open. A new hand begins with its deal and keeps nothing of the hand before.

A player who lets a chance go that only certain cards give (unseen.py) holds such a card, and nobody else may know. The
others' rows are as if nobody had been asked: what came of it is added to the newest event that they have seen.

``history`` is a tuple: the rings, uint8 [N, seats, K, EVENT_SIZE]; how many events were seen, int64 [N, seats]; by how
many cards each hand grew in the newest of them, laid ones aside, int16 [N, seats, MAX_SEATS]; and the facts recorded
before a step, int16 [N, FACTS], where hand sizes become what each hand has grown by.
"""

from uno_env.core.edition import actions_of, sizes_of
from uno_env.core.faces import face_of
from uno_env.core.jit.njit import njit
from uno_env.core.observe.history_layout import EVENT_SIZE, START
from uno_env.core.observe.unseen import is_let_go
from uno_env.core.packed_games import game_at
from uno_env.core.record import MAX_SEATS
from uno_env.core.rules.discard_all import discards_all
from uno_env.core.rules.mercy import is_put_out, size_reached
from uno_env.core.rules.rlcard import is_rlcard
from uno_env.core.rules.turn import is_in

# Facts recorded before a step: the columns seat to legal as they are, seats absolute; then these.
STEPPED = START.legal + 1
HELD = STEPPED + 1
FACTS = HELD + MAX_SEATS


@njit
def record_decisions(games, rules, mask, actions, history, start, stop):
    """Record the decision about to be taken in each of ``games[start:stop]``; ``mask`` has the legal actions."""
    rings, _, _, facts = history
    for index in range(start, stop):
        action = actions[index]
        record_decision(game_at(games, index, rules), rings.shape[1], action, mask[index, action], facts[index])


@njit
def record_decision(game, players, action, legal, facts):
    """Record the decision about to be taken in a game."""
    facts[START.seat] = game.to_move
    facts[START.turn] = game.turn
    facts[START.phase] = game.phase
    facts[START.action] = action
    facts[START.legal] = legal
    for seat in range(players):
        facts[HELD + seat] = game.seats[seat].hand_size


@njit
def record_outcomes(games, rules, history, start, stop):
    """Write the event of each of ``games[start:stop]`` that is marked as stepped or dealt."""
    _, _, _, facts = history
    for index in range(start, stop):
        if facts[index, STEPPED]:
            record_event(game_at(games, index, rules), rules, history, index)


@njit
def record_event(game, rules, history, index):
    """Write the last deal or decision of a game for each seat: as a new event, or as more of the event before."""
    all_rings, all_seen, all_growth, all_facts = history
    rings, seen, growth, facts = all_rings[index], all_seen[index], all_growth[index], all_facts[index]
    dealt = game.decisions == 0
    at_once = end_deal(game, rules, facts) if dealt else end_decision(game, rules, facts)
    for observer in range(rules.players):
        new = dealt or is_seen_by(rules, facts, observer)
        seen[observer] = 1 if dealt else seen[observer] + new
        row = rings[observer, (seen[observer] - 1) % rings.shape[1]]
        if new:
            write_decision(rules, facts, observer, row)
            row[START.laid_at_once] = at_once
        if dealt:
            row[START.phase] = 0
            row[START.action] = 0
        add_growth(rules, facts, growth[observer], new)
        write_outcome(game, rules, growth[observer], observer, row)


@njit
def end_deal(game, rules, facts):
    """Make the facts those of a deal, and return False: no card was laid at once."""
    facts[START.seat] = game.dealer
    facts[START.turn] = game.dealer
    facts[START.legal] = 1
    for seat in range(rules.players):
        dealt = rules.hand_size if is_in(game, seat) or is_put_out(game, seat) else 0
        facts[HELD + seat] = size_reached(game, rules, seat, dealt) - dealt
    return False


@njit
def end_decision(game, rules, facts):
    """Complete the facts of a decision that was taken, and return whether a card was laid at once."""
    at_once = laid_at_once(game, rules, facts)
    actor = facts[START.seat]
    laid = cards_laid(rules, facts)
    if laid and discards_all(game, rules, game.top):
        laid = facts[HELD + actor] - game.seats[actor].hand_size
    for seat in range(rules.players):
        facts[HELD + seat] = size_reached(game, rules, seat, facts[HELD + seat]) - facts[HELD + seat]
    facts[HELD + actor] += laid + at_once
    return at_once


@njit
def add_growth(rules, facts, growth, new):
    """Write by how much each hand grew, which ``facts`` hold now: in a new event, or added to the event before."""
    for seat in range(rules.players):
        growth[seat] = facts[HELD + seat] if new else growth[seat] + facts[HELD + seat]


@njit
def is_seen_by(rules, facts, observer):
    """Return whether the observer may know of the decision. A chance let go in secret is known to its player alone."""
    if observer == facts[START.seat]:
        return True
    return not (facts[START.legal] and is_let_go(rules, facts[START.phase], facts[START.action]))


@njit
def cards_laid(rules, facts):
    """Cards that the action takes from the hand of its player."""
    action, at = facts[START.action], actions_of(rules)
    if not facts[START.legal]:
        return 0
    if action < at.play_pair or action == at.jump_in:
        return 1
    return 2 if action < at.draw else 0


@njit
def laid_at_once(game, rules, facts):
    """Return whether a card was drawn and left the hand again at once (rlcard.py). If there was none to draw, return
    False.
    """
    seat = facts[START.seat]
    if not is_rlcard(rules) or facts[START.action] != actions_of(rules).draw or not facts[START.legal]:
        return False
    if game.seats[seat].hand_size > facts[HELD + seat]:
        return False
    for other in range(rules.players):
        if game.seats[other].hand_size != facts[HELD + other]:
            return True
    for kind in range(sizes_of(rules).kinds):
        if game.discards[kind]:
            return True
    return False


@njit
def write_decision(rules, facts, observer, row):
    """Write the seat and its action."""
    row[START.seat] = 1 + (facts[START.seat] - observer) % rules.players
    row[START.turn] = 1 + (facts[START.turn] - observer) % rules.players
    row[START.phase] = 1 + facts[START.phase]
    row[START.action] = 1 + facts[START.action]
    row[START.legal] = facts[START.legal]


@njit
def write_outcome(game, rules, growth, observer, row):
    """Write the outcome: top card and side in force, colour, cards taken and sizes of hands."""
    row[START.top] = 1 + face_of(game, rules, game.top)
    row[START.colour] = 1 + game.colour
    moved = False
    for seat in range(rules.players):
        moved |= growth[seat] < 0
    seat = observer
    for left in range(rules.players):
        row[START.taken + left] = 0 if moved else growth[seat]
        row[START.hand_sizes + left] = game.seats[seat].hand_size
        seat += 1
        if seat == rules.players:
            seat = 0


@njit
def view_histories(history, seats, out, start, stop):
    """Write what ``seats``, int8 [N], have seen to ``out``, uint8 [N, K, EVENT_SIZE]: the newest event is last."""
    length = out.shape[1]
    rings, numbers, _, _ = history
    for index in range(start, stop):
        ring, seen = rings[index, seats[index]], numbers[index, seats[index]]
        blank = max(length - seen, 0)
        for entry in range(blank):
            out[index, entry] = 0
        for entry in range(blank, length):
            copy_event(ring[(seen + entry) % length], out[index, entry])


@njit
def copy_event(event, row):
    """Copy an event into a row."""
    for column in range(EVENT_SIZE):
        row[column] = event[column]
