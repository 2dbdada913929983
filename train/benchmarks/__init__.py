"""Studies that compare agents, algorithms and environments."""
