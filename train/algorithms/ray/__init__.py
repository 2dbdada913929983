"""Training over processes and machines by Ray, and RLlib's PPO."""
