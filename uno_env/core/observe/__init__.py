"""A player's knowledge as numbers: observations, the history of events, and their layout."""
