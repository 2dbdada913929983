"""What a hand is worth: a linear regression of what became of it on the cards it held."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from studies.habits import Array
from studies.snapshot import Snapshot
from train.evaluation.estimate import Estimate
from uno_env.cards import CARD_NAMES, FIRST_WILD, NUM_COLOURS, RANKS_PER_COLOUR, SKIP

_RANKS = {"zero": 0, "Skip": SKIP, "Reverse": SKIP + 1, "Draw Two": SKIP + 2}
COLOURS, ON_TURN, FEWER, OTHERS = "one colour more", "to be on turn", "one card fewer", "one card more with each other"


def fit(features: Mapping[str, Array], outcome: Array) -> dict[str, Estimate]:
    """Least squares with an intercept: the coefficient of each feature, with a robust interval.

    The error is a sandwich over games: seats of one game may depend on each other, games do not. A feature that does
    not vary is left out.

    Args:
        features: float64 [games, players] by name.
        outcome: float64 [games, players].
    """
    names = [name for name, values in features.items() if np.ptp(values) > 0]
    games, players = outcome.shape
    columns = np.stack([*(features[name] for name in names), np.ones_like(outcome)], axis=-1)
    flat = columns.reshape(games * players, -1)
    inverse = np.linalg.pinv(flat.T @ flat)
    coefficients = inverse @ flat.T @ outcome.reshape(-1)
    errors = outcome - columns @ coefficients
    scores = np.einsum("gpk,gp->gk", columns, errors)
    spread = np.sqrt(np.maximum(0, np.diag(inverse @ (scores.T @ scores) @ inverse)) * games / max(1, games - 1))
    return {
        name: Estimate.normal(float(coefficients[index]), float(spread[index]), games)
        for index, name in enumerate(names)
    }


def features(seen: Snapshot, chosen: Array, start: bool) -> dict[str, Array]:
    """What hands hold, float64 [games, players] by name; cards are counted, in place of number cards from 1 to 9.

    Args:
        seen: the hands.
        chosen: bool [games], which of the games.
        start: whether all hold the same number of cards, so that it is no feature.
    """
    hands = seen.hands[chosen].astype(float)
    coloured = hands[:, :, :FIRST_WILD].reshape(*hands.shape[:2], NUM_COLOURS, RANKS_PER_COLOUR)
    found = {name: coloured[..., rank].sum(axis=2) for name, rank in _RANKS.items()}
    found |= {CARD_NAMES[kind]: hands[:, :, kind] for kind in range(FIRST_WILD, hands.shape[2])}
    found[COLOURS] = (coloured.sum(axis=3) > 0).sum(axis=2).astype(float)
    seats: Any = np.arange(hands.shape[1])
    found[ON_TURN] = (seen.turn[chosen][:, None] == seats).astype(float)
    if not start:
        sizes = hands.sum(axis=2)
        found[FEWER] = -sizes
        found[OTHERS] = (sizes.sum(axis=1, keepdims=True) - sizes) / (hands.shape[1] - 1)
    return found
