"""Presets (GUIDE.md 11).

The rules are one value of ``Rules``, with a field for each switch. A preset is such a value with a name:

- ``classic``: the official game until 2018, the default of every field.
- ``edition_2018``: the deck of that year. ``edition_2022``: that deck, a simpler deal, and no points.
- ``h2o``: the deck with the Downpours.
- ``guide_001``: a published reading, to the lowest score, with action cards only on their own colour.
- ``guide_003``: another one, with pairs, no action card as the last card, and no turn lost to a Draw Two.
- ``house``: the house rules 10.1 to 10.4, and drawing until a card is playable.
- ``duel``: for learning. It has two players, no calls of UNO and no challenges.
- ``starter``: for a first network. It is ``duel`` without voluntary drawing, so the hands of untrained players end.
- ``no_mercy``: the edition Show 'Em No Mercy (13).
- ``flip``: the edition Flip (14).
- ``mini``: a tiny game that can be solved exactly.
- ``rlcard``: RLCard's game (11.1).

If the youngest player deals first, set ``dealer="fixed"`` and ``dealer_seat`` to that player's seat.

Players cannot trade cards. Only the effects of 5.3 move cards between players, and they move whole hands.

These games have the name as well, but are not part of the project:

- Dos is another game. A player lays pairs of cards that add up to a card in a row of discard piles.
- Attack has a machine that gives out cards. Nobody can know how many.
- Speed has no turns, and the fastest player plays. Here no player is faster than another.
- Pirate is named in published rules, but they do not say how it is played.

These rules stay out:

- A match to more than 1,000 points. One published text allows some other number. 500 is the usual one, and a longer
  match is the same game more often.
- Blank cards with an effect of one's own. Every effect needs code and a place in the observation, so there are the four
  of 5.2.
- A penalty only if somebody notices the mistake. A program notices every illegal action (7).
- The place in the pile to which a card goes back. Nobody can tell it from a shuffle without counting cards.
- A card that counts as played as soon as it touches the discard pile. Here a decision is an action, which is not taken
  back.
- Teams. Partners share a reward and need a table of their own.
- A penalty for calling UNO with more than one card left. The call is offered only where it can count.
"""

from typing import Any

from uno_env.common.spelling import did_you_mean

RLCARD: dict[str, Any] = {
    "players": 2, "voluntary_draw": False, "after_draw": "must_play", "two_player_reverse": "reverse",
    "wild_draw_four": "colour_or_symbol", "uno_call": "automatic",
}  # fmt: skip
"""Values that ``dialect="rlcard"`` needs in place of the defaults."""
RLCARD_FREE = (
    "dealer", "first_reverse", "customizable_effect", "late_call", "call_before", "illegal_action", "scoring",
    "dialect",
)  # fmt: skip
"""Switches that may have another value there, too; all that are not here need their defaults."""

_DUEL: dict[str, Any] = {
    "players": 2,
    "dealer": "random",
    "first_card": "number",
    "wild_draw_four": "restricted",
    "uno_call": "automatic",
    "scoring": "hand",
}

PRESETS: dict[str, dict[str, Any]] = {
    "classic": {},
    "edition_2018": {"deck": "edition_2018"},
    "edition_2022": {
        "deck": "edition_2018",
        "dealer": "random",
        "first_card": "number",
        "special_wild_points": 50,
        "scoring": "hand",
    },
    "h2o": {"deck": "h2o"},
    "guide_001": {
        "first_card": "reverse_only",
        "first_reverse": "right_of_dealer",
        "action_match": "colour",
        "draw": "until_playable",
        "after_draw": "must_play",
        "renew": "at_once",
        "wild_draw_four": "colour_or_symbol",
        "uno_penalty": 4,
        "late_call": False,
        "call_before": True,
        "scoring": "lowest",
    },
    "guide_003": {"double_play": True, "draw_two_turn": "kept", "go_out_on": "not_action"},
    "house": {"draw": "until_playable", "stacking": "same", "seven_zero": True, "jump_in": True, "six_smackdown": True},
    "no_mercy": {
        "edition": "no_mercy",
        "deck": "no_mercy",
        "first_card": "number",
        "voluntary_draw": False,
        "draw": "until_playable",
        "after_draw": "must_play",
        "wild_draw_four": "free",
        "stacking": "value",
        "seven_zero": True,
        "mercy": 25,
        "target": 1_000,
    },
    "flip": {"edition": "flip", "deck": "flip"},
    "mini": {
        "players": 2,
        "deck": {"r1": 1, "r2": 1, "rs": 1, "b1": 1, "b2": 1, "bs": 1, "w": 1},
        "hand_size": 2,
        "dealer": "random",
        "first_card": "number",
        "voluntary_draw": False,
        "wild_draw_four": "restricted",
        "uno_call": "automatic",
        "scoring": "hand",
        "max_decisions": 12,
    },
    "duel": _DUEL,
    "starter": {**_DUEL, "voluntary_draw": False},
    "rlcard": {**RLCARD, "dialect": "rlcard", "dealer": "fixed", "dealer_seat": 1, "scoring": "hand"},
}
"""Named rules (GUIDE.md 11), as differences from the defaults."""


def preset_fields(name: Any) -> dict[str, Any]:
    """The fields of a named preset that differ from the defaults. Raises ValueError if there is no such preset."""
    if name not in tuple(PRESETS):  # a list has no hash
        raise ValueError(f"unknown preset {name!r}{did_you_mean(name, PRESETS)}: there are {', '.join(PRESETS)}")
    return PRESETS[name]
