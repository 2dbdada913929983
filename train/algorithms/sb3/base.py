"""Learning by Stable-Baselines3, against agents: what its algorithms share, such as ``sb3_ppo``.

SB3 samples and learns at one seat, on :class:`train.algorithms.sb3.env.LearnerEnv`. Its networks have the layers of
:class:`train.networks.policy_network.Network`, so that the saved policy computes what SB3's does, and is an opponent
like any other. *Decisions* are those of all seats, forced ones included, as everywhere.

How many decisions the others make between two of the learner hangs on the game. So the last iterations get as many
steps as stay within the budget all but surely (:func:`steps_within`).

A resumed run has its weights, its optimiser's state, its counts and its games again. All random generators are seeded
again in every iteration with the run's seed and the iteration's number; so MaskablePPO continues as if it had not
stopped, to the bit on one thread. Replay buffers are not saved: Q-learning fills its buffer again before it learns.

Sources: A. Raffin et al., "Stable-Baselines3: reliable reinforcement learning implementations", 2021.
"""

import math
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
import torch
from gymnasium import spaces
from msgspec import Meta
from stable_baselines3.common.logger import Logger
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from stable_baselines3.common.utils import set_random_seed
from torch import Tensor, nn

import agents
from train.algorithms.sb3.env import LearnerEnv
from train.networks.policy_network import FIRST, Network
from train.runs.checkpoint import as_bytes, from_bytes, load_optimizer, optimizer_arrays, under
from train.runs.config import NonNegativeFloat, PositiveInt, Share
from train.runs.learner import DivergedError, Learner
from train.runs.run_config import RunConfig
from uno_env.common.numbers import checked_arrays, checked_whole
from uno_env.core.arrays import Array
from uno_env.observation import number_of_columns


@dataclass(frozen=True, kw_only=True)
class SB3Config(RunConfig):
    """Common config of SB3's algorithms."""

    threads: Annotated[int, Meta(ge=0, le=256)] = 0
    """Threads of PyTorch, 0: one for each core. Another number rounds sums otherwise."""
    opponents: tuple[str, ...] = ("random-play",)
    """Agents that the learner plays against, see :func:`agents.load`. Each plays an equal share of the games, at all
    other seats."""
    num_envs: PositiveInt = 256
    """Games that are played at the same time; SB3's ``n_envs``."""
    num_steps: PositiveInt = 64
    """The learner's decisions in each game in an iteration; MaskablePPO's ``n_steps``."""
    learning_rate: NonNegativeFloat = 1e-3
    """Adam's learning rate at the beginning; it falls linearly to 0."""
    minibatch_size: Annotated[int, Meta(ge=2, le=10**15)] = 4_096
    """Decisions of a gradient step; SB3's ``batch_size``."""
    max_grad_norm: NonNegativeFloat = 0.5
    """Norm to which gradients are clipped."""
    choice_cost: Share = 0.0
    """Reward that each choice of the learner costs while training."""
    truncated_is_lost: bool = False
    """True if a truncated hand counts, in training, as lost: −1 / (players − 1) instead of 0, and as ended."""
    symmetry: bool = False
    """True if observations, masks and actions are in canonical form (:mod:`uno_env.symmetry`)."""

    def check(self) -> None:
        """Raise :class:`ValueError` if the rules, the device or the opponents cannot be used."""
        rules = self.game_rules()
        super().check()
        if not self.opponents:
            raise ValueError("opponents=[] is not allowed: name one agent or more")
        if self.num_envs < len(self.opponents):
            raise ValueError(
                f"num_envs={self.num_envs} is not allowed with {len(self.opponents)} opponents: choose as many or more"
            )
        least = decisions_of(self.num_envs * self.least_steps(), FIRST_GUESS * rules.players)
        if self.total_timesteps < least:
            raise ValueError(
                f"total_timesteps={self.total_timesteps} is not allowed with num_envs={self.num_envs}: choose {least} "
                "or more, for a decision of the learner in each game and those of the others before its next one"
            )
        for spec in self.opponents:
            if agents.load(spec, rules=rules).state_size:
                raise ValueError(f"opponents={spec!r} is not allowed: it remembers the hand it is in")

    def least_steps(self) -> int:
        """Steps of all games that are learnt from at least: SB3 needs two decisions."""
        return 2 if self.num_envs == 1 else 1

    def memory(self) -> dict[str, int]:
        """Same as :meth:`train.runs.run_config.RunConfig.memory`: the games."""
        return super().memory() | {f"num_envs={self.num_envs}": self.num_envs * number_of_columns(self.all_rules()[0])}


