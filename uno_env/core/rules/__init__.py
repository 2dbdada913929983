"""The rules of the game: one file a rule, and beside them the mechanics that several rules share."""
