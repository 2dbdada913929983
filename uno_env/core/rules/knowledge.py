"""What a player may know (GUIDE.md 12).

A player may know:

- the own hand, and the sizes of all hands;
- the whole discard pile, the top card and the active colour;
- the direction, and the number of cards in the draw pile;
- who has called UNO, penalties to be drawn, and scores;
- all that is said and played in the open (who drew, who challenged, who was caught);
- cards seen in a challenge or given away, as long as they must still be there.

A player may never know anything else: not the order of the draw pile, not a hidden hand.

Nor may a player know what a table cannot tell apart. That a player *could not* do something and that they *would not*
look the same: no Draw Two to answer with, or one held back; a drawn card that could not be played, or one kept. So
whether somebody was asked shows in nothing that others get. Only what was then done does.

Decided here: somebody can be asked what only certain cards allow (to answer a penalty, to play the card just drawn, to
jump in). Meanwhile the others see the game as it will be if the chance is let go. If it is taken, they see that it was.
They never see cards or chance too early: where they are to get cards once nobody jumps in, or a 6 is slapped or a 0
passes hands on, the card lies there and has not acted yet. The program that plays the game has to know who decides, and
``max_decisions`` counts every decision, also these.

*Known cards* are cards seen in a challenge or given away in a swap, as long as they must still be there. For each
viewer, each owner and each kind, ``known`` holds how many such cards the viewer knows the owner to hold (the function
``known_at``). What is there of the viewer's own hand means nothing but while hands are passed on, one after the other.
While nobody knows any, ``knows`` is 0 and ``known`` means nothing. When the owner plays a card of a kind, it may be a
known one, so each viewer knows of one less. A card that has just been drawn is an exception, since after drawing only
that card may be played.

*Drew on*: a seat's ``drew_on[colour]`` is 0, or 1 + the cards the seat has taken since its last turn on which it drew
and played nothing while that colour was active. It returns to 0 when the seat plays a card of that colour. A seat that
drew on a colour probably could not follow it. Every card taken since makes that less sure.
"""

import numpy as np

from uno_env.cards import FIRST_WILD, NUM_COLOURS, NUM_KINDS, RANKS_PER_COLOUR
from uno_env.core.jit.njit import njit
from uno_env.core.record import NO_CARD


@njit
def known_at(rules, viewer, owner):
    """Where the numbers of what a viewer knows of an owner begin in ``known``, by kind.

    Unsigned: an index that might be negative would be counted from the end, and its loop not be done in vectors.
    """
    return np.uint64((viewer * rules.players + owner) * NUM_KINDS)


@njit
def see_hand(game, rules, viewer, owner):
    """The viewer is shown the owner's hand, and knows its cards from now on."""
    begin_to_know(game, rules)
    first = known_at(rules, viewer, owner)
    for kind in range(NUM_KINDS):
        game.known[first + np.uint64(kind)] = game.seats[owner].hand[kind]


@njit
def begin_to_know(game, rules):
    """From now on ``known`` means something."""
    if not game.knows:
        game.knows = 1
        for index in range(known_at(rules, rules.players, 0)):
            game.known[index] = 0


@njit
def record_played(game, rules, seat, kind):
    """The seat has laid a card in the open."""
    if game.knows and game.drawn == NO_CARD:
        for viewer in range(rules.players):
            index = known_at(rules, viewer, seat) + np.uint64(kind)
            game.known[index] -= game.known[index] > 0
    if kind < FIRST_WILD:
        game.seats[seat].drew_on[kind // RANKS_PER_COLOUR] = 0


@njit
def record_drew_instead(game, seat):
    """The seat has drawn in its turn and played nothing."""
    if game.colour >= 0:
        game.seats[seat].drew_on[game.colour] = 1


@njit
def move_knowledge(game, rules, one, other):
    """Two seats exchange their hands in the open: what is known of a hand goes with it."""
    begin_to_know(game, rules)
    for viewer in range(rules.players):
        first, second = known_at(rules, viewer, one), known_at(rules, viewer, other)
        for index in range(NUM_KINDS):
            kind = np.uint64(index)
            game.known[first + kind], game.known[second + kind] = game.known[second + kind], game.known[first + kind]
    here, there = game.seats[one].drew_on, game.seats[other].drew_on
    for colour in range(NUM_COLOURS):
        here[colour], there[colour] = there[colour], here[colour]


@njit
def forget_hands(game, rules):
    """All hands were shuffled: nothing is known of any."""
    game.knows = 0
    for seat in range(rules.players):
        for colour in range(NUM_COLOURS):
            game.seats[seat].drew_on[colour] = 0
