"""Checks of the fields of rules, alone and together, with a sentence for each value that is not allowed."""

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from uno_env import cards
from uno_env.common.errors import NotAllowedError
from uno_env.common.numbers import is_whole
from uno_env.core.record import (
    ALL_SWITCHES,
    FLAGS,
    MAX_SEATS,
    NUMBERS,
    SWITCHES,
    SWITCHES_OF_EDITIONS,
    SWITCHES_OF_SIDES,
)
from uno_env.editions import EDITIONS
from uno_env.editions.classic import CLASSIC
from uno_env.editions.edition import NO_COLOUR, NO_NUMBER, Edition, Face
from uno_env.rules.presets import RLCARD, RLCARD_FREE

if TYPE_CHECKING:
    from uno_env.rules.fields import Rules

RANGES = {
    "players": (2, MAX_SEATS), "hand_size": (1, cards.MAX_CARDS // 2), "uno_penalty": (0, 20),
    "special_wild_points": (0, 100), "target": (1, 1_000), "max_decisions": (1, 30_000), "mercy": (0, 100),
}  # fmt: skip
"""Lowest and highest value of the fields that are numbers."""


class RulesError(NotAllowedError):
    """Rules that are not allowed. The facts ``field`` and ``value`` are a field of the rules and its value."""


def checked_field(name: str, value: Any) -> Any:
    """Return the value of a field, which must be among those allowed. A NumPy integer becomes an ``int``."""
    if name in ALL_SWITCHES:
        allowed = (*ALL_SWITCHES[name], *SWITCHES_OF_EDITIONS.get(name, ()))
        if value not in allowed:
            text = f"{name}={value!r} is not allowed: choose one of {', '.join(map(repr, allowed))}"
            raise RulesError(text, "choice", field=name, value=value)
    elif name in FLAGS:
        if not isinstance(value, bool) and value not in FLAGS[name][2:]:
            choices = " or ".join(map(repr, (True, False, *FLAGS[name][2:])))
            raise RulesError(f"{name}={value!r} is not allowed: choose {choices}", "choice", field=name, value=value)
    elif name in NUMBERS:
        low, high = RANGES.get(name, (0, MAX_SEATS - 1))
        if not is_whole(value, low, high):
            text = f"{name}={value!r} is not allowed: choose a whole number from {low} to {high}"
            raise RulesError(text, "number", field=name, value=value, low=low, high=high)
        return int(value)
    return value


def checked_deck(edition: Any, deck: Any) -> tuple[str, str | tuple[int, ...]]:
    """The edition, and a deck's name or the number of cards of each of its kinds, from any form that a user may give.

    A deck that only another edition has stands for that edition, unless one other than the first is named.
    """
    if not isinstance(edition, str) or edition not in EDITIONS:
        text = f"edition={edition!r} is not allowed: choose one of {', '.join(map(repr, EDITIONS))}"
        raise RulesError(text, "choice", field="edition", value=edition)
    counts = _counts(deck, EDITIONS[edition])
    if counts is None and edition == CLASSIC.name:
        for other in EDITIONS.values():
            counts = _counts(deck, other)
            if counts is not None:
                edition = other.name
                break
    if counts is None:
        raise _no_deck(deck, EDITIONS[edition])
    if isinstance(counts, str):
        return edition, counts
    if not all(is_whole(count, 0) for count in counts):
        text = f"deck={deck!r} is not allowed: the number of cards of a kind is a whole number, 0 or more"
        raise RulesError(text, "choice", field="deck", value=deck)
    most = EDITIONS[edition].most_cards
    if sum(counts) > most:
        text = f"the deck has {sum(counts)} cards, and there is room for {most}"
        raise RulesError(text, "deck_size", there=sum(counts), most=most)
    return edition, tuple(map(int, counts))


def _counts(deck: Any, edition: Edition) -> str | tuple[Any, ...] | None:
    """The name of an edition's deck, or how many cards of each of its kinds there are; None if it has no such deck."""
    if isinstance(deck, str) and deck in edition.decks:
        return deck
    if isinstance(deck, list | tuple):
        return tuple(deck) if len(deck) == len(edition.kinds) else None
    if isinstance(deck, str):
        deck = Counter(deck.lower().split())
    if not isinstance(deck, Mapping):
        return None
    listed: list[Any] = [0] * len(edition.kinds)
    for text, count in deck.items():
        kind = edition.kind_of.get(str(text).strip().lower())
        if kind is None:
            return None
        listed[kind] = count
    return tuple(listed)


def _no_deck(deck: Any, edition: Edition) -> RulesError:
    """The error of a deck that the edition does not have."""
    decks = ", ".join(map(repr, edition.decks))
    allowed = f"choose {decks}, a text of cards, a mapping from card to number, or {len(edition.kinds)} counts"
    for other in EDITIONS.values():
        if _counts(deck, other) is not None:
            text = f"deck={deck!r} is not allowed with edition={edition.name!r}: it is one of {other.name!r}"
            return RulesError(text, "choice", field="deck", value=deck)
    words = deck.split() if isinstance(deck, str) else list(deck) if isinstance(deck, Mapping) else []
    for word in words:
        try:
            cards.parse_card(str(word), edition)
        except ValueError as error:
            text = f"deck={deck!r} is not allowed ({error}): {allowed}"
            return RulesError(text, "deck", card=word)
    return RulesError(f"deck={deck!r} is not allowed: {allowed}", "choice", field="deck", value=deck)


def check_named_edition(values: Mapping[str, Any], rules: "Rules") -> None:
    """Refuse ``values`` that name the first edition with a deck that only another one has, for which it stands in
    ``rules``.
    """
    if values.get("edition", rules.edition) != rules.edition:
        raise _no_deck(values["deck"], CLASSIC)


def check_edition(rules: "Rules") -> None:
    """Refuse what does not go together with the edition."""
    if rules.mercy and rules.mercy <= rules.hand_size:
        text = (
            f"mercy={rules.mercy} is not allowed with hand_size={rules.hand_size}: choose 0, which puts nobody out, or "
            "more than the hand size"
        )
        raise RulesError(text, "mercy", value=rules.mercy, size=rules.hand_size)
    for name, values in SWITCHES_OF_EDITIONS.items():
        if rules.edition == CLASSIC.name and getattr(rules, name) in values:
            value = getattr(rules, name)
            text = f"{name}={value!r} is not allowed with edition={rules.edition!r}: it needs the cards of another"
            raise RulesError(text, "edition", field=name, value=value, edition=rules.edition)

    sides = EDITIONS[rules.edition].sides
    for name, values in SWITCHES_OF_SIDES.items():
        value = getattr(rules, name)
        if sides == 1 and value != values[0]:
            text = f"{name}={value!r} is not allowed with edition={rules.edition!r}: its cards have one side"
            raise RulesError(text, "edition", field=name, value=value, edition=rules.edition)
    if sides > 1 and max(rules.deck_counts) > 1:
        card = EDITIONS[rules.edition].texts[rules.deck_counts.index(max(rules.deck_counts))]
        text = f"the deck has more than one {card!r}, and no two cards of edition={rules.edition!r} are alike"
        raise RulesError(text, "alike", edition=rules.edition)
    if sides > 1 and rules.double_play:
        text = (
            f"double_play={rules.double_play!r} is not allowed with edition={rules.edition!r}: no two of its cards are "
            "alike on both sides"
        )
        raise RulesError(text, "edition", field="double_play", value=rules.double_play, edition=rules.edition)


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
    if rules.edition != CLASSIC.name or rules.mercy:
        text = f"dialect='rlcard' does not know edition={rules.edition!r} with mercy={rules.mercy}"
        raise RulesError(text, "rlcard_edition", edition=rules.edition)
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
    kinds = EDITIONS[rules.edition].kinds
    return [(face, count) for face, count in zip(kinds, rules.deck_counts, strict=True) if count]


def lies_first(first_card: str, face: Face) -> bool:
    """Return whether a card, turned over, stays as the first discard."""
    if face.colour != NO_COLOUR:
        return first_card != "number" or face.number != NO_NUMBER
    if face.demands:
        return first_card == "effects_all"
    return face.effect == "none" and first_card in ("effects", "effects_all")
