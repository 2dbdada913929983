"""What holds for every agent: legal choices, seeds, batches, forms of observations, errors."""

from pathlib import Path

import numpy as np
import pytest

import agents
from agents.scripted.agent import STRATEGIES
from tests.helpers.marks import thorough
from tests.helpers.positions import TABLES, any_rules, asked, save_random_policy
from uno_env import BatchedGames, Rules
from uno_env.actions import NUM_ACTIONS
from uno_env.observation import OBSERVATION_SIZE, SCALES

DETERMINISTIC = ["policy"]
EVERY = [*STRATEGIES, "policy", "policy-sample"]

ANY_RULES = 60


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A saved policy of random weights, for duel; other rules show it actions it has no output for."""
    path = tmp_path_factory.mktemp("policies") / "duel.safetensors"
    save_random_policy(path, Rules.preset("duel"))
    return path


def _load(name: str, saved: Path, seed: int = 0) -> agents.Agent:
    specs = {"policy": f"{saved}", "policy-sample": f"{saved}?sample=1"}
    return agents.load(specs.get(name, name), seed)


@pytest.mark.parametrize("name", EVERY)
@pytest.mark.parametrize(("preset", "players"), TABLES)
def test_long_games_go_by_legal_choices_alone(name: str, preset: str, players: int, saved: Path) -> None:
    batch = BatchedGames(32, Rules.preset(preset, players=players), seed=1, obs_dtype="uint8")
    agent = _load(name, saved)
    observations, masks, _ = batch.reset()
    for _ in range(300):
        actions = agent.act_batch(observations, masks)
        assert actions.dtype == np.int64
        assert masks[np.arange(32), actions].all()
        observations, masks, *_ = batch.step(actions)


@pytest.mark.thorough
@pytest.mark.parametrize("number", range(ANY_RULES))
def test_choices_are_legal_under_any_rules(number: int, saved: Path) -> None:
    rules = any_rules(ANY_RULES, seed=17)[number]
    batch = BatchedGames(40, rules, seed=2, obs_dtype="uint8", match=number % 2 == 1)
    players = [_load(name, saved, seed) for seed, name in enumerate(EVERY)]
    observations, masks, _ = batch.reset()
    for turn in range(200):
        actions = np.zeros(40, np.int64)
        for place, player in enumerate(players):
            rows = np.arange((place + turn) % len(players), 40, len(players))
            actions[rows] = player.act_batch(observations[rows], masks[rows])
        assert masks[np.arange(40), actions].all()
        observations, masks, *_ = batch.step(actions)


@pytest.mark.parametrize("name", EVERY)
def test_equal_seeds_give_equal_choices(name: str, saved: Path) -> None:
    observations, masks = asked("classic", 4)
    first, again, other = (_load(name, saved, seed) for seed in (7, 7, 8))
    chosen = first.act_batch(observations, masks)
    assert (again.act_batch(observations, masks) == chosen).all()
    assert name in DETERMINISTIC or (other.act_batch(observations, masks) != chosen).any()
    first.reset(7)
    assert (first.act_batch(observations, masks) == chosen).all()


@pytest.mark.parametrize("name", EVERY)
@pytest.mark.parametrize(("preset", "players"), [("duel", 2), ("classic", 4)])
def test_a_batch_chooses_as_its_rows_do_one_by_one(name: str, preset: str, players: int, saved: Path) -> None:
    observations, masks = (array[:700] for array in asked(preset, players))
    chosen = _load(name, saved, 3).act_batch(observations, masks)
    one_by_one = _load(name, saved, 3)
    assert [one_by_one.act(row, mask) for row, mask in zip(observations, masks, strict=True)] == chosen.tolist()


@pytest.mark.parametrize("name", [EVERY[0], *EVERY[-3:], *thorough(*EVERY[1:-3])])
def test_any_kind_of_array_will_do_and_is_left_alone(name: str, saved: Path) -> None:
    observations, masks = asked("classic", 4)
    chosen = _load(name, saved, 3).act_batch(observations, masks)
    read_only = observations.copy()
    read_only.flags.writeable = False
    for rows, legal in [
        (read_only, masks.astype(np.int8)),
        (np.asfortranarray(observations), np.asfortranarray(masks)),
        (observations * SCALES, masks),
        ((observations * SCALES).astype(np.float64), masks.astype(bool)),
    ]:
        before = rows.copy(), legal.copy()
        assert (_load(name, saved, 3).act_batch(rows, legal) == chosen).all()
        assert (rows == before[0]).all()
        assert (legal == before[1]).all()


@pytest.mark.parametrize("name", EVERY)
def test_a_batch_may_be_empty(name: str, saved: Path) -> None:
    nothing = np.zeros((0, OBSERVATION_SIZE), np.uint8), np.zeros((0, NUM_ACTIONS), np.uint8)
    assert _load(name, saved).act_batch(*nothing).shape == (0,)


@pytest.mark.parametrize("name", EVERY)
def test_a_row_without_legal_actions_is_an_error_that_uses_no_chance(name: str, saved: Path) -> None:
    observations, masks = (array[:50].copy() for array in asked("duel", 2))
    agent = _load(name, saved, 3)
    gap = masks.copy()
    gap[17] = 0
    with pytest.raises(ValueError, match="row 17 of the action masks has no legal action"):
        agent.act_batch(observations, gap)
    assert (agent.act_batch(observations, masks) == _load(name, saved, 3).act_batch(observations, masks)).all()


@pytest.mark.parametrize("name", ["random", "greedy", "policy"])
def test_wrong_shapes_and_types_are_refused(name: str, saved: Path) -> None:
    observations, masks = (array[:4] for array in asked("duel", 2))
    agent = _load(name, saved)
    for rows, legal, message in [
        (observations[:, :-1], masks, r"observations must have 950 .+ columns a row, not shape \[4, \d+\]"),
        (observations[0], masks, "observations must have"),
        (observations, masks[:, 1:], "action masks must have 132 columns a row"),
        (observations, masks[:3], "there are 4 observations and 3 action masks"),
        (observations.astype(np.int64), masks, "observations must be float32 or uint8, not int64"),
        (observations, masks.astype(np.float32), "action masks must be int8, uint8 or bool, not float32"),
    ]:
        with pytest.raises(ValueError, match=message):
            agent.act_batch(rows, legal)
    with pytest.raises(ValueError, match="observations must have"):
        agent.act(observations, masks[0])


@pytest.mark.parametrize("seed", [-1, 2**64, 1.5, True, "1", None])
def test_a_seed_is_a_whole_number(seed: object) -> None:
    with pytest.raises(ValueError, match=r"seed=.* is not allowed: choose a whole number"):
        agents.load("random", seed=seed)  # type: ignore[arg-type]
