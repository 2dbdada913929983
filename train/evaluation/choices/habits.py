"""Which habit of a person costs them most, in words: :func:`costliest_habit`."""

from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from agents.scripted.strategy import KIND_OF
from uno_env import actions as catalogue
from uno_env.cards import CARD_NAMES, FIRST_WILD, RANKS_PER_COLOUR, WILD, WILD_DRAW_FOUR

LEAST_TIMES = 3
"""What happened less often is no habit."""

_NUMBER = "number card"
_DRAWS_OR_ACTS = 10
"""The lowest rank that is no number."""


class CostlyDecision(NamedTuple):
    """A choice that surely cost something."""

    phase: str
    chosen: int
    """The action."""
    better: int
    """The action that would have cost nothing."""
    cost: float
    """Win rate lost, from 0 to 1."""


def costliest_habit(decisions: Iterable[CostlyDecision], hands: int) -> str:
    """A sentence on the habit that cost most in these hands; empty if nothing happened :data:`LEAST_TIMES` times."""
    costs = defaultdict[str, list[float]](list)
    for each in decisions:
        costs[habit_of(each.phase, each.chosen, each.better)].append(each.cost)
    often = {habit: sum(found) for habit, found in costs.items() if len(found) >= LEAST_TIMES}
    if not often:
        return ""
    habit = max(often, key=often.__getitem__)
    return f"{habit}: this cost you {_wins(100 * often[habit] / hands)} in 100 hands."


def habit_of(phase: str, chosen: int, better: int) -> str:
    """What a person does who chooses one action in a phase where another one is better: ``"You kept your Skips"``."""
    if better == catalogue.CALL:
        return "You did not call UNO in time"
    if chosen == catalogue.CALL:
        return "You called UNO where it was better not to"
    if phase in _HABITS:
        for action, is_chosen, habit in _HABITS[phase]:
            if action == (chosen if is_chosen else better):
                return habit
    if phase == "swap":
        return "You swapped hands with the wrong player"
    if chosen >= catalogue.DECLARE or _kind(chosen) == _kind(better) >= FIRST_WILD:
        return "You declared the wrong colour"
    return _habit_of_cards(chosen, better)


_HABITS = {
    "drawn": (
        (catalogue.PASS, True, "You kept cards that you had just drawn and could have played"),
        (catalogue.PASS, False, "You played cards that you had just drawn where it was better to keep them"),
    ),
    "challenge": (
        (catalogue.CHALLENGE, True, "You challenged Wild Draw Fours that were better accepted"),
        (catalogue.CHALLENGE, False, "You accepted Wild Draw Fours that were better challenged"),
    ),
    "stack": (
        (catalogue.ACCEPT, True, "You took penalties that you could have passed on"),
        (catalogue.ACCEPT, False, "You passed penalties on that were better taken"),
    ),
    "catch": (
        (catalogue.PASS, True, "You did not catch players who had forgotten to call UNO"),
        (catalogue.PASS, False, "You caught players where it was better to let them go"),
    ),
    "jump_in": (
        (catalogue.PASS, True, "You let chances to jump in go"),
        (catalogue.PASS, False, "You jumped in where it was better to wait"),
    ),
}
"""By phase: an action, whether it is the one that was chosen or the better one, and what that is."""


def _habit_of_cards(chosen: int, better: int) -> str:
    """The habit of who lays or keeps the wrong card."""
    played, missed = _group(chosen), _group(better)
    if chosen == catalogue.DRAW:
        return "You drew where you could have played" + (f" your {_several(missed)}" if missed != _NUMBER else "")
    if better == catalogue.DRAW:
        return f"You played {_several(played)} where it was better to draw"
    if played == missed:
        return f"You played the wrong one of your {_several(played)}"
    if missed == _NUMBER or (played.startswith("Wild") and not missed.startswith("Wild")):
        return f"You played your {_several(played)} too early"
    return f"You kept your {_several(missed)}"


def _kind(action: int) -> int:
    return int(KIND_OF[action]) if action < catalogue.DRAW else -1


def _group(action: int) -> str:
    """What a card is beside its colour: ``"Draw Two"``, ``"Wild"``, ``"number card"``."""
    kind = _kind(action)
    if kind < 0:
        return "other move"
    if kind >= FIRST_WILD:
        return CARD_NAMES[kind]
    return _NUMBER if kind % RANKS_PER_COLOUR < _DRAWS_OR_ACTS else CARD_NAMES[kind].partition(" ")[2]


def _several(group: str) -> str:
    usual = group in (_NUMBER, CARD_NAMES[WILD], CARD_NAMES[WILD_DRAW_FOUR]) or not group.startswith("Wild")
    return f"{group}s" if usual else f"{group} cards"


def _wins(number: float) -> str:
    whole = round(number)
    return "less than 1 win" if whole < 1 else f"about {whole} win{'s'[: whole > 1]}"
