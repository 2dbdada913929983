"""An algorithm of one's own in ``uno train`` and ``uno benchmark run``: REINFORCE with a baseline, by self-play.

    uno benchmark run duel-2p --algorithms ppo examples/my_algorithm.py:Reinforce --budget 1e6 --seeds 3

A config names it as ``algorithm: examples/my_algorithm.py:Reinforce``. Runs, checkpoints, evaluations and the saved
policy are those of our own algorithms; :class:`train.runs.learner.Learner` says what a learner needs.
"""

from dataclasses import dataclass

import numpy as np
import torch

from train.networks.policy_network import Network
from train.runs.checkpoint import load_optimizer, optimizer_arrays, under
from train.runs.config import PositiveInt
from train.runs.learner import Learner
from train.runs.run_config import RunConfig
from uno_env import BatchedGames


@dataclass(frozen=True, kw_only=True)
class ReinforceConfig(RunConfig):
    """The keys of its configs, besides those that all algorithms have."""

    algorithm: str = "examples/my_algorithm.py:Reinforce"
    num_envs: PositiveInt = 512
    """Games played side by side."""
    num_steps: PositiveInt = 64
    """Decisions in each game between updates."""
    hidden: tuple[int, ...] = (256,)
    """Sizes of the network's hidden layers."""
    learning_rate: float = 1e-3
    """Adam's step size."""


class Reinforce(Learner):
    """All that it has learnt, and the games that it learns from."""

    config_class = ReinforceConfig

    def __init__(self, config: ReinforceConfig) -> None:
        self.config = config
        torch.manual_seed(config.seed)
        self.network = Network(config.game_rules(), config.hidden)
        self.optimizer = torch.optim.Adam(self.network.parameters(), config.learning_rate)
        self.games = BatchedGames(config.num_envs, config.game_rules(), seed=config.seed, obs_dtype="uint8")
        self.view = self.games.reset()

    def least_decisions(self):
        """Decisions of an iteration: a run ends where its budget has no room for another one."""
        return self.config.num_envs * self.config.num_steps

    def iterate(self, progress):
        """Play, learn once from the decisions of hands that ended; figures for TensorBoard."""
        steps = [self._step() for _ in range(self.config.num_steps)]
        returns, known = np.zeros_like(steps[0][4]), np.zeros(self.config.num_envs, bool)
        losses = []
        for rows, legal, seat, chosen, reward, done in reversed(steps):
            returns[done], known = reward[done], known | done
            earned = torch.from_numpy(returns[np.arange(len(seat)), seat])
            logits, values = self.network(rows)
            logp = logits.masked_fill(~legal, -torch.inf).log_softmax(1).gather(1, chosen[:, None])[:, 0]
            advantage = earned - values.detach()
            losses.append((-logp * advantage + (values - earned) ** 2)[torch.from_numpy(known)])
        loss = torch.cat(losses).mean()
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        self.decisions += self.config.num_envs * self.config.num_steps
        self.choices += sum(int((legal.sum(1) > 1).sum()) for _, legal, *_ in steps)
        return {"train/loss": loss.item()}

    def _step(self):
        obs, mask, seat = self.view
        rows = torch.from_numpy(obs[:, self.network.columns])
        legal, seat = torch.from_numpy(mask[:, self.network.actions] != 0), seat.copy()
        with torch.no_grad():
            chosen = torch.multinomial(self.network(rows)[0].masked_fill(~legal, -torch.inf).softmax(1), 1)[:, 0]
        *self.view, reward, done = self.games.step(self.network.actions[chosen.numpy()])
        return rows, legal, seat, chosen, reward.copy(), done != 0

    def get_state(self):
        """The state that the next iteration depends on. The games are not in it: a resumed run deals them anew."""
        arrays = {f"network.{name}": weight for name, weight in self.network.state().items()}
        arrays |= {f"optimizer.{name}": array for name, array in optimizer_arrays(self.optimizer).items()}
        return arrays, {"decisions": self.decisions, "choices": self.choices}

    def set_state(self, arrays, values):
        """Go on from such a state."""
        self.decisions, self.choices = values["decisions"], values["choices"]
        self.network.load_weights(under("network.", arrays))
        load_optimizer(self.optimizer, under("optimizer.", arrays))
