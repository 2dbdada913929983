"""Every algorithm that learns by self-play: the exact solution of tiny decks, rewards, masks; and test_contract.py."""

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import agents
from agents.policy.policy_agent import PolicyAgent
from agents.policy.policy_file import PolicyCard, load_policy
from tests.helpers.saved_runs import TINY, assert_equal
from train.algorithms.dmc import DMC, DMCConfig
from train.algorithms.mmd import MMD, MMDConfig
from train.algorithms.parts import kernels
from train.algorithms.parts.config import SelfPlayConfig
from train.algorithms.parts.rollout import Rollout
from train.algorithms.parts.trainer import RolloutBuffer
from train.algorithms.ppo import PPO, PPOConfig
from train.algorithms.registry import prepare_training, train
from train.evaluation.exact.measure import exploitability
from train.evaluation.exact.solver import Solver
from train.networks.kernels import explore_masked
from train.runs.learner import RunError
from uno_env import Rules
from uno_env.envs import hand_length
from uno_env.extensive_form.game_tree import grow

pytestmark = pytest.mark.adapters

LEARNERS: dict[str, tuple[Any, type[SelfPlayConfig]]] = {
    "ppo": (PPO, PPOConfig),
    "dmc": (DMC, DMCConfig),
    "mmd": (MMD, MMDConfig),
}
SMALL: dict[str, Any] = {
    "name": "small", "rules": TINY, "threads": 1, "precision": "float32", "num_envs": 24, "num_steps": 16,
    "hidden": (16, 8), "minibatch_size": 100, "n_epochs": 2, "total_timesteps": 4 * 24 * 16, "eval_every": 0,
}  # fmt: skip


@pytest.fixture(params=LEARNERS)
def algorithm(request) -> str:
    return str(request.param)


def new(algorithm: str, **changes: Any) -> Any:
    learner_class, config_class = LEARNERS[algorithm]
    return learner_class(config_class(**{**SMALL, **changes}))


def run(algorithm: str, folder: Path, **changes: Any) -> Path:
    _, config_class = LEARNERS[algorithm]
    return train(config_class(**{**SMALL, "folder": str(folder), **changes}))


def some_choices(learner: PPO | MMD | DMC, number: int = 200) -> RolloutBuffer:
    """Random observations under random masks, some of a single action."""
    chance = np.random.default_rng(0)
    columns, actions = len(learner.network.columns), len(learner.network.actions)
    batch = RolloutBuffer.empty(number, columns, actions)
    batch.obs[:] = torch.from_numpy(chance.integers(0, 5, (number, columns), np.uint8))
    batch.mask[:] = torch.from_numpy((chance.random((number, actions)) < 0.1).astype(np.uint8))
    batch.action[:] = torch.from_numpy(chance.integers(actions, size=number))
    batch.mask[torch.arange(number), batch.action] = 1
    batch.logp[:] = -1.0
    batch.advantage[:], batch.target[:] = (torch.from_numpy(chance.normal(size=number)) for _ in range(2))
    return batch


@pytest.mark.parametrize("size", [0.0, 1.0, 1e4])
def test_masks_never_give_nan(algorithm, size) -> None:
    with new(algorithm) as learner:
        batch = some_choices(learner)
        assert int((batch.mask.sum(dim=1) == 1).sum()) > 0
        with torch.no_grad():
            learner.network.policy.weight.normal_(std=size)
        loss, sums = learner.loss(batch)
        gradients = torch.autograd.grad(loss, list(learner.network.parameters()))
    if size < 1e4:  # else the ratio of probabilities may overflow, which training reports, to infinity
        assert torch.isfinite(loss)
        assert torch.isfinite(sums).all()
        assert all(torch.isfinite(gradient).all() for gradient in gradients)
    assert not any(torch.isnan(gradient).any() for gradient in gradients)


def test_illegal_actions_are_never_chosen_and_all_stays_finite(algorithm) -> None:
    with new(algorithm) as learner:
        for number in range(4):
            figures = learner.iterate(number / 4)
            closed = learner.games.buffer.select(learner.games.buffer.closed())
            assert (closed.mask.gather(1, closed.action[:, None]) == 1).all()
            assert (closed.mask.sum(dim=1) > 1).all(), "forced moves are not learnt from"
            assert all(np.isfinite(value) for value in figures.values())
    assert all(np.isfinite(array).all() for array in learner.network.weights().values())


