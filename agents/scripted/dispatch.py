"""The table of scripted strategies: name, number, what it does, and the compiled function that decides.

Compiled code chooses a strategy by its number, so one playout loop serves all strategies and editions::

    scratch, strategy = new_scratch("greedy", random, edition=edition), STRATEGY_NUMBERS["greedy"]
    action = decide(strategy, rules, row, mask, scratch)    # in compiled code; ``rules`` is a record of the edition

Code that always plays the same strategy takes :func:`for_each_row`, which compiles sooner.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from agents.scripted import card_preferences as cards
from agents.scripted.card_preferences import decide_preferred
from agents.scripted.counter import TEMPERATURE, decide_counter
from agents.scripted.faces import Faces, faces_in
from agents.scripted.greedy import decide_greedy
from agents.scripted.highest_points import decide_highest_points
from agents.scripted.moody import decide_moody
from agents.scripted.rlcard_rule import decide_rlcard_rule
from agents.scripted.strategy import Scratch
from agents.scripted.tuned import decide_tuned
from agents.scripted.uniform import decide_any, decide_any_play
from uno_env.core.arrays import Bytes, Ints
from uno_env.core.edition import sizes_of
from uno_env.core.jit.njit import njit
from uno_env.core.observe.layout import columns_of
from uno_env.core.record import records_of
from uno_env.editions.edition import Edition

WORD = 8
"""Columns that are read at once."""

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


@njit
def show_side(faces: Faces, row: Bytes, mask: Bytes, scratch: Scratch) -> None:
    """Write an observation and a mask as of the side of ``faces`` to the scratch."""
    for column in range(scratch.row.shape[0]):
        scratch.row[column] = 0
    words = row[: row.shape[0] // WORD * WORD].view(np.uint64)  # most are 0
    for word in range(words.shape[0]):
        if words[word] != 0:
            add_columns(faces, row, WORD * word, WORD * word + WORD, scratch.row)
    add_columns(faces, row, WORD * words.shape[0], row.shape[0], scratch.row)
    for action in range(scratch.mask.shape[0]):
        scratch.mask[action] = 0
    for action in range(mask.shape[0]):
        if mask[action] != 0 and faces.actions_seen[action] >= 0:
            scratch.mask[faces.actions_seen[action]] = 1


@njit
def add_columns(faces: Faces, row: Bytes, first: int, end: int, seen: Bytes) -> None:
    """Add columns from ``first`` on, up to ``end``, to those of the side."""
    for column in range(first, end):
        seen[faces.columns_seen[column]] += row[column]


@njit
def first_like(faces: Faces, mask: Bytes, seen: int) -> int:
    """The first legal action that looks like one of the side of ``faces``, or the first one of all if none does."""
    first = -1
    for action in range(mask.shape[0]):
        if mask[action] != 0:
            if faces.actions_seen[action] == seen:
                return action
            first = action if first < 0 else first
    return first


def by_side(decide: DecideBy) -> DecideBy:
    """A compiled function that decides as another one, from what is seen of the side in force if cards have two.

    In the place of the tables it takes a record that says which edition is played, such as that of the rules.
    """

    @njit
    def decide_by_side(strategy: int, rules: Any, row: Bytes, mask: Bytes, scratch: Scratch) -> int:
        if sizes_of(rules).sides == 1:
            return decide(strategy, faces_in(rules, 0), row, mask, scratch)
        faces = faces_in(rules, int(row[columns_of(rules).side] != 0))
        show_side(faces, row, mask, scratch)
        return first_like(faces, mask, decide(strategy, faces, scratch.row, scratch.mask, scratch))

    return decide_by_side


decide = by_side(decide_by_number([strategy.decide for strategy in STRATEGIES.values()]))
"""Compiled: ``decide(strategy, rules, row, mask, scratch)`` is the action of the strategy of a number; ``rules`` is a
record of the edition."""


def for_each_row(decide: Decide, edition: Edition) -> Callable[[Bytes, Bytes, Scratch, Ints], None]:
    """A compiled function that decides many rows of an edition.

    It takes observations in integer form, uint8 [N, D], masks, uint8 [N, A], a scratch, and int64 [N] for the actions.
    """
    rules, decide_one = np.zeros(1, records_of(edition).rules), by_side(decide_by_number([decide]))

    @njit
    def decide_rows(rows: Bytes, masks: Bytes, scratch: Scratch, actions: Ints) -> None:
        for index in range(rows.shape[0]):
            actions[index] = decide_one(0, rules[0], rows[index], masks[index], scratch)

    return decide_rows
