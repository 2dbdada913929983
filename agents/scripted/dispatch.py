"""The table of scripted strategies: name, number, what it does, and the compiled function that decides.

Compiled code chooses a strategy by its number, so one playout loop serves all strategies::

    faces, scratch = faces_of(edition), new_scratch("greedy", random, edition=edition)
    strategy = STRATEGY_NUMBERS["greedy"]
    action = decide(strategy, faces[0], row, mask, scratch)    # in compiled code

Code that always plays the same strategy calls the strategy's own function, which compiles sooner.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

from agents.scripted import card_preferences as cards
from agents.scripted.card_preferences import decide_preferred
from agents.scripted.counter import TEMPERATURE, decide_counter
from agents.scripted.faces import Faces
from agents.scripted.greedy import decide_greedy
from agents.scripted.highest_points import decide_highest_points
from agents.scripted.moody import decide_moody
from agents.scripted.rlcard_rule import decide_rlcard_rule
from agents.scripted.strategy import Scratch
from agents.scripted.tuned import decide_tuned
from agents.scripted.uniform import decide_any, decide_any_play
from uno_env.core.arrays import Array, Bytes, Ints
from uno_env.core.jit.njit import njit

Decide: TypeAlias = Callable[[Faces, Bytes, Bytes, Scratch], int]
"""A compiled function that decides one row; see :mod:`agents.scripted.strategy`."""
DecideBy: TypeAlias = Callable[[int, Faces, Bytes, Bytes, Scratch], int]
"""The same with the number of a strategy first."""


class Strategy(NamedTuple):
    """A line of the table."""

    about: str
    """Its idea and its strength; the words for strength follow the ladder (docs/benchmarks/ladder.md)."""
    decide: Decide
    """Its compiled function."""


def with_parameter(decide_by: Callable[[Any, Faces, Bytes, Bytes, Scratch], int], parameter: float) -> Decide:
    """A compiled function that calls another one with its first argument fixed."""

    @njit
    def decide(faces: Faces, row: Bytes, mask: Bytes, scratch: Scratch) -> int:
        return decide_by(parameter, faces, row, mask, scratch)

    return decide


STRATEGIES: dict[str, Strategy] = {
    "random": Strategy("takes any legal action; very weak", decide_any),
    "random-play": Strategy("lays any card that fits; a beginner", decide_any_play),
    "highest-points": Strategy("lays the card with the most points; easy", decide_highest_points),
    "save-wilds": Strategy("keeps its wilds for the end; average", with_parameter(decide_preferred, cards.SAVE_WILDS)),
    "dump-wilds": Strategy("lays its wilds first; easy", with_parameter(decide_preferred, cards.DUMP_WILDS)),
    "keep-zero": Strategy(
        "keeps zeros and wilds for the end; average", with_parameter(decide_preferred, cards.KEEP_ZERO)
    ),
    "colour-major": Strategy(
        "stays with the colour it holds most of; average", with_parameter(decide_preferred, cards.COLOUR_MAJOR)
    ),
    "aggressive": Strategy(
        "lays cards that hurt others first; average", with_parameter(decide_preferred, cards.AGGRESSIVE)
    ),
    "moody": Strategy("hurts others first, and keeps its wilds when somebody is ahead; average", decide_moody),
    "counter": Strategy(
        "lays the colour that the next player can least follow; average", with_parameter(decide_counter, 0.0)
    ),
    "mixed": Strategy(
        "plays like counter, but draws its card by lot; easy", with_parameter(decide_counter, TEMPERATURE)
    ),
    "rlcard-rule": Strategy("the rule player of the RLCard library; easy", decide_rlcard_rule),
    "greedy": Strategy("watches the table and looks one card ahead; strong", decide_greedy),
    "tuned": Strategy("weighs all that good players look at; very strong", decide_tuned),
}
"""All scripted strategies by name. A strategy's number is its place here; nothing else knows it."""

STRATEGY_NUMBERS = {name: number for number, name in enumerate(STRATEGIES)}
"""The number of each strategy, for :data:`decide`."""


def decide_by_number(functions: Sequence[Decide]) -> DecideBy:
    """A compiled function that calls one of ``functions``, the one at the number it is given.

    It raises ValueError for another number.
    """
    last, number = functions[-1], len(functions) - 1
    if number == 0:

        @njit
        def decide_last(strategy: int, faces: Faces, row: Bytes, mask: Bytes, scratch: Scratch) -> int:
            if strategy != 0:
                raise ValueError("no strategy has this number")
            return last(faces, row, mask, scratch)

        return decide_last
    others = decide_by_number(functions[:-1])

    @njit
    def decide_one(strategy: int, faces: Faces, row: Bytes, mask: Bytes, scratch: Scratch) -> int:
        if strategy == number:
            return last(faces, row, mask, scratch)
        return others(strategy, faces, row, mask, scratch)

    return decide_one


decide = decide_by_number([strategy.decide for strategy in STRATEGIES.values()])
"""Compiled: ``decide(strategy, faces, row, mask, scratch)`` is the action of the strategy of a number."""


def for_each_row(decide: Decide, faces: Array) -> Callable[[Bytes, Bytes, Scratch, Ints], None]:
    """A compiled function that decides many rows of an edition, whose tables (:func:`agents.scripted.faces.faces_of`)
    are constants in its code.

    It takes observations in integer form, uint8 [N, D], masks, uint8 [N, A], a scratch, and int64 [N] for the actions.
    """

    @njit
    def decide_rows(rows: Bytes, masks: Bytes, scratch: Scratch, actions: Ints) -> None:
        for index in range(rows.shape[0]):
            actions[index] = decide(faces[0], rows[index], masks[index], scratch)

    return decide_rows
