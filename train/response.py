"""A best response by PPO: the learner plays one seat, a fixed agent all others; otherwise as :mod:`train.ppo`.

What the learner comes to win more than its share, it wins by the agent's weaknesses: see :mod:`train.exploit`. Its seat
goes round from game to game. The agent's own chance begins anew in every iteration, drawn from the run's, so that a run
that was stopped goes on as if it had not been.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import agents
from train import learner, ppo
from train.config import option
from train.selfplay import Array, Choices, Evaluate, Played, Rollout
from uno_env import BatchedGames


@dataclass(frozen=True, kw_only=True)
class ResponseConfig(ppo.PPOConfig):
    """What :func:`train` can be told."""

    algorithm: str = option("response", choices=("response",))
    opponent: str = option("tuned")
    """The agent to respond to, see :func:`agents.load`."""


Config = ResponseConfig


def check(config: ResponseConfig) -> None:
    """Raise :class:`ValueError` if the rules, the device or the agent will not do."""
    learner.check(config)
    agents.load(config.opponent, rules=config.game_rules())


def train(config: ResponseConfig) -> Path:
    """Train a response; the run's folder. Raises as :func:`train.learner.train`."""
    check(config)
    return learner.train(config, Response)


def prepare_resume(folder: Path, overrides: Mapping[str, str]) -> Callable[[], Path]:
    """A function that goes on with a run from its last checkpoint; raises as :func:`train.ppo.resume`."""
    return learner.prepare_resume(folder, overrides, ResponseConfig, Response)


class Response(ppo.PPO):
    """PPO that learns at one seat of each game."""

    config: ResponseConfig

    def _new_rollout(self, batch: BatchedGames, room: Choices, rng: np.random.Generator) -> Rollout:
        opponent = agents.load(self.config.opponent, rules=batch.rules)
        return AgainstRollout(opponent, batch, self.network.columns, self.network.actions, room, rng)


class AgainstRollout(Rollout):
    """Plays a batch of games, one seat of each by a network, whose choices it stores, the others by an agent.

    Args:
        opponent: the agent; it must be this rollout's own.
        *others: as for :class:`train.selfplay.Rollout`.
    """

    def __init__(self, opponent: agents.Agent, *others: Any) -> None:
        super().__init__(*others)
        self.opponent = opponent
        self._seats = np.arange(self.games.num_games) % self.games.rules.players

    def collect(self, steps: int, evaluate: Evaluate) -> Played:
        """As :meth:`train.selfplay.Rollout.collect`; decisions are those of all seats, choices the learner's."""
        self.opponent.reset(int(self.rng.integers(2**63)))
        return super().collect(steps, evaluate)

    def _learners(self, choosing: Array) -> Array:
        obs, mask, seat = self._view
        mine = seat[choosing] == self._seats[choosing]
        theirs = choosing[~mine]
        if theirs.size:
            self._actions[theirs] = self.opponent.act_batch(obs[theirs], mask[theirs])
        return choosing[mine]
