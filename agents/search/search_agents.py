"""Agents that search: they try their actions in games that the observation allows
(:mod:`agents.search.determinization`).

They see what every agent sees, an observation and a mask, so they play wherever agents do, under all rules.
:mod:`agents.search.search_options` has their options, and makes them by their specs.
"""

import time
from abc import abstractmethod
from typing import Any

import numpy as np
import numpy.typing as npt

from agents.agent import Agent
from agents.policy.policy_agent import PolicyAgent
from agents.scripted.agent import new_scratch
from agents.scripted.dispatch import STRATEGY_NUMBERS, decide
from agents.search import ismcts_tree as trees
from agents.search.batched_rollouts import AgentPlayouts
from agents.search.determinization import enter, new_search_scratch
from agents.search.flat_monte_carlo import try_actions
from agents.search.racing import Budget, Race, race
from uno_env.core.rng import next_bits_at, stream
from uno_env.observation import integer_form

Array = npt.NDArray[Any]
Mask = npt.NDArray[np.uint8]
Ints = npt.NDArray[np.int64]
Player = str | Agent
"""A scripted strategy by name, which plays in compiled code, or any agent."""

ROLLOUT = "tuned"
"""Strategy that plays determinizations on if none is named."""
DEPTH = 2
"""Choices of the observer before a network's value is asked for: of 583 differences between actions in 200 positions of
duel, 64 determinizations estimate that between outcomes with a mean square error of 0.0060 at once, 0.0051 after one
choice, 0.0038 after two, 0.0041 after three, 0.0073 after six, and 0.0210 by playing to the end."""
GOALS = {"win": "outcome", "points": "points"}
IMPROBABLE = 0.02
"""What a prior must give an action, as a share of the most probable one's, for flat Monte Carlo to try it."""
SIMULATIONS_PER_CHECK = 50
"""Simulations between looks at the clock."""
LEAVES = 16
"""Simulations under way at a time where a network is asked at their leaves."""
MOST_NODES = 200_000


class SearchAgent(Agent):
    """An agent that searches where there is something to choose.

    Args:
        name: see :class:`agents.Agent`.
        seed: likewise; each search draws one number from the agent's random generator, and all else follows from it.
        goal: one of :data:`GOALS`.
        mine: who plays the observer's seat in playouts.
        others: who plays the other seats.
    """

    def __init__(self, name: str, seed: int, goal: str, mine: Player, others: Player) -> None:
        super().__init__(name, seed)
        self.goal, self.mine, self.others = goal, mine, others
        strategies = [each if isinstance(each, str) else ROLLOUT for each in (mine, others)]
        self._scratch = new_search_scratch(*(new_scratch(strategy, np.zeros(1, np.uint64)) for strategy in strategies))
        self._numbers = np.array([STRATEGY_NUMBERS[strategy] for strategy in strategies])
        self._is_scripted = isinstance(mine, str) and isinstance(others, str)

    def _choose(self, rows: Array, masks: Mask) -> Ints:
        rows = integer_form(rows)
        actions = masks.argmax(axis=1)
        for index in np.flatnonzero(np.count_nonzero(masks, axis=1) > 1):
            self._enter(rows, int(index))
            actions[index] = self._search(rows[index], masks[index], int(next_bits_at(self._random, 0)))
        return actions

    def _enter(self, rows: Array, index: int) -> None:
        enter(self._scratch, rows[index], GOALS[self.goal])

    @abstractmethod
    def _search(self, row: Array, mask: Mask, seed: int) -> int:
        """The action of choice, the scratch being set to the observation; the mask marks two actions or more."""

    def _playouts(self, critic: PolicyAgent | None, depth: int = 0) -> AgentPlayouts:
        mine, others = (_as_agent(each) for each in (self.mine, self.others))
        return AgentPlayouts(mine, mine if self.others == self.mine else others, critic, depth)


class FlatAgent(SearchAgent):
    """Flat Monte Carlo, see :mod:`agents.search.flat_monte_carlo`.

    Args:
        budget: determinizations that an action is tried in at most, or milliseconds a decision.
        trust: how many standard errors better than what ``mine`` would do another action must be.
        critic, depth: see :class:`agents.search.batched_rollouts.AgentPlayouts`.
        prior: a policy that leaves out improbable actions, or None.
    """

    def __init__(
        self,
        *common: Any,
        budget: Budget,
        trust: float = 1.0,
        critic: PolicyAgent | None = None,
        depth: int = 0,
        prior: PolicyAgent | None = None,
    ) -> None:
        super().__init__(*common)
        self.budget, self.trust, self.prior = budget, trust, prior
        self._by_agents = None if self._is_scripted and critic is None else self._playouts(critic, depth)

    def _search(self, row: Array, mask: Mask, seed: int) -> int:
        candidates = self._candidates(row, mask)
        if len(candidates) == 1:
            return int(candidates[0])
        return int(candidates[self.judge(candidates, row, mask, seed).chosen])

    def judge(self, candidates: Ints, row: Array, mask: Mask, seed: int) -> Race:
        """Try some of the legal actions, 2 or more; what came of it."""
        favourite = self._favourite(row, mask, seed) if self.trust else -1

        def sample(indices: Ints, first: int, number: int) -> Array:
            if self._by_agents is not None:
                return self._by_agents.try_actions(self._scratch, candidates[indices], seed, first, number)
            scores = np.zeros((number, len(indices)), np.float32)
            try_actions(self._scratch, self._numbers, candidates[indices], np.uint64(seed), first, scores)
            return scores

        found = np.flatnonzero(candidates == favourite)
        return race(sample, len(candidates), self.budget, int(found[0]) if found.size else -1, self.trust)

    def _candidates(self, row: Array, mask: Mask) -> Ints:
        """The legal actions, all or those that the prior leaves."""
        legal = np.flatnonzero(mask)
        if self.prior is None:
            return legal
        probabilities = self.prior.probabilities(row[None], mask[None])[0][legal]
        return legal[probabilities >= IMPROBABLE * probabilities.max()]

    def _favourite(self, row: Array, mask: Mask, seed: int) -> int:
        if isinstance(self.mine, str):
            self._scratch.playing[0].random[0] = seed
            return int(decide(self._numbers[0], row, mask, self._scratch.playing[0]))
        self.mine.reset(seed)
        return self.mine.act(row, mask)


