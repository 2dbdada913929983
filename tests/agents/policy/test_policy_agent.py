"""The network of a saved policy, and what is chosen by it."""

import numpy as np
import pytest

from agents.policy.policy_agent import PolicyAgent
from tests.helpers.chance import looks_uniform
from tests.helpers.positions import a_card, asked, some_weights
from uno_env import Rules
from uno_env.actions import CATCH, DRAW, PASS
from uno_env.observation import SCALES

CARD = a_card(Rules.preset("duel"))
WEIGHTS = some_weights(CARD)
AGENT = PolicyAgent("some", WEIGHTS, CARD)


def test_the_network_is_the_one_written_down() -> None:
    observations, _ = (array[:100] for array in asked("duel", 2))
    features = (observations * SCALES)[:, CARD.columns].astype(np.float64)
    for layer in range(len(CARD.hidden)):
        features = np.maximum(features @ WEIGHTS[f"trunk.{layer}.weight"].T + WEIGHTS[f"trunk.{layer}.bias"], 0)
    logits, values = AGENT.logits_and_value(observations)
    assert logits.dtype == values.dtype == np.float32
    assert np.allclose(logits, features @ WEIGHTS["policy.weight"].T + WEIGHTS["policy.bias"], atol=1e-4)
    assert np.allclose(values, (features @ WEIGHTS["value.weight"].T + WEIGHTS["value.bias"])[:, 0], atol=1e-4)


def test_it_takes_the_legal_action_of_the_highest_logit() -> None:
    observations, masks = asked("duel", 2)
    logits, _ = AGENT.logits_and_value(observations)
    expected = [
        max((action for action in CARD.actions if mask[action]), key=lambda a, row=row: row[CARD.actions.index(a)])
        for row, mask in zip(logits[:500], masks[:500], strict=True)
    ]
    assert AGENT.act_batch(observations[:500], masks[:500]).tolist() == expected


def test_among_equal_logits_the_lowest_id() -> None:
    flat = {name: np.zeros_like(array) for name, array in WEIGHTS.items()}
    observations, masks = asked("duel", 2)
    assert (PolicyAgent("flat", flat, CARD).act_batch(observations, masks) == masks.argmax(axis=1)).all()


def test_probabilities_are_those_of_the_legal_actions() -> None:
    observations, masks = asked("duel", 2)
    probabilities = AGENT.probabilities(observations, masks)
    assert probabilities.shape == masks.shape
    assert np.allclose(probabilities.sum(axis=1), 1, atol=1e-5)
    assert (probabilities[masks == 0] == 0).all()
    assert (probabilities[masks == 1] > 0).all()
    assert (probabilities.argmax(axis=1) == AGENT.act_batch(observations, masks)).all()
    logits = AGENT.logits_and_value(observations[:1])[0][0]
    first, second = np.flatnonzero(masks[0])[:2]
    ratio = np.exp(logits[CARD.actions.index(first)] - logits[CARD.actions.index(second)])
    assert probabilities[0, first] / probabilities[0, second] == pytest.approx(ratio, rel=1e-4)


def test_samples_have_the_probabilities_of_the_network() -> None:
    observations, masks = asked("duel", 2)
    row = int(masks.sum(axis=1).argmax())
    sampler = PolicyAgent("sample", WEIGHTS, CARD, seed=5, sample=True)
    times = 20_000
    chosen = sampler.act_batch(np.repeat(observations[row][None], times, 0), np.repeat(masks[row][None], times, 0))
    shares = np.bincount(chosen, minlength=masks.shape[1]) / times
    expected = sampler.probabilities(observations[row][None], masks[row][None])[0]
    assert np.abs(shares - expected).max() < 5 * 0.5 / times**0.5


@pytest.mark.parametrize("sample", [False, True])
def test_actions_without_an_output_are_chosen_only_if_nothing_else_is_legal(sample: bool) -> None:
    observations, masks = (array[:4000].copy() for array in asked("duel", 2))
    masks[:, CATCH] = 1
    agent = PolicyAgent("some", WEIGHTS, CARD, seed=2, sample=sample)
    assert (agent.act_batch(observations, masks) != CATCH).all()
    masks[:] = 0
    masks[:, CATCH::3] = 1
    counts = np.bincount(agent.act_batch(observations, masks), minlength=masks.shape[1])
    assert set(np.flatnonzero(counts)) == set(np.flatnonzero(masks[0]))
    assert looks_uniform(counts[masks[0] == 1])
    assert np.allclose(agent.probabilities(observations[:1], masks[:1])[0], masks[0] / masks[0].sum())


def test_a_row_without_legal_actions_has_no_probabilities() -> None:
    observations, masks = (array[:2] for array in asked("duel", 2))
    assert (AGENT.probabilities(observations, np.zeros_like(masks)) == 0).all()


@pytest.mark.parametrize("sample", [False, True])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_weights_so_large_that_they_overflow_still_choose_legally(sample: bool) -> None:
    huge = {name: (np.sign(array) * np.float32(1e38)).astype(np.float32) for name, array in WEIGHTS.items()}
    observations, masks = asked("duel", 2)
    chosen = PolicyAgent("huge", huge, CARD, sample=sample).act_batch(observations, masks)
    assert masks[np.arange(len(masks)), chosen].all()


def test_it_can_pass_and_draw() -> None:
    eager = {name: np.zeros_like(array) for name, array in WEIGHTS.items()}
    eager["policy.bias"][[CARD.actions.index(DRAW), CARD.actions.index(PASS)]] = 1
    observations, masks = asked("duel", 2)
    chosen = PolicyAgent("eager", eager, CARD).act_batch(observations, masks)
    assert (chosen[masks[:, DRAW] == 1] == DRAW).all()
    assert (chosen[masks[:, PASS] == 1] == PASS).all()
