"""Loops over games: batches, single games, playouts, hidden cards dealt anew, parts of a batch for threads."""
