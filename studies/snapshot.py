"""Hands in the middle of play: :class:`Snapshot`, a ``watch`` of :func:`train.evaluation.duplicate.play_deals`."""

import numpy as np

from studies.habits import Array
from uno_env import BatchedGames, Rules

TURNS = 4
"""Decisions of each player after which the middle of a hand is looked at."""


class Snapshot:
    """The hands of all seats after a number of decisions of each hand.

    Args:
        decision: decisions before the moment, 0: when all is dealt.
        games: number of games.
        rules: their rules.

    Attributes:
        reached: bool [games], True if the hand lasted until that moment.
        hands: int8 [games, players, kinds], cards held by kind.
        turn, dealer: int8 [games], seats; ``top``: int8 [games], kind of the top card; ``colour``: the active one.
    """

    def __init__(self, decision: int, games: int, rules: Rules) -> None:
        self._decision = decision
        self.reached = np.zeros(games, bool)
        self.hands = np.zeros((games, rules.players, len(rules.deck_counts)), np.int8)
        self.turn, self.dealer, self.top, self.colour = (np.zeros(games, np.int8) for _ in range(4))

    def __call__(self, games_in: Array, actions: Array, batch: BatchedGames) -> None:
        """Look at the games of a batch that have come to the moment."""
        slots = np.flatnonzero((games_in >= 0) & (batch.games["decisions"] == self._decision))
        if not slots.size:
            return
        at, games = games_in[slots], batch.games[slots]
        self.reached[at] = True
        self.hands[at] = games["seats"]["hand"][:, : self.hands.shape[1]]
        for name in ("turn", "dealer", "top", "colour"):
            getattr(self, name)[at] = games[name]

    @property
    def sizes(self) -> Array:
        """Cards in each hand, integers [games, players]."""
        return self.hands.sum(axis=2, dtype=np.int64)