@pytest.mark.parametrize("precision", ["float32", "bfloat16"])
def test_games_are_played_with_the_weights_as_they_are_now(precision: str) -> None:
    with new("ppo", precision=precision) as learner:
        evaluate = learner.games.prepared_evaluate()
        learner.iterate(0.0)
        assert learner.games.prepared_evaluate() is evaluate
        rows = torch.from_numpy(np.random.default_rng(0).integers(0, 3, (5, learner.network.width), np.uint8))
        for prepared, direct in zip(evaluate(rows), learner.network(rows), strict=True):
            assert torch.equal(prepared, direct)


def test_no_chain_closed_is_no_reason_to_fail(algorithm) -> None:
    with new(algorithm, num_steps=1) as learner:
        assert all(np.isfinite(value) for value in learner.iterate(0.0).values())


SOLVED = Rules.preset(
    "mini", deck="r1 r2 b1 b2 w", hand_size=1, voluntary_draw=True, max_decisions=3, dealer="fixed", dealer_seat=1
)
"""2/3 for seat 0, and a right way to play without chance."""


HARDER = Rules.preset("mini", deck="r1 r2 b1 b2 w r+2", hand_size=2, max_decisions=6, dealer="fixed", dealer_seat=1)
"""14,497 nodes, 1,184 choices to learn."""


def learn(algorithm: str, rules: Rules, decisions: int, **changes: Any) -> PolicyAgent:
    sizes: dict[str, Any] = {"num_envs": 256, "num_steps": 32, "hidden": (64,), "minibatch_size": 1024, **changes}
    with new(algorithm, rules=rules.to_dict(), total_timesteps=decisions, **sizes) as learner:
        while learner.decisions < decisions:
            learner.iterate(learner.decisions / decisions)
    network = learner.network
    card = PolicyCard(
        rules=rules.to_dict(),
        columns=network.columns.tolist(),
        actions=network.actions.tolist(),
        hidden=network.hidden,
        symmetry=network.symmetry,
    )
    return PolicyAgent(algorithm, network.weights(), card, sample=algorithm != "dmc")


@pytest.mark.parametrize(
    ("rules", "decisions", "of_random", "tolerance"),
    [
        (SOLVED, 400_000, 0.30, {"ppo": 0.01, "mmd": 0.01, "dmc": 0.01}),
        (HARDER, 1_000_000, 0.30, {"ppo": 0.08, "mmd": 0.08, "dmc": 0.10}),  # measured: to 0.046, 0.043, 0.057
    ],
)
@pytest.mark.slow
def test_it_comes_close_to_the_exact_solution(algorithm, rules, decisions, of_random, tolerance) -> None:
    """In the value and in what a best response gains; both where a random player is far from it."""
    solver = Solver(grow(rules))
    for _ in range(100):
        solver.iterate()
    value = solver.measure().values[0]
    measured = exploitability(learn(algorithm, rules, decisions), rules)
    assert exploitability(agents.load("random"), rules).exploitability > of_random
    assert measured.exploitability < tolerance[algorithm]
    assert measured.values[0] == pytest.approx(value, abs=min(0.05, tolerance[algorithm]))


def test_it_comes_close_in_canonical_form_too(algorithm) -> None:
    learnt = learn(algorithm, SOLVED, 200_000, symmetry=True)
    assert exploitability(learnt, SOLVED).exploitability < 0.01


def test_values_of_actions_are_no_probabilities_and_the_card_says_so(tmp_path) -> None:
    card = load_policy(run("dmc", tmp_path) / "policy.safetensors")[1]
    assert "values of actions" in card.trained_by["logits"]
    assert "sample=1" in card.trained_by["logits"]
    assert "logits" not in load_policy(run("ppo", tmp_path) / "policy.safetensors")[1].trained_by


def test_exploring_takes_the_best_or_any_legal_action() -> None:
    chance = np.random.default_rng(1)
    mask = np.tile(np.array([0, 1, 0, 1, 1, 0], np.uint8), (30_000, 1))
    q = np.tile(np.array([9, -1, 9, 0.5, 0.5, 9], np.float32), (30_000, 1))
    chosen, value = np.zeros(30_000, np.int64), np.zeros(30_000, np.float32)
    for epsilon in (0.0, 0.3, 1.0):
        explore_masked(q, mask, chance.random(30_000, np.float32), epsilon, chosen, value)
        shares = np.bincount(chosen, minlength=6) / 30_000
        expected = [0, epsilon / 3, 0, 1 - 2 * epsilon / 3, epsilon / 3, 0]
        assert shares == pytest.approx(expected, abs=0.01)
        assert (value == q[0, chosen]).all()


