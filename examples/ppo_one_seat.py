"""PPO for one seat in one file, as CleanRL writes it: agents play the other seats inside Gymnasium's vector games.

python examples/ppo_one_seat.py
"""

import gymnasium
import numpy as np
import torch
from torch import nn

import uno_env  # noqa: F401 (registers the environment)
from train.evaluate import evaluate
from uno_env.actions import NUM_ACTIONS
from uno_env.observation import OBSERVATION_SIZE

ENVS, STEPS, EPOCHS, MINIBATCHES = 256, 64, 4, 8
LAMBDA, CLIP, ENTROPY, VALUE = 0.95, 0.2, 0.01, 0.5


class Network(nn.Module):
    """Hidden layers under a policy head and a value head."""

    def __init__(self):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(OBSERVATION_SIZE, 256), nn.ReLU(), nn.Linear(256, 256), nn.ReLU())
        self.policy, self.value = nn.Linear(256, NUM_ACTIONS), nn.Linear(256, 1)

    def forward(self, obs, mask):
        """The distribution over legal actions, and the values [N], of observations [N, D] and masks [N, A]."""
        x = self.trunk(obs)
        logits = self.policy(x).masked_fill(~mask, -1e9)
        return torch.distributions.Categorical(logits=logits), self.value(x)[:, 0]


class Learnt:
    """The player that was learnt: it takes the most probable action."""

    name = "ppo_one_seat"

    def __init__(self, network):
        self.network = network

    def act_batch(self, observations, masks):
        """Ids of actions [N] for observations float32 [N, D] and masks bool [N, A]."""
        with torch.no_grad():
            chances, _ = self.network(torch.from_numpy(observations), torch.from_numpy(masks))
        return chances.logits.argmax(1).numpy()


def main(iterations=100, deals=2_000, envs=ENVS):
    """Train on starter against ``greedy``, and measure."""
    torch.manual_seed(0)
    network = Network()
    optimizer = torch.optim.Adam(network.parameters(), lr=1e-3, eps=1e-5)
    games = gymnasium.make_vec("uno_env/Uno-v0", num_envs=envs, rules="starter", opponents=["greedy"],
                               autoreset_mode="SameStep")  # fmt: skip
    seen, infos = games.reset(seed=0)
    for iteration in range(iterations):
        optimizer.param_groups[0]["lr"] = 1e-3 * (1 - iteration / iterations)
        obs, masks, actions, logps, rewards, dones, values = [], [], [], [], [], [], []

        # Play.
        for _ in range(STEPS):
            obs.append(torch.tensor(seen))
            masks.append(torch.tensor(infos["action_mask"]) != 0)
            with torch.no_grad():
                chances, value = network(obs[-1], masks[-1])
                actions.append(chances.sample())
            values.append(value)
            logps.append(chances.log_prob(actions[-1]))
            seen, reward, terminated, truncated, infos = games.step(actions[-1].numpy())
            rewards.append(torch.tensor(reward, dtype=torch.float32))
            dones.append(torch.tensor(terminated | truncated, dtype=torch.float32))

        # Advantages: generalised, with a discount of 1, since hands are short.
        with torch.no_grad():
            values.append(network(torch.tensor(seen), torch.tensor(infos["action_mask"]) != 0)[1])
        advantages, last = [], torch.zeros(envs)
        for step in reversed(range(STEPS)):
            going = 1 - dones[step]
            last = rewards[step] + going * (values[step + 1] + LAMBDA * last) - values[step]
            advantages.insert(0, last)

        # Update.
        advantage = torch.cat(advantages)
        obs, masks, actions, logps = torch.cat(obs), torch.cat(masks), torch.cat(actions), torch.cat(logps)
        returns = advantage + torch.cat(values[:-1])
        advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
        for _ in range(EPOCHS):
            for rows in torch.randperm(len(obs)).chunk(MINIBATCHES):
                chances, value = network(obs[rows], masks[rows])
                ratio = (chances.log_prob(actions[rows]) - logps[rows]).exp()
                clipped = ratio.clamp(1 - CLIP, 1 + CLIP)
                policy_loss = -torch.min(ratio * advantage[rows], clipped * advantage[rows]).mean()
                value_loss = ((value - returns[rows]) ** 2).mean()
                loss = policy_loss + VALUE * value_loss - ENTROPY * chances.entropy().mean()
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(network.parameters(), 0.5)
                optimizer.step()
        if iteration % 10 == 9:
            over = sum(done.sum() for done in dones)
            print(f"iteration {iteration + 1}: {np.sum([r.sum() for r in rewards]) / max(over, 1):+.3f} a hand")
    result = evaluate(Learnt(network), "greedy", "starter", deals)
    print(f"{result.win_rate:.1%} against greedy")
    return result


if __name__ == "__main__":
    main()
