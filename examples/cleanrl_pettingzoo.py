"""The PPO of ``cleanrl_ppo.py`` on the PettingZoo environment: only the games are others, one environment for each.

python examples/cleanrl_pettingzoo.py
"""

import numpy as np
from cleanrl_ppo import CleanRLConfig, CleanRLPPO

import uno_env
from train.evaluate import evaluate

RULES = "starter"


class PettingZooGames:
    """PettingZoo environments side by side, with the ``reset`` and ``step`` of ``BatchedGames``."""

    def __init__(self, num_games, rules, seed):
        self.envs = [uno_env.raw_env(rules, obs_dtype="uint8") for _ in range(num_games)]
        for number, env in enumerate(self.envs):
            env.reset(seed=seed + number)

    def reset(self):
        """The view of the players to move: observations [N, D], masks [N, A] and seats [N]."""
        seen = [env.observe(env.agent_selection) for env in self.envs]
        seats = [env.possible_agents.index(env.agent_selection) for env in self.envs]
        obs, masks = (np.stack([each[name] for each in seen]) for name in ("observation", "action_mask"))
        return obs, masks.view(np.uint8), np.array(seats)

    def step(self, actions):
        """Act in every game; also the rewards [N, seats], and which hands have ended: those are dealt anew."""
        rewards, done = [], []
        for env, action in zip(self.envs, actions.tolist(), strict=True):
            env.step(action)
            rewards.append([env.rewards[agent] for agent in env.possible_agents])
            done.append(any(env.terminations.values()) or any(env.truncations.values()))
            if done[-1]:
                env.reset()
        return *self.reset(), np.array(rewards, np.float32), np.array(done)


class PettingZooPPO(CleanRLPPO):
    """CleanRLPPO on those games."""

    def __init__(self, config):
        super().__init__(config)
        self.games = PettingZooGames(config.num_envs, self.rules, config.seed)
        self.view = self.games.reset()


def main(iterations=60, deals=1_000, num_envs=64):
    """Train, and measure against ``random-play``."""
    learner = PettingZooPPO(CleanRLConfig(rules=RULES, learning_rate=1e-3, num_envs=num_envs, threads=1))
    for iteration in range(iterations):
        learner.iterate(iteration / iterations)
    result = evaluate(learner.policy(), "random-play", RULES, deals)
    print(f"{learner.decisions:,} decisions: {result.win_rate:.1%} against {result.opponent}")
    return result


if __name__ == "__main__":
    main()