def test_values_of_actions_are_fitted_to_what_they_brought() -> None:
    """Targets are the seat's reward all along a chain that ended, less what the choices until then cost."""
    with new("dmc", choice_cost=0.002) as learner:
        learner.iterate(0.0)
        store = learner.games.buffer
        for row in range(len(store.next_index)):
            end, choices = row, 1
            while store.next_index[end] >= 0:
                end, choices = int(store.next_index[end]), choices + 1
            if store.next_index[row] != kernels.OPEN and store.next_index[end] == kernels.ENDED:
                brought = float(store.reward[end]) - choices * learner.config.choice_cost
                assert float(store.target[row]) == pytest.approx(brought, abs=1e-5)


@pytest.mark.parametrize("truncated_is_lost", [False, True])
def test_values_of_hands_that_go_on_are_centered_where_rewards_are(truncated_is_lost: bool, monkeypatch) -> None:
    centered = []
    monkeypatch.setattr(Rollout, "center_open_values", lambda rollout: centered.append(rollout))
    with new("dmc", truncated_is_lost=truncated_is_lost) as learner:
        learner.iterate(0.0)
        assert len(centered) == (0 if truncated_is_lost else len(learner.games.rollouts))


@pytest.mark.filterwarnings("default:hands take more than 500 decisions")
@pytest.mark.parametrize(
    ("rules", "choice_cost", "cure"),
    [("duel", 0.0, "or set choice_cost=0.002"), ("duel", 0.0001, "or raise choice_cost"), ("starter", 0.0, None)],
)
def test_a_run_warns_once_if_its_first_hands_hardly_end(
    algorithm: str, rules: str, choice_cost: float, cure: str | None, tmp_path: Path, capsys, monkeypatch
) -> None:
    """The network learns nothing, and begins as uniform play."""
    monkeypatch.setattr(hand_length, "FIRST_DECISIONS", 8_000)
    options = {"learning_rate": 0.0, "num_envs": 4, "num_steps": 1024, "total_timesteps": 16 * 1024}
    if algorithm == "dmc":
        options |= {"epsilon": 1.0, "epsilon_final": 1.0}
    run(algorithm, tmp_path, rules=rules, choice_cost=choice_cost, **options)
    text = "Warning: hands take more than 500 decisions on average, too many to learn from: players may draw although"
    lines = [line for line in capsys.readouterr().out.splitlines() if "Warning" in line]
    assert len(lines) == (cure is not None)
    assert all(line.startswith(text) and line.endswith(str(cure)) for line in lines)


def test_the_magnet_follows_slowly() -> None:
    with new("mmd") as learner:
        assert isinstance(learner, MMD)
        before = learner.magnet.weights()
        learner.iterate(0.0)
        after, network = learner.magnet.weights(), learner.network.weights()
    assert any((network[name] != before[name]).any() for name in before)
    for name, array in after.items():
        part = learner.config.magnet_rate
        np.testing.assert_allclose(array, before[name] + part * (network[name] - before[name]), rtol=1e-4, atol=1e-7)


def test_a_strong_magnet_holds_the_policy_where_it_is() -> None:
    divergence = {}
    for weight in (0.0, 100.0):
        changes = {"magnet_coef": weight, "magnet_rate": 0.0, "learning_rate": 1e-2, "max_grad_norm": 1e9}
        with new("mmd", **changes, total_timesteps=10**6) as learner:
            figures = [learner.iterate(0.0) for _ in range(8)]
        divergence[weight] = figures[-1]["train/magnet_kl"]
    assert divergence[0.0] > 5 * divergence[100.0] > 0


def test_a_run_begins_with_a_saved_policy(algorithm, tmp_path) -> None:
    first = run(algorithm, tmp_path) / "policy.safetensors"
    with new(algorithm, initial_policy=str(first), seed=7) as learner:
        learner.begin()
        assert_equal(learner.network.weights(), load_policy(first)[0])
    with new("mmd", initial_policy=str(first)) as learner:
        learner.begin()
        assert_equal(learner.magnet.weights(), load_policy(first)[0])


@pytest.mark.parametrize(
    ("policy", "reason"),
    [("zoo:duel-2p", "its hidden layers of"), ("zoo:none", "there is no shipped policy"),
     ("nothing.safetensors", "no usable policy")],
)  # fmt: skip
def test_a_policy_that_does_not_fit_is_refused_before_the_run_has_a_folder(tmp_path, policy, reason) -> None:
    with pytest.raises(RunError, match=reason):
        run("ppo", tmp_path, rules="duel", initial_policy=policy, symmetry=True)
    assert not any(tmp_path.iterdir())


def test_a_run_is_resumed_without_its_initial_policy(tmp_path) -> None:
    first = run("ppo", tmp_path / "first")
    second = run("ppo", tmp_path / "second", initial_policy=str(first))
    shutil.rmtree(first)
    prepare_training(second, {"total_timesteps": str(6 * 24 * 16)})()
