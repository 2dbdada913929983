"""The rules of the game, compiled: one NumPy record per game, one file per rule.

Start at :mod:`uno_env.core.step` and :mod:`uno_env.core.legal`, the game's table of contents. Nothing here knows of
environments, agents or files; of the package, only the vocabulary (:mod:`uno_env.editions`, :mod:`uno_env.actions`,
:mod:`uno_env.cards`) may be imported. Functions here trust their arguments: legality is checked by the views.
"""
