"""Whether to challenge a Wild Draw Four (GUIDE.md 5.1): the odds of a bluff against what a challenge costs."""

from agents.scripted.observation_reader import HAND_SIZES, count_unseen, fact, marked_column
from agents.scripted.strategy import Bytes
from uno_env.cards import NUM_COLOURS, NUM_KINDS, RANKS_PER_COLOUR
from uno_env.core.jit.njit import njit
from uno_env.core.observe.layout import LAYOUT
from uno_env.core.record import MAX_SEATS

PREVIOUS_COLOUR = LAYOUT["previous_colour"].start
LAST_PLAYER = LAYOUT["last_player"].start
PENALTY = LAYOUT["penalty"].start
DREW_ON = LAYOUT["drew_on"].start
KNOWN = LAYOUT["known"].start
DRAW_PILE = LAYOUT["draw_pile"].start

BLUFFERS = 0.5
"""Share of players taken to lay a Wild Draw Four though they hold the colour."""
WRONG_CHALLENGE = 2
"""Cards that a challenge costs if it fails. If not it wins, besides the penalty not drawn, the penalty that the other
draws and the turn, worth about two cards."""


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
    place = marked_column(row, LAST_PLAYER, MAX_SEATS)
    if colour < 0 or place < 1:
        return 0.0
    first = KNOWN + (place - 1) * NUM_KINDS + colour * RANKS_PER_COLOUR
    for column in range(first, first + RANKS_PER_COLOUR):
        if row[column] > 0:
            return 1.0
    cards = fact(row, HAND_SIZES + place)
    drew = fact(row, DREW_ON + place * NUM_COLOURS + colour)
    if drew > 0:
        cards = min(cards, drew - 1)
    hidden = fact(row, DRAW_PILE)
    for other in range(1, players):
        hidden += fact(row, HAND_SIZES + other)
    return BLUFFERS * (1.0 - (1.0 - count_unseen(row, colour) / max(hidden, 1)) ** cards)
