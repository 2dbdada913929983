"""DQN and QR-DQN of Stable-Baselines3 that never choose an illegal action: :class:`MaskedDQN`, :class:`MaskedQRDQN`.

They learn on observations that hold the mask, ``UnoVecEnv(…, mask_in_observation=True)``. The mask counts in all three
places where Q-learning chooses: the greedy action, the random one, and the best next action that a target is made of.
Everything else is SB3's, so its callbacks, saving, loading and ``evaluate_policy`` work as they are.

A state with no legal action is the end of an episode, and worth 0: also where a hand was cut off, which nobody won.
"""

from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import torch
from gymnasium import spaces
from sb3_contrib import QRDQN
from sb3_contrib.qrdqn.policies import QRDQNPolicy, QuantileNetwork
from stable_baselines3 import DQN
from stable_baselines3.common.policies import BasePolicy
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from stable_baselines3.dqn.policies import DQNPolicy, QNetwork
from torch import Tensor

Array = npt.NDArray[Any]

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
    """Makes its networks of ``network_class``, which read all but the mask; for a subclass of a policy of SB3."""

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
