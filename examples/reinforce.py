"""REINFORCE in plain PyTorch: one network plays all seats of many games; it ends on the ladder of opponents."""

import torch
from torch import nn

from train.evaluate import evaluate
from uno_env import BatchedGames
from uno_env.actions import NUM_ACTIONS
from uno_env.observation import OBSERVATION_SIZE

OPPONENTS = "random-play", "rlcard-rule", "tuned"
GAMES, STEPS = 512, 64


def masked(logits, masks):
    """Logits with −∞ where an action is not legal."""
    return logits.masked_fill(masks == 0, -torch.inf)


def play(games, network, view):
    """Play ``STEPS`` decisions in every game; what was seen and done, and the rewards of the hands that ended."""
    seen = []
    for _ in range(STEPS):
        obs, mask, seat = (torch.tensor(array) for array in view)
        with torch.no_grad():
            action = torch.multinomial(masked(network(obs), mask).softmax(1), 1)[:, 0]
        *view, reward, done = games.step(action.numpy())
        seen.append((obs, mask, seat.long(), action, torch.tensor(reward), torch.tensor(done != 0)))
    return view, seen


def update(network, optimizer, seen):
    """Make decisions more likely by what their seat won: the winner of a hand gets 1, the others −1 together."""
    returns, known = torch.zeros_like(seen[0][4]), torch.zeros(len(seen[0][0]), dtype=torch.bool)
    loss = count = 0
    for obs, mask, seat, action, reward, done in reversed(seen):
        returns[done], known = reward[done], known | done  # of the seats, in the hand that this decision is of
        earned = returns.gather(1, seat[:, None])[:, 0]
        logp = masked(network(obs), mask).log_softmax(1).gather(1, action[:, None])[:, 0]
        loss, count = loss - (logp * earned)[known].sum(), count + known.sum()
    optimizer.zero_grad()
    (loss / count).backward()
    optimizer.step()


class Learnt:
    """The player that was learnt: it takes the most probable action."""

    name = "reinforce"

    def __init__(self, network):
        self.network = network

    def act_batch(self, observations, masks):
        """Ids of actions [N] for observations float32 [N, D] and masks bool [N, A]."""
        with torch.no_grad():
            logits = self.network(torch.from_numpy(observations))
        return masked(logits, torch.from_numpy(masks)).argmax(1).numpy()


def main(iterations=300, deals=2_000):
    """Train on duel, and measure."""
    torch.manual_seed(0)
    network = nn.Sequential(nn.Linear(OBSERVATION_SIZE, 256), nn.ReLU(), nn.Linear(256, NUM_ACTIONS))
    optimizer = torch.optim.Adam(network.parameters(), 1e-3)
    games = BatchedGames(GAMES, "duel", seed=0)
    view = games.reset()
    for _ in range(iterations):
        view, seen = play(games, network, view)
        update(network, optimizer, seen)
    results = [evaluate(Learnt(network), opponent, "duel", deals) for opponent in OPPONENTS]
    print(*(f"{result.win_rate:.1%} against {result.opponent}" for result in results), sep="\n")
    return results


if __name__ == "__main__":
    main()
