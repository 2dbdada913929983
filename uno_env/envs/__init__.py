"""The game as environments: PettingZoo, Gymnasium, vectorised, Stable-Baselines3 and RLlib."""
