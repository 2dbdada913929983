"""RLCard's own agents at our tables, and ours at RLCard's."""
