"""The columns of an observation that can vary, and the actions that can ever be legal, under given rules.

A network that reads and writes only these is smaller and exactly as well informed.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from uno_env import actions
from uno_env.common.validation import short_repr
from uno_env.core.arrays import Flags, Ints
from uno_env.core.record import MAX_SEATS, phases_of
from uno_env.editions import edition_for
from uno_env.editions.edition import NO_COLOUR, NO_NUMBER, Face
from uno_env.idle_rules import idle_rules_of
from uno_env.observation import layout, number_of_columns, rules_columns
from uno_env.rules import Rules


def policy_columns(rules: Rules | Sequence[Rules], match: bool = False) -> Ints:
    """Columns that can vary between observations of the player to move under ``rules``; ascending.

    Columns that the rules fix are left out: seats beyond the players, kinds of cards that are not in the deck, the
    rules themselves, columns of rules that are off, and whose move it is. Rules without effect on the decisions of a
    single hand (:mod:`uno_env.idle_rules`) are left out, too, unless ``match`` is set.

    Args:
        rules: the rules; several that differ in the number of players are for a policy of all of them, and the seats
            and their number are then among the columns.
        match: whether the observations are of whole matches. Then the scores and the eliminated seats are among the
            columns, if the rules count points. A policy of single hands plays matches too, and does not see the score.

    Raises:
        ValueError: these are no rules, or rules of several editions.
    """
    return _columns(tuple(_each(rules)), match).copy()


@lru_cache(maxsize=32)
def _columns(tables: tuple[Rules, ...], match: bool) -> Ints:
    """The columns under rules that a network is made for several times: to be checked, trained and measured."""
    varies = np.zeros(number_of_columns(tables[0]), bool)
    for table in tables:
        sections = _varying_sections(table, match)
        for name, section in layout(tables[0]).items():
            varies[section.columns] |= sections[name]
    columns = np.array([rules_columns(table) for table in tables])
    varies[-columns.shape[1] :] |= (columns != columns[0]).any(axis=0)
    if not match:
        idle = idle_rules_of(edition_for(tables[0]))
        varies[idle.columns[idle.idle[0] > 0]] = False
    return np.flatnonzero(varies)


def policy_actions(rules: Rules | Sequence[Rules]) -> Ints:
    """Actions that can be legal at some point of a hand or match under (one of the) rules; catalogue ids, ascending."""
    return np.flatnonzero(np.any([_possible(table) for table in _each(rules)], axis=0))


def _each(rules: Rules | Sequence[Rules]) -> Sequence[Rules]:
    """The rules one by one. Raises ValueError if they are none."""
    given: Any = (rules,) if isinstance(rules, Rules) else rules
    if not isinstance(given, Sequence) or not given or not all(isinstance(each, Rules) for each in given):
        raise ValueError(f"rules={short_repr(rules)} is not allowed: give Rules, or a list of some")
    editions = {edition_for(each) for each in given}
    if len(editions) > 1:
        names = ", ".join(sorted({f"{each.edition} with mercy={each.mercy}" for each in given}))
        raise ValueError(f"rules of several editions are not allowed, since their observations differ: {names}")
    return given


def _possible(rules: Rules) -> Flags:
    edition = edition_for(rules)
    catalogue = actions.catalogue(edition)
    at = catalogue.first
    can_be = np.zeros(at.number, bool)
    counts = np.array(rules.deck_counts)
    played = counts[list(catalogue.kinds[: at.draw])]
    can_be[: at.play_pair] = played[: at.play_pair] > 0
    if rules.double_play:
        can_be[at.play_pair : at.draw] = played[at.play_pair :] > 1
    can_be[at.draw] = True
    can_be[at.keep] = rules.after_draw == "may_play" or _has_window(rules) or _lays_more(rules)
    can_be[at.challenge] = _has_challenge(rules)
    can_be[at.accept] = _asks_for_penalty(rules)
    can_be[[at.call, at.catch]] = rules.uno_call == "declared"
    can_be[at.jump_in] = rules.jump_in or _lays_more(rules)
    can_be[at.swap : at.declare] = _swaps_by_choice(rules) & (np.arange(1, actions.MAX_SWAP + 1) < rules.players)
    can_be[at.declare :] = _has_first_wild(rules) or _has_effect(rules, "roulette")
    return can_be


def _varying_sections(rules: Rules, match: bool) -> dict[str, bool | Flags]:
    edition, faces = edition_for(rules), _faces(rules)
    kinds = np.array(rules.deck_counts) > 0
    sides = _sections_of_sides(rules, kinds) if edition.sides > 1 else {}
    symbols = np.isin(np.array(edition.symbols), [face.symbol for face in faces])
    own_colours = np.isin(np.arange(len(edition.colours)), [face.colour for face in faces])
    colours = own_colours | any(face.colour == NO_COLOUR for face in faces)
    places = np.arange(MAX_SEATS) < rules.players
    others = places & (np.arange(MAX_SEATS) > 0)
    declared = rules.uno_call == "declared"
    return {
        "hand": kinds,
        "drawn_colour": own_colours & _asks_after_draw(rules),
        "drawn_symbol": symbols & _asks_after_draw(rules),
        "colour": colours,
        "symbol": symbols,
        "previous_colour": colours,
        "discards": kinds,
        "hand_sizes": places,
        "draw_pile": True,
        "phase": _phases(rules),
        "turn": places & _asks_others(rules),
        "to_move": False,
        "last_player": places,
        "dealer": places,
        "clockwise": _can_turn_round(rules),
        "called": places & declared,
        "asked": others & declared,
        "penalty": np.array([_holds_draw_cards(rules) and _asks_others(rules), *_deflected(rules)]),
        "drew_on": np.outer(places, colours).ravel(),
        "known": np.outer(_shown_places(rules, match)[1:], kinds).ravel(),
        "out": others & ((match and _puts_out(rules)) or rules.mercy > 0),
        "scores": np.repeat(places & (match and rules.scoring != "hand"), 2),
        "reflexes": places & (len(set(rules.reflexes)) > 1),
        "seats": False,
        "deck": False,
        "rules": False,
        **sides,
    }


def _sections_of_sides(rules: Rules, kinds: Flags) -> dict[str, bool | Flags]:
    """The columns that vary, of those that only cards with two sides have."""
    edition = edition_for(rules)
    held = [kind for kind, there in enumerate(kinds) if there]
    designs = [{edition.designs[side].index(edition.faces_on(side)[kind].text) for kind in held} for side in range(2)]
    faces = np.isin(np.arange(max(map(len, edition.designs))), list(designs[0] | designs[1]))
    others = np.arange(1, MAX_SEATS) < rules.players
    turns = _has_effect(rules, "flip")
    return {
        "side": turns,
        "top_card": kinds,
        "drawn_card": kinds & _asks_after_draw(rules),
        "lowest_card": kinds,
        "next_back": faces,
        "last_face": faces & turns,
        "backs": np.outer(others, faces & (rules.backs == "seen")).ravel(),
    }


def _phases(rules: Rules) -> Flags:
    others = {
        "drawn": _asks_after_draw(rules),
        "catch": rules.uno_call == "declared",
        "challenge": _has_challenge(rules),
        "first_colour": _has_first_wild(rules),
        "swap": _swaps_by_choice(rules),
        "jump_in": rules.jump_in or _lays_more(rules),
        "stack": can_answer_penalty(rules),
        "over": False,
        "roulette": _has_effect(rules, "roulette"),
    }
    can_be = {"play": any(others.values()), **others}
    return np.array([can_be[name] for name in phases_of(edition_for(rules))])


def _asks_after_draw(rules: Rules) -> bool:
    """Return whether a player decides on a card just drawn."""
    return rules.dialect != "rlcard"


def _has_challenge(rules: Rules) -> bool:
    wild_draws = any(face.colour == NO_COLOUR and face.demands for face in _faces(rules))
    return rules.wild_draw_four == "bluff" and wild_draws


def _holds_draw_cards(rules: Rules) -> bool:
    return any(face.demands for face in _faces(rules))


def can_leave_two(rules: Rules) -> bool:
    """Return whether only two of more players can be left, in a hand or in a match."""
    return rules.players > 2 and (rules.mercy > 0 or rules.scoring == "elimination")


def can_answer_penalty(rules: Rules) -> bool:
    """Return whether a player who has to draw for another's card may answer with a card at some point."""
    draws = any(face.colour != NO_COLOUR and face.demands for face in _faces(rules))
    deflects = rules.deflect and draws and (_has_effect(rules, "skip") or _has_effect(rules, "reverse"))
    return deflects or (rules.stacking != "off" and _holds_draw_cards(rules))


