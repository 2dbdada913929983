"""What costs a person most, in words: uno_table/hands/habits.py."""

import pytest

from uno_env.actions import ACTION_TEXTS, catalogue, parse
from uno_env.core.record import PHASE_NAMES
from uno_env.editions.flip import FLIP
from uno_table.hands.habits import LEAST_TIMES, CostlyDecision, costliest_habit, habit_of


@pytest.mark.parametrize(
    ("phase", "chosen", "better", "habit"),
    [
        ("play", "r5", "w+4:g", "You kept your Wild Draw Fours"),
        ("play", "r5", "bs", "You kept your Skips"),
        ("play", "w:g", "r5", "You played your Wilds too early"),
        ("play", "w+4:g", "b+2", "You played your Wild Draw Fours too early"),
        ("play", "b+2", "r5", "You played your Draw Twos too early"),
        ("play", "b+2", "w:r", "You kept your Wilds"),
        ("play", "r5", "b5", "You played the wrong one of your number cards"),
        ("play", "rs", "bs", "You played the wrong one of your Skips"),
        ("play", "w:g", "w:r", "You declared the wrong colour"),
        ("first_colour", "colour:r", "colour:b", "You declared the wrong colour"),
        ("play", "draw", "r5", "You drew where you could have played"),
        ("play", "draw", "w+4:r", "You drew where you could have played your Wild Draw Fours"),
        ("play", "y+2", "draw", "You played Draw Twos where it was better to draw"),
        ("play", "r5", "call", "You did not call UNO in time"),
        ("drawn", "pass", "r5", "You kept cards that you had just drawn and could have played"),
        ("drawn", "r5", "pass", "You played cards that you had just drawn where it was better to keep them"),
        ("drawn", "w:g", "w:r", "You declared the wrong colour"),
        ("challenge", "challenge", "accept", "You challenged Wild Draw Fours that were better accepted"),
        ("challenge", "accept", "challenge", "You accepted Wild Draw Fours that were better challenged"),
        ("stack", "accept", "b+2", "You took penalties that you could have passed on"),
        ("stack", "b+2", "accept", "You passed penalties on that were better taken"),
        ("catch", "pass", "catch", "You did not catch players who had forgotten to call UNO"),
        ("jump_in", "pass", "jump_in", "You let chances to jump in go"),
        ("jump_in", "jump_in", "pass", "You jumped in where it was better to wait"),
        ("swap", "swap1", "swap2", "You swapped hands with the wrong player"),
        ("play", "r5", "wsh:r", "You kept your Wild Shuffle Hands cards"),
    ],
)  # fmt: skip
def test_what_a_choice_is_an_example_of(phase: str, chosen: str, better: str, habit: str) -> None:
    assert habit_of(phase, parse(chosen), parse(better)) == habit


@pytest.mark.parametrize(
    ("phase", "side", "chosen", "better", "habit"),
    [
        ("play", 0, "r5/p7", "yf/o3", "You kept your Flips"),
        ("play", 1, "r5/p7", "r4/u+5", "You kept your Draw Fives"),
        ("play", 1, "r9/dwc:p", "r5/p7", "You played your Wild Draw Colours too early"),
        ("challenge", 1, "challenge", "accept", "You challenged wild draw cards that were better accepted"),
    ],
)  # fmt: skip
def test_of_cards_with_two_sides_the_one_in_force_counts(
    phase: str, side: int, chosen: str, better: str, habit: str
) -> None:
    id_of = catalogue(FLIP).id_of
    assert habit_of(phase, id_of[chosen], id_of[better], FLIP, side) == habit


@pytest.mark.thorough
def test_every_choice_is_a_sentence_about_you() -> None:
    for phase in PHASE_NAMES:
        for chosen in range(len(ACTION_TEXTS)):
            for better in range(len(ACTION_TEXTS)):
                assert habit_of(phase, chosen, better).startswith("You ")
    for action in range(catalogue(FLIP).first.number):
        assert {str(habit_of("play", action, 0, FLIP, side))[:4] for side in range(2)} == {"You "}


def decisions(chosen: str, better: str, cost: float, times: int) -> list[CostlyDecision]:
    return [CostlyDecision("play", parse(chosen), parse(better), cost)] * times


def test_the_costliest_habit_is_what_cost_most_in_all_and_happened_often() -> None:
    kept, early = decisions("r5", "w+4:g", 0.1, 6), decisions("b+2", "r5", 0.05, 8)
    once = decisions("draw", "r5", 0.9, 1)
    told = costliest_habit([*early, *kept, *once], 20)
    assert told == "You kept your Wild Draw Fours: this cost you about 3 wins in 100 hands."
    assert costliest_habit(decisions("r5", "w+4:g", 0.1, LEAST_TIMES - 1), 20) == ""
    assert costliest_habit([], 0) == ""


@pytest.mark.parametrize(("cost", "wins"), [(0.01, "less than 1 win"), (0.03, "about 1 win"), (0.05, "about 2 wins")])
def test_wins_are_whole(cost: float, wins: str) -> None:
    told = costliest_habit(decisions("rs", "r5", cost, 4), 10)
    assert told == f"You played your Skips too early: this cost you {wins} in 100 hands."
