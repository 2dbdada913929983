"""Agents that search: they try their actions in worlds that the observation allows
(:mod:`agents.search.determinization`).

``search:flat``, ``search:pimc`` and ``search:ismcts``, with options after a question mark; :func:`load_search` makes
them. They see what every agent sees, an observation and a mask, so they play wherever agents do, under all rules.

=========== ========= ================================================================================================
option      default   meaning
=========== ========= ================================================================================================
``worlds``  300       flat: worlds that an action is tried in at most; pimc (30): worlds searched
``sims``    2000      ismcts: descents of the tree; pimc (100): descents in each world
``ms``      0         milliseconds a decision instead, if not 0; such a choice depends on the machine's speed
``rollout`` tuned     who plays the observer's seat in playouts: a scripted strategy, or a saved policy: its path, or
                      ``zoo:NAME``
``others``  rollout's who plays the other seats there
``sample``  0         1: policies in playouts draw their actions by probability
``goal``    win       what is to be high: the chance to win the hand, or its ``points``
``trust``   1         flat: standard errors by which an action must be better than what ``rollout`` would do itself
``explore`` 0.7       ismcts, pimc: weight of trying what was tried less often
``value``             a policy whose value, once the observer is to choose, stands for the rest of a playout
``depth``   2         flat with ``value``: choices of the observer that are played before
``prior``             a policy: ismcts tries by its probabilities; flat leaves out what it finds improbable, and does
                      at once what it finds alone probable
=========== ========= ================================================================================================
"""

import functools
import time
from abc import abstractmethod
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from agents.agent import Agent
from agents.policy.policy_agent import PolicyAgent
from agents.scripted.agent import new_scratch
from agents.scripted.dispatch import STRATEGY_NUMBERS, decide
from agents.search import ismcts_tree as trees
from agents.search.batched_rollouts import AgentPlayouts
from agents.search.determinization import enter, new_room
from agents.search.flat_monte_carlo import try_actions
from agents.search.racing import Budget, Race, race
from uno_env.core.rng import next_bits_at, stream
from uno_env.observation import integer_form

Array = npt.NDArray[Any]
Mask = npt.NDArray[np.uint8]
Ints = npt.NDArray[np.int64]
Options = Mapping[str, str]
Player = str | Agent
"""A scripted strategy by name, which plays in compiled code, or any agent."""

ROLLOUT = "tuned"
"""Strategy that plays the worlds on if none is named."""
DEPTH = 2
"""Choices of the observer before a network's value is asked for: of 583 differences between actions in 200 positions of
duel, 64 worlds estimate that between outcomes with a mean square error of 0.0060 at once, 0.0051 after one choice,
0.0038 after two, 0.0041 after three, 0.0073 after six, and 0.0210 by playing to the end."""
GOALS = {"win": "outcome", "points": "points"}
IMPROBABLE = 0.02
"""What a prior must give an action, as a share of the most probable one's, for flat Monte Carlo to try it."""
DESCENTS = 50
"""Descents between looks at the clock."""
LEAVES = 16
"""Descents under way at a time where a network is asked at their leaves."""
MOST_NODES = 200_000


class SearchAgent(Agent):
    """An agent that searches where there is something to choose.

    Args:
        name: see :class:`agents.Agent`.
        seed: likewise; each search draws one number from the agent's chance, and all else follows from it.
        goal: one of :data:`GOALS`.
        mine: who plays the observer's seat in playouts.
        others: who plays the other seats.
    """

    def __init__(self, name: str, seed: int, goal: str, mine: Player, others: Player) -> None:
        super().__init__(name, seed)
        self.goal, self.mine, self.others = goal, mine, others
        strategies = [each if isinstance(each, str) else ROLLOUT for each in (mine, others)]
        self._room = new_room(*(new_scratch(strategy, np.zeros(1, np.uint64)) for strategy in strategies))
        self._numbers = STRATEGY_NUMBERS[strategies[0]], STRATEGY_NUMBERS[strategies[1]]
        self._is_scripted = isinstance(mine, str) and isinstance(others, str)

    def _choose(self, rows: Array, masks: Mask) -> Ints:
        rows = integer_form(rows)
        actions = masks.argmax(axis=1)
        for index in np.flatnonzero(np.count_nonzero(masks, axis=1) > 1):
            self._enter(rows, int(index))
            actions[index] = self._search(rows[index], masks[index], int(next_bits_at(self._random, 0)))
        return actions

    def _enter(self, rows: Array, index: int) -> None:
        enter(self._room, rows[index], GOALS[self.goal])

    @abstractmethod
    def _search(self, row: Array, mask: Mask, seed: int) -> int:
        """The action of choice, the room being entered; the mask marks two actions or more."""

    def _playouts(self, critic: PolicyAgent | None, depth: int = 0) -> AgentPlayouts:
        mine, others = (_as_agent(each) for each in (self.mine, self.others))
        return AgentPlayouts(mine, mine if self.others == self.mine else others, critic, depth)


