"""The probabilities by which an agent plays in each information state: :func:`agent_policy`."""

from collections.abc import Callable
from functools import cache

import numpy as np

from agents.agent import Agent
from agents.policy.onnx_agent import OnnxAgent
from agents.policy.policy_agent import PolicyAgent
from agents.scripted.agent import ScriptedAgent
from agents.scripted.dispatch import STRATEGIES
from agents.scripted.faces import faces_of
from agents.scripted.strategy import Scratch
from uno_env.core.arrays import Array, Bytes, Floats
from uno_env.core.jit.njit import njit
from uno_env.editions.edition import Edition
from uno_env.extensive_form.game_tree import GameTree

DRAWS = 64
"""The times that an agent is asked in each information state, if it does not tell its probabilities."""
BATCH = 1_024
"""Information states that an agent is asked for at a time. A search takes many seconds for them."""
BY_LOT = ("random", "mixed", "rlcard-rule")
"""Scripted agents that use chance for more than a choice among actions of the same score."""


def agent_policy(
    agent: Agent, tree: GameTree, draws: int = DRAWS, progress: Callable[[int], object] | None = None
) -> Floats:
    """Probability of each sequence's action in its information state: float64 [S].

    A saved policy or network plays its most probable actions, or with ``sample=1`` its probabilities. A scripted agent
    plays the actions of its highest score with the same probability. Any other agent tells its probabilities, or is
    asked ``draws`` times, and the frequencies are taken. ``progress`` is called with the states that are done.

    Raises:
        ValueError: the agent reads past events, of which observations in the tree have none.
    """
    if agent.history:
        raise ValueError(f"{agent.name!r} reads past events, and information states have observations alone")
    policy = np.ones(len(tree.actions))
    for start in range(0, len(tree), BATCH):
        rows, masks = tree.observations(start, start + BATCH), tree.masks(start, start + BATCH)
        shares = action_shares(agent, rows, masks, draws)
        first = tree.first[start : start + len(rows) + 1]
        policy[first[0] : first[-1]] = tree.gather(shares, start)
        if progress is not None:
            progress(start + len(rows))
    return policy


def action_shares(agent: Agent, rows: Bytes, masks: Bytes, draws: int = DRAWS) -> Floats:
    """The probabilities by which an agent plays, float64 [N, A], as :func:`agent_policy` takes them. The agent reads
    observations alone, uint8 [N, D], and masks [N, A].
    """
    shares: Floats = _probabilities(agent, rows, masks, draws).astype(np.float64)
    return shares / shares.sum(axis=1, keepdims=True)


def _probabilities(agent: Agent, rows: Bytes, masks: Bytes, draws: int) -> Array:
    if isinstance(agent, ScriptedAgent) and agent.name == "random":
        return masks
    if isinstance(agent, ScriptedAgent) and agent.name not in BY_LOT:
        shares = np.zeros(masks.shape)
        _ties_function(agent.name, agent._edition)(rows, masks, agent._scratch, shares)
        return shares
    is_greedy = isinstance(agent, (PolicyAgent, OnnxAgent)) and not agent.sample
    told = None if is_greedy else agent.probabilities(rows, masks)
    if told is not None:
        return np.asarray(told)
    counts, asked = np.zeros(masks.shape), np.arange(len(rows))
    for _ in range(1 if is_greedy else draws):
        counts[asked, agent.act_batch(rows, masks)] += 1
    return counts


@cache
def _ties_function(name: str, edition: Edition) -> Callable[[Bytes, Bytes, Scratch, Floats], None]:
    """A compiled function that marks the actions that a strategy scores highest: 1 in float64 [N, A]."""
    decide, faces = STRATEGIES[name].decide, faces_of(edition)

    @njit
    def write_ties(rows: Bytes, masks: Bytes, scratch: Scratch, shares: Floats) -> None:
        for row in range(rows.shape[0]):
            chosen = decide(faces[0], rows[row], masks[row], scratch)
            shares[row, chosen] = 1.0
            legal = 0
            for action in range(masks.shape[1]):
                legal += masks[row, action]
            for action in range(masks.shape[1]):
                if legal > 1 and masks[row, action] and scratch.scores[action] == scratch.scores[chosen]:
                    shares[row, action] = 1.0

    return write_ties
