"""Opponents on a GPU: in a rollout there, they decide where the games are."""
