"""A warning where hands hardly end: :class:`HandLengthCheck`."""

import warnings

from uno_env.rules import Rules

LONG_HAND = 500
"""Mean number of decisions of a hand, of all seats, above which there is a warning."""
FIRST_DECISIONS = 20_000
"""Decisions after which the mean is looked at, once."""
LONG_HANDS_A_GAME = 4
"""Long hands that each game has had time for by then, so that the hands which still run do not count much."""
CHOICE_COST = 0.002
"""A cost of a decision that does not matter in a hand that ends."""


class HandLengthCheck:
    """Counts the first decisions of an environment to learn in, and warns once if a hand takes too many of them.

    Players who may draw although they could play (``voluntary_draw``) hardly end a hand before they have learnt
    anything. The mean is looked at after :data:`FIRST_DECISIONS`, and not before each game has had time for
    :data:`LONG_HANDS_A_GAME`.

    Args:
        rules: the rules in force.
        num_games: number of games that are played side by side.
        cost: how to take a cost off the reward of each decision, for the sentence.

    Attributes:
        decisions: decisions of all seats so far.
        hands: hands that have ended, in whichever way.
    """

    def __init__(
        self,
        rules: Rules,
        num_games: int = 1,
        cost: str = f"take a small cost, such as {CHOICE_COST}, off the reward of each decision",
    ) -> None:
        self.decisions = self.hands = 0
        self._window = max(FIRST_DECISIONS, LONG_HAND * LONG_HANDS_A_GAME * num_games)
        self._is_done = False
        cures = ['choose rules without it (rules="starter", or voluntary_draw=False)'] if rules.voluntary_draw else []
        reason = ": players may draw although they could play, so " if rules.voluntary_draw else ": "
        self._text = (
            f"hands take more than {LONG_HAND} decisions on average, too many to learn from{reason}"
            f"{' or '.join([*cures, cost])}"
        )

    @property
    def is_due(self) -> bool:
        """True if the first decisions are counted, and nobody has looked at them yet."""
        return not self._is_done and self.decisions >= self._window

    def warn_if_due(self) -> None:
        """Warn with a UserWarning if the first decisions are counted and their hands are too long."""
        if self.is_due:
            self._is_done = True
            if self.decisions > LONG_HAND * self.hands:
                warnings.warn(self._text, stacklevel=3)