def _deflected(rules: Rules) -> list[bool]:
    """Return, for the column of the draw card's demands, whether it varies; empty if there is no such column."""
    several = len(edition_for(rules).penalties) > 1
    return [_asks_for_penalty(rules)] if several else []


def _asks_for_penalty(rules: Rules) -> bool:
    """Return whether a player who has to draw a penalty can do something else."""
    return _has_challenge(rules) or can_answer_penalty(rules)


def _has_window(rules: Rules) -> bool:
    """Return whether players can be asked one by one, and may let the chance pass."""
    return rules.uno_call == "declared" or rules.jump_in


def _asks_others(rules: Rules) -> bool:
    """Return whether a player can have a decision on another player's turn."""
    return _has_window(rules) or _asks_for_penalty(rules) or _has_effect(rules, "roulette")


def _lays_more(rules: Rules) -> bool:
    """Return whether somebody can lay more than two cards together, or zeros."""
    numbers = [(face.number, count) for face, count in _counted(rules)]
    enough = any(count > (1 if number == 0 else 2) for number, count in numbers if number != NO_NUMBER)
    return rules.double_play == "two_or_more" and enough


def _has_first_wild(rules: Rules) -> bool:
    kinds = edition_for(rules).kinds
    wilds = (kind for kind, face in enumerate(kinds) if face.colour == NO_COLOUR and rules.may_lie_first(kind))
    if _has_effect(rules, "flip") and any(face.colour == NO_COLOUR for face in _faces(rules)):
        return True  # a Flip can turn one up
    return rules.dialect != "rlcard" and any(rules.deck_counts[wild] for wild in wilds)


