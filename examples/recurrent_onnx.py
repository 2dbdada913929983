"""A recurrent policy of one's own: trained in PyTorch, exported to ONNX, and then an opponent like any other.

    python examples/recurrent_onnx.py
    uno play memory.onnx

Its GRU remembers what its seat has seen in the hand. agents/policy/onnx_file.py says which inputs and outputs a network
may have. PyTorch writes ONNX files with the package onnx (extra ``onnx``).
"""

import gymnasium
import torch
from torch import nn

import uno_env  # noqa: F401 (registers the environment)
from agents.policy.onnx_file import write_card
from train.evaluate import evaluate
from uno_env import Rules
from uno_env.actions import NUM_ACTIONS
from uno_env.observation import OBSERVATION_SIZE

ENVS, STEPS, MEMORY = 256, 64, 64


class Recurrent(nn.Module):
    """A GRU over a seat's own decisions, under a policy head."""

    def __init__(self):
        super().__init__()
        self.read, self.cell = nn.Linear(OBSERVATION_SIZE, 128), nn.GRUCell(128, MEMORY)
        self.policy = nn.Linear(128 + MEMORY, NUM_ACTIONS)

    def forward(self, observation, mask, state):
        """Logits [N, A] and the next state [N, MEMORY]."""
        x = torch.relu(self.read(observation))
        state = self.cell(x, state)
        logits = self.policy(torch.cat((x, state), 1)).masked_fill(mask == 0, -1e9)
        return logits, state


def train(network, iterations, envs):
    """REINFORCE at one seat against ``greedy``, back through time; each decision gets the reward of its hand."""
    optimizer = torch.optim.Adam(network.parameters(), 1e-3)
    games = gymnasium.make_vec("uno_env/Uno-v0", num_envs=envs, rules="duel", opponents=["greedy"],
                               autoreset_mode="SameStep")  # fmt: skip
    seen, infos = games.reset(seed=0)
    state = torch.zeros(envs, MEMORY)
    for _ in range(iterations):
        logps, rewards, dones, state = [], [], [], state.detach()
        for _ in range(STEPS):
            logits, state = network(torch.tensor(seen), torch.tensor(infos["action_mask"]), state)
            chances = torch.distributions.Categorical(logits=logits)
            actions = chances.sample()
            logps.append(chances.log_prob(actions))
            seen, reward, terminated, truncated, infos = games.step(actions.numpy())
            rewards.append(torch.tensor(reward, dtype=torch.float32))
            dones.append(torch.tensor(terminated | truncated))
            state = state * ~dones[-1][:, None]  # a new hand begins with nothing remembered
        earned, known, losses = torch.zeros(envs), torch.zeros(envs, dtype=torch.bool), []
        for logp, reward, done in zip(reversed(logps), reversed(rewards), reversed(dones), strict=True):
            earned, known = torch.where(done, reward, earned + reward), known | done
            losses.append(-(logp * earned)[known])
        optimizer.zero_grad()
        torch.cat(losses).mean().backward()
        optimizer.step()


def export(network, file):
    """Write the network as an ONNX file with a card that says which rules it is for."""
    rows = (torch.zeros(2, OBSERVATION_SIZE), torch.ones(2, NUM_ACTIONS), torch.zeros(2, MEMORY))
    names = ["observation", "mask", "state"], ["logits", "next_state"]
    free = {name: {0: "N"} for name in (*names[0], *names[1])}
    torch.onnx.export(network, rows, file, input_names=names[0], output_names=names[1], dynamic_axes=free, dynamo=False)
    write_card(file, Rules.preset("duel"), trained_by={"algorithm": "REINFORCE with a GRU"})


def main(iterations=150, deals=2_000, envs=ENVS, file="memory.onnx"):
    """Train, export, and measure the file against two agents."""
    torch.manual_seed(0)
    network = Recurrent()
    train(network, iterations, envs)
    export(network, file)
    results = [evaluate(str(file), opponent, "duel", deals) for opponent in ("random-play", "greedy")]
    for result in results:
        print(f"{result.win_rate:.1%} against {result.opponent}")
    return results


if __name__ == "__main__":
    main()
