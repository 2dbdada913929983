"""Agents that search: they try their actions in games that the observation allows
(:mod:`agents.search.determinization`).

They see what every agent sees, an observation and a mask, so they play wherever agents do, under all rules. Their
options are explained in :mod:`agents.search.search_options`.
"""

from abc import abstractmethod
from collections.abc import Callable
from functools import cached_property
from typing import Any, Self

import numpy as np

from agents.agent import Agent
from agents.policy.onnx_agent import OnnxAgent
from agents.policy.policy_agent import PolicyAgent
from agents.scripted.agent import ScriptedAgent
from agents.scripted.dispatch import STRATEGY_NUMBERS, decide
from agents.search import ismcts_tree as trees
from agents.search.batched_rollouts import AgentPlayouts
from agents.search.determinization import enter, try_actions
from agents.search.playout import new_search_scratch
from agents.search.racing import Budget, race
from agents.search.search_options import ROLLOUT, FlatOptions, IsmctsOptions, PimcOptions
from uno_env.actions import catalogue
from uno_env.common.copies import compiled_view
from uno_env.core.arrays import Array, Bytes, Ints
from uno_env.core.rng import next_bits_at, stream
from uno_env.editions.classic import CLASSIC
from uno_env.editions.edition import Edition
from uno_env.observation import edition_shown, integer_form

Player = str | Agent
"""A scripted strategy by name, which plays in compiled code, or any agent."""
Policy = Any
"""A saved policy, ours or an ONNX file's, with the probabilities and values that a search asks it for."""

GOALS = {"win": "outcome", "points": "points"}
IMPROBABLE = 0.02
"""Flat Monte Carlo skips actions whose prior is below this share of the highest prior."""
SIMULATIONS_PER_CHECK = 50
"""Simulations between looks at the clock."""
SIMULATIONS_PER_CALL = 200
"""Simulations of one call into compiled code, which take some 20 milliseconds: interrupts are heard in between."""
LEAVES = 16
"""Simulations under way at a time where a network is asked at their leaves."""
MOST_NODES = 200_000


class SearchAgent(Agent):
    """An agent that searches where there is something to choose, as its ``options`` say.

    In playouts ``mine`` plays the observer's seat and ``others`` play the rest; ``critic`` and ``prior`` are the
    policies of the options ``value`` and ``prior``. Each search draws one number from the agent's random generator, and
    all else follows from it.
    """

    only_reads = True

    def __init__(
        self,
        name: str,
        seed: int,
        options: Any,
        mine: Player,
        others: Player,
        critic: Policy | None = None,
        prior: Policy | None = None,
    ) -> None:
        super().__init__(name, seed)
        self.options, self.mine, self.prior = options, mine, prior
        self._strategies = tuple(each if isinstance(each, str) else ROLLOUT for each in (mine, others))
        self._prepare(CLASSIC)
        self._is_scripted = isinstance(mine, str) and isinstance(others, str) and critic is None
        """True if playouts are compiled as a whole; otherwise agents play many at a time."""
        player, depth = _as_agent(mine), options.depth if isinstance(options, FlatOptions) else 0
        self._by_agents = AgentPlayouts(player, player if others == mine else _as_agent(others), critic, depth)

    def _prepare(self, edition: Edition) -> None:
        """Make ready for rows of an edition."""
        self._edition = edition
        mine, others = self._strategies
        self._scratch = new_search_scratch(mine, others, edition=edition)

    @classmethod
    def load(cls, name: str, seed: int, options: Any, load: Callable[[str], Agent]) -> Self:
        """An agent whose players and policies are those that the options name. ``load`` makes an agent of a spec.
        Raises ValueError if an option names no agent that can help a search.
        """

        def named(option: str, or_strategy: bool = False) -> Any:
            spec = getattr(options, option)
            if spec is None or (or_strategy and spec in STRATEGY_NUMBERS):
                return spec
            return _load_policy(option, spec, options.sample, load)

        mine = named("rollout", or_strategy=True)
        others = named("others", or_strategy=True) or mine
        return cls(name, seed, options, mine, others, named("value"), named("prior"))

    def _choose(self, rows: Array, masks: Bytes) -> Ints:
        rows, masks = compiled_view(integer_form(rows)), compiled_view(masks)
        edition = edition_shown(rows.shape[1])
        if edition is not self._edition:
            self._prepare(edition)
        actions, random = masks.argmax(axis=1), self._random.copy()
        for index in np.flatnonzero(np.count_nonzero(masks, axis=1) > 1):
            self._enter(rows, int(index))
            self._check_mask(masks[index])
            actions[index] = self._search(rows[index], masks[index], int(next_bits_at(random, 0)))
        self._random[:] = random  # of a call that is interrupted, nothing was drawn
        return actions

    def _enter(self, rows: Array, index: int) -> None:
        enter(self._scratch, rows[index], GOALS[self.options.goal])

    def _check_mask(self, mask: Bytes) -> None:
        """Check that the actions to try are legal in the games that are dealt, since compiled code does not check
        them.
        """
        wrong = np.flatnonzero((mask != 0) & (self._scratch.mask == 0))
        if wrong.size:
            texts = ", ".join(catalogue(self._edition).texts[action] for action in wrong[:5])
            raise ValueError(f"the mask marks actions that the observation does not allow: {texts}")

    @abstractmethod
    def _search(self, row: Array, mask: Bytes, seed: int) -> int:
        """The action of choice. The scratch is set to the observation, and the mask marks two actions or more."""


