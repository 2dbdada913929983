"""Kernels of games (:mod:`uno_env.core.jit.places`), made of the loops of :mod:`uno_env.core.loops.batch`.

On a GPU a game is stepped by one lane. What it shows is written to memory that the lanes of a block share, game after
game; then all lanes copy it, each of them every 32nd byte, so that neighbouring lanes write to neighbouring bytes.

An illegal action is found by the GPU itself. From then on no kernel changes a game, until the processor has been told:
``refused``, int64 [2], says whether an action of the last step was refused, and whether one of an earlier step was.
"""

from uno_env.core.jit.njit import njit
from uno_env.core.jit.places import LANES, Blocks, Each
from uno_env.core.legal import legal_actions
from uno_env.core.loops.batch import (
    act_in_game,
    deal_chosen,
    sample_legal,
    scale_rows,
    seed_games,
    step_batch,
    view_games,
)
from uno_env.core.observe.encode import encode_anew, known_end
from uno_env.core.observe.history import record_decisions, record_outcomes, view_histories
from uno_env.core.observe.layout import columns_of
from uno_env.core.observe.planes import fill_cells, fill_rlcard
from uno_env.core.packed_games import game_at
from uno_env.core.rules.illegal import is_refused

NOW, BEFORE = 0, 1
"""The places in ``refused``."""
WORD = 4
"""Bytes that a lane's memory is counted in: rows of an odd number of words are in different banks of it."""


@njit
def row_size(columns, actions):
    """Bytes of a lane for its columns and a mask: an odd number of words."""
    return ((columns + actions + WORD - 1) // WORD | 1) * WORD


@njit
def check_actions(rules, mask, given, actions, refused, start, stop):
    """Take over the actions ``given``, int64 [N], and find out whether any of them is to be refused."""
    for index in range(start, stop):
        if refused[BEFORE]:
            break
        action = given[index]
        actions[index] = action
        if action < 0 or action >= mask.shape[1] or (is_refused(rules) and mask[index, action] == 0):
            refused[NOW] = 1


@njit
def step_lane(block, lane, shared, width, refused, games, rules, actions, view, outcome, floats):
    """Act in a lane's game, and write what it shows to the lane's part of ``shared``, ``width`` bytes.

    ``view`` and ``outcome`` are as in :func:`uno_env.core.loops.batch.step_games`.
    """
    index = block + lane
    if refused[NOW]:
        if index == 0:
            refused[BEFORE] = 1
    elif index < len(games):
        _, mask, seat, known = view
        act_in_game(games, rules, actions[index], mask, outcome, index)
        game = game_at(games, index, rules)
        row = shared[lane * width : (lane + 1) * width]
        seat[index] = game.to_move
        known[index] = encode_anew(game, rules, game.to_move, row, known[index])
        legal_actions(game, rules, row[width - mask.shape[1] :])


@njit
def show_block(block, lane, shared, width, refused, games, rules, actions, view, outcome, floats):
    """Copy what a block's games show: the lane's share of every game's columns and mask.

    ``floats`` is two arrays, scales [D] and the float form of observations [N, D], or [0, 0] if nobody wants it.
    """
    at = columns_of(rules)
    if refused[NOW]:
        return
    obs, mask, _, known = view
    scales, scaled = floats
    for game in range(min(LANES, len(games) - block)):
        index, first = block + game, game * width
        last = known_end(rules) if known[index] else at.known
        for column in range(lane, last, LANES):
            obs[index, column] = shared[first + column]
            if len(scaled):
                scaled[index, column] = shared[first + column] * scales[column]
        for action in range(lane, mask.shape[1], LANES):
            mask[index, action] = shared[first + width - mask.shape[1] + action]


@njit
def record_taken(refused, games, rules, mask, actions, history, start, stop):
    """Record the decisions about to be taken, unless one of them is refused."""
    if not refused[NOW]:
        record_decisions(games, rules, mask, actions, history, start, stop)


@njit
def record_done(refused, games, rules, history, start, stop):
    """Record what came of a step or a deal, unless the step was refused."""
    if not refused[NOW]:
        record_outcomes(games, rules, history, start, stop)


CELLS = Each(fill_cells)
CHECK = Each(check_actions)
DEAL_CHOSEN = Each(deal_chosen)
RECORD_DONE = Each(record_done)
RECORD_TAKEN = Each(record_taken)
RLCARD = Each(fill_rlcard)
SAMPLE = Each(sample_legal)
SCALE = Each(scale_rows)
SEED = Each(seed_games)
STEP = Each(step_batch)
STEP_LANES = Blocks(step_lane, show_block)
VIEW = Each(view_games)
VIEW_HISTORIES = Each(view_histories)
