"""Options of ``search:flat``, ``search:pimc``, ``search:ismcts`` and ``cheat:flat``."""

from dataclasses import dataclass
from typing import Annotated, Literal

from msgspec import Meta

from agents.options import Amount, Count, Flag

ROLLOUT = "tuned"
"""Strategy that plays determinizations on if none is named."""


@dataclass(frozen=True, kw_only=True)
class SearchOptions:
    """Options of all searches."""

    rollout: str = ROLLOUT
    """The player of the observer's seat in playouts: a scripted strategy, or a saved policy given by its path,
    ``zoo:NAME``, ``zoo`` (the best for the rules), or an ONNX file that reads no history."""
    others: str | None = None
    """The player of the other seats in playouts; by default, the same as ``rollout``."""
    sample: Flag = 0
    """1: policies in playouts draw their actions by probability."""
    ms: Amount = 0.0
    """Milliseconds a decision, instead of a number of tries, if not 0; then the machine's speed matters."""
    goal: Literal["win", "points"] = "win"
    """The quantity to maximise: the probability of winning the hand, or its points."""
    value: str | None = None
    """A policy whose value replaces the rest of a playout when the observer has to choose."""
    prior: str | None = None
    """A policy. Tree searches try actions by its probabilities. Flat Monte Carlo skips improbable actions, and plays at
    once an action that is the only probable one."""


@dataclass(frozen=True, kw_only=True)
class FlatOptions(SearchOptions):
    """Options of flat Monte Carlo."""

    num_determinizations: Count = 300
    """The most determinizations that an action is tried in."""
    trust: Amount = 1.0
    """Standard errors by which another action must be better than the choice of ``rollout``."""
    depth: Annotated[int, Meta(ge=0, le=10_000_000)] = 2
    """With ``value``: choices of the observer that are played before the policy is asked. Of 583 differences between
    actions in 200 positions of duel, 64 determinizations estimate that between outcomes with a mean square error of
    0.0060 at once, 0.0051 after one choice, 0.0038 after two, 0.0041 after three, 0.0073 after six, and 0.0210 by
    playing to the end."""


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
    num_determinizations: Count = 30
    """Determinizations to search."""
