"""The game for OpenSpiel by its public name; importing this registers ``python_uno``.

See :mod:`uno_env.extensive_form.open_spiel_game` for its parameters.
"""

from uno_env.extensive_form.open_spiel_game import UnoGame, UnoObserver, UnoState, rules_of

__all__ = ["UnoGame", "UnoObserver", "UnoState", "rules_of"]
