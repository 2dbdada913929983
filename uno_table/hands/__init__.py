"""People's own hands: kept on their machine, measured, and told in words."""
