"""sb3-contrib's MaskablePPO on many games at once, and what it has learnt as a player.

python examples/maskable_ppo.py
"""

import torch
from sb3_contrib import MaskablePPO

from train.evaluate import evaluate
from uno_env.sb3 import ModelPlayer, UnoVecEnv


def main(steps=500_000, deals=2_000):
    """Train on starter against ``greedy``, and measure against two opponents."""
    torch.set_num_threads(1)
    opponents = ["random-play", "greedy"]
    games = UnoVecEnv(128, rules="starter", opponents="greedy", seed=0)
    model = MaskablePPO("MlpPolicy", games, n_steps=64, batch_size=2048, n_epochs=4, gamma=1.0, seed=0)
    model.learn(steps)
    results = [evaluate(ModelPlayer(model), opponent, "starter", deals) for opponent in opponents]
    for result in results:
        print(f"{result.win_rate:.1%} against {result.opponent}")
    return results


if __name__ == "__main__":
    main()
