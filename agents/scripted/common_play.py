"""The part that sensible strategies share: all choices but that of the card.

They call UNO and catch whenever they may. They lay a card if they can; this includes a card just drawn, an answer to a
penalty, and a card out of turn. They compare hands before hands change owners: they lay or jump in with a card that
would leave them with more cards only if they must, and they swap with the player who has the fewest cards. They
challenge a Wild Draw Four if the odds are good enough.
"""

from agents.scripted.faces import COLOURS, FIRST_OF_COLOUR, KINDS, is_wild
from agents.scripted.follow_probability import count_hidden, newer_cards
from agents.scripted.observation_reader import HAND_SIZES, Counts, column, count_unseen, top_kind
from agents.scripted.strategy import CARDS_OF, COLOUR_OF, KIND_OF
from agents.scripted.turn_effects import cards_shed
from uno_env.actions import CALL, CATCH, CHALLENGE, DECLARE, DRAW, JUMP_IN, SWAP
from uno_env.core.arrays import Bytes
from uno_env.core.jit.njit import njit
from uno_env.core.observe.decode import marked
from uno_env.core.observe.layout import LAYOUT
from uno_env.core.record import MAX_SEATS

PREVIOUS_COLOUR = LAYOUT["previous_colour"].start
LAST_PLAYER = LAYOUT["last_player"].start
PENALTY = LAYOUT["penalty"].start
KNOWN = LAYOUT["known"].start

SPEAK = 1_000_000
LAY = 10_000
"""Score of laying a card: more than everything else together."""
PER_SHED = 120
"""Score of each card fewer after hands have changed owners; each card more takes it off."""
COSTLY = -1
"""A card that sheds this many cards or fewer is kept, even if the player must draw instead."""
BLUFFERS = 0.5
"""Assumed share of players who lay a Wild Draw Four though they hold the colour."""
WRONG_CHALLENGE = 2
"""Cards that a failed challenge costs. A successful one saves the penalty, makes the other player draw it, and wins the
turn, which is worth about two cards."""


@njit
def score_trade(row: Bytes, players: int, kind: int, number: int) -> int:
    """Score of laying ``number`` cards of any kind, and of what this kind does to the hands."""
    shed = cards_shed(row, players, kind, column(row, HAND_SIZES) - number)
    return (LAY * number if shed > COSTLY else -LAY) + PER_SHED * shed


@njit
def score_spoken(row: Bytes, players: int, action: int) -> int:
    """Score of an action that lays no card in turn; 0 for drawing, keeping and declaring."""
    if action in (CALL, CATCH):
        return SPEAK
    if action == CHALLENGE:
        return 1 if challenge_pays(row, players) else -1
    if action == JUMP_IN:
        return score_trade(row, players, top_kind(row), 1)
    if SWAP <= action < DECLARE:
        return -column(row, HAND_SIZES + action - SWAP + 1)
    return 0


@njit
def score_usual(row: Bytes, counts: Counts, players: int, action: int) -> int:
    """Score of any action where all cards are equally good: :func:`score_spoken`, or :func:`score_trade` for cards.

    A colour scores the number of its cards in the hand, ``counts``. Strategies add their own score of a card.
    """
    if action < DRAW:
        score = score_trade(row, players, KIND_OF[action], CARDS_OF[action])
        return score + counts[COLOUR_OF[action]] if is_wild(KIND_OF[action]) else score
    return counts[COLOUR_OF[action]] if action >= DECLARE else score_spoken(row, players, action)


@njit
def challenge_pays(row: Bytes, players: int) -> bool:
    """Whether a challenge of the Wild Draw Four wins more cards than it costs, on average."""
    penalty = column(row, PENALTY)
    won = penalty + penalty + WRONG_CHALLENGE
    return guilt(row, players) * (won + WRONG_CHALLENGE) > WRONG_CHALLENGE


@njit
def guilt(row: Bytes, players: int) -> float:
    """Probability that the Wild Draw Four was a bluff: its player held the colour that was active."""
    colour = marked(row, PREVIOUS_COLOUR, COLOURS)
    seat = marked(row, LAST_PLAYER, MAX_SEATS)
    if colour < 0 or seat < 1:
        return 0.0
    first = KNOWN + (seat - 1) * KINDS
    for kind in range(FIRST_OF_COLOUR[colour], FIRST_OF_COLOUR[colour + 1]):
        if row[first + kind] > 0:
            return 1.0
    unseen = count_unseen(row, colour) / count_hidden(row, players)
    return BLUFFERS * (1.0 - (1.0 - unseen) ** newer_cards(row, seat, colour))
