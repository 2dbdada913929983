"""Bluffing on tiny decks, solved exactly: the play of an equilibrium, and the loss from changing one habit of it."""

from typing import Any

import numpy as np

from studies.bluffing.reach import reach
from studies.habits import (
    FOURS,
    Array,
    Habit,
    always_bluff,
    always_challenge,
    can_bluff,
    held,
    never_bluff,
    never_challenge,
    restricted,
)
from studies.question import Row, row
from train.evaluation.estimate import Estimate
from train.evaluation.exact.measure import measure
from train.evaluation.exact.solver import Solver
from uno_env import Rules
from uno_env.actions import CHALLENGE
from uno_env.extensive_form.game_tree import GameTree, grow
from uno_env.observation import LAYOUT

DECKS: dict[str, tuple[str, int, int]] = {
    "two ranks": ("r1 r3 r3 b1 b3 b3 w+4", 2, 8),
    "two colours": ("r1 r1 r1 r1 b2 b2 b2 b2 w+4", 3, 12),
    "two Wild Draw Fours": ("r1 r1 r1 b2 b2 b2 w+4 w+4", 3, 8),
}
"""Decks that are solved: their cards, cards dealt to each player, and decisions after which nobody has won."""
_TINY: dict[str, Any] = {
    "players": 2,
    "dealer": "fixed",
    "first_card": "number",
    "voluntary_draw": False,
    "after_draw": "must_play",
    "uno_call": "automatic",
    "scoring": "hand",
}
"""Beside the card that is laid, bluffs and challenges are all that there is to decide."""
OPEN = 0.02
"""A decision is left to chance where both answers are likelier than this."""
SELDOM = 1e-4
"""Decisions that come up less often in a hand are left out."""


def tiny_rules(deck: str) -> Rules:
    """The rules of a deck of :data:`DECKS`."""
    cards, hand_size, max_decisions = DECKS[deck]
    return Rules(deck=cards, hand_size=hand_size, max_decisions=max_decisions, **_TINY)


def measure_deck(deck: str, iterations: int) -> list[Row]:
    """An equilibrium's shares, by the cards in the hand, and exploitabilities in wins of 100 hands."""
    tree, policy = solved(tiny_rules(deck), iterations)
    often, sizes = reach(tree, sequence_policy(tree, policy)), held(tree.observations())
    shares = {"bluff": policy[:, FOURS].sum(axis=1), "challenge": policy[:, CHALLENGE]}
    rows = [_exact("nodes", tree.nodes, deck=deck)]
    for question, where in decisions(tree).items():
        is_open = (shares[question] > OPEN) & (shares[question] < 1 - OPEN)
        for cards in (0, *sorted(set(sizes[where].tolist()))):
            weights = often * (where & ((sizes == cards) | (cards == 0)))
            if weights.sum() > SELDOM:
                share, left_open = ((weights * each).sum() / weights.sum() for each in (shares[question], is_open))
                rows.append(_exact(question, share, deck=deck, hand=cards, open=float(left_open)))
    for name, each in policies(tree, policy).items():
        rows.append(_exact("exploitability", exploitability(tree, each), deck=deck, policy=name))
    return rows


def _exact(name: str, value: float, **labels: Any) -> Row:
    """A row of a value without chance."""
    return row(name, Estimate.normal(float(value), 0.0, 1), **labels)


def solved(rules: Rules, iterations: int) -> tuple[GameTree, Array]:
    """The tree of tiny rules, and the solver's average policy float64 [K, A]."""
    tree = grow(rules)
    solver = Solver(tree)
    for _ in range(iterations):
        solver.iterate()
    return tree, tree.spread(solver.policy())


def policies(tree: GameTree, policy: Array) -> dict[str, Array]:
    """A policy float64 [K, A], and those that habits or purifying make of it."""
    asked = decisions(tree)
    habits = (never_bluff, always_bluff, never_challenge, always_challenge)
    no_bluff, bluff, no_challenge, challenge = (with_habit(tree, policy, habit) for habit in habits)
    return {
        "equilibrium": policy,
        "never bluff": no_bluff,
        "bluff half the time": (no_bluff + bluff) / 2,
        "always bluff": bluff,
        "never challenge": no_challenge,
        "challenge half the time": (no_challenge + challenge) / 2,
        "always challenge": challenge,
        "never mix over bluffs and challenges": purified(policy, asked["bluff"] | asked["challenge"]),
        "never mix at all": purified(policy, np.ones(len(policy), bool)),
    }


def with_habit(tree: GameTree, policy: Array, habit: Habit) -> Array:
    """A policy float64 [K, A] with a habit: its own probabilities, scaled, for the actions that the habit leaves."""
    left = restricted(habit, tree.observations(), tree.masks())
    kept = policy * (left != 0)
    total = kept.sum(axis=1, keepdims=True)
    return np.asarray(np.where(total > 0, kept / np.where(total > 0, total, 1), left / left.sum(axis=1, keepdims=True)))


def purified(policy: Array, where: Array) -> Array:
    """A policy float64 [K, A] with its most probable action alone in some of the states, bool [K]."""
    pure = np.zeros_like(policy)
    pure[np.arange(len(policy)), policy.argmax(axis=1)] = 1
    return np.asarray(np.where(where[:, None], pure, policy))


def exploitability(tree: GameTree, policy: Array) -> float:
    """The winnings of a best answer against a policy, mean over seats: in wins of 100 hands."""
    found = measure(tree, sequence_policy(tree, policy)).exploitability
    return 50 * max(0.0, found)  # a reward goes from -1 to +1; rounding can make it negative


def sequence_policy(tree: GameTree, policy: Array) -> Array:
    """A policy float64 [K, A] as one of sequences, float64 [S]."""
    return np.append(1.0, tree.gather(policy))


def decisions(tree: GameTree) -> dict[str, Array]:
    """The information states, bool [K], where one can bluff, and where one can challenge who still holds a card."""
    return decisions_of(tree.observations(), tree.masks())


def decisions_of(observations: Array, masks: Array) -> dict[str, Array]:
    """The same for rows of observations uint8 [N, D] and masks uint8 [N, A]."""
    others = observations[:, LAYOUT["hand_sizes"].start + 1] > 0  # of the two players
    return {"bluff": can_bluff(observations, masks), "challenge": (masks[:, CHALLENGE] != 0) & others}
