"""Whether the fields of rules hold what they may, and can be played together; a sentence where not."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from uno_env import cards
from uno_env.common.errors import NotAllowedError
from uno_env.common.numbers import is_whole
from uno_env.core.record import FLAGS, MAX_SEATS, NUMBERS, SWITCHES
from uno_env.editions import EDITIONS, edition_of_deck
from uno_env.editions.edition import NO_COLOUR, NO_NUMBER, Face
from uno_env.rules.presets import RLCARD, RLCARD_FREE

if TYPE_CHECKING:
    from uno_env.rules.fields import Rules

RANGES = {
    "players": (2, MAX_SEATS), "hand_size": (1, cards.MAX_CARDS // 2), "uno_penalty": (0, 20),
    "special_wild_points": (0, 100), "target": (1, 1_000), "max_decisions": (1, 30_000),
}  # fmt: skip
"""Lowest and highest value of the fields that are numbers."""


class RulesError(NotAllowedError):
    """Rules that are not allowed. The facts ``field`` and ``value`` are a field of the rules and its value."""


def checked_field(name: str, value: Any) -> Any:
    """Return the value of a field, which must be among those allowed. A NumPy integer becomes an ``int``."""
    if name in SWITCHES:
        if value not in SWITCHES[name]:
            text = f"{name}={value!r} is not allowed: choose one of {', '.join(map(repr, SWITCHES[name]))}"
            raise RulesError(text, "choice", field=name, value=value)
    elif name in FLAGS:
        if not isinstance(value, bool) and value not in FLAGS[name][2:]:
            allowed = " or ".join(map(repr, (True, False, *FLAGS[name][2:])))
            raise RulesError(f"{name}={value!r} is not allowed: choose {allowed}", "choice", field=name, value=value)
    elif name in NUMBERS:
        low, high = RANGES.get(name, (0, MAX_SEATS - 1))
        if not is_whole(value, low, high):
            text = f"{name}={value!r} is not allowed: choose a whole number from {low} to {high}"
            raise RulesError(text, "number", field=name, value=value, low=low, high=high)
        return int(value)
    return value


def checked_deck(deck: Any) -> str | tuple[int, ...]:
    """A deck's name, or the number of cards of each kind, int [NUM_KINDS], from any form that a user may give."""
    names = [name for edition in EDITIONS.values() for name in edition.decks]
    if isinstance(deck, str) and deck in names:
        return deck
    decks = ", ".join(map(repr, names))
    allowed = f"choose {decks}, a text of cards, a mapping from card to number, or {cards.NUM_KINDS} counts"
    if isinstance(deck, str):
        try:
            counts = cards.count_cards(cards.parse_cards(deck))
        except ValueError as error:
            wrong = next(word for word in deck.split() if word.lower() not in cards.CARD_TEXTS)
            text = f"deck={deck!r} is not allowed ({error}): {allowed}"
            raise RulesError(text, "deck", card=wrong) from None
    elif isinstance(deck, Mapping):
        listed = [0] * cards.NUM_KINDS
        for text, count in deck.items():
            listed[cards.parse_card(str(text))] = count
        counts = tuple(listed)
    elif isinstance(deck, list | tuple) and len(deck) in (len(edition.kinds) for edition in EDITIONS.values()):
        counts = tuple(deck)
    else:
        raise RulesError(f"deck={deck!r} is not allowed: {allowed}", "choice", field="deck", value=deck)
    if not all(is_whole(count, 0) for count in counts):
        text = f"deck={deck!r} is not allowed: the number of cards of a kind is a whole number, 0 or more"
        raise RulesError(text, "choice", field="deck", value=deck)
    most = edition_of_deck(counts).most_cards
    if sum(counts) > most:
        text = f"the deck has {sum(counts)} cards, and there is room for {most}"
        raise RulesError(text, "deck_size", there=sum(counts), most=most)
    return tuple(map(int, counts))


