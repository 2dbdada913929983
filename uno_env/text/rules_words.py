"""The words of :mod:`uno_env.text.rules_text` for cards and switches."""

from typing import NamedTuple

Texts = dict[str, dict[object, str]]
"""By switch, the meaning of its values. Values that are not listed need no words."""

_SWITCHES: Texts = {
    "first_card": {
        "effects": "The first discard acts as if the dealer had played it; a first Wild Draw Four is put back.",
        "effects_all": "The first discard acts as if the dealer had played it; after a wild, its colour is declared.",
        "effects_no_wild": "The first discard acts as if the dealer had played it; a first wild is put back.",
        "reverse_only": "Of the first discards, only a Reverse acts; a first wild is put back.",
        "number": "The first discard is a number.",
    },
    "first_reverse": {"right_of_dealer": "After a first Reverse, the player at the dealer's right begins."},
    "action_match": {"colour": "A Skip, Reverse or Draw Two matches by colour only."},
    "voluntary_draw": {
        True: "A player may draw instead of playing a card.",
        False: "A player draws only if no card can be played.",
    },
    "draw": {
        "one": "Whoever draws takes one card, and only this card may then be played.",
        "until_playable": "Whoever draws takes cards until one can be played, and only this card may then be played.",
        "until_playable_if_stuck": "Whoever draws takes one card; without a playable card, cards until one can be "
        "played. Only the last of them may then be played.",
    },
    "after_draw": {"must_play": "A drawn card that can be played is played."},
    "renew": {"at_once": "As soon as the draw pile is empty, all discards below the top card become a new one."},
    "double_play": {
        True: "Two cards of the same colour and number (not 0) may be laid together.",
        "two_or_more": "Cards of the same colour and number may be laid together.",
    },
    "uno_call": {"declared": "Whoever plays down to one card must call UNO, or draws {uno_penalty} cards if caught."},
    "late_call": {
        True: "Whoever forgot to call may still do so before being caught.",
        False: "Whoever forgot to call cannot do so any more.",
    },
    "call_before": {True: "Only a call before the card is played counts."},
    "go_out_on": {
        "not_action": "The last card may not be a Skip, Reverse or Draw Two.",
        "number": "The last card must be a number.",
    },
    "stacking": {
        "same": "A draw card may be answered with one of the same kind: the next player then draws the sum.",
        "any": "A draw card may be answered with one of the same kind, or a Draw Two with a Wild Draw Four: the next "
        "player then draws the sum.",
        "both": "A draw card may be answered with one of the same kind, a Draw Two with a Wild Draw Four, and a Wild "
        "Draw Four with a Draw Two of the declared colour: the next player then draws the sum.",
    },
    "deflect": {
        True: "Whoever would draw for a Draw Two may answer with a Skip or a Reverse of its colour: the Skip passes "
        "the penalty on to the next player, the Reverse hands it back."
    },
    "seven_zero": {True: "Whoever plays a 7 swaps hands with a player of their choice; a 0 passes all hands on."},
    "jump_in": {True: "Whoever holds the same card as the top card (no wild) may jump in with it out of turn."},
    "six_smackdown": {True: "After a 6 a player drawn at random takes two cards."},
    "illegal_action": {
        "penalty": "Whoever makes an illegal move draws two cards and misses the turn.",
        "terminate": "Whoever makes an illegal move loses.",
    },
    "scoring": {
        "winner_takes": "The winner gets the points of the cards that the others hold: numbers count their number, "
        "coloured action cards 20, wilds 50, but Wild Shuffle Hands and Wild Customizable {special_wild_points}. "
        "{target} points win a match.",
        "lowest": "Everybody gets the points of their own cards. At {target} a match ends; the lowest score wins.",
        "elimination": "Everybody gets the points of their own cards. Whoever reaches {target} in a match is out.",
    },
    "dialect": {
        "rlcard": "As in RLCard: a drawn card of the active colour, or a wild, is played at once; any other is kept."
    },
}

_DRAW_TWO = {
    "lost": "the next player draws two cards and misses a turn.",
    "kept": "the next player draws two cards, and then has a turn as usual.",
    "kept_first": "the next player draws two cards and misses a turn, but not if it is the first discard.",
}

_WILD_DRAW_FOUR = {
    "restricted": "It may be played only without a card of the active colour.",
    "colour_or_symbol": "It may be played only if no other card but a Wild can be.",
    "bluff": "It should be played only without a card of the active colour. The next player may challenge: a guilty "
    "player draws the four cards, else the challenger draws six.",
    "free": "It may always be played.",
}
CUSTOMIZABLE = {
    "none": "has no other effect",
    "skip_all": "lets the same player play again",
    "swap_hands": "swaps hands with a player of one's choice",
    "everyone_draws": "makes all others draw one card",
}

