"""What a learner's illegal action does in the views for single-agent learning: their argument ``illegal_action``.

Libraries that know no masks, and the checkers of Gymnasium, try actions that are not legal. This says what then comes:

``penalty``: nothing is played, the learner gets ``illegal_reward``, and the same decision is asked again. After
:data:`MAX_ILLEGAL_ACTIONS` in a row, which a policy without chance would never leave, the episode is truncated.

``random``: a legal action is played instead, each with the same chance, and the learner gets ``illegal_reward`` on top.

``raise``, ``terminate``: the hand is played with that value of the rules' own ``illegal_action`` (GUIDE.md 7): an
error, the state unchanged; or the end of the hand, and of the match, with −1 for the learner.

``rules``: as the rules in force say; of their values, ``penalty`` is the table's: two cards, and the turn passes.

An action outside the action space is always refused with an error. Opponents never act illegally.
"""

from typing import Any

import numpy as np

from uno_env.rules import Rules

ILLEGAL_ACTIONS = ("penalty", "random", "raise", "terminate", "rules")

MAX_ILLEGAL_ACTIONS = 1_000
"""Illegal actions in a row after which ``penalty`` truncates; chance alone hardly ever needs as many (1 in 2,000)."""


def verify_illegal_action(illegal_action: Any, illegal_reward: Any) -> None:
    """Check the two arguments about illegal actions.

    Raises:
        ValueError: one of the two is not allowed.
    """
    if illegal_action not in ILLEGAL_ACTIONS:
        raise ValueError(
            f"illegal_action={illegal_action!r} is not allowed: choose {', '.join(map(repr, ILLEGAL_ACTIONS))}"
        )
    number = isinstance(illegal_reward, int | float | np.number) and not isinstance(illegal_reward, bool)
    if not number or not np.isfinite(illegal_reward):
        raise ValueError(f"illegal_reward={illegal_reward!r} is not allowed: give a finite number")


def rules_with(rules: Rules, illegal_action: str) -> Rules:
    """The rules that are played under an ``illegal_action``."""
    return rules.replace(illegal_action=illegal_action) if illegal_action in ("raise", "terminate") else rules
