"""The exact distance of a policy from an equilibrium of tiny rules: :func:`exploitability`, :func:`measure`.

The *exploitability* of a policy is what a best response wins against it: the mean over seats of what each gains by
changing from the policy to its best response while the others keep it (OpenSpiel's NashConv by the number of seats); 0
for an equilibrium, in rewards, which go from −1 to +1. The best response has perfect recall; the policy measured may
forget, as all do that see observations alone.
"""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from agents.agent import Agent
from train.evaluation.exact.probabilities import agent_policy
from train.evaluation.exact.sweeps import add_ends, best_response, ends_of, states_of, write_plan
from uno_env.core.arrays import Floats
from uno_env.extensive_form.game_tree import GameTree, grow
from uno_env.rules import Rules, as_rules


@dataclass(frozen=True)
class Exploitability:
    """The results of a policy when all seats play it, and when one of them knows it and answers at best."""

    rules: dict[str, Any]
    exploitability: float
    """The gain of the best response, mean over seats."""
    nash_conv: float
    """Sum of the same."""
    values: list[float]
    """Expected reward of each seat when all play the policy."""
    best_responses: list[float]
    """Expected reward of each seat's best response to it."""

    def to_dict(self) -> dict[str, Any]:
        """All fields as plain values for JSON."""
        return asdict(self)

    def report(self, name: str) -> str:
        """One line for a person to read."""
        best = ", ".join(f"{value:+.4f}" for value in self.best_responses)
        return f"{name}: exploitability {self.exploitability:.6f}; best responses to it get {best} by seat"


def exploitability(agent: Agent, rules: Rules | str = "mini") -> Exploitability:
    """The distance of an agent, as it plays, from an equilibrium of tiny rules.

    Args:
        agent: what :func:`agents.load` gives; for its probabilities see
            :func:`train.evaluation.exact.probabilities.agent_policy`.
        rules: rules whose tree is small, or a preset's name.

    Raises:
        ValueError: the rules have no tree, or too large a one, or the agent reads more than observations.
    """
    tree = grow(as_rules(rules))
    return measure(tree, agent_policy(agent, tree))


def uniform_policy(tree: GameTree) -> Floats:
    """The same probability for each legal action: float64 [S]."""
    counts = tree.counts
    return np.append(1.0, np.repeat(1 / counts, counts))


def measure(tree: GameTree, policy: Floats) -> Exploitability:
    """The exploitability of a policy.

    Args:
        tree: the tree.
        policy: probability of each sequence's action in its state, float64 [S].
    """
    states, ends, players = states_of(tree), ends_of(tree), tree.rules.players
    plan = np.zeros(len(policy))
    write_plan(states, policy, -1, plan)
    seats = np.append(np.int8(-1), np.repeat(tree.seats, tree.counts))
    values, best = [], []
    for seat in range(players):
        worth = np.zeros(len(policy))
        add_ends(ends, plan, seat, worth)
        values.append(float(worth[0] + np.where(seats == seat, plan, 0) @ worth))
        best.append(float(best_response(states, seat, worth)))
    nash_conv = sum(best) - sum(values)
    return Exploitability(tree.rules.to_dict(), nash_conv / players, nash_conv, values, best)
