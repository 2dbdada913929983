"""Every scripted strategy, by its name for agents and by its number for compiled code.

A playout loop that is compiled once can be played by each of them::

    scratch, strategy = new_scratch("greedy", random), STRATEGY_NUMBERS["greedy"]
    action = decide(strategy, row, mask, scratch)    # in compiled code

Who always wants the same strategy calls its own function, which compiles sooner.
"""

from collections.abc import Callable
from functools import partial

from agents.scripted import card_preferences as cards
from agents.scripted.card_preferences import choose_preferred, decide_preferred
from agents.scripted.counter import TEMPERATURE, choose_counter, decide_counter
from agents.scripted.greedy import choose_greedy, decide_greedy
from agents.scripted.highest_points import choose_highest_points, decide_highest_points
from agents.scripted.rlcard_rule import choose_rlcard_rule, decide_rlcard_rule
from agents.scripted.strategy import Bytes, Scratch
from agents.scripted.tuned import choose_tuned, decide_tuned
from agents.scripted.uniform import choose_any, choose_any_play, decide_any, decide_any_play
from uno_env.core.jit.njit import njit

STRATEGIES: dict[str, Callable[..., None]] = {
    "random": choose_any,
    "random-play": choose_any_play,
    "highest-points": choose_highest_points,
    "save-wilds": partial(choose_preferred, cards.SAVE_WILDS),
    "dump-wilds": partial(choose_preferred, cards.DUMP_WILDS),
    "keep-zero": partial(choose_preferred, cards.KEEP_ZERO),
    "colour-major": partial(choose_preferred, cards.COLOUR_MAJOR),
    "aggressive": partial(choose_preferred, cards.AGGRESSIVE),
    "counter": partial(choose_counter, 0.0),
    "mixed": partial(choose_counter, TEMPERATURE),
    "rlcard-rule": choose_rlcard_rule,
    "greedy": choose_greedy,
    "tuned": choose_tuned,
}
"""Functions ``choose(rows uint8 [N, D], masks uint8 [N, A], scratch, actions int64 [N])`` that decide every row."""

STRATEGY_NUMBERS = {name: number for number, name in enumerate(STRATEGIES)}
"""What :func:`decide` knows each of :data:`STRATEGIES` by."""
FIRST_PREFERENCE, LAST_PREFERENCE = STRATEGY_NUMBERS["save-wilds"], STRATEGY_NUMBERS["aggressive"]


@njit
def decide(strategy: int, row: Bytes, mask: Bytes, scratch: Scratch) -> int:
    """The action of a strategy; see :mod:`agents.scripted.strategy`."""
    if strategy == 0:
        return decide_any(row, mask, scratch)
    if strategy == 1:
        return decide_any_play(row, mask, scratch)
    if strategy == 2:
        return decide_highest_points(row, mask, scratch)
    if FIRST_PREFERENCE <= strategy <= LAST_PREFERENCE:
        return decide_preferred(strategy - FIRST_PREFERENCE, row, mask, scratch)
    if strategy in (8, 9):
        return decide_counter(0.0 if strategy == 8 else TEMPERATURE, row, mask, scratch)
    if strategy == 10:
        return decide_rlcard_rule(row, mask, scratch)
    if strategy == 11:
        return decide_greedy(row, mask, scratch)
    return decide_tuned(row, mask, scratch)
