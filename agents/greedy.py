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
   the size of the hand, and what was drawn since that player drew on the colour.
5. Jumps in; swaps with whoever has the fewest cards; anything else it does not know it chooses uniformly.

The weights are round numbers near those that a random search found on ``duel``, where the strategy wins 67 % against
``random-play`` and 60 % against ``highest-points``.
"""

import numpy as np

from agents.choosing import (
    CARDS_OF,
    COLOUR_OF,
    HAND,
    HAND_SIZES,
    KIND_OF,
    Bytes,
    Ints,
    Random,
    best_action,
    count_colours,
    count_players,
    marked_column,
    place_after,
    rule_column,
)
from uno_env.actions import CALL, CATCH, CHALLENGE, DECLARE, DRAW, JUMP_IN, NUM_ACTIONS, SWAP
from uno_env.cards import (
    DRAW_TWO,
    FIRST_WILD,
    NUM_COLOURS,
    NUM_KINDS,
    RANKS_PER_COLOUR,
    REVERSE,
    SKIP,
    WILD_DRAW_FOUR,
)
from uno_env.core.compiled import compiled
from uno_env.core.layout import LAYOUT
from uno_env.core.record import MAX_SEATS, switch_value

COLOUR = LAYOUT["colour"].start
PREVIOUS_COLOUR = LAYOUT["previous_colour"].start
DISCARDS = LAYOUT["discards"].start
DECK = LAYOUT["deck"].start
DRAW_PILE = LAYOUT["draw_pile"].start
DREW_ON = LAYOUT["drew_on"].start
KNOWN = LAYOUT["known"].start
LAST_PLAYER = LAYOUT["last_player"].start
TWO_PLAYER_REVERSE = rule_column("two_player_reverse")
AS_SKIP = switch_value("two_player_reverse", "skip")

SPEAK = 1_000_000
LAY = 10_000
"""A card: more than all the rest together."""
PER_UNSEEN = 12
"""Against a colour, for each of its cards that others may hold, if another player decides next."""
DREW_ON_IT = 50
"""For a colour that the next to decide has drawn on, divided by 1 + the cards taken since."""
PER_HELD = 10
"""For declaring a colour, for each of its cards in the hand."""
BARE_COLOUR = 130
"""Against declaring a colour that is not in the hand."""
WILD_KEPT = 600
"""Against laying a wild."""
BLUFF = 600
"""Against a Wild Draw Four on a colour that is in the hand, on top."""
FEW_CARDS = 2
STOP_NOW = 300
"""For a card that costs the next player a turn, if that player is down to FEW_CARDS."""
STOP_KEPT = 60
"""Against such a card otherwise."""
DRAW_TWO_BONUS = 30
TWIN = 25
"""Against a card, for each other one of its symbol in the hand, which may follow it later."""

BLUFFERS = 0.5
"""Share of players taken to lay a Wild Draw Four though they hold the colour."""
CHALLENGE_FROM = 1 / 6
"""Probability of guilt from which a challenge pays: it costs two cards, and wins about ten (four not drawn, four that
the other draws, and the turn)."""


@compiled
def choose_greedy(rows: Bytes, masks: Bytes, random: Random, scores: Ints, actions: Ints) -> None:
    """``greedy`` for each row."""
    counts = np.zeros(NUM_COLOURS, np.int64)
    for index in range(rows.shape[0]):
        count_colours(rows[index], counts)
        score_actions(rows[index], masks[index], counts, scores)
        actions[index] = best_action(scores, masks[index], random)


@compiled
def score_actions(row: Bytes, mask: Bytes, counts: Ints, scores: Ints) -> None:
    """Write the score of every legal action."""
    players = count_players(row)
    for action in range(NUM_ACTIONS):
        if mask[action] == 0:
            continue
        if action < DRAW:
            scores[action] = LAY * CARDS_OF[action] + score_card(row, counts, players, action)
        elif action in (CALL, CATCH):
            scores[action] = SPEAK
        elif action == CHALLENGE:
            scores[action] = 1 if guilt(row, players) > CHALLENGE_FROM else -1
        elif action == JUMP_IN:
            scores[action] = LAY
        elif action >= DECLARE:
            scores[action] = score_declared(row, counts, COLOUR_OF[action], 0)
        elif action >= SWAP:
            scores[action] = -int(row[HAND_SIZES + action - SWAP + 1])
        else:
            scores[action] = 0


@compiled
def score_card(row: Bytes, counts: Ints, players: int, action: int) -> int:
    """What speaks for laying a card, and for the colour that then lies."""
    kind, colour = KIND_OF[action], COLOUR_OF[action]
    place = next_to_decide(row, players, kind)
    score = score_stop(row, players) if is_stop(row, players, kind) else 0
    if kind >= FIRST_WILD:
        return score + score_declared(row, counts, colour, place) - wild_price(row, counts, kind)
    if kind % RANKS_PER_COLOUR == DRAW_TWO:
        score += DRAW_TWO_BONUS
    return score + score_colour(row, colour, place) - TWIN * (count_symbol(row, kind) - 1)


@compiled
def score_declared(row: Bytes, counts: Ints, colour: int, place: int) -> int:
    """What speaks for declaring a colour."""
    held = PER_HELD * counts[colour] if counts[colour] > 0 else -BARE_COLOUR
    return score_colour(row, colour, place) + held


@compiled
def score_colour(row: Bytes, colour: int, place: int) -> int:
    """What speaks for an active colour if the player at ``place`` decides next: that they are unlikely to hold it."""
    if place == 0:
        return 0
    drew = int(row[DREW_ON + place * NUM_COLOURS + colour])
    return (DREW_ON_IT // drew if drew > 0 else 0) - PER_UNSEEN * count_unseen(row, colour)


@compiled
def score_stop(row: Bytes, players: int) -> int:
    """What speaks for letting the next player miss a turn."""
    few = row[HAND_SIZES + place_after(row, players, 1)] <= FEW_CARDS
    return STOP_NOW if few else -STOP_KEPT


@compiled
def wild_price(row: Bytes, counts: Ints, kind: int) -> int:
    """What speaks for keeping a wild: it fits any time, and a bluff can be found out."""
    if kind != WILD_DRAW_FOUR:
        return WILD_KEPT
    colour = marked_column(row, COLOUR, NUM_COLOURS)
    return WILD_KEPT + (BLUFF if colour >= 0 and counts[colour] > 0 else 0)


@compiled
def is_stop(row: Bytes, players: int, kind: int) -> bool:
    """Whether the kind lets the next player miss a turn."""
    if kind >= FIRST_WILD:
        return kind == WILD_DRAW_FOUR
    rank = kind % RANKS_PER_COLOUR
    return rank in (SKIP, DRAW_TWO) or (rank == REVERSE and not turns_round(row, players))


@compiled
def turns_round(row: Bytes, players: int) -> bool:
    """Whether a Reverse turns the direction round, and is no Skip."""
    return players > 2 or row[TWO_PLAYER_REVERSE] != AS_SKIP


@compiled
def next_to_decide(row: Bytes, players: int, kind: int) -> int:
    """Place of the player whose turn comes after the kind is laid."""
    if is_stop(row, players, kind):
        return place_after(row, players, 2)
    reverse = kind < FIRST_WILD and kind % RANKS_PER_COLOUR == REVERSE
    return place_after(row, players, -1 if reverse else 1)


@compiled
def count_symbol(row: Bytes, kind: int) -> int:
    """Cards in the hand of the same symbol as a coloured kind, itself included."""
    held = 0
    for colour in range(NUM_COLOURS):
        held += int(row[HAND + colour * RANKS_PER_COLOUR + kind % RANKS_PER_COLOUR])
    return held


@compiled
def count_unseen(row: Bytes, colour: int) -> int:
    """Cards of a colour in the draw pile and other hands."""
    unseen = 0
    for kind in range(colour * RANKS_PER_COLOUR, (colour + 1) * RANKS_PER_COLOUR):
        unseen += int(row[DECK + kind]) - int(row[HAND + kind]) - int(row[DISCARDS + kind])
    return unseen


@compiled
def guilt(row: Bytes, players: int) -> float:
    """Probability that the Wild Draw Four was a bluff: its player holds, and so held, the colour that was active."""
    colour = marked_column(row, PREVIOUS_COLOUR, NUM_COLOURS)
    place = marked_column(row, LAST_PLAYER, MAX_SEATS)
    if colour < 0 or place < 1:
        return 0.0
    first = KNOWN + (place - 1) * NUM_KINDS + colour * RANKS_PER_COLOUR
    for column in range(first, first + RANKS_PER_COLOUR):
        if row[column] > 0:
            return 1.0
    cards = int(row[HAND_SIZES + place])
    drew = int(row[DREW_ON + place * NUM_COLOURS + colour])
    if drew > 0:
        cards = min(cards, drew - 1)
    hidden = int(row[DRAW_PILE])
    for other in range(1, players):
        hidden += int(row[HAND_SIZES + other])
    return BLUFFERS * (1.0 - (1.0 - count_unseen(row, colour) / max(hidden, 1)) ** cards)
