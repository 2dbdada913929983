"""Programs that others wrote for PettingZoo run unchanged on this environment, and learn."""

from typing import Any

import gymnasium
import pytest

import uno_env
from uno_env import Rules

pytestmark = pytest.mark.adapters


# --- RLCard -----------------------------------------------------------------------------------------------------------


def rlcard_agents(kind: str, env: Any) -> dict[str, Any]:
    """RLCard's learner and its random agent; it learns after 50 decisions already."""
    pytest.importorskip("rlcard", reason="RLCard is not installed: pip install -c constraints.txt '.[bench]'")
    from tools.docs import foreign_programs

    soon = {"DQN": "replay_memory_init_size", "NFSP": "q_replay_memory_init_size"}[kind]
    return foreign_programs.rlcard_agents(kind, env, seed=0, **{soon: 50})


@pytest.mark.parametrize("kind", ["DQN", "NFSP"])
def test_rlcards_agents_learn_with_rlcards_own_runner(kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    env = uno_env.env("starter")
    env.reset(seed=0)
    agents = rlcard_agents(kind, env)
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
    agents = rlcard_agents("DQN", env)
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
