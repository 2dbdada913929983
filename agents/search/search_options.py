"""Options of ``search:flat``, ``search:pimc``, ``search:ismcts`` and ``cheat:flat``."""

from dataclasses import dataclass
from typing import Annotated, Literal

from msgspec import Meta

from agents.options import Amount, Count, Flag

ROLLOUT = "tuned"
"""Strategy that plays determinizations on if none is named."""


@dataclass(frozen=True, kw_only=True)
class SearchOptions:
    """What all searches take."""

    rollout: str = ROLLOUT
    """Who plays the observer's seat in playouts: a scripted strategy, or a saved policy: its path, ``zoo:NAME``, or an
    ONNX file that reads no past."""
    others: str | None = None
    """Who plays the other seats in playouts; by default, as ``rollout``."""
    sample: Flag = 0
    """1: policies in playouts draw their actions by probability."""
    ms: Amount = 0.0
    """Milliseconds a decision, instead of a number of determinizations or simulations, if not 0; such a choice depends
    on the machine's speed."""
    goal: Literal["win", "points"] = "win"
    """What is to be high: the probability to win the hand, or its points."""
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
    worlds: Count = 30
    """Determinizations to search."""
