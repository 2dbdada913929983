"""train/algorithms/parts/device/policy.py, on the processor: saved policies decide as their agents do."""

from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

import agents
from agents.policy.policy_agent import PolicyAgent
from tests.helpers.gpu_code import compiled  # noqa: F401 (a fixture)
from train.algorithms.parts.device.policy import Deciding, PolicyOnDevice
from train.algorithms.parts.kernels import LEARNER, OPPONENT, Decided
from uno_env import BatchedGames, DeviceGames, Rules
from uno_env.actions import NUM_ACTIONS
from uno_env.core.arrays import Array

GAMES = 200
TABLES = {"zoo:duel-2p": ("duel", 2), "zoo:classic-4p": ("classic", 4), "zoo:rlcard-2p": ("rlcard", 2)}


def table_of(name: str) -> tuple[Rules, Array, Array]:
    """The rules of a policy, and observations and masks of games by them, some way into their hands."""
    preset, players = TABLES[name]
    rules = Rules.preset(preset, players=players)
    games = BatchedGames(GAMES, rules, 3, obs_dtype="uint8")
    games.reset()
    for _ in range(25):
        obs, mask, *_ = games.step(games.sample_actions())
    return rules, obs.copy(), mask.copy()


def decide(agent: Any, rules: Rules, obs: Array, mask: Array, waiting: Array) -> Tensor:
    """The actions after a policy decided as opponent 4 in the games where it is waited for; −7 elsewhere."""
    number = len(obs)
    decider = torch.from_numpy(np.where(waiting, OPPONENT, LEARNER).astype(np.uint8))
    actions = torch.full((number,), -7)
    decided = Decided(*[torch.zeros(1)] * 6)._replace(decider=decider, action=actions)
    seen = torch.from_numpy(obs), torch.from_numpy(mask), torch.zeros(number, dtype=torch.int8)
    deciding = Deciding(seen, decided, torch.zeros(1), torch.Generator().manual_seed(1))
    policy = PolicyOnDevice(agent, DeviceGames(1, rules, device="cpu"), torch.arange(number), deciding)
    policy.decide(torch.full((number,), 4), 4)
    before = actions.clone()
    policy.decide(torch.full((number,), 3), 4)
    assert torch.equal(actions, before)
    return actions


@pytest.mark.usefixtures("compiled")
@pytest.mark.parametrize("name", TABLES)
def test_the_best_action_of_the_agent(name: str) -> None:
    rules, obs, mask = table_of(name)
    agent, waiting = agents.load(name, rules=rules), np.arange(GAMES) % 3 > 0
    expected = np.where(waiting, agent.act_batch(obs, mask), -7)
    assert decide(agent, rules, obs, mask, waiting).tolist() == expected.tolist()


def test_actions_are_drawn_by_the_probabilities_of_the_agent() -> None:
    rules, obs, mask = table_of("zoo:duel-2p")
    loaded = agents.load("zoo:duel-2p", rules=rules)
    assert isinstance(loaded, PolicyAgent)
    agent = PolicyAgent("drawn", loaded.weights, loaded.card, sample=True)
    probabilities = agent.probabilities(obs, mask)
    game = int(np.abs(probabilities.max(axis=1) - 0.6).argmin())
    rows, masks = (np.repeat(each[game : game + 1], 20_000, axis=0) for each in (obs, mask))
    drawn = decide(agent, rules, rows, masks, np.ones(len(rows), bool))
    found = torch.bincount(drawn, minlength=NUM_ACTIONS).numpy() / len(rows)
    assert 0.4 < probabilities[game].max() < 0.8
    assert found == pytest.approx(probabilities[game], abs=0.015)


def test_anything_legal_where_the_network_has_no_output() -> None:
    rules, obs, mask = table_of("zoo:duel-2p")
    agent: Any = agents.load("zoo:duel-2p", rules=rules)
    others = np.setdiff1d(np.arange(NUM_ACTIONS), agent.card.actions)[:2]
    mask[:] = 0
    mask[:, others] = 1
    drawn = decide(agent, rules, obs, mask, np.ones(GAMES, bool))
    assert set(drawn.tolist()) == set(others.tolist())