def _puts_out(rules: Rules) -> bool:
    """Return whether a match can continue without some of its players."""
    return rules.scoring in ("lowest", "elimination") and rules.players > 2


def _swaps_by_choice(rules: Rules) -> bool:
    customizable = rules.customizable_effect == "swap_hands" and _has_effect(rules, "customizable")
    return customizable or (rules.seven_zero and _has_number(rules, 7))


def _shown_places(rules: Rules, match: bool) -> Flags:
    """Places of the players whose cards the observer can come to know."""
    places = np.arange(MAX_SEATS)
    if edition_for(rules).sides > 1 and _has_effect(rules, "flip"):
        return places < rules.players  # the draw pile's last card can have been seen on both sides
    moves = _swaps_by_choice(rules) or (rules.seven_zero and _has_number(rules, 0))
    if moves or _has_effect(rules, "roulette"):
        return places < rules.players
    if (match and _puts_out(rules)) or rules.mercy:
        return (places < rules.players) & _has_challenge(rules)  # any two can come to be neighbours
    next_or_last = (places == 1) | (places == rules.players - 1)  # only neighbours challenge each other
    return next_or_last & _has_challenge(rules)


def _can_turn_round(rules: Rules) -> bool:
    in_play = rules.players > 2 or rules.two_player_reverse == "reverse"
    reverses = _has_effect(rules, "reverse") and (in_play or rules.first_card != "number")
    return reverses or _has_effect(rules, "reverse_draw")


def _faces(rules: Rules) -> list[Face]:
    """The faces of the kinds in the deck."""
    return [face for face, count in _counted(rules) if count]


def _counted(rules: Rules) -> list[tuple[Face, int]]:
    edition = edition_for(rules)
    return list(zip(edition.faces, rules.deck_counts * edition.sides, strict=True))


def _has_effect(rules: Rules, effect: str) -> bool:
    return any(face.effect == effect for face in _faces(rules))


def _has_number(rules: Rules, number: int) -> bool:
    return any(face.number == number for face in _faces(rules))
