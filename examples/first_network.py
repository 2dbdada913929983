"""A first network: an actor and a critic in plain PyTorch, one network for both seats. Three minutes on one core."""

import torch
from torch import nn

from train.evaluate import evaluate
from uno_env import BatchedGames
from uno_env.actions import NUM_ACTIONS
from uno_env.observation import OBSERVATION_SIZE

RULES, GAMES, STEPS, EPOCHS, MINIBATCH, LAMBDA = "starter", 128, 64, 3, 512, 0.8


class Network(nn.Module):
    name = "first_network"

    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(OBSERVATION_SIZE, 128), nn.ReLU())
        self.actor, self.critic = nn.Linear(128, NUM_ACTIONS), nn.Linear(128, 1)

    def forward(self, obs, mask):
        """Logarithms of the probabilities [N, A] and values [N], of observations [N, D] and masks [N, A]."""
        hidden = self.body(obs)
        logits = self.actor(hidden).masked_fill(mask == 0, -1e9)  # an action that is not legal is never taken
        return logits.log_softmax(1), self.critic(hidden)[:, 0]

    def act_batch(self, observations, masks):
        """As a player: the most probable actions [N]."""
        with torch.no_grad():
            return self(torch.tensor(observations), torch.tensor(masks))[0].argmax(1).numpy()


def play(games, network, view):
    """Play ``STEPS`` decisions in every game: what was seen, done and earned."""
    steps = []
    for _ in range(STEPS):
        obs, mask, seat = map(torch.as_tensor, view)
        with torch.no_grad():
            logp, value = network(obs, mask)
        action = torch.multinomial(logp.exp(), 1)
        *view, reward, done = games.step(action[:, 0].numpy())
        reward, done = torch.as_tensor(reward), torch.as_tensor(done)
        steps.append((obs, mask, seat.long(), action, logp.gather(1, action), value, reward, done))
    return view, steps


def advantages(steps):
    """The advantage of each decision for its seat, above the network's value [steps, N]; NaN where it is not known."""
    game, found = torch.arange(GAMES), []
    later = torch.full_like(steps[0][6], torch.nan)  # the value of each seat's next decision, or its reward
    ahead = torch.zeros_like(later)  # the advantage of that decision
    for _, _, seat, _, _, value, reward, done in reversed(steps):
        # A reward is for the last decision of each seat. A hand that was cut off has none: its end says nothing.
        later[done] = reward[done].where(reward[done].any(1, keepdim=True), torch.nan)
        ahead[done] = 0
        advantage = later[game, seat] + LAMBDA * ahead[game, seat] - value
        later[game, seat], ahead[game, seat] = value, advantage.nan_to_num()
        found.append(advantage)
    return torch.stack(found[::-1])


def learn(network, optimizer, steps):
    """Make decisions that went better than expected more likely, and correct the values."""
    advantage = advantages(steps).flatten()
    obs, mask, _, action, old, value, _, _ = map(torch.cat, zip(*steps, strict=True))
    target = advantage + value
    chosen = (~advantage.isnan() & (mask.sum(1) > 1)).nonzero()[:, 0]  # a forced decision teaches nothing
    advantage = (advantage - advantage[chosen].mean()) / advantage[chosen].std()
    for _ in range(EPOCHS):
        for rows in chosen[torch.randperm(len(chosen))].split(MINIBATCH):
            logp, now = network(obs[rows], mask[rows])
            ratio = (logp.gather(1, action[rows]) - old[rows]).exp()[:, 0]
            gain = torch.min(ratio * advantage[rows], ratio.clamp(0.8, 1.2) * advantage[rows])  # small steps, as in PPO
            entropy = -(logp.exp() * logp).sum(1)
            loss = (0.5 * (now - target[rows]) ** 2 - gain - 0.015 * entropy).mean()
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(network.parameters(), 0.5)
            optimizer.step()


def curve(iterations=400, parts=8, deals=1_000, seed=0):
    """Learn, and yield after each part the decisions so far and the result against ``random-play``."""
    torch.manual_seed(seed)
    torch.set_num_threads(1)  # a network so small gains nothing by more
    network = Network()
    optimizer = torch.optim.Adam(network.parameters(), 2e-3)
    games = BatchedGames(GAMES, RULES, seed=seed, copy=True)
    view = games.reset()
    for iteration in range(1, iterations + 1):
        view, steps = play(games, network, view)
        learn(network, optimizer, steps)
        if iteration % (iterations // parts) == 0:
            yield iteration * GAMES * STEPS, evaluate(network, "random-play", RULES, deals)


if __name__ == "__main__":
    for decisions, result in curve():
        print(f"{decisions:>9,} decisions: {result.win_rate:.1%} against random-play", flush=True)