class FlatAgent(SearchAgent):
    """Flat Monte Carlo, see :mod:`agents.search.flat_monte_carlo`.

    Args:
        budget: worlds that an action is tried in at most, or milliseconds a decision.
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

        def sample(places: Ints, first: int, worlds: int) -> Array:
            if self._by_agents is not None:
                return self._by_agents.try_actions(self._room, candidates[places], seed, first, worlds)
            scores = np.zeros((worlds, len(places)), np.float32)
            try_actions(self._room, *self._numbers, candidates[places], np.uint64(seed), first, scores)
            return scores

        found = np.flatnonzero(candidates == favourite)
        return race(sample, len(candidates), self.budget, int(found[0]) if found.size else -1, self.trust)

    def _candidates(self, row: Array, mask: Mask) -> Ints:
        """The legal actions, all or those that the prior leaves."""
        legal = np.flatnonzero(mask)
        if self.prior is None:
            return legal
        chances = self.prior.probabilities(row[None], mask[None])[0][legal]
        return legal[chances >= IMPROBABLE * chances.max()]

    def _favourite(self, row: Array, mask: Mask, seed: int) -> int:
        if isinstance(self.mine, str):
            self._room.mine.random[0] = seed
            return int(decide(self._numbers[0], row, mask, self._room.mine))
        self.mine.reset(seed)
        return self.mine.act(row, mask)


class TreeAgent(SearchAgent):
    """What the two tree searches share, see :mod:`agents.search.ismcts_tree`.

    Args:
        sims: descents; of each world for :class:`PimcAgent`.
        ms: milliseconds a decision instead, 0 for none.
        explore: weight of trying what was tried less often.
        critic: whose value stands for playouts, or None.
        prior: a policy by whose probabilities actions are tried, or None.
    """

    def __init__(
        self,
        *common: Any,
        sims: int,
        ms: float = 0.0,
        explore: float = 0.7,
        critic: PolicyAgent | None = None,
        prior: PolicyAgent | None = None,
    ) -> None:
        super().__init__(*common)
        self.sims, self.ms, self.explore, self.critic, self.prior = sims, ms, explore, critic, prior
        batched = not self._is_scripted or critic is not None or prior is not None
        self._by_agents = self._playouts(critic) if batched else None
        nodes = min(sims + 2, MOST_NODES) if not ms else MOST_NODES // (10 if prior else 1)
        self._tree = trees.new_tree(nodes, LEAVES if batched else 1, prior is not None)
        self._leaves, self._rows, self._masks = trees.leaf_room(LEAVES if batched else 0)

    def _grow(self, seed: int, first: int, number: int, one_world: bool) -> None:
        """Descents ``first`` to ``first + number`` − 1."""
        start = np.uint64(seed)
        if self._by_agents is None:
            span = np.array([first, first + number])
            trees.grow(self._room, self._tree, *self._numbers, self.explore, start, span, one_world)
            return
        for begin in range(first, first + number, LEAVES):
            self._grow_leaves(seed, begin, min(LEAVES, first + number - begin), one_world)

    def _grow_leaves(self, seed: int, first: int, number: int, one_world: bool) -> None:
        assert self._by_agents is not None
        leaves, rows, masks = self._leaves[:number], self._rows[:number], self._masks[:number]
        trees.grow_leaves(self._room, self._tree, self.explore, np.uint64(seed), first, one_world, leaves, rows, masks)
        if self.prior is not None:
            trees.set_priors(self._tree, self.prior.probabilities(rows, masks))
        rewards = self._by_agents.rewards(self._room, leaves, seed + first)
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
    """Information set Monte Carlo tree search: every descent in a world of its own; the most visited action."""

    def _search(self, row: Array, mask: Mask, seed: int) -> int:
        self._clear(row, mask)
        began, done = time.perf_counter(), 0
        while done < self.sims if not self.ms else _goes_on(began, self.ms, done):
            number = DESCENTS if self.ms else self.sims
            self._grow(seed, done, number, one_world=False)
            done += number
        legal = np.flatnonzero(mask)
        return int(legal[self._counts(legal)[0].argmax()])


class PimcAgent(TreeAgent):
    """Perfect information Monte Carlo: each world is searched as if all its cards lay open.

    The action of the highest mean reward over worlds is chosen. Source: J. Long, N. Sturtevant, M. Buro, T. Furtak,
    "Understanding the success of perfect information Monte Carlo sampling in game tree search", 2010.

    Args:
        worlds: worlds to search.
    """

    def __init__(self, *common: Any, worlds: int, **options: Any) -> None:
        super().__init__(*common, **options)
        self.worlds = worlds

    def _search(self, row: Array, mask: Mask, seed: int) -> int:
        legal = np.flatnonzero(mask)
        means, began, world = np.zeros(len(legal)), time.perf_counter(), 0
        while world < self.worlds if not self.ms else _goes_on(began, self.ms, world):
            self._clear(row, mask)
            self._grow(int(stream(np.uint64(seed), np.uint64(world))), 0, self.sims, one_world=True)
            visits, totals = self._counts(legal)
            means += np.where(visits > 0, totals / np.maximum(visits, 1), -1.0)
            world += 1
        return int(legal[means.argmax()])


def _goes_on(began: float, ms: float, done: int) -> bool:
    return done == 0 or time.perf_counter() - began < ms / 1000


def _as_agent(player: Player) -> Agent:
    from agents.scripted.agent import ScriptedAgent

    return ScriptedAgent(player) if isinstance(player, str) else player


def load_search(method: str, options: Options, seed: int) -> Agent:
    """The search agent of ``search:METHOD?option=value&…``; see the table above.

    Raises:
        ValueError: there is no such method, or an option is not allowed.
    """
    if method not in METHODS:
        raise ValueError(f"unknown search {method!r}: there are {', '.join(METHODS)}")
    return METHODS[method](f"search:{method}", seed, options)


def make_flat(cls: type[FlatAgent], name: str, seed: int, options: Options) -> Agent:
    """An agent of flat Monte Carlo; arguments as of :func:`load_search`."""
    common = _common(name, seed, options, FLAT_OPTIONS)
    return cls(
        *common,
        budget=Budget(_whole(options, "worlds", 300), _number(options, "ms", 0.0)),
        trust=_number(options, "trust", 1.0),
        critic=_policy(options, "value"),
        depth=_whole(options, "depth", DEPTH, low=0),
        prior=_policy(options, "prior"),
    )


def _make_ismcts(name: str, seed: int, options: Options) -> Agent:
    common = _common(name, seed, options, ISMCTS_OPTIONS)
    return IsmctsAgent(*common, sims=_whole(options, "sims", 2_000), **_tree_options(options))


def _make_pimc(name: str, seed: int, options: Options) -> Agent:
    common = _common(name, seed, options, PIMC_OPTIONS)
    sims, worlds = _whole(options, "sims", 100), _whole(options, "worlds", 30)
    return PimcAgent(*common, sims=sims, worlds=worlds, **_tree_options(options))


def _common(name: str, seed: int, options: Options, allowed: tuple[str, ...]) -> tuple[Any, ...]:
    """The arguments of :class:`SearchAgent`."""
    for option in options:
        if option not in allowed:
            raise ValueError(f"{name} has no option {option!r}: options are {', '.join(sorted(allowed))}")
    mine = _player(options, "rollout", ROLLOUT)
    return _spelt(name, options), seed, _goal(options), mine, _player(options, "others", mine)


def _tree_options(options: Options) -> dict[str, Any]:
    return {
        "ms": _number(options, "ms", 0.0),
        "explore": _number(options, "explore", 0.7),
        "critic": _policy(options, "value"),
        "prior": _policy(options, "prior"),
    }


def _spelt(name: str, options: Options) -> str:
    listed = "&".join(f"{option}={value}" for option, value in options.items())
    return f"{name}?{listed}" if listed else name


def _goal(options: Options) -> str:
    goal = options.get("goal", "win")
    if goal not in GOALS:
        raise ValueError(f"goal={goal!r} is not allowed: choose {' or '.join(GOALS)}")
    return goal


def _player(options: Options, option: str, default: Player) -> Player:
    spec = options.get(option)
    if spec is None or spec in STRATEGY_NUMBERS:
        return default if spec is None else spec
    agent = _policy(options, option)
    assert agent is not None
    return agent


def _policy(options: Options, option: str) -> PolicyAgent | None:
    """The saved policy that an option names."""
    from agents.loading import load

    if option not in options:
        return None
    try:
        agent = load(f"{options[option]}?sample={options.get('sample', '0')}")
    except ValueError as error:
        raise ValueError(f"{option}={options[option]!r} is not allowed: {error}") from None
    if not isinstance(agent, PolicyAgent):
        raise ValueError(f"{option}={options[option]!r} is not allowed: it is no saved policy")
    if agent.history:
        raise ValueError(f"{option}={options[option]!r} is not allowed: it reads past events, which a search has not")
    return agent


def _whole(options: Options, option: str, default: int, low: int = 1, high: int = 10_000_000) -> int:
    text = options.get(option, str(default))
    if not text.isdecimal() or not low <= int(text) <= high:
        raise ValueError(f"{option}={text!r} is not allowed: choose a whole number from {low} to {high}")
    return int(text)


def _number(options: Options, option: str, default: float) -> float:
    text = options.get(option, str(default))
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 <= number <= 1e9:
        raise ValueError(f"{option}={text!r} is not allowed: choose a number, 0 or more")
    return number


_COMMON = ("rollout", "others", "sample", "ms", "goal", "value", "prior")
FLAT_OPTIONS = ("worlds", "trust", "depth", *_COMMON)
PIMC_OPTIONS = ("worlds", "sims", "explore", *_COMMON)
ISMCTS_OPTIONS = ("sims", "explore", *_COMMON)
OPTIONS = tuple(sorted({*FLAT_OPTIONS, *PIMC_OPTIONS, *ISMCTS_OPTIONS}))

METHODS: dict[str, Callable[[str, int, Options], Agent]] = {
    "flat": functools.partial(make_flat, FlatAgent),
    "pimc": _make_pimc,
    "ismcts": _make_ismcts,
}
"""What makes each kind of search, from its name, a seed and options."""
