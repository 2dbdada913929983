"""uno_env/envs/device_games.py, with its kernels on the processor: the same games as of BatchedGames, bit for bit.

The kernels are compiled as those of the processor, and by the compiler for GPUs. ``tests/gpu`` has what only a GPU can
show.
"""

import copy
import pickle
import random
from typing import Any

import numpy as np
import pytest
import torch

from tests.helpers.gpu_code import compiled  # noqa: F401 (a fixture)
from tests.helpers.marks import thorough
from tests.helpers.random_rules import random_flip_rules, random_no_mercy_rules, random_rules
from uno_env import BatchedGames, DeviceGames, IllegalActionError, Rules
from uno_env.actions import NUM_ACTIONS, number_of
from uno_env.core.arrays import Array
from uno_env.core.jit.njit import INTERPRETED

GAMES, STEPS = 40, 100
"""Games of a batch, more than a block and not whole blocks, and steps."""
FORMS: list[dict[str, Any]] = [
    {"obs_dtype": "float32"},
    {"obs_dtype": "uint8", "history": 3},
    {"encoding": "planes", "obs_dtype": "uint8"},
    {"encoding": "planes", "history": 1},
]
RESULTS = ("winner", "end", "length", "points", "scores")

pytestmark = pytest.mark.skipif(INTERPRETED, reason="a state in wider integers is another one")


def _batches(rules: Rules | str, seed: int = 0, **options: Any) -> tuple[BatchedGames, DeviceGames]:
    return BatchedGames(GAMES, rules, seed, **options), DeviceGames(GAMES, rules, seed, device="cpu", **options)


def _assert_same(batch: BatchedGames, games: DeviceGames, returned: Any, given: Any) -> None:
    """Compare what a call returned, the results of hands that ended, and the history."""
    for one, other in zip(returned, given, strict=True):
        assert str(other.dtype).removeprefix("torch.") == one.dtype.name
        assert np.array_equal(one, other.numpy())
    assert np.array_equal(batch.hand_done, games.hand_done.numpy())
    for name in RESULTS:
        assert np.array_equal(getattr(batch, name)[batch.hand_done], getattr(games, name).numpy()[batch.hand_done])
    if batch.history is not None:
        assert games.history is not None
        assert np.array_equal(batch.history, games.history.numpy())


def _with_illegal(actions: Array, number: int, chance: np.random.Generator, illegal: float) -> Array:
    """A copy of actions with a share of random ones, of so many that there are."""
    actions = actions.copy()
    wrong = chance.random(GAMES) < illegal
    actions[wrong] = chance.integers(0, number, wrong.sum())
    return actions


