"""The making of a game's state: dealt in a given order, or read from a saved game."""
