"""The rules in force, in words for a language model: :func:`rules_text`."""

from uno_env.cards import WILD_CUSTOMIZABLE, WILD_DOWNPOUR_ONE, WILD_DRAW_FOUR, WILD_SHUFFLE_HANDS
from uno_env.guide import field_texts
from uno_env.rules import Rules

CODES = (
    "Short texts: r5 is a red 5, ys a yellow Skip, gr a green Reverse, b+2 a blue Draw Two, w:g a Wild that declares "
    "green, w+4:r a Wild Draw Four that declares red."
)
ANSWER = "Answer with one move in square brackets, by its number in the list or its short text: [2] or [r5]."

_SWITCHES: dict[str, dict[object, str]] = {
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
"""Meaning of the switches' values. Values that are not listed need no words."""

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
_CUSTOMIZABLE = {
    "none": "has no other effect",
    "skip_all": "lets the same player play again",
    "swap_hands": "swaps hands with a player of one's choice",
    "everyone_draws": "makes all others draw one card",
}


def rules_text(rules: Rules, full: bool = False) -> str:
    """The rules in force, how cards are written, and how to answer; the reader is "you". With ``full``, all switches
    follow, with their values and what the guide says about each.
    """
    others = "P1" if rules.players == 2 else f"P1 to P{rules.players - 1}, in order to your left"
    skips = rules.players == 2 and rules.two_player_reverse == "skip"
    reverse = "acts as a Skip" if skips else "the direction turns"
    lines = [
        f"You play UNO with {others}. Whoever lays their last card first wins.",
        "A card matches the top card by colour, number or symbol. A Wild always matches, and its player declares the "
        f"colour. Skip: the next player misses a turn. Reverse: {reverse}. Draw Two: {_DRAW_TWO[rules.draw_two_turn]}",
        *_wilds(rules),
        *(_SWITCHES[name].get(getattr(rules, name), "") for name in _SWITCHES if _matters(rules, name)),
    ]
    numbers = {name: getattr(rules, name) for name in ("uno_penalty", "target", "special_wild_points")}
    body = " ".join(filter(None, lines)).format(**numbers)
    switches = [f"- {name} = {value}: {field_texts()[name].replace('``', '')}" for name, value in _values(rules)]
    return "\n".join([body, *(("All rules:", *switches) if full else ()), CODES, ANSWER])


def _matters(rules: Rules, name: str) -> bool:
    """Whether a switch has an effect under the other rules."""
    if name == "late_call":
        return rules.uno_call == "declared" and not rules.call_before
    if name == "call_before":
        return rules.uno_call == "declared"
    return name != "first_reverse" or (rules.first_card != "number" and rules.players > 2)


def _wilds(rules: Rules) -> list[str]:
    held = rules.deck_counts
    lines = []
    if held[WILD_DRAW_FOUR]:
        four = _WILD_DRAW_FOUR[rules.wild_draw_four]
        lines.append(f"Wild Draw Four: declares the colour; the next player draws four and misses a turn. {four}")
        if rules.wild_is_match and rules.wild_draw_four != "free":
            lines.append("Another kind of wild in the hand counts as a card of the active colour for this.")
    if held[WILD_SHUFFLE_HANDS]:
        lines.append("Wild Shuffle Hands (wsh): declares the colour; all hands are shuffled and dealt out again.")
    if held[WILD_CUSTOMIZABLE]:
        lines.append(f"Wild Customizable (wcu): declares the colour and {_CUSTOMIZABLE[rules.customizable_effect]}.")
    if any(held[WILD_DOWNPOUR_ONE:]):
        lines.append("Wild Downpour One (wd1) and Two (wd2): declare the colour; all others draw one or two cards.")
    return lines


def _values(rules: Rules) -> list[tuple[str, object]]:
    return [(name, value) for name, value in rules.to_dict().items() if name in field_texts()]
