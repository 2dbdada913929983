"""The common parts of programs that measure speeds: turns of work, our environments, plots."""
