"""DQN of Stable-Baselines3 and QR-DQN of sb3-contrib that never choose an illegal action, against agents.

:class:`MaskedDQN` and :class:`MaskedQRDQN` learn on observations that hold the mask, ``UnoVecEnv(…,
mask_in_observation=True)``. The mask counts in all three places where Q-learning chooses: the greedy action, the random
one, and the best next action that a target is made of. Everything else is SB3's, so its callbacks, saving, loading and
``evaluate_policy`` work as they are. A state with no legal action is the end of an episode, and worth 0: also where a
hand was cut off, which nobody won.

:class:`SB3DQN` and :class:`SB3QRDQN` train them in runs like those of the other algorithms: ``uno train
tools/configs/sb3_dqn_duel.yaml``, and ``uno benchmark run duel-2p --algorithms tools/sb3_dqn.py:SB3DQN`` measures one
beside the others. The logits of the saved policy are values of actions, as those of :mod:`train.algorithms.dmc`; it has
no value of the state. QR-DQN learns quantiles of the return; their mean, by which it acts, is folded into the last
layer of the policy that is saved. A resumed run begins with an empty replay buffer.

Sources: V. Mnih et al., "Human-level control through deep reinforcement learning", 2015; W. Dabney et al.,
"Distributional reinforcement learning with quantile regression", 2018.
"""

from dataclasses import dataclass
from types import MappingProxyType
from typing import Annotated, Any, ClassVar

import numpy as np
import torch
from gymnasium import spaces
from msgspec import Meta
from sb3_contrib import QRDQN
from sb3_contrib.qrdqn.policies import QRDQNPolicy, QuantileNetwork
from stable_baselines3 import DQN
from stable_baselines3.common.policies import BasePolicy
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from stable_baselines3.dqn.policies import DQNPolicy, QNetwork
from torch import Tensor

from train.algorithms import dmc
from train.algorithms.sb3.base import SB3Config, SB3Learner
from train.algorithms.sb3.env import LearnerEnv
from train.runs.config import NonNegativeInt, PositiveInt, Share
from uno_env.core.arrays import Array
from uno_env.encodings import Observations
from uno_env.envs.sb3 import UnoVecEnv

OUT_OF_REACH = -1e8
"""Value of an illegal action; finite, so that it times 0 is 0."""


class ObservationOnly(BaseFeaturesExtractor):
    """Gives a network all of the observation but its mask, as one row."""

    def __init__(self, observation_space: spaces.Dict) -> None:
        self._parts = [part for part in observation_space.spaces if part != "action_mask"]
        super().__init__(observation_space, sum(spaces.flatdim(observation_space[part]) for part in self._parts))

    def forward(self, observations: dict[str, Tensor]) -> Tensor:
        """The parts side by side, float32 [N, features]."""
        return torch.cat([observations[part].flatten(1) for part in self._parts], dim=1)


def masked(values: Tensor, observations: Any) -> Tensor:
    """Values [..., A] with illegal actions out of reach, also of values that diverge, and 0 where nothing is legal.

    Args:
        values: float32 [N, A], or [N, quantiles, A].
        observations: their mapping with ``action_mask`` [N, A].
    """
    mask = observations["action_mask"].bool()
    over = ~mask.any(dim=1, keepdim=True)
    if values.dim() == 3:
        mask, over = mask.unsqueeze(1), over.unsqueeze(1)
    return values.clamp(min=OUT_OF_REACH / 2).masked_fill(~mask, OUT_OF_REACH).masked_fill(over, 0.0)


class MaskedQNetwork(QNetwork):
    """A Q-network in whose eyes illegal actions are out of reach."""

    def forward(self, obs: Any) -> Tensor:
        """Values of the actions, float32 [N, A]."""
        return masked(super().forward(obs), obs)


class MaskedQuantileNetwork(QuantileNetwork):
    """A quantile network in whose eyes illegal actions are out of reach."""

    def forward(self, obs: Any) -> Tensor:
        """Quantiles of the actions' values, float32 [N, quantiles, A]."""
        return masked(super().forward(obs), obs)


class _MaskedPolicy:
    """A mixin for policies of SB3: their networks are of ``network_class``, and read all but the mask."""

    network_class: ClassVar[Any]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{"features_extractor_class": ObservationOnly, **kwargs})

    def make_q_net(self: Any) -> Any:
        """A network, its features extractor its own."""
        return self.network_class(**self._update_features_extractor(self.net_args, None)).to(self.device)

    make_quantile_net = make_q_net