def checked_reflexes(reflexes: Any, players: int) -> tuple[int, ...]:
    """The weights of the seats, none or one for each player."""
    if not isinstance(reflexes, list | tuple) or not all(is_whole(weight, 0, 255) for weight in reflexes):
        text = f"reflexes={reflexes!r} is not allowed: give each seat a whole number from 0 to 255"
        raise RulesError(text, "reflexes_range")
    if reflexes and (len(reflexes) != players or not any(reflexes)):
        text = f"reflexes={reflexes!r} is not allowed: give {players} weights, one a player, not all 0"
        raise RulesError(text, "reflexes_players", players=players)
    return tuple(map(int, reflexes))


def check_table(rules: "Rules") -> None:
    """Refuse a deck too small for the players, or without the cards that the deal needs."""
    if not 0 <= rules.dealer_seat < rules.players:
        most = rules.players - 1
        text = f"dealer_seat={rules.dealer_seat} is no seat of {rules.players} players: 0 to {most}"
        raise RulesError(text, "dealer_seat", seat=rules.dealer_seat, most=most)
    there, needed = sum(rules.deck_counts), rules.players * rules.hand_size + 1
    if there < needed:
        text = (
            f"the deck has {there} cards, but {rules.players} players with hand_size={rules.hand_size} "
            f"need {needed}, one of them to begin the discard pile"
        )
        facts = {"there": there, "players": rules.players, "size": rules.hand_size, "needed": needed}
        raise RulesError(text, "deck_too_small", **facts)
    if not any(lies_first(rules.first_card, face) for face, _ in _cards(rules)):
        text = f"no card of the deck may lie first under first_card={rules.first_card!r}"
        raise RulesError(text, "no_first_card", field="first_card", value=rules.first_card)
    numbers = [(face.number, count) for face, count in _cards(rules) if face.number != NO_NUMBER]
    if rules.dealer in ("high_card", "high_card_each_hand") and (
        len(dict(numbers)) < 2 or sum(count for _, count in numbers) < rules.players
    ):
        text = (
            f"dealer={rules.dealer!r} needs a number card in the deck for each player, and two different "
            "numbers among them: use 'random' or 'fixed'"
        )
        raise RulesError(text, "dealer_numbers")


def check_rlcard(rules: "Rules") -> None:
    """Refuse switches that RLCard's game does not know."""
    others = [name for name in (*SWITCHES, *FLAGS) if name not in (*RLCARD, *RLCARD_FREE)]
    for name, value in {**RLCARD, **{name: getattr(type(rules), name) for name in others}}.items():
        if getattr(rules, name) != value:
            text = (
                f"dialect='rlcard' needs {name}={value!r}, not {getattr(rules, name)!r}: begin with the preset 'rlcard'"
            )
            raise RulesError(text, "rlcard_needs", field=name, value=value)
    if rules.illegal_action == "penalty":
        text = "dialect='rlcard' does not know illegal_action='penalty': choose 'raise' or 'terminate'"
        raise RulesError(text, "rlcard_penalty")
    if any(face.colour == NO_COLOUR and face.effect not in ("none", "draw") for face, _ in _cards(rules)):
        text = "dialect='rlcard' does not know the special wilds: choose a deck without them"
        raise RulesError(text, "rlcard_wilds")


def _cards(rules: "Rules") -> list[tuple[Face, int]]:
    """The kinds of cards in the deck, and how many there are of each."""
    kinds = edition_of_deck(rules.deck).kinds
    return [(face, count) for face, count in zip(kinds, rules.deck_counts, strict=True) if count]


def lies_first(first_card: str, face: Face) -> bool:
    """Whether a card, turned over, stays as the first discard."""
    if face.colour != NO_COLOUR:
        return first_card != "number" or face.number != NO_NUMBER
    return face.effect in {"effects": ("none",), "effects_all": ("none", "draw")}.get(first_card, ())
