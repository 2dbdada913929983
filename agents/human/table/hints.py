"""Hints: what an agent would do in a person's place."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from agents import Agent
from agents.spoken_names import short_name
from uno_env import actions as catalogue
from uno_env.core.arrays import Array

MOST_HINTS = 5
"""Actions that a person is shown."""


@dataclass(frozen=True)
class Hints:
    """The adviser's choice."""

    shares: dict[int, float]
    """Probability of each action that it considers, most probable first; 1 for the only choice of an agent that has no
    probabilities."""
    value: float | None
    """The reward that it expects, −1 to 1; None if it does not say."""


def ask_hints(adviser: Agent, observation: Array, action_mask: Array, *history: Array) -> Hints:
    """An agent's choice for a person who sees an observation, [D], with a mask, [A], and what
    :func:`uno_env.history.history_for` gives. Probabilities and a value are those of a saved policy.
    """
    shown = [each[None] for each in history]
    probabilities = adviser.probabilities(observation[None], action_mask[None], *shown)
    if probabilities is None:
        return Hints({adviser.act(observation, action_mask, *history): 1.0}, None)
    row = probabilities[0]
    order = [int(action) for action in np.argsort(-row, kind="stable") if row[action] > 0]
    values = adviser.values(observation[None], *shown)
    return Hints({action: float(row[action]) for action in order}, None if values is None else float(values[0]))


def hints_message(hints: Hints | None, adviser: str) -> dict[str, Any]:
    """Hints as plain values for JSON, without any action as long as they are None."""
    if hints is None:
        return {"by": short_name(adviser), "actions": [], "value": None}
    actions = [
        {"action": catalogue.name(action), "name": catalogue.ACTION_NAMES[action], "share": round(share, 4)}
        for action, share in list(hints.shares.items())[:MOST_HINTS]
    ]
    return {"by": short_name(adviser), "actions": actions, "value": hints.value and round(hints.value, 3)}
