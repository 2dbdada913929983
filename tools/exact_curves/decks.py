"""The tiny decks on which algorithms are measured, each with its tree and the rows that networks read."""

from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt
import torch

from train.common.suite import named_rules, read_suite
from train.evaluation.exact.measure import measure
from train.evaluation.exact.sweeps import states_of, write_plan, write_policy
from train.networks.policy_network import Network
from uno_env.core.arrays import Floats
from uno_env.extensive_form.game_tree import GameTree, grow

BATCH = 65_536
"""Information states whose probabilities are computed at a time."""
DECKS = ("mini", *read_suite().manifest.exact)
SMALL = DECKS[:3]
"""The smallest decks: these get full curves of many seeds."""


@dataclass(frozen=True)
class Deck:
    """A deck with its tree."""

    name: str
    tree: GameTree
    rows: npt.NDArray[np.uint8]
    """The network's input in each information state, uint8 [K, C]."""
    outputs: npt.NDArray[np.int64]
    """The output of a network that stands for each sequence's action, int64 [S]; 0 for sequence 0."""

    def network_policy(self, network: Network, greedy: bool = False) -> Floats:
        """The policy of a network in the tree: probability of each sequence's action in its state, float64 [S].

        Each information state is computed once, in large batches. With ``greedy`` it is the most probable action.
        """
        tree, policy = self.tree, np.ones(len(self.tree.actions))
        for start in range(0, len(tree), BATCH):
            with torch.inference_mode():
                logits = network(torch.from_numpy(self.rows[start : start + BATCH]))[0].numpy()
            first = tree.first[start : start + len(logits) + 1]
            state = np.repeat(np.arange(len(logits)), np.diff(first))
            legal = logits[state, self.outputs[first[0] : first[-1]]].astype(np.float64)
            policy[first[0] : first[-1]] = softmax(legal, first, greedy)
        return policy

    def exploitability(self, policy: Floats) -> float:
        """The gain of a best response, mean over seats."""
        return measure(self.tree, policy).exploitability


@cache
def load_deck(name: str) -> Deck:
    """Grow the tree of a deck."""
    tree = grow(named_rules(name))
    network = Network(tree.rules, (1,))
    rows = [
        network.canonical.rows(part := tree.observations(start, start + BATCH), np.zeros(len(part), np.int64), None)
        for start in range(0, len(tree), BATCH)
    ]
    place = np.zeros(int(max(network.actions)) + 1, np.int64)
    place[network.actions] = np.arange(len(network.actions))
    return Deck(name, tree, np.concatenate(rows), np.append(0, place[tree.actions[1:]]))


def softmax(logits: Floats, first: npt.NDArray[np.int32], greedy: bool = False) -> Floats:
    """Probabilities of actions from logits [S]; the actions of state i are from first[i] to first[i + 1]."""
    starts, counts = first[:-1] - first[0], np.diff(first)
    highest = np.repeat(np.maximum.reduceat(logits, starts), counts)
    weights = (logits == highest).astype(np.float64) if greedy else np.exp(logits - highest)
    return np.asarray(weights / np.repeat(np.add.reduceat(weights, starts), counts))


class AveragePolicy:
    """The average of policies over time, as CFR's: each seat's *plans* are averaged, so that a policy counts in a
    state as often as its own seat comes there by it. The policy added n-th has the weight n."""

    def __init__(self, tree: GameTree) -> None:
        self._states, self._added = states_of(tree), 0
        self._plan, self._sum = np.zeros(len(tree.actions)), np.zeros(len(tree.actions))

    def add(self, policy: Floats) -> None:
        """Add a policy [S]."""
        self._added += 1
        write_plan(self._states, policy, -1, self._plan)
        self._sum += self._added * self._plan

    def policy(self) -> Floats:
        """The average, float64 [S]."""
        policy = np.ones(len(self._sum))
        write_policy(self._states, self._sum, policy)
        return policy
