"""The part that sensible strategies share: all choices but that of the card.

They call UNO and catch whenever they may. They lay a card if they can; this includes a card just drawn, an answer to a
penalty, and a card out of turn. They compare hands before hands change owners: they lay or jump in with a card that
would leave them with more cards only if they must, and they swap with the player who has the fewest cards. They
challenge a Wild Draw Four if the odds are good enough.

Where a full hand is out (GUIDE.md 13.5), they lay the card whose penalty fills the hand of the player it hits. Asked
for the colour of a Wild Colour Roulette, they name the one of which most cards are unseen, and so take few.
"""

from agents.scripted.faces import Faces, colour_left, is_wild, kind_of, kinds_each, rules_at
from agents.scripted.follow_probability import count_hidden, newer_cards
from agents.scripted.observation_reader import (
    Counts,
    column,
    count_unseen,
    hand_size,
    held_with,
    seat_after,
    top_kind,
)
from agents.scripted.turn_effects import cards_laid, cards_shed, turns_and_draws
from uno_env.core.arrays import Bytes
from uno_env.core.edition import actions_of, sizes_of
from uno_env.core.jit.njit import njit
from uno_env.core.observe.decode import marked
from uno_env.core.observe.layout import columns_of
from uno_env.core.record import MAX_SEATS, ROULETTE

SPEAK = 1_000_000
LAY = 10_000
"""Score of laying a card: more than everything else together."""
PER_SHED = 120
"""Score of each card fewer after hands have changed owners; each card more takes it off."""
COSTLY = -1
"""A card that sheds this many cards or fewer is kept, even if the player must draw instead."""
PUT_OUT = 3 * LAY
"""Score of a penalty that fills the hand of the player it hits."""
BLUFFERS = 0.5
"""Assumed share of players who lay a Wild Draw Four though they hold the colour."""
WRONG_CHALLENGE = 2
"""Cards that a failed challenge costs. A successful one saves the penalty, makes the other player draw it, and wins the
turn, which is worth about two cards."""


@njit
def score_trade(faces: Faces, row: Bytes, players: int, kind: int, number: int) -> int:
    """Score of laying ``number`` cards with one of a kind, of its effect on the hands, and of the hand it fills."""
    shed = cards_shed(faces, row, players, kind, hand_size(faces, row, 0) - number)
    score = (LAY * number if shed > COSTLY else -LAY) + PER_SHED * shed
    return score + PUT_OUT if fills_hand(faces, row, players, kind) else score


@njit
def fills_hand(faces: Faces, row: Bytes, players: int, kind: int) -> bool:
    """Return whether the penalty for a card puts out the player it hits, if that player cannot answer."""
    if not sizes_of(faces).mercy or faces.kind_demands[kind] == 0 or row[rules_at(faces).mercy] == 0:
        return False
    seat = seat_after(faces, row, players, -1 if turns_and_draws(faces, kind) else 1)
    penalty = column(row, columns_of(faces).penalty) + faces.kind_demands[kind]
    return hand_size(faces, row, seat) + penalty >= column(row, rules_at(faces).mercy)


@njit
def score_spoken(faces: Faces, row: Bytes, players: int, action: int) -> int:
    """Score of an action that lays no card in turn; 0 for drawing, keeping and declaring."""
    does = actions_of(faces)
    if action in (does.call, does.catch):
        return SPEAK
    if action == does.challenge:
        return 1 if challenge_pays(faces, row, players) else -1
    if action == does.jump_in:
        kind = top_kind(faces, row)
        return score_trade(faces, row, players, kind, cards_laid(faces, row, action, kind))
    if does.swap <= action < does.declare:
        return -hand_size(faces, row, action - does.swap + 1)
    return 0


@njit
def score_usual(faces: Faces, row: Bytes, counts: Counts, players: int, action: int) -> int:
    """Score of any action where all cards are equally good: :func:`score_spoken`, or :func:`score_trade` for cards.

    A colour scores the number of its cards in the hand, ``counts``. Strategies add their own score of a card.
    """
    does = actions_of(faces)
    if action < does.draw:
        kind = kind_of(faces, action)
        score = score_trade(faces, row, players, kind, cards_laid(faces, row, action, kind))
        return score + held_with(counts, colour_left(faces, action)) if is_wild(faces, kind) else score
    if action < does.declare:
        return score_spoken(faces, row, players, action)
    return counts[colour_left(faces, action)] + score_named(faces, row, action)


@njit
def score_named(faces: Faces, row: Bytes, action: int) -> int:
    """Score of naming a colour for a Wild Colour Roulette; 0 where a colour is declared for another card."""
    if not is_asked_by_roulette(faces, row):
        return 0
    return LAY * count_unseen(faces, row, colour_left(faces, action))


@njit
def is_asked_by_roulette(faces: Faces, row: Bytes) -> bool:
    """Return whether the observer is to name a colour, and to take cards until it comes."""
    return sizes_of(faces).undeclared > 0 and row[columns_of(faces).phase + ROULETTE] != 0


@njit
def challenge_pays(faces: Faces, row: Bytes, players: int) -> bool:
    """Return whether a challenge of the Wild Draw Four wins more cards than it costs, on average."""
    penalty = column(row, columns_of(faces).penalty)
    won = penalty + penalty + WRONG_CHALLENGE
    return guilt(faces, row, players) * (won + WRONG_CHALLENGE) > WRONG_CHALLENGE


@njit
def guilt(faces: Faces, row: Bytes, players: int) -> float:
    """Probability that the Wild Draw Four was a bluff: its player held the colour that was active."""
    at, sizes = columns_of(faces), sizes_of(faces)
    colour = marked(row, at.previous_colour, sizes.colours)
    seat = marked(row, at.last_player, MAX_SEATS)
    if colour < 0 or seat < 1:
        return 0.0
    first = at.known + (seat - 1) * sizes.kinds + colour * kinds_each(faces)
    for place in range(kinds_each(faces)):
        if row[first + place] > 0:
            return 1.0
    unseen = count_unseen(faces, row, colour) / count_hidden(faces, row, players)
    return BLUFFERS * (1.0 - (1.0 - unseen) ** newer_cards(faces, row, seat, colour))
