"""A match: hand after hand until someone has won it (GUIDE.md 9.2). Switch: ``target``.

- ``hand``: the first out wins the match as well.
- ``winner_takes``: the first to reach the target wins.
- ``lowest``: once someone reaches the target, the lowest total wins.
- ``elimination``: a player who reaches the target is out. The rest play on until one is left.

For the dealer of the next hand, see 3.2.

Decided here: players who tie play another hand among themselves. If mercy (13.5) lets all who are left reach the
target at once, those with the lowest total are still in. A truncated hand counts for nobody, and the next is
dealt. A match that has not ended after 1,000 hands (``MAX_HANDS``) is truncated. Without a match (the field ``match``
of the rules' record is 0) every hand is a game of its own.

Actions: none of its own.
Observation: `scores`, `out`, `dealer`.
"""

from uno_env.core.jit.njit import njit
from uno_env.core.record import ILLEGAL, MAX_HANDS, NOBODY, OVER, TOO_MANY_HANDS, WENT_OUT
from uno_env.core.rules.deal import deal_next_hand
from uno_env.core.rules.mercy import last_in, leave_out, let_back_in
from uno_env.core.rules.points import counts_points, lowest_total_wins, winner_collects
from uno_env.core.rules.turn import is_in, players_in


@njit
def settle_hand(game, rules):
    """If a hand of a match has just ended: count it, and deal the next one unless the match is won."""
    if game.phase != OVER or not rules.match or game.end == ILLEGAL:
        return
    game.hands_played += 1
    game.last_winner = game.winner
    game.last_end = game.end
    let_back_in(game)
    if game.end == WENT_OUT:
        for seat in range(rules.players):
            game.scores[seat] += game.points[seat]
        game.match_winner = find_match_winner(game, rules)
    if game.match_winner != NOBODY:
        leave_out(game)
    elif game.hands_played >= MAX_HANDS:
        leave_out(game)
        game.end = TOO_MANY_HANDS
        game.winner = NOBODY
    else:
        game.put_out = 0  # otherwise the deal would let in who is now out of the match
        deal_next_hand(game, rules)


@njit
def find_match_winner(game, rules):
    """Return the seat that has won the match with the hand just counted, or NOBODY. Players who may not play on are
    out.
    """
    if not counts_points(rules):
        return game.winner
    if winner_collects(rules):
        return game.winner if game.scores[game.winner] >= rules.target else NOBODY
    if lowest_total_wins(rules):
        put_out_above_lowest(game, rules)
    else:
        put_out_at_target(game, rules)
    return only_one_in(game, rules)


@njit
def put_out_above_lowest(game, rules):
    """Once someone has reached the target, only those with the lowest total are still in."""
    highest, lowest = 0, lowest_total(game, rules)
    for seat in range(rules.players):
        highest = max(highest, game.scores[seat])
    if highest >= rules.target:
        for seat in range(rules.players):
            if game.scores[seat] > lowest:
                game.out |= 1 << seat


@njit
def put_out_at_target(game, rules):
    """All players who have reached the target are out, unless nobody is left: then the lowest total is still in."""
    lowest = lowest_total(game, rules)
    for seat in range(rules.players):
        if has_reached_target(game, rules, seat) and game.scores[seat] > lowest:
            game.out |= 1 << seat


@njit
def has_reached_target(game, rules, seat):
    """Return whether the seat has the points that end a match."""
    return game.scores[seat] >= rules.target


@njit
def lowest_total(game, rules):
    """The lowest total of those who are in."""
    lowest = game.scores[game.winner]
    for seat in range(rules.players):
        if is_in(game, seat):
            lowest = min(lowest, game.scores[seat])
    return lowest


@njit
def share_of_target(rules, points):
    """Points as a share of those that end a match."""
    return points / rules.target


@njit
def only_one_in(game, rules):
    """The last one in, or NOBODY while there are more."""
    return last_in(game) if players_in(game, rules) == 1 else NOBODY