class FlatAgent(SearchAgent):
    """``search:flat``: flat Monte Carlo over determinizations.

    Every legal action is tried in many determinizations, and played on to the end by a fast strategy for all seats; the
    action with the best mean result is chosen (:mod:`agents.search.racing`). It is the rollout strategy improved by one
    step, and needs no knowledge but the rules.

    Source: M. Ginsberg, "GIB: imperfect information in a computationally challenging game", 2001, for the
    determinizations; G. Tesauro and G. Galperin, "On-line policy improvement using Monte-Carlo search", 1996, for the
    rollouts.
    """

    options: FlatOptions

    def _search(self, row: Array, mask: Bytes, seed: int) -> int:
        candidates = self._candidates(row, mask)
        if len(candidates) == 1:
            return int(candidates[0])
        return int(candidates[self._judge(candidates, row, mask, seed)])

    def _judge(self, candidates: Ints, row: Array, mask: Bytes, seed: int) -> int:
        """Try some of the legal actions, 2 or more. Returns the index of the best one."""
        favourite = self._favourite(row, mask, seed) if self.options.trust else -1

        def sample(indices: Ints, first: int, number: int) -> Array:
            if not self._is_scripted:
                return self._by_agents.try_actions(self._scratch, candidates[indices], seed, first, number)
            scores = np.zeros((number, len(indices)), np.float32)
            try_actions(self._scratch, candidates[indices], np.uint64(seed), first, scores)
            return scores

        found = np.flatnonzero(candidates == favourite)
        budget = Budget(self.options.num_determinizations, self.options.ms)
        return race(sample, len(candidates), budget, int(found[0]) if found.size else -1, self.options.trust)

    def _candidates(self, row: Array, mask: Bytes) -> Ints:
        """The legal actions, all or those that the prior leaves."""
        legal = np.flatnonzero(mask)
        if self.prior is None:
            return legal
        probabilities = self.prior.probabilities(row[None], mask[None])[0][legal]
        return legal[probabilities >= IMPROBABLE * probabilities.max()]

    def _favourite(self, row: Array, mask: Bytes, seed: int) -> int:
        if isinstance(self.mine, str):
            strategy, scratch = self._scratch.strategies[0], self._scratch.playing[0]
            scratch.random[0] = seed
            return int(decide(strategy, self._scratch.rules[0], row, mask, scratch))
        self.mine.reset(seed)
        return self.mine.act(row, mask)


