"""Cards as texts (``"r5"``, ``"w+4"``), and what can be read off a text: for the naive twin."""

from uno_env.editions import EDITIONS
from uno_env.rules import Rules

COLOURS = "rygb"
WITHOUT_COLOUR = "wcr"
"""The wild with which its player declares no colour: the next player names one (13.2)."""


def is_wild(card: str) -> bool:
    return card[0] == "w"


def is_number(card: str) -> bool:
    return card[1:].isdigit()


def is_action(card: str) -> bool:
    return not is_wild(card) and not is_number(card)


def is_wild_draw(card: str) -> bool:
    return is_wild(card) and demands(card) > 0


def demands(card: str) -> int:
    """Cards that the next player has to draw."""
    return int(card.partition("+")[2] or 0)


def symbol(card: str) -> str:
    return str(card) if is_wild(card) else card[1:]


def plays(card: str) -> set[str]:
    """The ways to lay a card: a wild with each colour."""
    return {f"{card}:{colour}" for colour in COLOURS} if is_wild(card) and card != WITHOUT_COLOUR else {card}


def full_deck(rules: Rules) -> list[str]:
    """All cards (2, 13.2)."""
    chosen = rules.to_dict()["deck"]
    if not isinstance(chosen, str):
        return repeated(chosen)
    if chosen == "flip":
        return list(EDITIONS["flip"].texts)  # which faces share a card was drawn once
    if chosen == "no_mercy":
        numbers = dict.fromkeys("0123456789", 2)
        symbols = repeated({**numbers, "s": 3, "r": 3, "+2": 3, "da": 3, "+4": 2, "se": 2})
        wilds = repeated({"wr+4": 8, "w+6": 4, "w+10": 4, "wcr": 8})
    else:
        symbols = ["0", *2 * [*"123456789", "s", "r", "+2"]]
        special = {"classic": [], "edition_2018": ["wsh", *3 * ["wcu"]], "h2o": 2 * ["wd1", "wd2"]}
        wilds = 4 * ["w", "w+4"] + special[chosen]
    return [colour + each for colour in COLOURS for each in symbols] + wilds


def repeated(counts: dict[str, int]) -> list[str]:
    return [text for text, count in counts.items() for _ in range(count)]
