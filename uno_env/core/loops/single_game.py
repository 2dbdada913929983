"""A step and a view of a single game, each in one call from Python, which is what a single game's time goes into."""

from uno_env.core.jit.njit import njit, njit_with_gil
from uno_env.core.legal import legal_actions
from uno_env.core.observe.encode import encode
from uno_env.core.observe.layout import KNOWN_START, RULES_START
from uno_env.core.record import MAX_SEATS, OVER
from uno_env.core.rules.illegal import is_refused, resolve_illegal
from uno_env.core.step import step

FINISHED, REFUSED, ILLEGAL, LEGAL = -2, -1, 0, 1
RESULT, SEAT, TURN, PHASE, TOP, COLOUR, DISCARDED, BEFORE = range(8)
"""Indices of the summary that :func:`act` writes; the hand sizes of all seats follow, before and after."""
AFTER = BEFORE + MAX_SEATS
SUMMARY_SIZE = AFTER + MAX_SEATS


@njit_with_gil
def act(games, rules, action, mask, summary):
    """The player to move in ``games[0]`` does ``action``, if it is legal; marks in ``mask`` what may be done next.

    Args:
        games: [1].
        rules: [1], the rules for a single hand: the next one of a match is not dealt.
        action: a legal action's id, or another's.
        mask: uint8 [NUM_ACTIONS], what may be done now.
        summary: int64 [SUMMARY_SIZE], is filled: whether the action was LEGAL, ILLEGAL (and had its consequence),
            REFUSED (and nothing changed) or the game FINISHED before (likewise), who decided, whose turn it was, the
            phase, top card and active colour afterwards, whether there are discards, and the hand sizes before and
            after.
    """
    game = games[0]
    if game.phase == OVER:
        summary[RESULT] = FINISHED
        return
    summarize_before(game, summary)
    if mask[action]:
        summary[RESULT] = LEGAL
        step(game, rules[0], action)
    elif is_refused(rules[0]):
        summary[RESULT] = REFUSED
        return
    else:
        summary[RESULT] = ILLEGAL
        resolve_illegal(game, rules[0])
    summarize_after(game, summary)
    legal_actions(game, rules[0], mask)


@njit
def summarize_before(game, summary):
    """Write the part of the summary that describes the game before an action."""
    summary[SEAT], summary[TURN], summary[PHASE] = game.to_move, game.turn, game.phase
    for seat in range(MAX_SEATS):
        summary[BEFORE + seat] = game.seats[seat].hand_size


@njit
def summarize_after(game, summary):
    """Write the part of the summary that describes the game after an action."""
    summary[TOP], summary[COLOUR] = game.top, game.colour
    summary[DISCARDED] = 0
    for count in game.discards:
        summary[DISCARDED] |= count > 0
    for seat in range(MAX_SEATS):
        summary[AFTER + seat] = game.seats[seat].hand_size


@njit_with_gil
def observe(games, rules, seat, row):
    """Write what a seat of ``games[0]`` sees to ``row``, uint8 [D], whose rules' columns are left alone."""
    row[KNOWN_START:RULES_START] = 0
    encode(games[0], rules[0], seat, row)


@njit_with_gil
def observe_scaled(games, rules, seat, row, scales, out):
    """The same, and its float form to ``out``, float32 [D]."""
    observe(games, rules, seat, row)
    for column in range(len(out)):
        out[column] = row[column] * scales[column]
