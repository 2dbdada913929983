"""Algorithms of Stable-Baselines3, trained against opponents at the other seats."""
