"""Which habit of a person costs them most, in words: :func:`costliest_habit`."""

from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from agents.scripted.strategy import KIND_OF
from uno_env import actions as catalogue
from uno_env.cards import CARD_TEXTS, is_wild, word_of
from uno_env.common.phrases import Phrase
from uno_table.table.sentences import TABLE_SENTENCES

LEAST_TIMES = 3
"""What happened less often is no habit."""

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


def costliest_habit(decisions: Iterable[CostlyDecision], hands: int) -> str:
    """A sentence on the habit that cost most in these hands; empty if nothing happened :data:`LEAST_TIMES` times."""
    costs = defaultdict[Phrase, list[float]](list)
    for each in decisions:
        costs[habit_of(each.phase, each.chosen, each.better)].append(each.cost)
    often = {habit: sum(found) for habit, found in costs.items() if len(found) >= LEAST_TIMES}
    if not often:
        return ""
    habit = max(often, key=often.__getitem__)
    return _say("habit", habit=habit, wins=_wins(100 * often[habit] / hands))


def habit_of(phase: str, chosen: int, better: int) -> Phrase:
    """What a person does who chooses one action in a phase where another one is better: ``"You kept your Skips"``."""
    if better == catalogue.CALL:
        return _say("habit.no_call")
    if chosen == catalogue.CALL:
        return _say("habit.call")
    if phase in _HABITS:
        for action, is_chosen, habit in _HABITS[phase]:
            if action == (chosen if is_chosen else better):
                return _say(habit)
    if phase == "swap":
        return _say("habit.swap")
    if chosen >= catalogue.DECLARE or (_kind(chosen) == _kind(better) >= 0 and is_wild(_kind(chosen))):
        return _say("habit.colour")
    return _habit_of_cards(chosen, better)


_HABITS = {
    "drawn": (
        (catalogue.PASS, True, "habit.kept_drawn"),
        (catalogue.PASS, False, "habit.played_drawn"),
    ),
    "challenge": (
        (catalogue.CHALLENGE, True, "habit.challenged"),
        (catalogue.CHALLENGE, False, "habit.accepted"),
    ),
    "stack": (
        (catalogue.ACCEPT, True, "habit.took"),
        (catalogue.ACCEPT, False, "habit.passed_on"),
    ),
    "catch": (
        (catalogue.PASS, True, "habit.did_not_catch"),
        (catalogue.PASS, False, "habit.caught"),
    ),
    "jump_in": (
        (catalogue.PASS, True, "habit.let_go"),
        (catalogue.PASS, False, "habit.jumped_in"),
    ),
}
"""By phase: an action, whether it is the one that was chosen or the better one, and the key of what that is."""


def _habit_of_cards(chosen: int, better: int) -> Phrase:
    """The habit of who lays or keeps the wrong card."""
    played, missed = _group(chosen), _group(better)
    if chosen == catalogue.DRAW:
        return _say("habit.drew") if missed == _NUMBER else _say("habit.drew_before", cards=_several(missed))
    if better == catalogue.DRAW:
        return _say("habit.did_not_draw", cards=_several(played))
    if played == missed:
        return _say("habit.wrong_one", cards=_several(played))
    if missed == _NUMBER or (played.startswith("w") and not missed.startswith("w")):
        return _say("habit.too_early", cards=_several(played))
    return _say("habit.kept", cards=_several(missed))


def _kind(action: int) -> int:
    return int(KIND_OF[action]) if action < catalogue.DRAW else -1


def _group(action: int) -> str:
    """What a card is beside its colour: ``"+2"``, ``"w"``, ``"number"``."""
    kind = _kind(action)
    if kind < 0:
        return "other"
    if is_wild(kind):
        return CARD_TEXTS[kind]
    return _NUMBER if word_of(kind).isdecimal() else CARD_TEXTS[kind][1:]


def _several(group: str) -> Phrase:
    return _say(f"several.{group}")


def _wins(number: float) -> Phrase:
    whole = round(number)
    return _say("habit.less_than_a_win") if whole < 1 else _say("habit.wins", number=whole)
