"""A best response by PPO: the learner plays one seat, a fixed agent all others; otherwise as
:mod:`train.algorithms.ppo`.

What the learner comes to win more than its share, it wins by the agent's weaknesses: see
:mod:`train.benchmarks.exploit`. It is PPO in a league of that agent alone, whose member all games are played against.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from msgspec import Meta

from train.algorithms import ppo, self_play
from train.algorithms.league import League


@dataclass(frozen=True, kw_only=True)
class ResponseConfig(ppo.PPOConfig):
    """What :func:`train` can be told."""

    algorithm: Literal["response"] = "response"
    opponent: str = "tuned"
    """The agent to respond to, see :func:`agents.load`."""
    league_share: Annotated[float, Meta(ge=1.0, le=1.0)] = 1.0
    """All games are against the opponent."""
    league_scripted: Annotated[tuple[str, ...], Meta(max_length=0)] = ()
    """Nobody but the opponent."""
    league_size: Literal[0] = 0
    """No past selves."""


Config = ResponseConfig


def check(config: ResponseConfig) -> None:
    """Raise :class:`ValueError` if the rules, the device or the agent will not do."""
    self_play.check(config)
    ppo.check_league(config, "opponent", (config.opponent,))


def train(config: ResponseConfig) -> Path:
    """Train a response; the run's folder. Raises as :func:`train.algorithms.self_play.train`."""
    check(config)
    return self_play.train(config, Response)


def prepare_resume(folder: Path, overrides: Mapping[str, str]) -> Callable[[], Path]:
    """A function that goes on with a run from its last checkpoint; raises as :func:`train.algorithms.ppo.resume`."""
    return self_play.prepare_resume(folder, overrides, ResponseConfig, Response)


class Response(ppo.PPO):
    """PPO that learns at one seat of each game."""

    config: ResponseConfig

    def _new_league(self, named: Sequence[str]) -> League:
        return super()._new_league((self.config.opponent,))
