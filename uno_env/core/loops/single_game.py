"""A step and a view of a single game, each in one call from Python: calls take most of a single game's time."""

from uno_env.core.edition import sizes_of
from uno_env.core.jit.njit import njit, njit_with_gil
from uno_env.core.legal import legal_actions
from uno_env.core.observe.encode import encode
from uno_env.core.observe.layout import columns_of
from uno_env.core.record import MAX_SEATS, OVER
from uno_env.core.rules.illegal import is_refused, resolve_illegal
from uno_env.core.rules.match import settle_hand
from uno_env.core.rules.mercy import is_put_out
from uno_env.core.rules.turn import is_in
from uno_env.core.step import step

NO_ROOM, FINISHED, REFUSED, ILLEGAL, LEGAL = -3, -2, -1, 0, 1
DEAL = -1
"""The value in place of an action in the entry of a deal."""
ACTION, RESULT, SEAT, TURN, PHASE, TOP, COLOUR, DISCARDED, PUT_OUT, SIDE, TURNED, BEFORE = range(12)
"""Columns of a log's entries: the action, whether it was LEGAL or ILLEGAL, who decided, whose turn it was, in which
phase, the top card and active colour afterwards, whether there are discards, the seats, as bits, that mercy has put
out, the side in force afterwards, and whether everything was turned over; the hand sizes of all seats follow, before
and after. Of a deal: DEAL, LEGAL, the dealer twice, no phase; as many cards as are dealt come before."""
AFTER = BEFORE + MAX_SEATS
ENTRY_SIZE = AFTER + MAX_SEATS


@njit_with_gil
def act(games, rules, action, mask, log, length):
    """Do ``action`` for the player to move in ``games[0]``. If a hand of a match ends with it, deal the next one.

    Args:
        games: [1].
        rules: [2], the rules for a single hand, and as the game is played: for a match, or the same.
        action: an action's id.
        mask: uint8 [A], the legal actions now; those after the step are written to it.
        log: int16 [room, ENTRY_SIZE], gets entries of the decision and of the deal.
        length: int64 [1], entries of the log.

    Returns:
        Whether the action was LEGAL, ILLEGAL (and had its consequence), REFUSED, the game FINISHED before, or there was
        NO_ROOM in the log; nothing changed in the last three cases.
    """
    game, number = games[0], length[0]
    if game.phase == OVER:
        return FINISHED
    legal = mask[action] != 0
    if not legal and is_refused(rules[0]):
        return REFUSED
    if number + 2 > len(log):
        return NO_ROOM
    entry = log[number]
    note_before(game, rules[0], action, entry)
    if legal:
        entry[RESULT] = LEGAL
        step(game, rules[0], action)
    else:
        entry[RESULT] = ILLEGAL
        resolve_illegal(game, rules[0])
    note_after(game, rules[0], entry)
    length[0] = number + 1
    settle_hand(game, rules[1])
    if game.decisions == 0 and game.phase != OVER:
        note_deal(game, rules[0], log, length)
    legal_actions(game, rules[0], mask)
    return entry[RESULT]


@njit_with_gil
def begin(games, rules, mask, log, length):
    """Note the deal of ``games[0]`` in its log, as for :func:`act`, and mark the legal actions."""
    length[0] = 0
    note_deal(games[0], rules[0], log, length)
    legal_actions(games[0], rules[0], mask)


@njit
def note_before(game, rules, action, entry):
    """Write the part of an entry that describes the game before an action."""
    entry[ACTION], entry[SEAT], entry[TURN], entry[PHASE] = action, game.to_move, game.turn, game.phase
    entry[SIDE] = side_in_force(game, rules)
    for seat in range(MAX_SEATS):
        entry[BEFORE + seat] = game.seats[seat].hand_size


@njit
def note_after(game, rules, entry):
    """Write the part of an entry that describes the game after an action."""
    entry[TOP], entry[COLOUR] = game.top, game.colour
    entry[DISCARDED], entry[PUT_OUT] = 0, game.put_out
    side = side_in_force(game, rules)
    entry[SIDE], entry[TURNED] = side, side != entry[SIDE]
    for count in game.discards:
        entry[DISCARDED] |= count > 0
    for seat in range(MAX_SEATS):
        entry[AFTER + seat] = game.seats[seat].hand_size


@njit
def side_in_force(game, rules):
    """Return the side that counts: 0, or 1 after an odd number of Flips."""
    return game.side[0] if sizes_of(rules).sides > 1 else 0


@njit
def note_deal(game, rules, log, length):
    """Add the entry of a deal."""
    entry = log[length[0]]
    entry[ACTION], entry[RESULT], entry[SEAT], entry[TURN], entry[PHASE] = DEAL, LEGAL, game.dealer, game.dealer, 0
    entry[SIDE] = 0  # all begin on the light side
    note_after(game, rules, entry)
    for seat in range(MAX_SEATS):
        entry[BEFORE + seat] = rules.hand_size if is_in(game, seat) or is_put_out(game, seat) else 0
    length[0] += 1


@njit_with_gil
def observe(games, rules, seat, row):
    """Write what a seat of ``games[0]`` sees to ``row``, uint8 [D], whose rules' columns are left alone."""
    at = columns_of(rules[0])
    row[at.known : at.seats] = 0
    encode(games[0], rules[0], seat, row)


@njit_with_gil
def observe_scaled(games, rules, seat, row, scales, out):
    """The same, and its float form to ``out``, float32 [D]."""
    observe(games, rules, seat, row)
    for column in range(len(out)):
        out[column] = row[column] * scales[column]
