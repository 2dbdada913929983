"""RLCard's own agents at our tables; ``python -m tools.rlcard`` seats ours at RLCard's."""
