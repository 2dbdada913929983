"""Putting two parts of a tree together, compiled: :func:`merge_views`, :func:`merge_states`, :func:`merge_ends`.

The parts are grown from some of the deals each (:mod:`uno_env.extensive_form.tree_growth`). What is in the second one
is added to the first one in its order, unless it is there; so the numbers are those of a tree grown as a whole.
"""

from uno_env.core.jit.njit import njit
from uno_env.extensive_form.outcomes import copy_array
from uno_env.extensive_form.tree_growth import (
    ENDS,
    NODES,
    REWARDS,
    SEQUENCES,
    STATES,
    VIEWS,
    add_state,
    find_reward,
    find_view,
    finish_end,
    state_of,
)


@njit
def merge_views(grown, part, fixed, views):
    """Add the views of a part. The number that each of them has now is written into ``views``, int32."""
    for view in range(part.number[VIEWS]):
        if view < fixed.rules.players:
            views[view] = view
            continue
        copy_array(part.views[view], fixed.words)
        fixed.words[0] = views[part.views[view, 0]]
        views[view] = find_view(grown, fixed)


@njit
def merge_states(grown, part, views, sequences):
    """Add the information states of a part. The number that each of its sequences has now is written into
    ``sequences``, int32.
    """
    number = grown.number
    sequences[0] = 0
    for place in range(part.number[STATES]):
        first = part.first[place]
        behind = part.first[place + 1] if place + 1 < part.number[STATES] else part.number[SEQUENCES]
        view, question = views[part.view_of[place]], part.questions[place]
        state = state_of(grown, view, question)
        if state < 0:
            state = add_state(grown, part.seats[place], view, question, sequences[part.parents[place]])
            copy_array(part.observed[place], grown.observed[state])
            for sequence in range(first, behind):
                grown.actions[number[SEQUENCES]] = part.actions[sequence]
                number[SEQUENCES] += 1
        for sequence in range(first, behind):
            sequences[sequence] = grown.first[state] + sequence - first


@njit
def merge_ends(grown, part, sequences, rewards):
    """Add the ends of a part, and its nodes. ``rewards`` is room for as many numbers, int32."""
    number = grown.number
    for reward in range(part.number[REWARDS]):
        rewards[reward] = find_reward(grown, part.rewards[reward])
    for end in range(part.number[ENDS]):
        for seat in range(part.end_sequences.shape[1]):
            grown.end_sequences[number[ENDS], seat] = sequences[part.end_sequences[end, seat]]
        finish_end(grown, rewards[part.end_rewards[end]], part.end_shares[end])
    number[NODES] += part.number[NODES] - 1
