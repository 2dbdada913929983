"""What sensible strategies share beyond the choice of a card.

They call UNO and catch whenever they may; lay a card if they can, the drawn one, a stacked one or out of turn included;
and look at the hands where those change owners: what would leave them with more cards, they lay or jump in with only if
they must, and they swap with whoever has the fewest. They challenge a Wild Draw Four if the odds are good enough.
"""

from agents.scripted.follow_probability import count_hidden, newer_cards
from agents.scripted.observation_reader import HAND_SIZES, Counts, count_unseen, fact, marked_column, top_kind
from agents.scripted.strategy import CARDS_OF, COLOUR_OF, KIND_OF, Bytes
from agents.scripted.turn_effects import cards_shed
from uno_env.actions import CALL, CATCH, CHALLENGE, DECLARE, DRAW, JUMP_IN, SWAP
from uno_env.cards import FIRST_WILD, NUM_COLOURS, NUM_KINDS, RANKS_PER_COLOUR
from uno_env.core.jit.njit import njit
from uno_env.core.observe.layout import LAYOUT
from uno_env.core.record import MAX_SEATS

PREVIOUS_COLOUR = LAYOUT["previous_colour"].start
LAST_PLAYER = LAYOUT["last_player"].start
PENALTY = LAYOUT["penalty"].start
KNOWN = LAYOUT["known"].start

SPEAK = 1_000_000
LAY = 10_000
"""A card: more than all the rest together."""
PER_SHED = 120
"""For each card that one is rid of as hands change owners, against each that one gets."""
COSTLY = -1
"""From so many cards shed down a card is kept, even if one must draw."""
BLUFFERS = 0.5
"""Share of players taken to lay a Wild Draw Four though they hold the colour."""
WRONG_CHALLENGE = 2
"""Cards that a challenge costs if it fails. If not it wins, besides the penalty not drawn, the penalty that the other
draws and the turn, worth about two cards."""


@njit
def score_trade(row: Bytes, players: int, kind: int, number: int) -> int:
    """What speaks for laying ``number`` cards of a kind at all, and for what it does to the hands."""
    shed = cards_shed(row, players, kind, fact(row, HAND_SIZES) - number)
    return (LAY * number if shed > COSTLY else -LAY) + PER_SHED * shed


@njit
def score_spoken(row: Bytes, players: int, action: int) -> int:
    """What speaks for an action other than laying cards on one's turn; 0 for drawing, keeping and declaring."""
    if action in (CALL, CATCH):
        return SPEAK
    if action == CHALLENGE:
        return 1 if challenge_pays(row, players) else -1
    if action == JUMP_IN:
        return score_trade(row, players, top_kind(row), 1)
    if SWAP <= action < DECLARE:
        return -fact(row, HAND_SIZES + action - SWAP + 1)
    return 0


@njit
def score_usual(row: Bytes, counts: Counts, players: int, action: int) -> int:
    """What speaks for any action if one card is as good as another: :func:`score_spoken`, and of cards the trade.

    A colour is declared by its cards in the hand, ``counts``. Strategies add what they think of a card.
    """
    if action < DRAW:
        score = score_trade(row, players, KIND_OF[action], CARDS_OF[action])
        return score + counts[COLOUR_OF[action]] if KIND_OF[action] >= FIRST_WILD else score
    return counts[COLOUR_OF[action]] if action >= DECLARE else score_spoken(row, players, action)


@njit
def challenge_pays(row: Bytes, players: int) -> bool:
    """Whether a challenge of the Wild Draw Four wins more cards than it costs, on average."""
    penalty = fact(row, PENALTY)
    won = penalty + penalty + WRONG_CHALLENGE
    return guilt(row, players) * (won + WRONG_CHALLENGE) > WRONG_CHALLENGE


@njit
def guilt(row: Bytes, players: int) -> float:
    """Probability that the Wild Draw Four was a bluff: its player holds, and so held, the colour that was active."""
    colour = marked_column(row, PREVIOUS_COLOUR, NUM_COLOURS)
    seat = marked_column(row, LAST_PLAYER, MAX_SEATS)
    if colour < 0 or seat < 1:
        return 0.0
    first = KNOWN + (seat - 1) * NUM_KINDS + colour * RANKS_PER_COLOUR
    for column in range(first, first + RANKS_PER_COLOUR):
        if row[column] > 0:
            return 1.0
    unseen = count_unseen(row, colour) / count_hidden(row, players)
    return BLUFFERS * (1.0 - (1.0 - unseen) ** newer_cards(row, seat, colour))
