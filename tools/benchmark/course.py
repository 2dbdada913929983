"""The fingerprint of a track's game: the course of its first deals, and the choices of its opponents there."""

import hashlib
from collections.abc import Sequence

import numpy as np

import agents
from train.evaluation.duplicate import deal_starts
from uno_env import BatchedGames, Rules
from uno_env.core.arrays import Array

DEALS, STEPS, FEW_STEPS = 4, 100, 25
"""Games for each rule set, and decisions in each, where there is one rule set, and where there are many. A game that
ends is followed by another."""

Positions = list[tuple[Rules, Array, Array]]
"""Observations uint8 [N, D] and masks uint8 [N, A] of each rule set."""


def first_course(tables: Sequence[Rules], seed: int) -> tuple[str, Positions]:
    """Play the first deals by a fixed order of the legal actions.

    Returns:
        SHA-256 of seats, legal actions and rewards, and the positions that were met.
    """
    digest, positions = hashlib.sha256(), []
    for rules in tables:
        games = BatchedGames(DEALS, rules, seed, obs_dtype="uint8")
        games.reset()
        obs, mask, seat = games.deal(np.arange(DEALS), deal_starts(DEALS, seed))
        met: tuple[list[Array], list[Array]] = ([], [])
        for step in range(STEPS if len(tables) == 1 else FEW_STEPS):
            legal = np.nonzero(mask)
            first, number = np.searchsorted(legal[0], np.arange(DEALS)), np.count_nonzero(mask, axis=1)
            actions = legal[1][first + (5 * step + 3 * np.arange(DEALS)) % number]
            met[0].append(obs.copy())
            met[1].append(mask.copy())
            digest.update(np.concatenate((*legal, seat)).astype("<i8").tobytes())
            obs, mask, seat, reward, done = games.step(actions)
            digest.update(reward.astype("<f4").tobytes() + done.tobytes())
        positions.append((rules, np.concatenate(met[0]), np.concatenate(met[1])))
    return digest.hexdigest(), positions


def choices_digest(name: str, positions: Positions) -> str:
    """SHA-256 of the actions that an agent chooses at the positions, with seed 0."""
    digest = hashlib.sha256()
    for rules, obs, mask in positions:
        chosen = agents.load(name, seed=0, rules=rules).act_batch(obs, mask)
        digest.update(np.asarray(chosen, "<i8").tobytes())
    return digest.hexdigest()
