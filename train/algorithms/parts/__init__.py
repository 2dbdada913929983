"""The parts that algorithms of self-play own: games, league, trainer, threads, schedules.

An algorithm makes its parts itself, from its config, and calls them; no part calls an algorithm. Each part gives and
takes its own share of a checkpoint.
"""
