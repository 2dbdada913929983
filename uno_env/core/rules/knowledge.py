"""Open and hidden information (GUIDE.md 12).

A player may know:

- their own hand, and the sizes of all hands;
- the whole discard pile, the top card and the active colour;
- the direction, and the number of cards in the draw pile;
- calls of UNO, penalties to be drawn, and scores;
- everything that is said and played in the open, such as a draw, a challenge or a catch;
- of cards with two sides, what ``backs`` says of their other faces (14);
- cards seen in a challenge or given away, as long as they must still be there.

A player may never know anything else: not the order of the draw pile, not a hidden hand.

At a table, some cases look the same to the others. A player has no Draw Two to answer with, or keeps it back. A drawn
card cannot be played, or the player keeps it. So the others do not learn whether the player was asked. They see only
what the player then did.

Decided here: some questions are asked only if a player holds certain cards (to answer a penalty, to play the card just
drawn, to jump in). During such a question, the others see the game as it will be if the player passes. If the player
acts, they see that. They never see cards or chance too early: until everybody has passed, the card lies there and has
not acted yet. The program that plays the game does know who decides, and ``max_decisions`` counts these decisions, too.

*Known cards* are cards seen in a challenge or given away in a swap, as long as they must still be there. ``known``
holds a number for each viewer, owner and kind: how many such cards the viewer knows in the owner's hand (the function
``known_at``). The numbers for the viewer's own hand mean something only while hands are passed on, one after the other.
While nobody knows any card, ``knows`` is 0 and ``known`` means nothing. When the owner plays a card of a kind, it may
be a known one, so each viewer knows one card fewer. A card that has just been drawn is an exception, since after
drawing only that card may be played. Of cards with two sides (14) there is one of each kind, so none is known any more.

*Drew on*: a seat's ``drew_on[colour]`` is 0, or 1 + the cards the seat has taken since its last turn on which it drew
and played nothing while that colour was active; at most 128, the size of the largest deck. It returns to 0 when the
seat plays a card of that colour. A seat that drew on a colour probably could not follow it. Every card taken since
makes that less sure.
"""

import numpy as np

from uno_env.core.edition import sizes_of
from uno_env.core.faces import colour_of
from uno_env.core.jit.njit import njit
from uno_env.core.record import NO_CARD, NO_COLOUR, switch_value

BACKS_SEEN = switch_value("backs", "seen")


@njit
def sees_backs(rules):
    """Return whether all see the other faces of the cards that others hold; only where cards have two sides (14)."""
    return rules.backs == BACKS_SEEN


@njit
def known_at(rules, viewer, owner):
    """The index in ``known`` of the first number of a viewer's known cards of an owner; the numbers are by kind.

    Unsigned: an index that might be negative would be counted from the end, and its loop not be done in vectors.
    """
    return np.uint64((viewer * rules.players + owner) * sizes_of(rules).kinds)


@njit
def see_hand(game, rules, viewer, owner):
    """The viewer is shown the owner's hand, and knows its cards from now on."""
    begin_to_know(game, rules)
    first = known_at(rules, viewer, owner)
    for kind in range(sizes_of(rules).kinds):
        game.known[first + np.uint64(kind)] = game.seats[owner].hand[kind]


@njit
def begin_to_know(game, rules):
    """Clear ``known``, which nothing reads before, and keep it from now on."""
    if not game.knows:
        game.knows = 1
        for index in range(known_at(rules, rules.players, 0)):
            game.known[index] = 0


@njit
def record_played(game, rules, seat, kind):
    """The seat has laid a card in the open."""
    if game.knows and (game.drawn == NO_CARD or sizes_of(rules).sides > 1):
        for viewer in range(rules.players):
            index = known_at(rules, viewer, seat) + np.uint64(kind)
            game.known[index] -= game.known[index] > 0
    colour = colour_of(game, rules, kind)
    if colour != NO_COLOUR:
        game.seats[seat].drew_on[colour] = 0


@njit
def record_discarded(game, rules, seat, kind):
    """All cards of the kind have left the seat's hand in the open."""
    if game.knows:
        for viewer in range(rules.players):
            game.known[known_at(rules, viewer, seat) + np.uint64(kind)] = 0


@njit
def record_seen_by_all(game, rules, seat, kind):
    """The seat has taken a card that everybody has seen."""
    begin_to_know(game, rules)
    for viewer in range(rules.players):
        game.known[known_at(rules, viewer, seat) + np.uint64(kind)] += 1


@njit
def record_drew_instead(game, seat):
    """The seat has drawn in its turn and played nothing."""
    if game.colour >= 0:
        game.seats[seat].drew_on[game.colour] = 1


@njit
def move_knowledge(game, rules, one, other):
    """Two seats exchange their hands in the open: the known cards of a hand go with it."""
    begin_to_know(game, rules)
    for viewer in range(rules.players):
        first, second = known_at(rules, viewer, one), known_at(rules, viewer, other)
        for index in range(sizes_of(rules).kinds):
            kind = np.uint64(index)
            game.known[first + kind], game.known[second + kind] = game.known[second + kind], game.known[first + kind]
    here, there = game.seats[one].drew_on, game.seats[other].drew_on
    for colour in range(sizes_of(rules).colours):
        here[colour], there[colour] = there[colour], here[colour]


@njit
def forget_hand(game, rules, seat):
    """The seat's hand lies in the open: nothing is known of it, and its call falls away."""
    for kind in range(sizes_of(rules).kinds):
        record_discarded(game, rules, seat, kind)
    for colour in range(sizes_of(rules).colours):
        game.seats[seat].drew_on[colour] = 0
    game.called &= ~(1 << seat)


@njit
def forget_hands(game, rules):
    """All hands were shuffled: nothing is known of any."""
    game.knows = 0
    for seat in range(rules.players):
        for colour in range(sizes_of(rules).colours):
            game.seats[seat].drew_on[colour] = 0