class TreeAgent(SearchAgent):
    """Base class of the two tree searches, see :mod:`agents.search.ismcts_tree`."""

    options: IsmctsOptions

    @cached_property
    def _leaves(self) -> int:
        """Simulations under way at a time: more than 1 where a network is asked at their leaves."""
        return 1 if self._is_scripted and self.prior is None else LEAVES

    def _prepare(self, edition: Edition) -> None:
        super()._prepare(edition)
        self.__dict__.pop("_tree", None)  # of another edition

    @cached_property
    def _tree(self) -> trees.Tree:
        has_priors = self.prior is not None
        nodes = min(self.options.sims + 2, MOST_NODES)
        if self.options.ms:
            nodes = MOST_NODES // (10 if has_priors else 1)
        return trees.new_tree(nodes, self._leaves, len(self._scratch.mask) if has_priors else 0)

    def _grow(self, seed: int, first: int, number: int, is_single: bool) -> None:
        """Simulations ``first`` to ``first + number`` − 1."""
        end = first + number
        if self._leaves == 1:
            for begin in range(first, end, SIMULATIONS_PER_CALL):
                span = np.array([begin, min(begin + SIMULATIONS_PER_CALL, end)])
                trees.grow(self._scratch, self._tree, self.options.explore, np.uint64(seed), span, is_single)
            return
        for begin in range(first, end, LEAVES):
            self._grow_leaves(seed, begin, min(LEAVES, end - begin), is_single)

    def _grow_leaves(self, seed: int, first: int, number: int, is_single: bool) -> None:
        leaves = np.zeros(number, self._scratch.game.dtype)
        rows, masks = (np.zeros((number, len(each)), np.uint8) for each in (self._scratch.row, self._scratch.mask))
        explore = self.options.explore
        trees.grow_leaves(self._scratch, self._tree, explore, np.uint64(seed), first, is_single, leaves, rows, masks)
        if self.prior is not None:
            trees.set_priors(self._tree, self.prior.probabilities(rows, masks))
        rewards = self._by_agents.rewards(self._scratch, leaves, seed + first)
        for slot in range(number):
            trees.back_up(self._tree, slot, rewards[slot])

    def _clear(self, row: Array, mask: Bytes) -> None:
        trees.clear_tree(self._tree)
        if self.prior is not None:
            self._tree.priors[trees.ROOT] = self.prior.probabilities(row[None], mask[None])[0]

    def _counts(self, legal: Ints) -> tuple[Ints, Array]:
        visits, totals = np.zeros(len(legal), np.int64), np.zeros(len(legal))
        trees.root_counts(self._scratch, self._tree, legal, visits, totals)
        return visits, totals


class IsmctsAgent(TreeAgent):
    """Information set Monte Carlo tree search, with a determinization for each simulation. It takes the most visited
    action.
    """

    def _search(self, row: Array, mask: Bytes, seed: int) -> int:
        self._clear(row, mask)
        budget, done = Budget(self.options.sims, self.options.ms), 0
        while budget.lasts(done):
            number = SIMULATIONS_PER_CHECK if self.options.ms else self.options.sims
            self._grow(seed, done, number, is_single=False)
            done += number
        legal = np.flatnonzero(mask)
        return int(legal[self._counts(legal)[0].argmax()])


class PimcAgent(TreeAgent):
    """Perfect information Monte Carlo: each determinization is searched as if all its cards lay open.

    The action of the highest mean reward over determinizations is chosen. Source: J. Long, N. Sturtevant, M. Buro, T.
    Furtak, "Understanding the success of perfect information Monte Carlo sampling in game tree search", 2010.
    """

    options: PimcOptions

    def _search(self, row: Array, mask: Bytes, seed: int) -> int:
        legal = np.flatnonzero(mask)
        budget, means, done = Budget(self.options.num_determinizations, self.options.ms), np.zeros(len(legal)), 0
        while budget.lasts(done):
            self._clear(row, mask)
            self._grow(int(stream(np.uint64(seed), np.uint64(done))), 0, self.options.sims, is_single=True)
            visits, totals = self._counts(legal)
            means += np.where(visits > 0, totals / np.maximum(visits, 1), -1.0)
            done += 1
        return int(legal[means.argmax()])


def _as_agent(player: Player) -> Agent:
    return ScriptedAgent(player) if isinstance(player, str) else player


def _load_policy(option: str, spec: str, sample: int, load: Callable[[str], Agent]) -> Policy:
    """The saved policy that an option names. It may have been trained for other rules of the edition."""
    try:
        agent = load(f"{spec}?sample={sample}&any_rules=1")
    except ValueError as error:
        raise ValueError(f"{option}={spec!r} is not allowed: {error}") from None
    if not isinstance(agent, PolicyAgent | OnnxAgent):
        raise ValueError(f"{option}={spec!r} is not allowed: it is no saved policy")
    if agent.history or agent.state_size:
        raise ValueError(f"{option}={spec!r} is not allowed: it reads past events, which a search has not")
    if option == "value" and isinstance(agent, OnnxAgent) and "value" not in agent.network.outputs:
        raise ValueError(f"{option}={spec!r} is not allowed: the network gives no value")
    return agent
