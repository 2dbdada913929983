"""The rules of a table in short, for who plays for the first time: :func:`rules_help`.

The classic rules have texts of their own; what is otherwise at a table is said in the words of the form.
"""

from collections.abc import Iterator
from dataclasses import fields
from typing import NamedTuple

from uno_env.common.phrases import Phrase
from uno_env.editions import edition_for
from uno_env.editions.classic import CLASSIC
from uno_env.editions.edition import NO_COLOUR, NO_NUMBER, Face
from uno_env.policy_columns import can_leave_two
from uno_env.render.sentences import CATALOGUE, face_name, sentence
from uno_env.rules import Rules
from uno_table.table.sentences import TABLE_SENTENCES, value_word
from uno_table.table.table_config import field_word

_say = TABLE_SENTENCES.phrase

NUMBER = "number"
"""Stands for the symbols of number cards."""

_TOLD = ("players", "deck", "two_player_reverse", "customizable_effect", "uno_call", "uno_penalty", "scoring")
"""Fields that the lines on cards, calls and points tell."""


class HelpLine(NamedTuple):
    """A card or a rule, and what it does."""

    name: str
    text: str


def rules_help(rules: Rules) -> list[HelpLine]:
    """A turn, the cards of the deck that do something, calling, challenging and points, and what is not as in the
    classic rules.
    """
    return [
        HelpLine(_say("group.turn"), _say("help.turn")),
        *_cards(rules),
        *_calls(rules),
        HelpLine(_say("group.points"), _say(f"prize.{rules.scoring}")),
        *_differences(rules),
    ]


def cards_by_symbol(rules: Rules) -> dict[str, tuple[int, Face]]:
    """A card of the deck for each symbol, by what stands in its text behind the colour: its kind, and the face that has
    the symbol; a number for all numbers.
    """
    edition, found = edition_for(rules), dict[str, tuple[int, Face]]()
    for side in range(edition.sides):
        for kind, face in enumerate(edition.faces_on(side)):
            symbol = face.text if face.colour == NO_COLOUR else face.text[1:]
            if rules.deck_counts[kind]:
                found.setdefault(symbol if face.number == NO_NUMBER else NUMBER, (kind, face))
    return found


def _cards(rules: Rules) -> Iterator[HelpLine]:
    for symbol, (_, face) in cards_by_symbol(rules).items():
        if symbol != NUMBER:
            name = face_name(face) if face.colour == NO_COLOUR else CATALOGUE.phrase(f"symbol.{symbol}")
            yield HelpLine(name, _effect(symbol, rules))


def _effect(symbol: str, rules: Rules) -> Phrase:
    if symbol == "r" and rules.players == 2:
        return sentence(value_word("two_player_reverse", rules.two_player_reverse))
    if symbol == "r" and rules.two_player_reverse == "skip" and can_leave_two(rules):
        return _say("help.card.r.left")
    if symbol in ("+1", "+2", "+4", "+5") and rules.draw_two_turn != "lost":
        return _say(f"help.card.{symbol}.kept")
    if symbol == "wcu":
        return _say("help.card.wcu", effect=value_word("customizable_effect", rules.customizable_effect))
    return _say(f"help.card.{symbol}")


def _calls(rules: Rules) -> Iterator[HelpLine]:
    if rules.uno_call == "declared":
        yield HelpLine(_say("rule.uno_call"), _say("help.call", number=rules.uno_penalty))
    if rules.wild_draw_four == "bluff":
        is_classic = rules.edition == CLASSIC.name
        yield HelpLine(_say("move.challenge"), _say("help.challenge" if is_classic else "help.challenge_wild"))


def _differences(rules: Rules) -> Iterator[HelpLine]:
    """Every other field that is not as in the classic rules."""
    classic = Rules.preset("classic", players=rules.players)
    for name in (field.name for field in fields(Rules) if field.name not in _TOLD):
        value = getattr(rules, name)
        if value != getattr(classic, name):
            text = _say(f"rule.{name}.help")
            here = text if value is True else _say("help.here", help=text, value=field_word(name, value))
            yield HelpLine(_say(f"rule.{name}"), here)
