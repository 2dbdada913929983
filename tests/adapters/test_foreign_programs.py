"""Programs that others wrote for PettingZoo run unchanged on this environment, and learn."""

import random
from typing import Any

import gymnasium
import numpy as np
import pytest

import uno_env
from uno_env import Rules

pytestmark = pytest.mark.adapters


# --- RLCard -----------------------------------------------------------------------------------------------------------


def rlcard_agents(kind: str, env: Any, seed: int) -> dict[str, Any]:
    """One of RLCard's learners at the first seat of an environment, and its random agent at the other."""
    pytest.importorskip("rlcard", reason="RLCard is not installed: pip install -c constraints.txt '.[bench]'")
    import torch
    from rlcard.agents.pettingzoo_agents import DQNAgentPettingZoo, NFSPAgentPettingZoo, RandomAgentPettingZoo

    random.seed(seed)
    np.random.seed(seed)  # noqa: NPY002 (RLCard draws from it)
    torch.manual_seed(seed)
    learner, other = env.possible_agents
    size = env.action_space(learner).n
    shape, device = env.observation_space(learner)["observation"].shape, torch.device("cpu")
    if kind == "DQN":
        agent = DQNAgentPettingZoo(num_actions=size, state_shape=shape, mlp_layers=[32], device=device,
                                   replay_memory_init_size=50)  # fmt: skip
    else:
        agent = NFSPAgentPettingZoo(num_actions=size, state_shape=shape, hidden_layers_sizes=[32], q_mlp_layers=[32],
                                    device=device, q_replay_memory_init_size=50)  # fmt: skip
    return {learner: agent, other: RandomAgentPettingZoo(num_actions=size)}


@pytest.mark.parametrize("kind", ["DQN", "NFSP"])
def test_rlcards_agents_learn_with_rlcards_own_runner(kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    env = uno_env.env("starter")
    env.reset(seed=0)
    agents = rlcard_agents(kind, env, seed=0)
    from rlcard.utils.pettingzoo_utils import reorganize_pettingzoo, run_game_pettingzoo, tournament_pettingzoo

    learner = env.possible_agents[0]
    for _ in range(10):
        told = reorganize_pettingzoo(run_game_pettingzoo(env, agents, is_training=True))
        earned = {name: sum(step[2] for step in steps) for name, steps in told.items()}
        assert sorted(earned.values()) == [-1, 1]
        for step in told[learner]:
            agents[learner].feed(step)
    payoffs = tournament_pettingzoo(env, agents, 5)
    assert sum(payoffs.values()) == pytest.approx(0)


def test_rlcards_runner_does_not_know_hands_that_are_cut_off() -> None:
    """What the page says of it: it reads the termination alone."""
    env = uno_env.env(Rules.preset("starter", max_decisions=5))
    env.reset(seed=0)
    agents = rlcard_agents("DQN", env, seed=0)
    from rlcard.utils.pettingzoo_utils import run_game_pettingzoo

    with pytest.raises(ValueError):
        run_game_pettingzoo(env, agents)


# --- PettingZoo's tutorial for Stable-Baselines3 ----------------------------------------------------------------------


def one_player_of(env: Any) -> Any:
    """The environment as the tutorial wraps it for SB3: every player in turn is the same learner."""
    from pettingzoo.utils import BaseWrapper

    class AsGymnasium(BaseWrapper, gymnasium.Env):  # type: ignore[misc, type-arg]
        def reset(self, seed: Any = None, options: Any = None) -> Any:
            super().reset(seed, options)
            player = self.possible_agents[0]
            self.observation_space = super().observation_space(player)["observation"]
            self.action_space = super().action_space(player)
            return self.observe(self.agent_selection), {}

        def step(self, action: Any) -> Any:
            player = self.agent_selection
            super().step(action)
            over = self.terminations[player], self.truncations[player]
            return self.observe(self.agent_selection), self._cumulative_rewards[player], *over, self.infos[player]

        def observe(self, agent: Any) -> Any:
            return super().observe(agent)["observation"]

        def action_mask(self) -> Any:
            return super().observe(self.agent_selection)["action_mask"]

    return AsGymnasium(env)


def hands_won_after(rules: str, steps: int, seed: int = 0) -> int:
    """Hands of 100 that the tutorial's learner wins against actions drawn uniformly, after its own training.

    The tutorial gives its learner a seed when the first weights are drawn already; here these go by the seed, too.
    """
    contrib = pytest.importorskip("sb3_contrib")
    import torch
    from sb3_contrib.common.wrappers import ActionMasker

    wrapped = one_player_of(uno_env.env(rules))
    wrapped.reset(seed=seed)
    torch.manual_seed(seed)
    model = contrib.MaskablePPO("MlpPolicy", ActionMasker(wrapped, lambda env: env.action_mask()))
    model.set_random_seed(seed)
    model.learn(steps)
    env, won = uno_env.env(rules), 0
    opponent, learner = env.possible_agents
    for seed in range(100):
        env.reset(seed=seed)
        env.action_space(opponent).seed(seed)
        for name in env.agent_iter():
            seen, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                won += env.rewards[learner] > 0
                break
            mask = seen["action_mask"]
            mine = name == learner
            drawn = None if mine else env.action_space(name).sample(mask)
            best = model.predict(seen["observation"], action_masks=mask, deterministic=True)[0] if mine else None
            env.step(int(best if drawn is None else drawn))
    return won


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:hands take more than 500 decisions")
@pytest.mark.parametrize(("rules", "steps", "least"), [("starter", 4_096, 50), ("duel", 20_480, 90)])
def test_the_tutorial_learns(rules: str, steps: int, least: int) -> None:
    """Seeds 0 to 3 won 94, 92, 94 and 30 hands of ``duel``. Under ``starter`` uniform play is as good as
    ``random-play``, so fewer hands can be won there.
    """
    assert hands_won_after(rules, steps) >= least
