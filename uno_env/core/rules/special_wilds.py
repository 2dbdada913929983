"""Wild Shuffle Hands, Wild Customizable, Wild Downpour (GUIDE.md 5.2). Switch: ``customizable_effect``.

Each of these cards is played like a Wild and declares a colour.

- Wild Shuffle Hands: all hands are collected, shuffled, and dealt out again one by one, beginning at the player's left.
- Wild Customizable: the house rule in ``customizable_effect``. ``none``: nothing more. ``skip_all``: the player plays
  again. ``swap_hands``: the player swaps hands with a player of their choice. ``everyone_draws``: all others draw one.
- Wild Downpour One and Two: every other player draws one, or two.

Decided here: the four effects of the Customizable, which published rules leave to the table. All Customizables of a
game have the same effect; they cannot have different ones. Cards are dealt out clockwise, whatever the direction of
play. They are drawn in the direction of play.

Actions: `wsh:r` to `wd2:b` (plays with a colour), `swap1` to `swap9` (swap_hands).
Observation: `symbol`, `hand_sizes`, `phase` (swap).
"""

from uno_env.core.faces import effect_of
from uno_env.core.jit.njit import njit
from uno_env.core.record import effect, switch_value
from uno_env.core.rules.deck import take_cards
from uno_env.core.rules.going_out import finish_turn, has_gone_out
from uno_env.core.rules.hands import offer_swap, shuffle_hands
from uno_env.core.rules.skip_everyone import resolve_skip_everyone
from uno_env.core.rules.turn import is_in, players_in, seat_after

SKIP_ALL = switch_value("customizable_effect", "skip_all")
SWAP_HANDS = switch_value("customizable_effect", "swap_hands")
EVERYONE_DRAWS = switch_value("customizable_effect", "everyone_draws")
SHUFFLE_HANDS, CUSTOMIZABLE = effect("shuffle_hands"), effect("customizable")
DOWNPOUR_ONE, DOWNPOUR_TWO = effect("downpour_one"), effect("downpour_two")


@njit
def is_special_wild(game, rules, kind):
    """Return whether the kind has one of these effects."""
    return effect_of(game, rules, kind) in (SHUFFLE_HANDS, CUSTOMIZABLE, DOWNPOUR_ONE, DOWNPOUR_TWO)


@njit
def resolve_special_wild(game, rules, kind):
    """Let the special wild just played act."""
    act = effect_of(game, rules, kind)
    if act == CUSTOMIZABLE:
        resolve_customizable(game, rules)
        return
    if act == DOWNPOUR_ONE:
        others_draw(game, rules, 1)
    elif act == DOWNPOUR_TWO:
        others_draw(game, rules, 2)
    elif act == SHUFFLE_HANDS and not has_gone_out(game):
        shuffle_hands(game, rules)
    finish_turn(game, rules, 0)


@njit
def may_swap_hands(rules):
    """Return whether the Wild Customizable swaps hands."""
    return rules.customizable_effect == SWAP_HANDS


@njit
def resolve_customizable(game, rules):
    """Let the house rule of the Wild Customizable act."""
    if may_swap_hands(rules) and not has_gone_out(game):
        offer_swap(game, rules)
    elif rules.customizable_effect == SKIP_ALL:
        resolve_skip_everyone(game, rules)
    else:
        if rules.customizable_effect == EVERYONE_DRAWS:
            others_draw(game, rules, 1)
        finish_turn(game, rules, 0)


@njit
def others_draw(game, rules, cards):
    """Every other player draws, beginning with the next."""
    seat = seat_after(game, rules, game.turn, 1)
    for _ in range(players_in(game, rules) - is_in(game, game.turn)):
        take_cards(game, rules, seat, cards)
        seat = seat_after(game, rules, seat, 1)
