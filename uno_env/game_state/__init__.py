"""How the state of a game comes about: dealt in a given order, or read from a saved game."""
