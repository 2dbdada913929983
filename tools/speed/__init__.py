"""What the programs that measure speeds share: turns of work, our environments, plots."""
