"""Any scripted strategy from compiled code, by its number: :func:`decide`, for playouts.

A playout loop that is compiled once can thus be played by each of them::

    mind, strategy = new_mind("greedy", random), STRATEGY_NUMBERS["greedy"]
    action = decide(strategy, row, mask, mind)    # in compiled code

Who always wants the same strategy calls its own function, which compiles sooner.
"""

from agents.scripted.aggressive import decide_aggressive
from agents.scripted.colour_major import decide_colour_major
from agents.scripted.counter import decide_counter, decide_mixed
from agents.scripted.dump_wilds import decide_dump_wilds
from agents.scripted.greedy import decide_greedy
from agents.scripted.highest_points import decide_highest_points
from agents.scripted.keep_zero import decide_keep_zero
from agents.scripted.rlcard_rule import decide_rlcard_rule
from agents.scripted.save_wilds import decide_save_wilds
from agents.scripted.strategy import Bytes, Mind
from agents.scripted.tuned import decide_tuned
from agents.scripted.uniform import decide_any, decide_any_play
from uno_env.core.jit.njit import njit

STRATEGY_NUMBERS = {
    name: number
    for number, name in enumerate(
        (
            "random",
            "random-play",
            "highest-points",
            "save-wilds",
            "dump-wilds",
            "keep-zero",
            "colour-major",
            "aggressive",
            "counter",
            "mixed",
            "rlcard-rule",
            "greedy",
            "tuned",
        )
    )
}
"""What :func:`decide` knows each of :data:`agents.scripted.agent.STRATEGIES` by."""


@njit
def decide(strategy: int, row: Bytes, mask: Bytes, mind: Mind) -> int:
    """The action of a strategy; see :mod:`agents.scripted.strategy`."""
    if strategy == 0:
        return decide_any(row, mask, mind)
    if strategy == 1:
        return decide_any_play(row, mask, mind)
    if strategy == 2:
        return decide_highest_points(row, mask, mind)
    if strategy == 3:
        return decide_save_wilds(row, mask, mind)
    if strategy == 4:
        return decide_dump_wilds(row, mask, mind)
    if strategy == 5:
        return decide_keep_zero(row, mask, mind)
    if strategy == 6:
        return decide_colour_major(row, mask, mind)
    if strategy == 7:
        return decide_aggressive(row, mask, mind)
    if strategy == 8:
        return decide_counter(row, mask, mind)
    if strategy == 9:
        return decide_mixed(row, mask, mind)
    if strategy == 10:
        return decide_rlcard_rule(row, mask, mind)
    if strategy == 11:
        return decide_greedy(row, mask, mind)
    return decide_tuned(row, mask, mind)
