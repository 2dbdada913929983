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

import numpy as np

from agents.choosing import (
    CARDS_OF,
    COLOUR,
    COLOUR_OF,
    HAND,
    HAND_SIZES,
    KIND_OF,
    Bytes,
    Ints,
    Random,
    best_action,
    count_colours,
    count_in,
    count_players,
    marked_column,
    place_after,
    rule_column,
    top_kind,
)
from agents.trading import CUSTOMIZABLE, cards_shed, smallest_hand
from uno_env.actions import CALL, CATCH, CHALLENGE, DECLARE, DRAW, JUMP_IN, NUM_ACTIONS, SWAP
from uno_env.cards import (
    DRAW_TWO,
    FIRST_WILD,
    NUM_COLOURS,
    NUM_KINDS,
    RANKS_PER_COLOUR,
    REVERSE,
    SKIP,
    WILD_CUSTOMIZABLE,
    WILD_DOWNPOUR_ONE,
    WILD_DRAW_FOUR,
)
from uno_env.core.compiled import compiled
from uno_env.core.layout import LAYOUT
from uno_env.core.record import MAX_SEATS, switch_value

PREVIOUS_COLOUR = LAYOUT["previous_colour"].start
DISCARDS = LAYOUT["discards"].start
DECK = LAYOUT["deck"].start
DRAW_PILE = LAYOUT["draw_pile"].start
DREW_ON = LAYOUT["drew_on"].start
KNOWN = LAYOUT["known"].start
LAST_PLAYER = LAYOUT["last_player"].start
TWO_PLAYER_REVERSE = rule_column("two_player_reverse")
AS_SKIP = switch_value("two_player_reverse", "skip")
PENALTY = LAYOUT["penalty"].start
SKIP_ALL = switch_value("customizable_effect", "skip_all")
EVERYONE_DRAWS = switch_value("customizable_effect", "everyone_draws")

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
PER_SHED = 120
"""For each card that one is rid of as hands change owners, against each that one gets."""
COSTLY = -1
"""From so many cards shed down a card is kept, even if one must draw."""

BLUFFERS = 0.5
"""Share of players taken to lay a Wild Draw Four though they hold the colour."""
WRONG_CHALLENGE = 2
"""Cards that a challenge costs if it fails. If not it wins, besides the penalty not drawn, the penalty that the other
draws and the turn, worth about two cards."""


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
            scores[action] = score_card(row, counts, players, action)
            scores[action] += score_trade(row, players, KIND_OF[action], CARDS_OF[action])
        elif action in (CALL, CATCH):
            scores[action] = SPEAK
        elif action == CHALLENGE:
            scores[action] = 1 if challenge_pays(row, players) else -1
        elif action == JUMP_IN:
            scores[action] = score_trade(row, players, top_kind(row), 1)
        elif action >= DECLARE:
            scores[action] = score_declared(row, counts, COLOUR_OF[action], 0)
        elif action >= SWAP:
            scores[action] = -int(row[HAND_SIZES + action - SWAP + 1])
        else:
            scores[action] = 0


@compiled
def score_trade(row: Bytes, players: int, kind: int, number: int) -> int:
    """What speaks for laying ``number`` cards of a kind at all, and for what it does to the hands."""
    shed = cards_shed(row, players, kind, int(row[HAND_SIZES]) - number)
    return (LAY * number if shed > COSTLY else -LAY) + PER_SHED * shed


@compiled
def score_card(row: Bytes, counts: Ints, players: int, action: int) -> int:
    """What speaks for laying a card, and for the colour that then lies."""
    kind, colour = KIND_OF[action], COLOUR_OF[action]
    stops = is_stop(row, players, kind)
    place = next_to_decide(row, players, kind, stops)
    score = score_stop(row, players) if stops else 0
    if kind >= FIRST_WILD:
        score += score_rain(row, players, kind) - wild_price(row, counts, kind)
        return score + score_declared(row, counts, colour, place)
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
def score_rain(row: Bytes, players: int, kind: int) -> int:
    """What speaks for a wild as it makes all others draw."""
    return STOP_NOW if makes_all_draw(row, kind) and smallest_hand(row, players) <= FEW_CARDS else 0


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
def plays_again(row: Bytes, kind: int) -> bool:
    """Whether the kind lets all others miss a turn."""
    return kind == WILD_CUSTOMIZABLE and row[CUSTOMIZABLE] == SKIP_ALL


@compiled
def makes_all_draw(row: Bytes, kind: int) -> bool:
    """Whether the kind makes all others draw."""
    return kind >= WILD_DOWNPOUR_ONE or (kind == WILD_CUSTOMIZABLE and row[CUSTOMIZABLE] == EVERYONE_DRAWS)


@compiled
def turns_round(row: Bytes, players: int) -> bool:
    """Whether a Reverse turns the direction round, and is no Skip."""
    return row[TWO_PLAYER_REVERSE] != AS_SKIP or count_in(row, players) > 2


@compiled
def next_to_decide(row: Bytes, players: int, kind: int, stops: bool) -> int:
    """Place of the player whose turn comes after the kind is laid; ``stops`` is :func:`is_stop` of it."""
    if stops:
        return place_after(row, players, 2)
    if kind >= FIRST_WILD:
        return 0 if plays_again(row, kind) else place_after(row, players, 1)
    return place_after(row, players, -1 if kind % RANKS_PER_COLOUR == REVERSE else 1)


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
def challenge_pays(row: Bytes, players: int) -> bool:
    """Whether a challenge of the Wild Draw Four wins more cards than it costs, on average."""
    penalty = int(row[PENALTY])
    won = penalty + penalty + WRONG_CHALLENGE
    return guilt(row, players) * (won + WRONG_CHALLENGE) > WRONG_CHALLENGE


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
