"""RLlib's multi-agent view of one hand or match: :class:`UnoMultiAgentEnv`.

It needs ``ray[rllib]``, which pins Gymnasium and so lives in an environment of its own:
tests/adapters/requirements/rllib.txt, built by ``make test-adapters``.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from ray.rllib.env.multi_agent_env import MultiAgentEnv

from uno_env.actions import number_of
from uno_env.common.copies import DeepCopyMixin
from uno_env.envs.pettingzoo_env import raw_env
from uno_env.game import IllegalActionError

Observation = dict[str, npt.NDArray[Any]]
Result = tuple[dict[str, Observation], dict[str, float], dict[str, bool], dict[str, bool], dict[str, Any]]


class UnoMultiAgentEnv(DeepCopyMixin, MultiAgentEnv):
    """:class:`uno_env.raw_env` for RLlib's new API stack: one agent, the one to move, acts in each step.

    **Observation**: what RLlib's ``ActionMaskingTorchRLModule`` wants, ``{"observations": …, "action_mask": float32
    [A] of 0 and 1}``, and ``history`` if asked for; only of the agent to move, but of all when the hand is over.

    **Rewards**: as :class:`uno_env.raw_env`, of the agent to move and wherever they are not 0: so of all when the hand
    is over, also those whose opponent ended it. RLlib itself leaves out an agent that never came to move.

    **Illegal actions** that the rules refuse end the episode with −1 for their agent and leave the game as it was:
    RLlib's own check of an environment takes actions without looking at the mask. Raises ValueError if an argument is
    not allowed.

    Args:
        config: arguments of :class:`uno_env.raw_env`; RLlib's ``env_config``.
    """

    def __init__(self, config: Mapping[str, Any] | None = None) -> None:
        super().__init__()
        self.env = raw_env(**(config or {}))
        self.possible_agents = list(self.env.possible_agents)
        self.agents = list(self.possible_agents)
        self.observation_spaces = {agent: self._space(agent) for agent in self.possible_agents}
        self.action_spaces = {agent: self.env.action_space(agent) for agent in self.possible_agents}

    def __repr__(self) -> str:
        return f"<UnoMultiAgentEnv: {self.env.game!r}>"

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[dict[str, Observation], dict[str, Any]]:
        """Deal a new hand; see :meth:`uno_env.raw_env.reset`. Observation and info of the agent to move."""
        self.env.reset(seed, options)
        agent = self.env.agent_selection
        return {agent: self._observe(agent)}, {agent: self.env.infos[agent]}

    def step(self, action_dict: Mapping[str, Any]) -> Result:
        """The agent to move acts: observations, rewards, terminated, truncated and infos by agent. Raises ValueError if
        the action of the agent to move is missing or none; the state is as it was.
        """
        agent = self.env.agent_selection
        if agent not in action_dict:
            raise ValueError(f"{agent} is to move, and there are actions of {', '.join(action_dict) or 'nobody'}")
        try:
            self.env.step(action_dict[agent])
        except IllegalActionError:
            return self._result({**dict.fromkeys(self.agents, 0.0), agent: -1.0}, ended=True)
        return self._result(self.env.rewards, self.env.terminations[agent], self.env.truncations[agent])

    def _result(self, rewards: dict[str, float], ended: bool = False, cut: bool = False) -> Result:
        shown = self.agents if ended or cut else [self.env.agent_selection]
        return (
            {each: self._observe(each) for each in shown},
            {each: rewards[each] for each in self.agents if each in shown or rewards[each]},
            {**dict.fromkeys(shown, ended), "__all__": ended},
            {**dict.fromkeys(shown, cut), "__all__": cut},
            {each: self.env.infos[each] for each in shown},
        )

    def _space(self, agent: str) -> spaces.Dict:
        seen = self.env.observation_space(agent)
        assert isinstance(seen, spaces.Dict)
        parts = {_KEYS.get(key, key): space for key, space in seen.items()}
        return spaces.Dict({**parts, "action_mask": spaces.Box(0.0, 1.0, (number_of(self.env.rules),), np.float32)})

    def _observe(self, agent: str) -> Observation:
        seen = self.env.observe(agent)
        parts = {_KEYS.get(key, key): value for key, value in seen.items()}
        return {**parts, "action_mask": seen["action_mask"].astype(np.float32)}


_KEYS = {"observation": "observations"}
