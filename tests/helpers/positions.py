"""What an agent is asked in tests: positions of random games, and single ones."""

import random
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import agents
from agents.policy.policy_file import PolicyCard, save_policy, weight_shapes
from tests.helpers.random_rules import random_rules
from tests.helpers.table import Table
from uno_env import BatchedGames, Rules
from uno_env.actions import DRAW, NUM_ACTIONS, PASS
from uno_env.actions import name as action_name
from uno_env.observation import LAYOUT
from uno_env.policy_columns import policy_actions, policy_columns

Array = npt.NDArray[Any]

TABLES = [("duel", 2), ("classic", 2), ("classic", 4), ("classic", 10)]
MORE_TABLES = [("house", 2), ("house", 5), ("edition_2018", 3), ("h2o", 3), ("guide_003", 4), ("rlcard", 2)]


@cache
def asked(preset: str, players: int, steps: int = 150, games: int = 64) -> tuple[Array, Array]:
    """Observations uint8 [N, D] and masks uint8 [N, A] from games of uniformly random actions, in every phase."""
    batch = BatchedGames(games, Rules.preset(preset, players=players), seed=3, obs_dtype="uint8")
    rows, masks, _ = batch.reset()
    observations, legal = [rows.copy()], [masks.copy()]
    for _ in range(steps):
        rows, masks, *_ = batch.step(batch.sample_actions())
        observations.append(rows.copy())
        legal.append(masks.copy())
    return np.concatenate(observations), np.concatenate(legal)


@cache
def any_rules(number: int, seed: int) -> tuple[Rules, ...]:
    """Rules of all kinds: every switch and flag, 2 to 10 players, official and small decks."""
    chance = random.Random(seed)
    return tuple(random_rules(chance, dialect="official") for _ in range(number))


def lively_games(rules: Rules, match: bool, games: int, steps: int, seed: int = 1) -> Iterator[tuple[Array, Array]]:
    """Observations uint8 [N, D] and masks uint8 [N, A], until the next, of games in which little is drawn.

    Where the rules allow it, a few actions are illegal.
    """
    batch = BatchedGames(games, rules, seed=seed, obs_dtype="uint8", match=match)
    chance = np.random.default_rng(seed)
    rows, masks, _ = batch.reset()
    for _ in range(steps):
        yield rows, masks
        wish = masks * (1 - chance.random(masks.shape))
        wish[:, [DRAW, PASS]] *= chance.choice((0.05, 1.0))
        actions = wish.argmax(axis=1)
        if rules.illegal_action != "raise":
            actions = np.where(chance.random(games) < 0.002, chance.integers(NUM_ACTIONS, size=games), actions)
        rows, masks, *_ = batch.step(actions)


def choices(name: str, table: Table, times: int = 300, **facts: dict[int, int]) -> set[str]:
    """Everything that an agent chooses in ``times`` goes at what the player to move is asked.

    ``facts`` change the observation: ``hand_sizes={1: 2}`` has it show two cards in the hand at place 1.
    """
    row = table.game.observe(table.to_move, "uint8")
    for section, values in facts.items():
        for place, value in values.items():
            row[LAYOUT[section].start + place] = value
    masks = np.repeat(table.game.action_mask()[None], times, axis=0)
    chosen = agents.load(name, seed=1).act_batch(np.repeat(row[None], times, axis=0), masks)
    return {action_name(int(action)) for action in np.unique(chosen)}


def a_card(rules: Rules, **changes: Any) -> PolicyCard:
    """The card of a small policy for the rules."""
    fields = {
        "rules": rules.to_dict(),
        "columns": policy_columns(rules).tolist(),
        "actions": policy_actions(rules).tolist(),
        "hidden": [24, 16],
        "trained_by": {"algorithm": "chance"},
        "evaluation": [{"against": "random", "win_rate": 0.5}],
    }
    return PolicyCard(**{**fields, **changes})


def some_weights(card: PolicyCard, seed: int = 0) -> dict[str, npt.NDArray[np.float32]]:
    """Random weights that fit a card."""
    chance = np.random.default_rng(seed)
    return {name: (chance.normal(size=shape) / 4).astype(np.float32) for name, shape in weight_shapes(card).items()}


def save_random_policy(path: Path, rules: Rules, seed: int = 0, **changes: Any) -> None:
    """Save a small policy of random weights for the rules; ``changes`` are those of its card."""
    card = a_card(rules, **changes)
    save_policy(path, some_weights(card, seed), card)
