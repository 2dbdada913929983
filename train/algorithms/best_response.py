"""Best response: PPO that plays one seat against a fixed agent at all other seats.

The learner is PPO, with a league of one member that plays in all games. If the learner
wins more than its share, it uses the agent's weaknesses: see :mod:`train.benchmarks.exploit`.
"""

from dataclasses import dataclass
from typing import Annotated, Literal

from msgspec import Meta

from train.algorithms.ppo import PPO, PPOConfig


@dataclass(frozen=True, kw_only=True)
class ResponseConfig(PPOConfig):
    """The config of ``response``."""

    algorithm: Literal["response"] = "response"
    opponent: str = "tuned"
    """The agent to respond to, see :func:`agents.load`."""
    league_share: Annotated[float, Meta(ge=1.0, le=1.0)] = 1.0
    """All games are against the opponent."""
    league_scripted: Annotated[tuple[str, ...], Meta(max_length=0)] = ()
    """No other opponents."""
    league_size: Literal[0] = 0
    """No past selves."""

    def league_members(self) -> tuple[str, tuple[str, ...]]:
        """Same as :meth:`train.algorithms.ppo.PPOConfig.league_members`: the opponent alone."""
        return "opponent", (self.opponent,)


class Response(PPO):
    """PPO with the config of ``response``."""

    config_class = ResponseConfig
