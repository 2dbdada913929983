"""``greedy``: a sensible player who looks at the table, and one card ahead.

1. Calls UNO and catches whenever it may.
2. Lays a card if it can, the drawn one included, and draws only if it cannot. Which card, by a sum of:
   - the colour left lying should be one that others are unlikely to hold: few of its cards unseen, as the player holds
     them or they lie in the discard pile, and best one that the player who decides next has drawn on; so with two
     players a card after which one plays again comes early;
   - wilds are kept back, and a Wild Draw Four that could be found out above all;
   - Skip, Draw Two and, with two players, Reverse are for a next player who is down to two cards, and else kept;
   - a card goes late while the hand has another of its symbol, which may follow it.
3. Declares a colour by the same, and by how many cards of it are in the hand; one that is not only if it must.
4. Challenges a Wild Draw Four if the odds that its player held the colour are good enough: it reckons the cards unseen,
   the size of the hand, what was drawn since that player drew on the colour, and how large the penalty is.
5. Answers a penalty with a card if it can (10.1), rather than draw or challenge.
6. Where hands change owners (7s, 0s, Wild Shuffle Hands, a swapping Wild Customizable) it reckons how many cards it is
   rid of, and swaps with whoever has the fewest. What would leave it with more cards, it lays or jumps in with only if
   it must; otherwise it always jumps in.
7. Keeps a Downpour, or a Wild Customizable that makes all draw, as it keeps Draw Twos: for someone down to two cards.

What it leaves out: it does not play for points or by the score of a match, nor keep cards to stack or jump in with,
and takes a 6 that is slapped for any other number. The rest is chosen uniformly.

The weights of 2 to 4 are round numbers near those that a random search found on ``duel``, where the strategy wins 67 %
against ``random-play`` and 60 % against ``highest-points``; those of 6 and 7 were tried on ``house``, four players.
"""

from agents.scripted import observation_reader as seen
from agents.scripted.common_play import score_named, score_spoken, score_trade
from agents.scripted.faces import Faces, colour_left, is_draw, is_wild, is_wild_draw, kind_of
from agents.scripted.follow_probability import drew_on
from agents.scripted.strategy import Scratch, best_of, list_legal
from agents.scripted.turn_effects import (
    Turns,
    cards_laid,
    is_stop,
    look_round,
    makes_all_draw,
    next_to_decide,
    smallest_hand,
    victim_of,
)
from uno_env.core.arrays import Bytes
from uno_env.core.edition import actions_of, sizes_of
from uno_env.core.jit.njit import njit
from uno_env.core.observe.decode import marked
from uno_env.core.observe.layout import columns_of

PER_UNSEEN = 12
"""Taken off a colour for each of its cards that others may hold, if another player decides next."""
DREW_ON_IT = 50
"""Score of a colour that the next player to decide has drawn on, divided by 1 + the cards taken since."""
PER_HELD = 10
"""Score of declaring a colour, for each of its cards in the hand."""
BARE_COLOUR = 130
"""Taken off declaring a colour that is not in the hand."""
WILD_KEPT = 600
"""Taken off laying a wild."""
BLUFF = 600
"""Taken off a Wild Draw Four as well, if the hand holds the active colour."""
FEW_CARDS = 2
STOP_NOW = 300
"""Score of a card that costs the next player a turn, if that player has FEW_CARDS or fewer."""
STOP_KEPT = 60
"""Taken off such a card otherwise."""
DRAW_TWO_BONUS = 30
TWIN = 25
"""Taken off a card for each other card of its symbol in the hand, which may follow it later."""


@njit
def decide_greedy(faces: Faces, row: Bytes, mask: Bytes, scratch: Scratch) -> int:
    """The action of ``greedy``; see :mod:`agents.scripted.strategy`."""
    number = list_legal(mask, scratch.legal)
    if number == 1:
        return int(scratch.legal[0])
    counts, players = seen.count_colours(faces, row), seen.count_players(faces, row)
    turns = look_round(faces, row, players)
    for action in scratch.legal[:number]:
        if action < actions_of(faces).draw:
            kind = kind_of(faces, action)
            scratch.scores[action] = score_card(faces, row, counts, players, turns, action)
            scratch.scores[action] += score_trade(faces, row, players, kind, cards_laid(faces, row, action, kind))
        elif action >= actions_of(faces).declare:
            scratch.scores[action] = score_declared(faces, row, counts, colour_left(faces, action), 0)
            scratch.scores[action] += score_named(faces, row, action)
        else:
            scratch.scores[action] = score_spoken(faces, row, players, action)
    return best_of(scratch, number)


@njit
def score_card(faces: Faces, row: Bytes, counts: seen.Counts, players: int, turns: Turns, action: int) -> int:
    """Score of laying a card, and of the colour that it leaves active."""
    kind, colour = kind_of(faces, action), colour_left(faces, action)
    stops = is_stop(faces, turns, kind)
    seat = next_to_decide(faces, row, turns, kind, stops)
    score = score_stop(faces, row, victim_of(faces, turns, kind)) if stops else 0
    if is_wild(faces, kind):
        score += score_rain(faces, row, players, kind) - wild_price(faces, row, counts, kind)
        return score + score_declared(faces, row, counts, colour, seat) if colour >= 0 else score
    if is_draw(faces, kind):
        score += DRAW_TWO_BONUS
    return score + score_colour(faces, row, colour, seat) - TWIN * (seen.count_symbol(faces, row, kind) - 1)


@njit
def score_declared(faces: Faces, row: Bytes, counts: seen.Counts, colour: int, seat: int) -> int:
    """Score of declaring a colour."""
    held = PER_HELD * counts[colour] if counts[colour] > 0 else -BARE_COLOUR
    return score_colour(faces, row, colour, seat) + held


@njit
def score_colour(faces: Faces, row: Bytes, colour: int, seat: int) -> int:
    """Score of an active colour if the player at ``seat`` decides next: high if that player is unlikely to hold it."""
    if seat == 0:
        return 0
    drew = drew_on(faces, row, seat, colour)
    return (DREW_ON_IT // drew if drew > 0 else 0) - PER_UNSEEN * seen.count_unseen(faces, row, colour)


@njit
def score_stop(faces: Faces, row: Bytes, seat: int) -> int:
    """Score of making the player at ``seat`` miss a turn."""
    few = seen.hand_size(faces, row, seat) <= FEW_CARDS
    return STOP_NOW if few else -STOP_KEPT


@njit
def score_rain(faces: Faces, row: Bytes, players: int, kind: int) -> int:
    """Score of a wild that makes all others draw, for that effect."""
    return STOP_NOW if makes_all_draw(faces, row, kind) and smallest_hand(faces, row, players) <= FEW_CARDS else 0


@njit
def wild_price(faces: Faces, row: Bytes, counts: seen.Counts, kind: int) -> int:
    """Price of laying a wild: it fits at any time, and a bluff can be found out."""
    if not is_wild_draw(faces, kind):
        return WILD_KEPT
    colour = marked(row, columns_of(faces).colour, sizes_of(faces).colours)
    return WILD_KEPT + (BLUFF if colour >= 0 and counts[colour] > 0 else 0)
