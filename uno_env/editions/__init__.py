"""The editions of the game: their cards as data, one file each, in the form of :mod:`uno_env.editions.edition`.

An edition's file imports nothing of the project but that form. What its cards do is named, and the core does it
(:mod:`uno_env.core.rules`).
"""
