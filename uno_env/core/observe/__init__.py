"""What a player may know, as numbers: observations, the history of events, and their layout."""
