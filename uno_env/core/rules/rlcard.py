"""RLCard's game (GUIDE.md 11.1). Switch: ``dialect``.

``dialect="rlcard"`` plays as the RLCard library, version 1.2.0, does, so that policies can meet its agents. It uses 61
of the actions: the 52 coloured cards, Wild and Wild Draw Four with each colour, and drawing. It differs from the rules
of UNO in these ways.

Other switches make these differences:

- A player may draw only if no card can be played (``voluntary_draw``).
- With two players a Reverse passes the turn to the opponent (``two_player_reverse="reverse"``).
- Nobody calls UNO. There is no bluffing and no challenge.
- There are no points: the first player without cards wins (``scoring="hand"``).
- There are two players, and the same one begins every hand (``dealer="fixed"``).
- As in the official rules, the effect of a last card is still carried out.

This switch makes these:

1. Hands are dealt as blocks: all cards of the first player, then all of the second.
2. A first Wild gets a random colour; nobody declares it.
3. A first Draw Two makes the player who begins draw two, and that player still begins.
4. A Wild Draw Four may be played only if nothing else can be, not even a Wild.
5. Nobody chooses what to do with a card just drawn. A card of the active colour is played at once, with its effect. A
   card of another colour is kept, even if its number or symbol matches.
6. A drawn Wild or Wild Draw Four is played at once, in a random colour and without effect: nobody draws four.
7. When fewer cards are left than have to be drawn (1, 2 or 4), all the cards ever laid, the top card too, are shuffled
   together with those left. The top card stays the one to match, though someone may now hold it.

Not reproduced:

- RLCard ends with an error if more cards are to be drawn than are left. Here the player draws what there is, as in 4.4.
  A first Draw Two renews a short pile, too.
- RLCard's observation shows a wild on top in the colour that the card was made with, which is right one time in four.
  It shows several Wilds in a hand as one. Here the observation shows the declared colour, and all Wilds.
- RLCard ends with an error on an illegal action. Here ``illegal_action`` says what happens.

Actions: `r5` and the like, `w:r`, `w+4:r`, `draw`.
Observation: `discards` may lack the top card.
"""

from uno_env.core.edition import sizes_of
from uno_env.core.faces import colour_of, is_plain_wild, is_wild
from uno_env.core.jit.njit import njit
from uno_env.core.record import switch_value
from uno_env.core.rng import below
from uno_env.core.rules.deck import fill_pile, shuffle_pile, take_cards

RLCARD = switch_value("dialect", "rlcard")

FIRST_DRAW_TWO = 2


@njit
def is_rlcard(rules):
    """Return whether RLCard's game is played."""
    return rules.dialect == RLCARD


@njit
def player_dealt(rules, card, players):
    """The player who is dealt the card, counted from the dealer's left: one by one around the table, or in blocks."""
    return card // rules.hand_size if rules.dialect == RLCARD else card % players


@njit
def resolve_first_by_chance(game, rules, beginner):
    """Resolve a first Wild, which gets its colour, or a first Draw Two, for which the player who begins draws."""
    if is_wild(game, rules, game.top):
        game.colour = random_colour(game, rules)
    else:
        take_cards(game, rules, beginner, cards_to_draw(game, rules, FIRST_DRAW_TWO))


@njit
def random_colour(game, rules):
    """Any of the colours."""
    return below(game, sizes_of(rules).colours)


@njit
def wild_comes_first(game, rules, seat):
    """Return whether the seat holds a Wild, and so may not play a Wild Draw Four."""
    if rules.dialect == RLCARD:
        for kind in range(sizes_of(rules).coloured, sizes_of(rules).kinds):
            if game.seats[seat].hand[kind] and is_plain_wild(game, rules, kind):
                return True
    return False


@njit
def plays_drawn(game, rules, kind):
    """Return whether a coloured card just drawn is played at once."""
    return colour_of(game, rules, kind) == game.colour


@njit
def cards_to_draw(game, rules, number):
    """The part of ``number`` cards to draw: all, and the pile is renewed as they come (deck.py).

    In RLCard's game it is renewed before the first of them, and there may be fewer.
    """
    if rules.dialect != RLCARD:
        return number
    if game.pile_end - game.pile_next < number:
        shuffle_in_discards(game)
    return min(number, game.pile_end - game.pile_next)


@njit
def shuffle_in_discards(game):
    """Shuffle draw pile and discards, the top card among them, into a new draw pile."""
    for index in range(game.pile_next, game.pile_end):
        game.discards[game.pile[index]] += 1
    fill_pile(game, game.discards)
    for kind in range(len(game.discards)):
        game.discards[kind] = 0
    shuffle_pile(game)
