"""The frozen suite in ``benchmark/``: its files, made anew until it is frozen, and the table of all algorithms."""
