"""Kernels of scripted agents, on the processor: they decide as the agents do."""

from typing import Any

import numpy as np
import pytest
import torch

from agents.scripted.agent import ScriptedAgent
from agents.scripted.dispatch import STRATEGIES
from agents.scripted.faces import faces_of
from agents.scripted.strategy import Scratch
from tests.helpers.gpu_code import compiled  # noqa: F401 (a fixture)
from tests.helpers.recorded_kernels import Recorder, assert_compiles
from train.algorithms.parts.device.kernels import scripted_kernel
from train.algorithms.parts.kernels import FORCED, LEARNER, OPPONENT
from train.algorithms.parts.opponents import NOBODY
from uno_env import BatchedGames, DeviceGames, Rules
from uno_env.actions import NUM_ACTIONS
from uno_env.core.rng import stream
from uno_env.editions.classic import CLASSIC

GAMES, SEED = 60, 7
RULES = Rules.preset("house", players=4)


def scratch_for(agent: ScriptedAgent, games: int, device: str = "cpu") -> Scratch:
    """Memory for some games, with a generator for each that is seeded as that of an agent."""
    states = np.array([stream(np.uint64(SEED + game), np.uint64(0)) for game in range(games)], np.uint64)
    legal = torch.zeros(games, NUM_ACTIONS, dtype=torch.int64)
    nothing = torch.zeros(games, 0, dtype=torch.uint8)
    memory: Any = (torch.from_numpy(states), legal, legal.double(), torch.from_numpy(agent.weights), nothing, nothing)
    return Scratch(*(each.to(device) for each in memory))


def decided(name: str, device: str = "cpu") -> tuple[list[int], list[int]]:
    """The actions of all games after a scripted agent of the number 5 decided there, and those that are expected: its
    own where it is waited for, with the same random numbers, and −7 elsewhere.
    """
    games = BatchedGames(GAMES, RULES, 3, obs_dtype="uint8")
    obs, mask, _ = games.reset()
    agent, rng = ScriptedAgent(name), np.random.default_rng(1)
    for _ in range(30):
        obs, mask, *_ = games.step(games.sample_actions())
    playing = np.flatnonzero(np.arange(GAMES) % 3)
    decider = rng.choice([FORCED, LEARNER, OPPONENT], GAMES).astype(np.uint8)
    opponent, actions = rng.choice([NOBODY, 0, 5], GAMES), torch.full((GAMES,), -7, device=device)
    waiting, seen = (
        tuple(torch.from_numpy(each.copy()).to(device) for each in arrays)
        for arrays in ((playing, opponent, decider), (obs, mask))
    )
    place = DeviceGames(1, RULES, device=device).place
    faces = place.record(faces_of(CLASSIC)[0])
    arguments = faces, (5, *waiting), *seen, scratch_for(agent, len(playing), device), actions
    place.bind(scripted_kernel(name), len(playing), arguments)()
    expected = [-7] * GAMES
    for entry, game in enumerate(playing.tolist()):
        if decider[game] == OPPONENT and opponent[game] == 5:
            agent.reset(SEED + entry)
            expected[game] = agent.act(obs[game], mask[game])
    return actions.tolist(), expected


@pytest.mark.thorough
@pytest.mark.usefixtures("compiled")
@pytest.mark.parametrize("name", STRATEGIES)
def test_scripted_agents_decide_as_on_the_processor(name: str) -> None:
    actions, expected = decided(name)
    assert actions == expected
    assert GAMES > sum(action == -7 for action in actions) > GAMES / 2


@pytest.mark.parametrize("name", STRATEGIES)
def test_scripted_agents_compile_for_a_gpu(name: str) -> None:
    pytest.importorskip("numba_cuda", reason="needs the compiler of the extra 'gpu'")
    agent, whole = ScriptedAgent(name), torch.zeros(4, dtype=torch.int64)
    waiting = 5, whole, whole.clone(), whole.byte()
    rows = (
        torch.zeros(4, size, dtype=torch.uint8) for size in (BatchedGames(1, RULES).reset()[0].shape[1], NUM_ACTIONS)
    )
    recorder = Recorder()
    faces = recorder.record(faces_of(CLASSIC)[0])
    recorder.bind(scripted_kernel(name), 4, (faces, waiting, *rows, scratch_for(agent, 4), whole.clone()))
    (bound,) = recorder.bound.values()
    assert_compiles(*bound)
