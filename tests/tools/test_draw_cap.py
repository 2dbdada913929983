"""The limit on drawing that is written into a network: where it holds, and that nothing else changes."""

import numpy as np

from agents.policy.policy_file import load_policy
from agents.zoo.shipped import shipped_file
from tools.zoo.draw_cap import with_draw_cap
from uno_env.actions import DRAW, PASS
from uno_env.observation import LAYOUT, SCALES

CARDS = 12


def logits(weights, observations):
    hidden = observations
    for layer in range(2):
        hidden = np.maximum(hidden @ weights[f"trunk.{layer}.weight"].T + weights[f"trunk.{layer}.bias"], 0)
    return hidden @ weights["policy.weight"].T + weights["policy.bias"]


def test_draws_are_off_above_the_limit_alone():
    weights, card = load_policy(shipped_file("classic-4p"))
    capped, changed = with_draw_cap(weights, card, CARDS)
    assert [len(capped["trunk.0.bias"]), len(capped["trunk.1.bias"])] == changed.hidden
    columns = list(card.columns)
    rng = np.random.default_rng(3)
    observed = rng.integers(0, 8, (4_000, len(columns)))
    marks = [columns.index(LAYOUT["drew_on"].start + column) for column in range(16)]
    observed[:, marks] *= rng.random((4_000, 16)) < 0.1
    sizes = [columns.index(LAYOUT["hand_sizes"].start + seat) for seat in (1, 2, 3)]
    limited = (observed[:, sizes].sum(1) > CARDS) | ((observed[:, marks[4:]] > 0).sum(1) > 1)
    assert 1_000 < limited.sum() < 3_000

    floats = (observed * SCALES[columns]).astype(np.float32)
    change = logits(capped, floats) - logits(weights, floats)
    draws = [card.actions.index(action) for action in (DRAW, PASS)]
    assert np.abs(np.delete(change, draws, axis=1)).max() < 1e-3
    assert np.abs(change[~limited][:, draws]).max() < 1e-3
    assert change[limited][:, draws].max() < -59