FIRST_GUESS = 2.0
"""Decisions of each seat for one of the learner, before any were counted: more than there are."""
_DRIFT, _DEVIATIONS = 1.25, 6.0
"""The allowance on top of the mean number of decisions of a step. A quarter is added, since a policy that has learnt
plays otherwise. For chance, six standard deviations are added; these are not larger than the mean."""


def decisions_of(steps: int, mean: float) -> int:
    """Decisions of all seats that are enough for ``steps`` of the learner, if each of these took ``mean`` so far."""
    return math.ceil(mean * (_DRIFT * steps + _DEVIATIONS * math.sqrt(steps)))


def steps_within(decisions: int, mean: float) -> int:
    """The largest number of steps for which :func:`decisions_of` needs no more than ``decisions``."""
    root = (math.sqrt(_DEVIATIONS**2 + 4 * _DRIFT * decisions / mean) - _DEVIATIONS) / (2 * _DRIFT)
    return int(root**2)


_COUNTS = ("decisions", "choices", "learner_decisions", "hands", "reward")
"""Counters of :class:`LearnerEnv`."""


class SB3Learner(Learner):
    """An algorithm of SB3 with its games; a :class:`train.runs.learner.Learner`."""

    env_class: type[LearnerEnv] = LearnerEnv
    config: Any

    def __init__(self, config: Any) -> None:
        self.config = config
        self.decisions = self.choices = self.iterations = 0
        self.rate = config.learning_rate
        self.network = Network(config.game_rules(), config.hidden, symmetry=config.symmetry)
        self.env = self.env_class(config.num_envs, config, self.network)
        torch.manual_seed(config.seed)
        self.model = self.build()
        self.model.set_logger(Logger(None, []))
        self._copy_weights()

    @abstractmethod
    def build(self) -> Any:
        """SB3's model, on :attr:`env`, with :attr:`layers` for a network and :attr:`rate` for a learning rate."""

    @abstractmethod
    def heads(self) -> dict[str, Tensor]:
        """Weight and bias of the heads ``policy`` and ``value`` of our network that say what SB3's do."""

    def schedule(self, progress: float) -> None:
        """Set what changes in the course of a run, from 0 to 1."""
        self.rate = self.config.learning_rate * (1 - progress)

    @property
    def layers(self) -> dict[str, Any]:
        """Arguments of SB3's policies that give them the hidden layers of our network, and no others."""
        sizes = {"scales": self.network.scales, "hidden": self.config.hidden}
        return {"net_arch": [], "features_extractor_class": Trunk, "features_extractor_kwargs": sizes}

    @property
    def net(self) -> Any:
        """SB3's network; the saved policy has the weights of its :class:`Trunk`."""
        return self.model.policy

    def least_decisions(self) -> int:
        """Same as :meth:`train.runs.learner.Learner.least_decisions`: enough for the fewest steps."""
        config = self.config
        return decisions_of(config.num_envs * config.least_steps(), self._decisions_per_step())

    def _decisions_per_step(self) -> float:
        """Mean number of decisions, of all seats, for one of the learner."""
        steps = self.model.num_timesteps
        return self.decisions / steps if steps else FIRST_GUESS * self.env.rules.players

    def _next_steps(self) -> int:
        """The learner's decisions in each game in the next iteration: ``num_steps``, or as many as the budget has room
        for, but not fewer than can be learnt from.
        """
        config = self.config
        left = max(0, config.total_timesteps - self.decisions)
        room = steps_within(left, self._decisions_per_step()) // config.num_envs
        return int(max(config.least_steps(), min(config.num_steps, room)))

    def prepare_steps(self, steps: int) -> None:
        """Prepare the model for an iteration of ``steps`` steps; one that learns from a replay buffer needs nothing."""

    def warm_up(self) -> None:
        """Compile the games, by a few moves."""
        few = self.env_class(len(self.config.opponents), self.config, self.network)
        few.reset()
        for _ in range(4):
            few.step(few.action_masks().argmax(axis=1))

    def iterate(self, progress: float) -> dict[str, float]:
        """Let SB3 play and learn from ``num_steps`` decisions of the learner in every game. Return SB3's figures."""
        env, steps = self.env, self._next_steps()
        torch_seed, opponents_seed = np.random.SeedSequence([self.config.seed, 2, self.iterations]).generate_state(2)
        set_random_seed(int(torch_seed))
        for number, games in enumerate(env.tables):
            games.opponents.reset(int(opponents_seed) + number)
        self.schedule(progress)
        before = {name: getattr(env, name) for name in _COUNTS}
        self.prepare_steps(steps)
        self.model.learn(self.config.num_envs * steps, log_interval=None, reset_num_timesteps=False)
        self.iterations += 1
        self._copy_weights()
        played = {name: getattr(env, name) - count for name, count in before.items()}
        self.decisions += played["decisions"]
        self.choices += played["choices"]
        hands = max(1, played["hands"])
        logged = {name: float(value) for name, value in self.model.logger.name_to_value.items()}
        figures = {
            **{name: value for name, value in logged.items() if name.startswith(("train/", "rollout/"))},
            "rollout/ep_rew_mean": played["reward"] / hands,
            "rollout/ep_len_mean": played["learner_decisions"] / hands,
        }
        return {name: value for name, value in figures.items() if np.isfinite(value)}

    def get_state(self) -> tuple[dict[str, Array], dict[str, Any]]:
        """Return the weights, the optimiser's state and the games as arrays, and the counts."""
        policy = self.model.policy
        arrays = {f"model.{name}": each.detach().cpu().numpy().copy() for name, each in policy.named_parameters()}
        arrays |= {f"optimizer.{name}": array for name, array in optimizer_arrays(policy.optimizer).items()}
        for number, state in enumerate(self.env.get_state()):
            arrays |= {f"games.{number}.{name}": as_bytes(array) for name, array in state.items()}
        counts = {name: getattr(self, name) for name in ("decisions", "choices", "iterations")}
        return arrays, {**counts, "timesteps": self.model.num_timesteps}

    def set_state(self, arrays: dict[str, Array], values: dict[str, Any]) -> None:
        """Continue from a state that :meth:`get_state` gave. Raises KeyError or ValueError if it is not one."""
        self.decisions, self.choices, self.iterations, timesteps = (
            checked_whole(name, values[name], 0, 2**62) for name in ("decisions", "choices", "iterations", "timesteps")
        )
        policy = self.model.policy
        parameters = {name: each.detach() for name, each in policy.named_parameters()}
        weights = checked_arrays(
            under("model.", arrays), {name: each.cpu().numpy() for name, each in parameters.items()}
        )
        for name, parameter in parameters.items():
            parameter.copy_(torch.from_numpy(weights[name]))
        load_optimizer(policy.optimizer, under("optimizer.", arrays))
        self.model.num_timesteps = timesteps
        states = self.env.get_state()
        for number, own in enumerate(states):
            own |= {name: from_bytes(arrays[f"games.{number}.{name}"], array) for name, array in own.items()}
        self.env.set_state(states)
        self._copy_weights()

    def _copy_weights(self) -> None:
        """Give our network what SB3's has learnt, or raise :class:`DivergedError` if that is not finite."""
        ours = {**self.net.features_extractor.weights(), **self.heads()}
        weights = {name: tensor.detach().cpu().numpy().copy() for name, tensor in ours.items()}
        weights[FIRST] *= self.network.gains.numpy()
        if not all(np.isfinite(weight).all() for weight in weights.values()):
            raise DivergedError(
                f"learning_rate={self.config.learning_rate!r} led to weights that are not finite after "
                f"{self.decisions:,} decisions: choose a smaller one"
            )
        self.network.load_weights(weights)


class Trunk(BaseFeaturesExtractor):
    """The hidden layers of :class:`train.networks.policy_network.Network`, as SB3 wants them. The space is of integers
    [C], or a mapping with them as ``observation``; the integers are multiplied by ``scales``, float32 [C].
    """

    scales: Tensor

    def __init__(self, space: spaces.Space[Any], scales: Tensor, hidden: Sequence[int]) -> None:
        super().__init__(space, hidden[-1])
        self.register_buffer("scales", scales.clone(), persistent=False)
        sizes = [len(scales), *hidden]
        self.linear = nn.ModuleList(nn.Linear(size, outputs) for size, outputs in zip(sizes, hidden, strict=False))

    def forward(self, observations: Any) -> Tensor:
        """Features float32 [N, hidden[-1]]."""
        rows = observations["observation"] if isinstance(observations, dict) else observations
        features: Tensor = rows * self.scales
        for layer in self.linear:
            features = torch.relu(layer(features))
        return features

    def weights(self) -> dict[str, Tensor]:
        """The weights under our network's names."""
        return {
            f"trunk.{number}.{name}": weight
            for number, layer in enumerate(self.linear)
            for name, weight in layer.named_parameters()
        }