@pytest.mark.usefixtures("compiled")
@pytest.mark.parametrize("number", [*range(12), *thorough(*range(12, 20))])
def test_games_are_those_of_the_processor(number: int) -> None:
    """From 12 on the numbers are tables of No Mercy, from 16 on of Flip."""
    draws = (*[random_rules] * 3, random_no_mercy_rules, random_flip_rules)
    rules = draws[number // 4](random.Random(number))
    points = number % 4 == 1 and rules.scoring != "hand"
    options = {**FORMS[number % 4], "match": number % 2 == 1, "reward": "points" if points else "outcome"}
    batch, games = _batches(rules, number, **options)
    chance = np.random.default_rng(number)
    _assert_same(batch, games, batch.reset(), games.reset())
    for step in range(STEPS):
        illegal = 0.0 if rules.illegal_action == "raise" else 0.05
        sampled = batch.sample_actions()
        assert np.array_equal(sampled, games.sample_actions().numpy())
        actions = _with_illegal(sampled, number_of(rules), chance, illegal)
        _assert_same(batch, games, batch.step(actions), games.step(torch.from_numpy(actions)))
        if step == STEPS // 2:
            indices, states = np.array([3, 17, 3]), np.array([5, 6, 7], np.uint64)
            _assert_same(batch, games, batch.deal(indices, states), games.deal(indices, states))
    _assert_same_states(batch.get_state(), games.get_state())
    _assert_same(batch, games, batch.reset(seed=9), games.reset(seed=9))


def _assert_same_states(one: dict[str, Array], other: dict[str, Array]) -> None:
    assert {name: (array.dtype, array.tobytes()) for name, array in one.items()} == {
        name: (array.dtype, array.tobytes()) for name, array in other.items()
    }


@pytest.mark.usefixtures("compiled")
def test_ten_players_who_know_cards_of_each_other() -> None:
    batch, games = _batches(Rules(players=10, seven_zero=True, hand_size=3), obs_dtype="uint8")
    batch.reset(), games.reset()
    for _ in range(200):
        actions = batch.sample_actions().copy()
        _assert_same(batch, games, batch.step(actions), games.step(actions))
    assert (batch.games["knows"] != 0).any()


@pytest.mark.usefixtures("compiled")
def test_rlcards_planes_are_those_of_a_batch() -> None:
    batch, games = _batches("rlcard", encoding="rlcard")
    _assert_same(batch, games, batch.reset(), games.reset())
    actions = batch.sample_actions().copy()
    _assert_same(batch, games, batch.step(actions), games.step(actions))


@pytest.mark.usefixtures("compiled")
@pytest.mark.parametrize("options", FORMS)
def test_states_move_from_place_to_place(options: dict[str, Any]) -> None:
    batch, games = _batches(Rules(players=3, seven_zero=True), **options)
    batch.reset()
    for _ in range(30):
        batch.step(batch.sample_actions())
    games.set_state(batch.get_state())
    for _ in range(10):
        actions = batch.sample_actions().copy()
        assert np.array_equal(actions, games.sample_actions().numpy())
        _assert_same(batch, games, batch.step(actions), games.step(actions))
    other = BatchedGames(GAMES, batch.rules, **options)
    _assert_same(other, games, other.set_state(games.get_state()), games.set_state(games.get_state()))


def test_copies_go_on_as_the_games_would() -> None:
    games = DeviceGames(GAMES, "classic", 3, device="cpu", history=2)
    games.reset()
    games.step(games.sample_actions())
    for made in (copy.copy(games), copy.deepcopy(games), pickle.loads(pickle.dumps(games))):
        _assert_same_states(made.get_state(), games.get_state())
        made.step(made.sample_actions())
    undealt = pickle.loads(pickle.dumps(DeviceGames(2, "duel", device="cpu")))
    with pytest.raises(ValueError, match=r"^the games are not dealt yet: call reset\(\) before step\(\)$"):
        undealt.step([0, 0])


@pytest.mark.usefixtures("compiled")
class TestRefusedActions:
    """The device finds them, and the games stay as they are until somebody has been told."""

    @pytest.fixture
    def games(self) -> DeviceGames:
        games = DeviceGames(GAMES, "duel", device="cpu", history=2)
        games.reset()
        return games

    @pytest.mark.parametrize("action", [-1, NUM_ACTIONS, 2**40, "illegal"])
    def test_the_sentence_is_that_of_the_processor(self, games: DeviceGames, action: Any) -> None:
        batch = BatchedGames(GAMES, "duel")
        batch.reset()
        actions = games.sample_actions().clone()
        actions[33] = actions[38] = int(np.flatnonzero(games._mask[33] == 0)[0]) if action == "illegal" else action
        with pytest.raises(IllegalActionError) as expected:
            batch.step(actions.numpy())
        games.step(actions)
        with pytest.raises(IllegalActionError) as raised:
            games.synchronize()
        assert str(raised.value) == str(expected.value)
        assert "in game 33 of the batch" in str(raised.value)

    def test_no_game_goes_on_until_it_is_told(self, games: DeviceGames) -> None:
        before = games.get_state()
        shown = games._mask.clone(), games._rows.clone()
        legal = games.sample_actions().clone()
        wrong = legal.clone()
        wrong[7] = -5
        games.step(wrong)
        games._told.zero_()  # as a device that has not said so yet
        games.step(legal)
        with pytest.raises(IllegalActionError, match=r"^action -5 is illegal in game 7 of the batch: legal are "):
            games.step(legal)
        after = games.get_state()
        del before["random"], after["random"]  # of the actions drawn above
        _assert_same_states(before, after)
        assert all(map(torch.equal, (games._mask, games._rows), shown))
        games.step(legal)
        games.synchronize()

    def test_whatever_reads_the_games_waits_for_it(self, games: DeviceGames) -> None:
        wrong = torch.full((GAMES,), NUM_ACTIONS)
        for call in (games.get_state, lambda: games.deal([0], [1])):
            games.step(wrong)
            games._told.zero_()
            with pytest.raises(IllegalActionError):
                call()

    def test_a_reset_forgets_it(self, games: DeviceGames) -> None:
        games.step(torch.full((GAMES,), -1))
        games.reset()
        games.step(games.sample_actions())
        games.synchronize()

    def test_an_action_out_of_range_is_refused_by_any_rules(self) -> None:
        games = DeviceGames(2, Rules(illegal_action="terminate"), device="cpu")
        games.reset()
        games.step([NUM_ACTIONS, 0])
        with pytest.raises(IllegalActionError, match=f"^action {NUM_ACTIONS} is illegal in game 0"):
            games.synchronize()


@pytest.mark.parametrize("actions", [[0], [0.5, 1.0], [True, False], [[0, 1]], torch.zeros(2)])
def test_what_is_no_list_of_integers_is_refused_at_once(actions: Any) -> None:
    games = DeviceGames(2, "duel", device="cpu")
    games.reset()
    with pytest.raises(ValueError, match=r"^actions must be 2 integers, not "):
        games.step(actions)


def test_a_state_that_does_not_fit_leaves_the_games_as_they_are() -> None:
    games = DeviceGames(2, "duel", device="cpu")
    games.reset()
    before = games.get_state()
    wrong = games.get_state()
    wrong["games"]["phase"] = 99
    more = DeviceGames(3, "duel", device="cpu")
    more.reset()
    for state in (wrong, {}, more.get_state()):
        with pytest.raises(ValueError, match="state"):
            games.set_state(state)
    _assert_same_states(before, games.get_state())


def test_too_little_memory_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*arguments: Any, **named: Any) -> None:
        raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 20.00 GiB.")

    monkeypatch.setattr(DeviceGames, "_zeros", fail)
    monkeypatch.setattr(torch.cuda, "mem_get_info", lambda device: (2 * 10**9, 80 * 10**9))
    with pytest.raises(
        MemoryError, match=r"^5 games do not fit on cpu, which has 2\.0 of 80\.0 GB free: choose fewer$"
    ):
        DeviceGames(5, "duel", device="cpu")