class MaskedDQNPolicy(_MaskedPolicy, DQNPolicy):
    """DQN's policy on :class:`MaskedQNetwork`."""

    network_class = MaskedQNetwork


class MaskedQRDQNPolicy(_MaskedPolicy, QRDQNPolicy):
    """QR-DQN's policy on :class:`MaskedQuantileNetwork`."""

    network_class = MaskedQuantileNetwork


class _LegalExploration:
    """Explores among legal actions only, each game on its own; for a subclass of DQN or QRDQN."""

    def predict(
        self: Any,
        observation: Any,
        state: tuple[Array, ...] | None = None,
        episode_start: Array | None = None,
        deterministic: bool = False,
    ) -> tuple[Array, tuple[Array, ...] | None]:
        """The best action of each observation; if not ``deterministic``, at the exploration rate a random one."""
        actions, state = self.policy.predict(observation, state, episode_start, deterministic)
        if deterministic:
            return actions, state
        explores = torch.rand(actions.shape).numpy() < self.exploration_rate
        return np.where(explores, random_legal(observation["action_mask"]), actions), state

    def _sample_action(
        self: Any, learning_starts: int, action_noise: Any = None, n_envs: int = 1
    ) -> tuple[Array, Array]:
        if self.num_timesteps < learning_starts:
            actions = random_legal(self._last_obs["action_mask"])
        else:
            actions, _ = self.predict(self._last_obs, deterministic=False)
        return actions, actions


def random_legal(masks: Array) -> Array:
    """A random legal action of each mask, int8 [..., A], with the same chance for each; by PyTorch's generator."""
    return torch.multinomial(torch.as_tensor(masks, dtype=torch.float32), 1).squeeze(-1).numpy()


class MaskedDQN(_LegalExploration, DQN):
    """SB3's DQN with masks; its arguments are DQN's, the policy is ``"MaskedPolicy"``."""

    policy_aliases: ClassVar[dict[str, type[BasePolicy]]] = {"MaskedPolicy": MaskedDQNPolicy}


class MaskedQRDQN(_LegalExploration, QRDQN):
    """sb3-contrib's QR-DQN with masks; its arguments are QRDQN's, the policy is ``"MaskedPolicy"``."""

    policy_aliases: ClassVar[dict[str, type[BasePolicy]]] = {"MaskedPolicy": MaskedQRDQNPolicy}


# --- trained as a run -------------------------------------------------------------------------------------------------

NOTES = MappingProxyType(
    {**dmc.DMC.notes, "value": "always 0: Q-learning has no value of the state but that of the best legal action."}
)


@dataclass(frozen=True, kw_only=True)
class SB3DQNConfig(SB3Config):
    """The config of :class:`SB3DQN`."""

    algorithm: str = "tools/sb3_dqn.py:SB3DQN"
    opponents: tuple[str, ...] = ("random", "highest-points", "greedy")
    num_envs: PositiveInt = 128
    """Games that are played at the same time; SB3's ``n_envs``."""
    num_steps: PositiveInt = 32
    """The learner's decisions in each game in an iteration."""
    minibatch_size: Annotated[int, Meta(ge=2, le=10**15)] = 256
    """Decisions of a gradient step; SB3's ``batch_size``."""
    gradient_steps: PositiveInt = 8
    """Gradient steps each time that the learner has decided in all games."""
    buffer_size: PositiveInt = 200_000
    """Decisions that the replay buffer holds."""
    learning_starts: NonNegativeInt = 20_000
    """Random decisions before learning starts. A resumed run learns again when the buffer has as many."""
    target_update_interval: PositiveInt = 4_000
    """Decisions of the learner between updates of the target network."""
    epsilon: Share = 1.0
    """Share of random decisions at the beginning; SB3's ``exploration_initial_eps``."""
    epsilon_final: Share = 0.02
    """Share of random decisions at the end; SB3's ``exploration_final_eps``."""
    exploration_fraction: Share = 0.1
    """Part of the run in which the share of random decisions falls."""
    choice_cost: Share = 0.05
    """Reward that each choice of the learner costs while training. Without it Q-learning learns to draw cards forever:
    a hand that does not end is not lost. After 1.2 minutes of ``duel`` on one core it won 1 % against random-play
    without a cost, 46 % with 0.02 and 56 % with 0.05."""

    def memory(self) -> dict[str, int]:
        """As :meth:`train.runs.run_config.RunConfig.memory`: the replay buffer too."""
        return super().memory() | {
            f"buffer_size={self.buffer_size}": self.buffer_size * 2 * self.network_inputs(),
            f"minibatch_size={self.minibatch_size}": self.minibatch_size * 2 * self.network_inputs(),
        }


