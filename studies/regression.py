"""The worth of a hand: a linear regression of the result of a hand on the cards that it held."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from studies.habits import Array
from studies.snapshot import Snapshot
from train.evaluation.estimate import Estimate
from uno_env.editions.classic import CLASSIC
from uno_env.editions.edition import NO_NUMBER, Edition

_NUMBERS = {"0": "zero", "7": "seven"}
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


def features(
    seen: Snapshot, chosen: Array, start: bool, edition: Edition = CLASSIC, apart: Sequence[str] = ("0",)
) -> dict[str, Array]:
    """The features of hands, float64 [games, players] by name. A card is compared with a number card.

    Args:
        seen: the hands.
        chosen: bool [games], which of the games.
        start: whether all hold the same number of cards, so that it is no feature.
        edition: of the cards.
        apart: numbers that count by themselves, as actions and wilds do.
    """
    hands = seen.hands[chosen].astype(float)
    found: dict[str, Array] = {}
    for symbol in edition.symbols:
        kinds = [kind for kind, face in enumerate(edition.kinds) if face.symbol == symbol]
        if symbol in apart or edition.kinds[kinds[0]].number == NO_NUMBER:
            found[_NUMBERS.get(symbol, symbol)] = hands[:, :, kinds].sum(axis=2)
    of_colour = [
        [kind for kind, face in enumerate(edition.kinds) if face.colour == colour]
        for colour in range(len(edition.colours))
    ]
    found[COLOURS] = sum((hands[:, :, kinds].sum(axis=2) > 0).astype(float) for kinds in of_colour)
    seats: Any = np.arange(hands.shape[1])
    found[ON_TURN] = (seen.turn[chosen][:, None] == seats).astype(float)
    if not start:
        sizes = hands.sum(axis=2)
        found[FEWER] = -sizes
        found[OTHERS] = (sizes.sum(axis=1, keepdims=True) - sizes) / (hands.shape[1] - 1)
    return found