class TreeAgent(SearchAgent):
    """What the two tree searches share, see :mod:`agents.search.ismcts_tree`.

    Args:
        simulations: how many; of each determinization for :class:`PimcAgent`.
        ms: milliseconds a decision instead, 0 for none.
        explore: weight of trying what was tried less often.
        critic: whose value stands for playouts, or None.
        prior: a policy by whose probabilities actions are tried, or None.
    """

    def __init__(
        self,
        *common: Any,
        simulations: int,
        ms: float = 0.0,
        explore: float = 0.7,
        critic: PolicyAgent | None = None,
        prior: PolicyAgent | None = None,
    ) -> None:
        super().__init__(*common)
        self.simulations, self.ms, self.explore, self.critic, self.prior = simulations, ms, explore, critic, prior
        batched = not self._is_scripted or critic is not None or prior is not None
        self._by_agents = self._playouts(critic) if batched else None
        nodes = min(simulations + 2, MOST_NODES) if not ms else MOST_NODES // (10 if prior else 1)
        self._tree = trees.new_tree(nodes, LEAVES if batched else 1, prior is not None)
        self._leaves, self._rows, self._masks = trees.leaf_arrays(LEAVES if batched else 0)

    def _grow(self, seed: int, first: int, number: int, is_single: bool) -> None:
        """Simulations ``first`` to ``first + number`` − 1."""
        start = np.uint64(seed)
        if self._by_agents is None:
            span = np.array([first, first + number])
            trees.grow(self._scratch, self._tree, self._numbers, self.explore, start, span, is_single)
            return
        for begin in range(first, first + number, LEAVES):
            self._grow_leaves(seed, begin, min(LEAVES, first + number - begin), is_single)

    def _grow_leaves(self, seed: int, first: int, number: int, is_single: bool) -> None:
        assert self._by_agents is not None
        leaves, rows, masks = self._leaves[:number], self._rows[:number], self._masks[:number]
        trees.grow_leaves(
            self._scratch, self._tree, self.explore, np.uint64(seed), first, is_single, leaves, rows, masks
        )
        if self.prior is not None:
            trees.set_priors(self._tree, self.prior.probabilities(rows, masks))
        rewards = self._by_agents.rewards(self._scratch, leaves, seed + first)
        for slot in range(number):
            trees.back_up(self._tree, slot, rewards[slot])

    def _clear(self, row: Array, mask: Mask) -> None:
        trees.clear_tree(self._tree)
        if self.prior is not None:
            self._tree.priors[trees.ROOT] = self.prior.probabilities(row[None], mask[None])[0]

    def _counts(self, legal: Ints) -> tuple[Ints, Array]:
        visits, totals = np.zeros(len(legal), np.int64), np.zeros(len(legal))
        trees.root_counts(self._tree, legal, visits, totals)
        return visits, totals


class IsmctsAgent(TreeAgent):
    """Information set Monte Carlo tree search: every simulation in a determinization of its own; the most visited
    action."""

    def _search(self, row: Array, mask: Mask, seed: int) -> int:
        self._clear(row, mask)
        began, done = time.perf_counter(), 0
        while done < self.simulations if not self.ms else _goes_on(began, self.ms, done):
            number = SIMULATIONS_PER_CHECK if self.ms else self.simulations
            self._grow(seed, done, number, is_single=False)
            done += number
        legal = np.flatnonzero(mask)
        return int(legal[self._counts(legal)[0].argmax()])


class PimcAgent(TreeAgent):
    """Perfect information Monte Carlo: each determinization is searched as if all its cards lay open.

    The action of the highest mean reward over determinizations is chosen. Source: J. Long, N. Sturtevant, M. Buro, T.
    Furtak, "Understanding the success of perfect information Monte Carlo sampling in game tree search", 2010.

    Args:
        determinizations: how many to search.
    """

    def __init__(self, *common: Any, determinizations: int, **options: Any) -> None:
        super().__init__(*common, **options)
        self.determinizations = determinizations

    def _search(self, row: Array, mask: Mask, seed: int) -> int:
        legal = np.flatnonzero(mask)
        means, began, done = np.zeros(len(legal)), time.perf_counter(), 0
        while done < self.determinizations if not self.ms else _goes_on(began, self.ms, done):
            self._clear(row, mask)
            self._grow(int(stream(np.uint64(seed), np.uint64(done))), 0, self.simulations, is_single=True)
            visits, totals = self._counts(legal)
            means += np.where(visits > 0, totals / np.maximum(visits, 1), -1.0)
            done += 1
        return int(legal[means.argmax()])


def _goes_on(began: float, ms: float, done: int) -> bool:
    return done == 0 or time.perf_counter() - began < ms / 1000


def _as_agent(player: Player) -> Agent:
    from agents.scripted.agent import ScriptedAgent

    return ScriptedAgent(player) if isinstance(player, str) else player
