"""A best response by PPO: the learner plays one seat, a fixed agent all others; otherwise as
:mod:`train.algorithms.ppo`.

A learner that wins more than its share uses the agent's weaknesses: see :mod:`train.benchmarks.exploit`. It is PPO in a
league that has this agent as its only member, and all games are played against it.
"""

from dataclasses import dataclass
from typing import Annotated, Literal

from msgspec import Meta

from train.algorithms.ppo import PPO, PPOConfig

__all__ = ["PPO", "ResponseConfig"]


@dataclass(frozen=True, kw_only=True)
class ResponseConfig(PPOConfig):
    """The config of ``response``."""

    algorithm: Literal["response"] = "response"
    opponent: str = "tuned"
    """The agent to respond to, see :func:`agents.load`."""
    league_share: Annotated[float, Meta(ge=1.0, le=1.0)] = 1.0
    """All games are against the opponent."""
    league_scripted: Annotated[tuple[str, ...], Meta(max_length=0)] = ()
    """Nobody but the opponent."""
    league_size: Literal[0] = 0
    """No past selves."""

    def league_members(self) -> tuple[str, tuple[str, ...]]:
        """See :class:`train.algorithms.ppo.PPOConfig`."""
        return "opponent", (self.opponent,)
