"""PPO in one file, in the manner of CleanRL, for all seats: ``examples/cleanrl_ppo.py:CleanRLPPO``.

``uno benchmark run duel-2p --algorithms examples/cleanrl_ppo.py:CleanRLPPO --budget 1e6`` trains it. It is what
somebody writes who takes :class:`uno_env.BatchedGames`, PyTorch and the details of CleanRL's PPO: orthogonal weights, a
learning rate that falls to 0, normalised advantages, clipped values, Adam with an epsilon of 1e-5, clipped gradients.
All seats share one network. Each seat of each game is a trajectory of its own: its advantages skip the others'
decisions, and a reward reaches its last decision, whoever ended the hand.

Source: S. Huang et al., "CleanRL: high-quality single-file implementations of deep reinforcement learning
algorithms", 2022.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from train.common.processes import cores, torch_threads
from train.networks.policy_network import Network
from train.runs.checkpoint import load_optimizer, optimizer_arrays, under
from train.runs.config import LayerSizes, NonNegativeFloat, PositiveInt, Share
from train.runs.learner import Learner
from train.runs.run_config import RunConfig
from uno_env import BatchedGames
from uno_env.core.arrays import Array


@dataclass(frozen=True, kw_only=True)
class CleanRLConfig(RunConfig):
    """The config; defaults are CleanRL's, but for more games at a time, no discount and ReLU."""

    algorithm: str = "examples/cleanrl_ppo.py:CleanRLPPO"
    num_envs: PositiveInt = 64
    """Games played side by side."""
    num_steps: PositiveInt = 128
    """Decisions in each game between updates."""
    learning_rate: NonNegativeFloat = 2.5e-4
    """Adam's learning rate at the beginning; it falls linearly to 0."""
    gae_lambda: Share = 0.95
    """λ of the advantage estimates."""
    num_minibatches: PositiveInt = 4
    """Gradient steps of an epoch."""
    n_epochs: PositiveInt = 4
    """Number of times that each decision is learnt from."""
    clip_range: NonNegativeFloat = 0.2
    """The furthest that the ratio of probabilities, and the values, may move within an iteration."""
    ent_coef: NonNegativeFloat = 0.01
    """Weight of the entropy bonus."""
    vf_coef: NonNegativeFloat = 0.5
    """Weight of the value loss."""
    max_grad_norm: NonNegativeFloat = 0.5
    """Norm to which gradients are clipped."""
    hidden: LayerSizes = (256, 256)
    """Sizes of the hidden layers."""
    symmetry: bool = True
    """True if the network reads observations in canonical form (:mod:`uno_env.symmetry`)."""
    truncated_is_lost: bool = False
    """True if a truncated hand counts, in training, as lost by every seat: −1 / (players − 1) for each."""


