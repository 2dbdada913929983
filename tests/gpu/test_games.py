"""Games on a GPU are those of the processor, bit for bit."""

import random

import numpy as np
import pytest
import torch

from tests.helpers.random_rules import random_flip_rules, random_no_mercy_rules, random_rules
from uno_env import BatchedGames, DeviceGames, IllegalActionError

pytestmark = pytest.mark.gpu

GAMES, STEPS = 500, 200
"""10⁵ decisions by each of the rules; neither whole blocks of the GPU nor one."""


def _assert_same(one, other) -> None:
    for expected, tensor in zip(one, other, strict=True):
        assert np.array_equal(expected, tensor.cpu().numpy())


@pytest.mark.parametrize("number", range(70))
def test_random_rules(number: int) -> None:
    """From 50 on the numbers are tables of No Mercy, from 60 on of Flip."""
    draws = (*[random_rules] * 5, random_no_mercy_rules, random_flip_rules)
    rules = draws[number // 10](random.Random(1_000 + number))
    options = {
        "match": number % 2 == 1,
        "history": number % 3,
        "obs_dtype": ("uint8", "float32")[number % 2],
        "encoding": "planes" if number % 5 == 0 else "vector",
    }
    batch, games = BatchedGames(GAMES, rules, number, **options), DeviceGames(GAMES, rules, number, **options)
    _assert_same(batch.reset(), games.reset())
    for _ in range(STEPS):
        actions, drawn = batch.sample_actions(), games.sample_actions()
        assert np.array_equal(actions, drawn.cpu().numpy())
        _assert_same(batch.step(actions), games.step(drawn))
        if batch.history is not None:
            _assert_same((batch.history,), (games.history,))
    mine, theirs = batch.get_state(), games.get_state()
    assert {name: array.tobytes() for name, array in mine.items()} == {
        name: array.tobytes() for name, array in theirs.items()
    }
    _assert_same(batch.set_state(theirs), games.set_state(mine))


def test_refused_actions_are_told() -> None:
    games = DeviceGames(GAMES, "duel")
    games.reset()
    before = games.get_state()["games"].tobytes()
    games.step(torch.full((GAMES,), -1, device="cuda"))
    with pytest.raises(IllegalActionError, match=r"^action -1 is illegal in game 0 of the batch"):
        games.synchronize()
    assert games.get_state()["games"].tobytes() == before


def test_a_cuda_graph_of_steps() -> None:
    batch, games = BatchedGames(GAMES, "classic", obs_dtype="uint8"), DeviceGames(GAMES, "classic", obs_dtype="uint8")
    batch.reset(), games.reset()
    state = games.get_state()
    games.step(games.sample_actions())
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        games.step(games.sample_actions())
    games.set_state(state)
    for _ in range(20):
        graph.replay()
        seen = batch.step(batch.sample_actions())
        _assert_same(seen[:3], (games._obs, games._mask, games._seat))


def test_other_libraries_share_the_memory() -> None:
    games = DeviceGames(GAMES, "duel")
    obs, *_ = games.reset()
    assert torch.from_dlpack(obs).data_ptr() == obs.data_ptr()


def test_too_many_games_are_one_sentence() -> None:
    with pytest.raises(
        MemoryError, match=r"^1000000000 games do not fit on cuda:0, which has .* GB free: choose fewer$"
    ):
        DeviceGames(10**9, "duel")
