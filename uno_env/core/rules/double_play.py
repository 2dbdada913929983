"""Laying cards together (GUIDE.md 4.3). Switch: ``double_play``.

Two or more cards of the same number and colour may be laid together. With the official decks that is a pair of 1 to 9.
A deck of one's own can hold more of a kind, and more than one 0.

- ``True``: two at a time, and no zeros.
- ``two_or_more``: any number of them. A player who has laid a pair, or a 0 on their turn, and holds another card like
  it, is asked whether to lay that one as well (the action ``jump_in``) or to stop (``pass``), and so on.

Decided here:

- Cards laid together are one play, which acts once. A call of UNO counts for the cards that are left in the end.
  Nobody jumps in before.
- After drawing only the drawn card may be played, so no pair. A pair cannot be stacked, and nobody jumps in with one.
- Under ``two_or_more``, a player who has jumped in with a number (10.3) may lay more like it as well. Nobody is asked
  to jump in on a number of their own.

Actions: `r1x2` to `b9x2` (pairs), `jump_in` (lay another), `pass` (stop).
Observation: `phase` (jump_in), `turn` (the observer's), for another card.
"""

from uno_env.core.edition import actions_of, sizes_of, tables_of
from uno_env.core.faces import is_number, number_of
from uno_env.core.jit.njit import njit
from uno_env.core.record import JUMP_IN, PLAY, switch_value
from uno_env.core.rules.matching import can_follow

TWO_OR_MORE = switch_value("double_play", "two_or_more")


@njit
def can_play_pair(game, rules, seat, kind):
    """Return whether the seat may lay two cards of a coloured number, 1 to 9, on its turn."""
    return rules.double_play and game.seats[seat].hand[kind] >= 2 and can_follow(game, rules, kind)


@njit
def can_play_any_pair(game, rules, seat):
    """Return whether the seat may lay some pair on its turn."""
    if rules.double_play:
        for index in range(sizes_of(rules).pairs):
            if can_play_pair(game, rules, seat, pair_kind(rules, index)):
                return True
    return False


@njit
def cards_before_last(rules):
    """The most cards that a player can hold before a play that leaves one."""
    return 3 if rules.double_play else 2


@njit
def legal_pairs(game, rules, seat, mask):
    """Mark every pair the seat may lay on its turn."""
    if rules.double_play:
        for index in range(sizes_of(rules).pairs):
            mask[actions_of(rules).play_pair + index] = can_play_pair(game, rules, seat, pair_kind(rules, index))


@njit
def pair_kind(rules, index):
    """Kind of the cards of a pair, by its index among the actions for pairs."""
    return tables_of(rules).action_kind[actions_of(rules).play_pair + index]


@njit
def lays_all_in_one(game, rules):
    """Return whether any number of cards like the top card may be laid together."""
    return rules.double_play == TWO_OR_MORE and is_number(game, rules, game.top)


@njit
def goes_on_laying(game, rules, number):
    """Return whether the player on turn, who has just laid ``number`` cards, may lay another of them."""
    if not lays_all_in_one(game, rules) or game.seats[game.turn].hand[game.top] == 0:
        return False
    single = game.phase == PLAY and number_of(game, rules, game.top) == 0  # there is no action for a pair of zeros
    return number == 2 or single or game.phase == JUMP_IN


@njit
def ask_for_another(game):
    """Ask the player on turn for another card like those just laid."""
    game.asked = 0
    game.phase = JUMP_IN
    game.to_move = game.turn


@njit
def is_asked_for_another(game, rules):
    """Return whether the player who is asked for a twin of the top card laid that card, and would add the twin."""
    return game.to_move == game.turn and lays_all_in_one(game, rules)


@njit
def can_lay_another(game, rules):
    """Return whether the player who laid the top card is asked for a twin to add to it, and holds one."""
    return is_asked_for_another(game, rules) and game.seats[game.turn].hand[game.top] > 0