class CleanRLPPO(Learner):
    """PPO with its network, its optimiser and its games."""

    config_class = CleanRLConfig
    config: CleanRLConfig

    def __init__(self, config: CleanRLConfig) -> None:
        self.config, self.rules = config, config.game_rules()
        torch.manual_seed(config.seed)
        self.network = Network(self.rules, config.hidden, symmetry=config.symmetry)
        self.optimizer = torch.optim.Adam(self.network.parameters(), config.learning_rate, eps=1e-5)
        self.games = BatchedGames(config.num_envs, self.rules, seed=config.seed, obs_dtype="uint8")
        self.view: Any = self.games.reset()

    def least_decisions(self) -> int:
        """Decisions of an iteration: a run ends where its budget has no room for another one."""
        return self.config.num_envs * self.config.num_steps

    def iterate(self, progress: float) -> dict[str, float]:
        """Play ``num_steps`` decisions in every game, then update; figures."""
        for group in self.optimizer.param_groups:
            group["lr"] = self.config.learning_rate * (1 - progress)
        with torch_threads(self.config.threads or cores()):
            steps = [self._play() for _ in range(self.config.num_steps)]
            advantages = self._advantages(steps)
            names = ("rows", "legal", "action", "logp", "value")
            batch = {name: torch.cat([step[name] for step in steps]) for name in names}
            batch |= {"advantage": advantages.flatten(), "return": advantages.flatten() + batch["value"]}
            chosen = (batch["legal"].sum(1) > 1) & ~batch["advantage"].isnan()  # a forced one teaches nothing
            figures = self._update({name: values[chosen] for name, values in batch.items()})
        self.decisions += self.config.num_envs * self.config.num_steps
        self.choices += int(chosen.sum())
        return figures

    def _play(self) -> dict[str, Any]:
        """One decision in every game."""
        obs, mask, seat = self.view
        canonical = self.network.canonical
        forms = canonical.forms(obs) if self.config.symmetry else np.zeros(len(obs), np.int64)
        rows = torch.from_numpy(canonical.rows(obs, forms))
        legal = torch.from_numpy(canonical.masks(mask, forms)) != 0
        with torch.no_grad():
            logits, value = self.network(rows)
            policy = torch.distributions.Categorical(logits=logits.masked_fill(~legal, -torch.inf))
            action = policy.sample()
            logp = policy.log_prob(action)
        seat, cut = seat.copy(), self.rules.max_decisions
        *self.view, reward, done = self.games.step(canonical.real_actions(forms, action.numpy()))
        reward, done = reward.copy(), done != 0
        if self.config.truncated_is_lost and cut:
            reward[done & (reward == 0).all(axis=1)] = -1 / (self.rules.players - 1)
        return {"rows": rows, "legal": legal, "action": action, "logp": logp, "value": value, "seat": seat,
                "reward": reward, "done": done}  # fmt: skip

    def _advantages(self, steps: list[dict[str, Any]]) -> Tensor:
        """Generalised advantages float32 [steps, games], each along the decisions of one seat; NaN for its last."""
        config, every = self.config, np.arange(self.config.num_envs)
        shape = (config.num_envs, self.rules.players)
        last, later = np.zeros(shape, np.float32), np.zeros(shape, np.float32)  # advantage and value of its next one
        earned, known = np.zeros(shape, np.float32), np.zeros(shape, bool)  # reward until then; whether it is known
        out = np.zeros((len(steps), config.num_envs), np.float32)
        for number in reversed(range(len(steps))):
            step = steps[number]
            done, seat, value = step["done"], step["seat"], step["value"].numpy()
            earned[done], later[done], last[done], known[done] = step["reward"][done], 0, 0, True
            delta = earned[every, seat] + later[every, seat] - value
            advantage = delta + config.gae_lambda * last[every, seat]
            out[number] = np.where(known[every, seat], advantage, np.nan)  # nothing is known after a seat's last one
            advantage[~known[every, seat]] = 0
            earned[every, seat], later[every, seat], last[every, seat] = 0, value, advantage
            known[every, seat] = True
        return torch.from_numpy(out)

    def _update(self, batch: Mapping[str, Tensor]) -> dict[str, float]:
        config, size = self.config, len(batch["action"])
        figures = {}
        for _ in range(config.n_epochs):
            for index in torch.randperm(size).chunk(config.num_minibatches):
                part = {name: values[index] for name, values in batch.items()}
                logits, value = self.network(part["rows"])
                policy = torch.distributions.Categorical(logits=logits.masked_fill(~part["legal"], -1e9))
                ratio = (policy.log_prob(part["action"]) - part["logp"]).exp()
                advantage = part["advantage"]
                advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
                clipped = ratio.clamp(1 - config.clip_range, 1 + config.clip_range)
                policy_loss = -torch.min(advantage * ratio, advantage * clipped).mean()
                near = part["value"] + (value - part["value"]).clamp(-config.clip_range, config.clip_range)
                errors = torch.max((value - part["return"]) ** 2, (near - part["return"]) ** 2)
                value_loss, entropy = 0.5 * errors.mean(), policy.entropy().mean()
                loss = policy_loss - config.ent_coef * entropy + config.vf_coef * value_loss
                self.optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(self.network.parameters(), config.max_grad_norm)
                self.optimizer.step()
                figures = {"train/loss": loss.item(), "train/value_loss": value_loss.item(),
                           "train/entropy": entropy.item()}  # fmt: skip
        return figures

    def get_state(self) -> tuple[dict[str, Array], dict[str, Any]]:
        """Weights, Adam's state and counts; the games are dealt anew when a run is resumed."""
        arrays = {f"network.{name}": weight for name, weight in self.network.state().items()}
        arrays |= {f"optimizer.{name}": array for name, array in optimizer_arrays(self.optimizer).items()}
        return arrays, {"decisions": self.decisions, "choices": self.choices}

    def set_state(self, arrays: dict[str, Array], values: dict[str, Any]) -> None:
        """Continue from a state that :meth:`get_state` gave."""
        self.decisions, self.choices = values["decisions"], values["choices"]
        self.network.load_weights(under("network.", arrays))
        load_optimizer(self.optimizer, under("optimizer.", arrays))
