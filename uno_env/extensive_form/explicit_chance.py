"""Acting with chance spelled out: the cards that come from the draw pile are given, one by one, by whoever asks.

The engine takes cards from a pile that lies in some order, and shuffles discards into a new one. Here the pile is laid
so that the given cards come first, and what an action would have shuffled is laid behind it beforehand; so the engine
itself does everything, and it only remains to say whether the given cards were enough, and what the next one can be. A
pile can be renewed more than once: the cards of whom mercy puts out are discards again (mercy.py).
That holds where the pile is renewed only when it is empty, so not in RLCard's game (rlcard.py). Cards that are shuffled
at once behind the last one lie behind it from the start, too.

Actions: every one, and ``DEAL`` for the deal.
Observation: none of its own.
"""

from uno_env.core.edition import sizes_of
from uno_env.core.jit.njit import njit
from uno_env.core.packed_games import copy_game
from uno_env.core.record import MAX_SEATS
from uno_env.core.rules.deal import deal_pile
from uno_env.core.step import step

RENEWALS = MAX_SEATS + 2
"""An action renews the pile less often: once, and once more for each player that mercy puts out meanwhile."""
DEAL = -1
"""Stands for the deal, by ``game.dealer``, where an action is expected; the pile is then the whole deck."""


@njit
def act_with_cards(games, rules, action, cards, number, pool, renewed):
    """Act in ``games[0]``, drawing the given cards first. Returns whether more cards are needed.

    Args:
        games: two games. The second one becomes the first one after the action, unless more cards are needed.
        rules: the rules.
        action: a legal action, or ``DEAL``.
        cards: kinds of the cards that are drawn first, int64, ``number`` of them.
        number: how many cards are given.
        pool: int64 [kinds]. If a card is needed, it gets how many of each kind that card can be.
        renewed: int64 [RENEWALS, kinds], room to work in.
    """
    times = 0
    taken = act_with_pile(games, rules, action, cards, number, pool, renewed, times)
    after = games[1]
    while 0 < after.pile_end < len(after.pile):
        renewed[times, :] = 0
        for index in range(after.pile_end):
            renewed[times, after.pile[index]] += 1
        times += 1
        taken = act_with_pile(games, rules, action, cards, number, pool, renewed, times)
    return taken > number


@njit
def act_with_pile(games, rules, action, cards, number, pool, renewed, times):
    """Act in ``games[0]`` with a pile that ends where its room does. Returns how many cards were drawn.

    The discards of so many renewals lie below the pile from the start, one after the other. ``pool`` gets what is left
    where the card after the given ones comes from: the pile, or what it is renewed from.
    """
    copy_game(games[0], games[1], rules)
    game, kinds = games[1], sizes_of(rules).kinds
    held = game.pile_end - game.pile_next
    pool[:] = 0
    for index in range(game.pile_next, game.pile_end):
        pool[game.pile[index]] += 1
    below = 0
    for time in range(times):
        for kind in range(kinds):
            below += renewed[time, kind]
            game.discards[kind] -= renewed[time, kind]
    room = len(game.pile)
    assert held + below <= room
    start = room - held - below
    lay(game, start, cards, 0, min(held, number), pool)
    first, left = held, renewed[len(renewed) - 1]
    for time in range(times):
        end = first
        for kind in range(kinds):
            left[kind] = renewed[time, kind]
            end += left[kind]
        lay(game, start + first, cards, first, min(end, number), left)
        if first <= number < end:
            for kind in range(kinds):
                pool[kind] = left[kind]
        first = end
    game.pile_next, game.pile_end = start, room
    if action == DEAL:
        deal_pile(game, rules, game.dealer)
    else:
        step(game, rules, action)
    return game.pile_next - start if game.pile_end == room else held + below


@njit
def lay(game, index, cards, first, end, counts):
    """Lay the cards ``cards[first:end]`` from an index of the pile on, then the other ones of ``counts``."""
    for card in range(first, end):
        game.pile[index] = cards[card]
        counts[cards[card]] -= 1
        index += 1
    for kind in range(len(counts)):
        for _ in range(counts[kind]):
            game.pile[index] = kind
            index += 1