_SWITCHES_OF_OTHERS: Texts = {
    "action_match": {"colour": "Only numbers match by what is on them: all other coloured cards by colour only."},
    "go_out_on": {
        "not_action": "The last card may not be a coloured card without a number.",
        "number": "The last card must be a number.",
    },
    "stacking": {
        "same": "A draw card may be answered with one of the same kind, of any colour: the next player then draws the "
        "sum.",
        "any": "A draw card may be answered with one of the same kind, of any colour, or a coloured one with any wild "
        "draw card: the next player then draws the sum.",
        "both": "A draw card may be answered with one of the same kind, of any colour, a coloured one with any wild "
        "draw card, and a wild one with a coloured draw card of the declared colour: the next player then draws the "
        "sum.",
        "value": "A draw card may be answered with any draw card that demands as many cards or more than the card on "
        "top: the next player then draws the sum.",
    },
    "deflect": {
        True: "Whoever would draw for a coloured draw card may answer with a Skip or a Reverse of its colour: the Skip "
        "passes the penalty on to the next player, the Reverse hands it back."
    },
    "first_card": {
        "effects": "The first discard acts as if the dealer had played it; a first wild draw card or roulette is put "
        "back.",
    },
    "scoring": {
        "winner_takes": "The winner gets the points of the cards that the others hold: numbers count their number, "
        "coloured action cards 20, wilds 50. {target} points win a match.",
    },
}
"""The same of other editions than the first, where it differs."""


class CardWords(NamedTuple):
    """The words for the cards of an edition."""

    draw_two: dict[str, str]
    """The effect of a Draw Two, by ``draw_two_turn``."""
    wild_draw: dict[str, str]
    """The condition for playing a wild draw card, by ``wild_draw_four``."""
    switches: Texts


_CLASSIC = CardWords(_DRAW_TWO, _WILD_DRAW_FOUR, _SWITCHES)
_OTHERS = CardWords(
    {
        "lost": "the next player draws as many cards and misses a turn.",
        "kept": "the next player draws as many cards, and then has a turn as usual.",
        "kept_first": "the next player draws as many cards and misses a turn, but not if it is the first discard.",
    },
    {
        "restricted": "Wild draw cards may be played only without a card of the active colour.",
        "colour_or_symbol": "Wild draw cards may be played only if no other card but a Wild can be.",
        "bluff": "A wild draw card should be played only without a card of the active colour. The next player may "
        "challenge: a guilty player draws the cards, else the challenger draws them and two more.",
        "free": "Wild draw cards may always be played.",
    },
    _SWITCHES | {name: _SWITCHES.get(name, {}) | texts for name, texts in _SWITCHES_OF_OTHERS.items()},
)

EFFECTS = {
    "discard_all": "all other cards of its colour in the same hand go with it, and do nothing.",
    "skip_everyone": "the same player has another turn.",
    "reverse_draw": "declares the colour; the direction turns, then the next player draws {demands} cards and misses a "
    "turn.",
    "draw": "declares the colour; the next player draws {demands} cards and misses a turn.",
    "flip": "discard pile, draw pile and all hands are turned over as a whole, so that the lowest discard lies on top; "
    "if a wild comes up, the player declares a colour.",
    "draw_colour": "declares the colour; the next player draws until a card of it comes, and misses a turn.",
    "roulette": "the next player names a colour, turns up cards until one of it comes (a wild is none), takes them all "
    "and misses the turn; the named colour is active.",
    "shuffle_hands": "declares the colour; all hands are shuffled and dealt out again.",
    "downpour_one": "declares the colour; all others draw one card.",
    "downpour_two": "declares the colour; all others draw two cards.",
}
"""The effects of cards of other editions than the first. A coloured card declares nothing."""
DECLARES = "declares the colour; "

SIDES = "Each card has a light and a dark side. All begin on the light side, and only the side in force counts."
BACKS = {
    "seen": "You see the other sides of the cards that others hold, and of the next card of the draw pile.",
    "hidden": "You see the other side of the next card of the draw pile, but not those of the cards that others hold.",
}
MERCY = "Whoever holds {mercy} cards is out of the hand at once, and the last who is not out wins it."
MERCY_POINTS = "Each player who is out counts 250 points."


_FLIP = _OTHERS._replace(
    switches=_OTHERS.switches
    | {
        "scoring": _OTHERS.switches["scoring"]
        | {
            "winner_takes": "The winner gets the points of the cards that the others hold, by the side in force: "
            "numbers count their number, Draw One 10, Draw Five, Reverse, Skip and Flip 20, Skip Everyone 30, Wild 40, "
            "Wild Draw Two 50, Wild Draw Colour 60. {target} points win a match.",
        }
    }
)


def words_of(edition: str) -> CardWords:
    """The words of an edition, by its name."""
    return {"classic": _CLASSIC, "flip": _FLIP}.get(edition, _OTHERS)
