"""A second, naive implementation of all rules, and the engine compared with it."""