class MaskedLearnerEnv(LearnerEnv):
    """:class:`train.algorithms.sb3.env.LearnerEnv` whose observations are mappings of ``observation`` uint8 [N, C] and
    ``action_mask`` int8 [N, A]."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args, mask_in_observation=True)
        masks = spaces.Box(0, 1, (len(self._actions),), np.int8)
        self.observation_space = spaces.Dict({"observation": self.observation_space, "action_mask": masks})

    def observe_table(self, games: Any, indices: Array | slice = slice(None)) -> Observations:
        """As :meth:`uno_env.envs.sb3.UnoVecEnv.observe_table`, with the columns and actions that the rules leave."""
        seen: Any = UnoVecEnv.observe_table(self, games, indices)
        rows, masks = seen["observation"], seen["action_mask"]
        return {"observation": rows[:, self._columns], "action_mask": masks[:, self._actions]}


class SB3DQN(SB3Learner):
    """DQN with masks; its state is all that it has learnt, without the replay buffer."""

    config_class = SB3DQNConfig
    env_class = MaskedLearnerEnv
    notes = NOTES
    model_class: Any = MaskedDQN
    net_name = "q_net"
    """SB3's name of the network that acts, and of the last layer in it."""
    config: SB3DQNConfig
    _epsilon = 1.0

    @property
    def net(self) -> Any:
        """The network that acts."""
        return getattr(self.model, self.net_name)

    def build(self) -> Any:
        """The model."""
        config = self.config
        model = self.model_class(
            "MaskedPolicy",
            self.env,
            learning_rate=lambda _: self.rate,
            buffer_size=max(config.buffer_size, config.num_envs),
            learning_starts=config.learning_starts,
            batch_size=config.minibatch_size,
            gamma=1.0,
            train_freq=1,
            gradient_steps=config.gradient_steps,
            target_update_interval=max(config.target_update_interval, config.num_envs),
            max_grad_norm=config.max_grad_norm,
            device=config.device,
            policy_kwargs=self.layers,
        )
        model.exploration_schedule = lambda _: self._epsilon
        return model

    def schedule(self, progress: float) -> None:
        """Set the share of random decisions too, and learn only if there is enough to learn from."""
        super().schedule(progress)
        config = self.config
        part = min(1.0, progress / config.exploration_fraction) if config.exploration_fraction else 1.0
        self._epsilon = config.epsilon + (config.epsilon_final - config.epsilon) * part
        held = self.model.replay_buffer.size() * config.num_envs
        enough = held >= min(config.learning_starts, config.buffer_size // 2)
        self.model.gradient_steps = config.gradient_steps if enough else 0

    def heads(self) -> dict[str, Tensor]:
        """Of the values of actions, which are means of the quantiles if there are any; a value of 0."""
        (layer,) = getattr(self.net, self.net_name)
        quantiles = self.layers.get("n_quantiles", 1)
        weight, bias = (each.unflatten(0, (quantiles, -1)).mean(dim=0) for each in (layer.weight, layer.bias))
        zeros = {"value.weight": torch.zeros(1, weight.shape[1]), "value.bias": torch.zeros(1)}
        return {"policy.weight": weight, "policy.bias": bias, **zeros}


@dataclass(frozen=True, kw_only=True)
class SB3QRDQNConfig(SB3DQNConfig):
    """The config of :class:`SB3QRDQN`."""

    algorithm: str = "tools/sb3_dqn.py:SB3QRDQN"
    n_quantiles: PositiveInt = 16
    """Quantiles of each action's return."""

    def memory(self) -> dict[str, int]:
        """As :meth:`train.runs.run_config.RunConfig.memory`: the last layer too."""
        return super().memory() | {f"n_quantiles={self.n_quantiles}": self.n_quantiles * self.hidden[-1] * 8}


class SB3QRDQN(SB3DQN):
    """QR-DQN with masks, with all that it has learnt but its replay buffer."""

    config_class = SB3QRDQNConfig
    model_class, net_name = MaskedQRDQN, "quantile_net"
    config: SB3QRDQNConfig

    @property
    def layers(self) -> dict[str, Any]:
        """Arguments of the policy, with the number of quantiles."""
        return {**super().layers, "n_quantiles": self.config.n_quantiles}
