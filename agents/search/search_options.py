"""Options of ``search:flat``, ``search:pimc``, ``search:ismcts`` and ``cheat:flat``, and agents made by them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from msgspec import Meta

from agents.agent import Agent
from agents.options import Amount, Count, Flag
from agents.policy.policy_agent import PolicyAgent
from agents.scripted.dispatch import STRATEGY_NUMBERS
from agents.search.racing import Budget
from agents.search.search_agents import DEPTH, ROLLOUT, FlatAgent, IsmctsAgent, PimcAgent, Player

LoadAgent = Callable[[str], Agent]
"""Makes an agent of a spec."""


@dataclass(frozen=True, kw_only=True)
class SearchOptions:
    """What all searches take."""

    rollout: str = ROLLOUT
    """Who plays the observer's seat in playouts: a scripted strategy, or a saved policy: its path, or ``zoo:NAME``."""
    others: str | None = None
    """Who plays the other seats in playouts; by default, as ``rollout``."""
    sample: Flag = 0
    """1: policies in playouts draw their actions by probability."""
    ms: Amount = 0.0
    """Milliseconds a decision, instead of a number of determinizations or simulations, if not 0; such a choice depends
    on the machine's speed."""
    goal: Literal["win", "points"] = "win"
    """What is to be high: the chance to win the hand, or its points."""
    value: str | None = None
    """A policy whose value, once the observer is to choose, stands for the rest of a playout."""
    prior: str | None = None
    """A policy: tree searches try actions by its probabilities; flat Monte Carlo leaves out what it finds improbable,
    and does at once what it finds alone probable."""


@dataclass(frozen=True, kw_only=True)
class FlatOptions(SearchOptions):
    """Options of flat Monte Carlo."""

    worlds: Count = 300
    """Determinizations that an action is tried in at most."""
    trust: Amount = 1.0
    """Standard errors by which an action must be better than what ``rollout`` would do itself."""
    depth: Annotated[int, Meta(ge=0, le=10_000_000)] = DEPTH
    """With ``value``: choices of the observer that are played before the policy is asked."""


@dataclass(frozen=True, kw_only=True)
class IsmctsOptions(SearchOptions):
    """Options of information set Monte Carlo tree search."""

    sims: Count = 2_000
    """Simulations; of each determinization for ``pimc``."""
    explore: Amount = 0.7
    """Weight of trying what was tried less often."""


@dataclass(frozen=True, kw_only=True)
class PimcOptions(IsmctsOptions):
    """Options of perfect information Monte Carlo."""

    sims: Count = 100
    worlds: Count = 30
    """Determinizations to search."""


def make_flat(
    name: str, seed: int, options: FlatOptions, load: LoadAgent, kind: type[FlatAgent] = FlatAgent
) -> FlatAgent:
    """An agent of flat Monte Carlo.

    Args:
        name: what tables and logs call it.
        seed: start of its own random generator.
        options: how it searches.
        load: makes the policies that options name.
        kind: the class of the agent.

    Raises:
        ValueError: an option names no agent that can help a search.
    """
    return kind(
        *_common(name, seed, options, load),
        budget=Budget(options.worlds, options.ms),
        trust=options.trust,
        critic=_policy("value", options, load),
        depth=options.depth,
        prior=_policy("prior", options, load),
    )


def make_ismcts(name: str, seed: int, options: IsmctsOptions, load: LoadAgent) -> IsmctsAgent:
    """An agent of information set Monte Carlo tree search; arguments and errors as of :func:`make_flat`."""
    return IsmctsAgent(*_common(name, seed, options, load), **_tree(options, load))


def make_pimc(name: str, seed: int, options: PimcOptions, load: LoadAgent) -> PimcAgent:
    """An agent of perfect information Monte Carlo; arguments and errors as of :func:`make_flat`."""
    common = _common(name, seed, options, load)
    return PimcAgent(*common, determinizations=options.worlds, **_tree(options, load))


def _common(name: str, seed: int, options: SearchOptions, load: LoadAgent) -> tuple[Any, ...]:
    """The arguments of :class:`agents.search.search_agents.SearchAgent`."""
    mine = _player("rollout", options, load)
    return name, seed, options.goal, mine, mine if options.others is None else _player("others", options, load)


def _tree(options: IsmctsOptions, load: LoadAgent) -> dict[str, Any]:
    return {
        "simulations": options.sims,
        "ms": options.ms,
        "explore": options.explore,
        "critic": _policy("value", options, load),
        "prior": _policy("prior", options, load),
    }


def _player(option: str, options: SearchOptions, load: LoadAgent) -> Player:
    spec: str = getattr(options, option)
    return spec if spec in STRATEGY_NUMBERS else _load_policy(option, spec, options, load)


def _policy(option: str, options: SearchOptions, load: LoadAgent) -> PolicyAgent | None:
    spec: str | None = getattr(options, option)
    return None if spec is None else _load_policy(option, spec, options, load)


def _load_policy(option: str, spec: str, options: SearchOptions, load: LoadAgent) -> PolicyAgent:
    """The saved policy that an option names."""
    try:
        agent = load(f"{spec}?sample={options.sample}")
    except ValueError as error:
        raise ValueError(f"{option}={spec!r} is not allowed: {error}") from None
    if not isinstance(agent, PolicyAgent):
        raise ValueError(f"{option}={spec!r} is not allowed: it is no saved policy")
    if agent.history:
        raise ValueError(f"{option}={spec!r} is not allowed: it reads past events, which a search has not")
    return agent
