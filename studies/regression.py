"""The worth of a hand: a linear regression of the result of a hand on the cards that it held."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from studies.habits import Array
from studies.snapshot import Snapshot
from train.evaluation.estimate import Estimate
from uno_env.cards import CARD_NAMES, NUM_COLOURS, colour_of, is_wild, word_of

_WORDS = {"zero": "0", "Skip": "Skip", "Reverse": "Reverse", "Draw Two": "Draw Two"}
_KINDS = range(len(CARD_NAMES))
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
    """The features of hands, float64 [games, players] by name. A card is compared with a number card from 1 to 9.

    Args:
        seen: the hands.
        chosen: bool [games], which of the games.
        start: whether all hold the same number of cards, so that it is no feature.
    """
    hands = seen.hands[chosen].astype(float)
    of_word = {name: [kind for kind in _KINDS if word_of(kind) == word] for name, word in _WORDS.items()}
    found = {name: hands[:, :, kinds].sum(axis=2) for name, kinds in of_word.items()}
    found |= {CARD_NAMES[kind]: hands[:, :, kind] for kind in _KINDS if is_wild(kind)}
    of_colour = [[kind for kind in _KINDS if colour_of(kind) == colour] for colour in range(NUM_COLOURS)]
    found[COLOURS] = sum((hands[:, :, kinds].sum(axis=2) > 0).astype(float) for kinds in of_colour)
    seats: Any = np.arange(hands.shape[1])
    found[ON_TURN] = (seen.turn[chosen][:, None] == seats).astype(float)
    if not start:
        sizes = hands.sum(axis=2)
        found[FEWER] = -sizes
        found[OTHERS] = (sizes.sum(axis=1, keepdims=True) - sizes) / (hands.shape[1] - 1)
    return found
