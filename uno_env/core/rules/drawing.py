"""Drawing instead of playing (GUIDE.md 4.2). Switches: ``voluntary_draw``, ``draw``, ``after_draw``.

``voluntary_draw`` says whether a player may draw though a card could be played. With ``draw="one"``, a player draws one
card. With ``draw="until_playable"``, a player keeps drawing until a playable card comes. With
``draw="until_playable_if_stuck"``, only a player without a playable card does so; any other draws one card. Then only
the drawn card may be played, none from the hand. With ``after_draw="may_play"``, the player plays it or keeps it (the
action ``pass``). With ``after_draw="must_play"``, the player must play it.

Decided here:

- A drawn card that cannot be played ends the turn by itself. To the others, it looks like one that is kept (12).
- Under ``until_playable_if_stuck``, somebody who draws several cards had no playable card. The others may see that.
- A drawn card that must be played is played at once, so the others may see that the player is about to play it.
- If there is nothing left to draw, drawing is still allowed, and ends the turn. If then nobody at the table can play
  either, the hand is truncated (8).
- In Flip (14), a player who could play may not draw if there is nothing left to draw.

Actions: `draw`, `pass` (keep the drawn card).
Observation: `phase` (drawn; others see it only if the card must be played), `drawn_colour`, `drawn_symbol`,
`hand_sizes`, `draw_pile`, `drew_on`.
"""

from uno_env.core.edition import actions_of, sizes_of
from uno_env.core.faces import is_wild
from uno_env.core.jit.njit import njit
from uno_env.core.record import DRAWN, NO_CARD, switch_value
from uno_env.core.rules.deck import take_card
from uno_env.core.rules.going_out import end_stalled
from uno_env.core.rules.knowledge import record_drew_instead
from uno_env.core.rules.matching import legal_card
from uno_env.core.rules.playing import can_play, can_play_any, lay_cards, put_on_top
from uno_env.core.rules.rlcard import cards_to_draw, is_rlcard, plays_drawn, random_colour
from uno_env.core.rules.turn import is_in, pass_turn

ONE_CARD = switch_value("draw", "one")
IF_STUCK = switch_value("draw", "until_playable_if_stuck")
MAY_PLAY = switch_value("after_draw", "may_play")


@njit
def legal_draw(game, rules, mask, can_play_something):
    """Mark drawing, if it is allowed."""
    if not can_play_something or (rules.voluntary_draw and can_draw_without_need(game, rules)):
        mask[actions_of(rules).draw] = 1


@njit
def can_draw_without_need(game, rules):
    """Return whether a player who could play may draw: where cards have two sides, not if there is nothing to draw."""
    if sizes_of(rules).sides == 1 or game.pile_next < game.pile_end:
        return True
    discards = 0
    for kind in range(sizes_of(rules).kinds):
        discards += game.discards[kind]
    return discards > 1


@njit
def resolve_draw(game, rules):
    """The player on turn draws; a playable card may then be played, any other ends the turn."""
    if is_rlcard(rules):
        resolve_draw_by_chance(game, rules)
        return
    seat = game.turn
    goes_on = goes_on_drawing(game, rules, seat)
    kind = take_card(game, rules, seat)
    if goes_on:
        while kind != NO_CARD and is_in(game, seat) and not can_play(game, rules, seat, kind):
            kind = take_card(game, rules, seat)
    if not is_in(game, seat):
        pass_turn(game, rules, 0)
    elif kind == NO_CARD:
        end_turn_without_card(game, rules)
    elif can_play(game, rules, seat, kind):
        game.drawn = kind
        game.phase = DRAWN
    else:
        keep_drawn(game, rules)


@njit
def goes_on_drawing(game, rules, seat):
    """Return whether the seat, about to draw, draws until a playable card comes."""
    if rules.draw == IF_STUCK:
        return not can_play_any(game, rules, seat)
    return rules.draw != ONE_CARD


@njit
def resolve_draw_by_chance(game, rules):
    """The player on turn draws, and does not choose what happens with the card (rlcard.py)."""
    if cards_to_draw(game, rules, 1) == 0:
        end_turn_without_card(game, rules)
        return
    kind = take_card(game, rules, game.turn)
    if is_wild(game, rules, kind):
        put_on_top(game, rules, kind, 1, random_colour(game, rules))
        pass_turn(game, rules, 0)
    elif plays_drawn(game, rules, kind):
        lay_cards(game, rules, kind, 1, game.colour)
    else:
        keep_drawn(game, rules)


@njit
def legal_after_draw(game, rules, mask):
    """Mark playing the drawn card, and keeping it."""
    legal_card(game, rules, mask, game.drawn)
    if may_keep_drawn(rules):
        mask[actions_of(rules).keep] = 1


@njit
def may_keep_drawn(rules):
    """Return whether a player who has drawn a playable card may keep it."""
    return rules.after_draw == MAY_PLAY


@njit
def keep_drawn(game, rules):
    """The player on turn keeps the drawn card, and the turn ends."""
    record_drew_instead(game, game.turn)
    pass_turn(game, rules, 0)


@njit
def end_turn_without_card(game, rules):
    """There was nothing left to draw."""
    record_drew_instead(game, game.turn)
    for seat in range(rules.players):
        if can_play_any(game, rules, seat):
            pass_turn(game, rules, 0)
            return
    end_stalled(game)
