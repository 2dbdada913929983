"""The habit that costs a person most, in words: :func:`costliest_habit`."""

from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from uno_env.actions import catalogue
from uno_env.common.phrases import Phrase
from uno_env.editions.classic import CLASSIC
from uno_env.editions.edition import NO_COLOUR, NO_NUMBER, Edition, Face
from uno_table.table.sentences import TABLE_SENTENCES

LEAST_TIMES = 3
"""The times that a mistake has to be made to count as a habit."""

_say = TABLE_SENTENCES.phrase

_NUMBER = "number"


class CostlyDecision(NamedTuple):
    """A choice that surely cost something."""

    phase: str
    chosen: int
    """The action."""
    better: int
    """The action that would have cost nothing."""
    cost: float
    """Win rate lost, from 0 to 1."""
    edition: Edition = CLASSIC
    """The edition of the game."""
    side: int = 0
    """The side of the cards that counted."""


def costliest_habit(decisions: Iterable[CostlyDecision], hands: int) -> str:
    """A sentence on the habit that cost most in these hands; empty if nothing happened :data:`LEAST_TIMES` times."""
    costs = defaultdict[Phrase, list[float]](list)
    for each in decisions:
        costs[habit_of(each.phase, each.chosen, each.better, each.edition, each.side)].append(each.cost)
    often = {habit: sum(found) for habit, found in costs.items() if len(found) >= LEAST_TIMES}
    if not often:
        return ""
    habit = max(often, key=often.__getitem__)
    return _say("habit", habit=habit, wins=_wins(100 * often[habit] / hands))


def habit_of(phase: str, chosen: int, better: int, edition: Edition = CLASSIC, side: int = 0) -> Phrase:
    """Name the habit of choosing one action in a phase where another one is better: ``"You kept your Skips"``."""
    texts, first = catalogue(edition).texts, catalogue(edition).first
    if better == first.call:
        return _say("habit.no_call")
    if chosen == first.call:
        return _say("habit.call")
    for action, is_chosen, habit in _HABITS.get(phase, ()):
        if action == texts[chosen if is_chosen else better]:
            is_other_wild = phase == "challenge" and edition.challenged != CLASSIC.challenged
            return _say(f"{habit}_wild" if is_other_wild else habit)
    if phase == "swap":
        return _say("habit.swap")
    played, missed = _face(chosen, edition, side), _face(better, edition, side)
    if chosen >= first.declare or (played == missed and played is not None and played.colour == NO_COLOUR):
        return _say("habit.colour")
    return _habit_of_cards(texts[chosen], texts[better], _group(played), _group(missed))


_HABITS = {
    "drawn": (("pass", True, "habit.kept_drawn"), ("pass", False, "habit.played_drawn")),
    "challenge": (("challenge", True, "habit.challenged"), ("challenge", False, "habit.accepted")),
    "stack": (("accept", True, "habit.took"), ("accept", False, "habit.passed_on")),
    "catch": (("pass", True, "habit.did_not_catch"), ("pass", False, "habit.caught")),
    "jump_in": (("pass", True, "habit.let_go"), ("pass", False, "habit.jumped_in")),
}
"""By phase: an action, True if it is the chosen one, False if it is the better one, and the key of the habit."""


_WILDS = ("w", "dw")
"""The beginnings of the texts of wilds."""


def _habit_of_cards(chosen: str, better: str, played: str, missed: str) -> Phrase:
    """The habit of who lays or keeps the wrong card."""
    if chosen == "draw":
        return _say("habit.drew") if missed == _NUMBER else _say("habit.drew_before", cards=_several(missed))
    if better == "draw":
        return _say("habit.did_not_draw", cards=_several(played))
    if played == missed:
        return _say("habit.wrong_one", cards=_several(played))
    if missed == _NUMBER or (played.startswith(_WILDS) and not missed.startswith(_WILDS)):
        return _say("habit.too_early", cards=_several(played))
    return _say("habit.kept", cards=_several(missed))


def _face(action: int, edition: Edition, side: int) -> Face | None:
    """The face of the card that an action lays, if it lays one."""
    kind = catalogue(edition).kinds[action]
    return edition.faces_on(side)[kind] if kind >= 0 else None


def _group(face: Face | None) -> str:
    """The kind of a card, whatever its colour: ``"+2"``, ``"w"``, ``"number"``."""
    if face is None:
        return "other"
    if face.colour == NO_COLOUR:
        return face.text
    return _NUMBER if face.number != NO_NUMBER else face.text[1:]


def _several(group: str) -> Phrase:
    return _say(f"several.{group}")


def _wins(number: float) -> Phrase:
    whole = round(number)
    return _say("habit.less_than_a_win") if whole < 1 else _say("habit.wins", number=whole)
