"""Schedules of train/algorithms/parts/config.py, and who goes by it."""

from typing import Any, get_args

import pytest

from train.algorithms.parts.config import Shape, scheduled

PARTS = [0.0, 0.25, 0.5, 0.75, 1.0]


@pytest.mark.parametrize(
    ("shape", "expected"),
    [
        ("constant", [3, 3, 3, 3, 3]),
        ("linear", [3, 2.5, 2, 1.5, 1]),
        ("cosine", [3, 2 + 2**-0.5, 2, 2 - 2**-0.5, 1]),
    ],
)
def test_a_schedule_has_its_shape(shape: str, expected: list[float]) -> None:
    assert [scheduled(3, 1, shape, part) for part in PARTS] == pytest.approx(expected)


@pytest.mark.parametrize("shape", sorted({*get_args(Shape)} - {"constant"}))
def test_both_ends_are_exact_and_numbers_may_rise(shape: str) -> None:
    assert (scheduled(0.1, 0.7, shape, 0.0), scheduled(0.1, 0.7, shape, 1.0)) == (pytest.approx(0.1), 0.7)
    assert scheduled(0.1, 0.7, shape, 0.9) > scheduled(0.1, 0.7, shape, 0.1)


@pytest.mark.adapters
@pytest.mark.parametrize("algorithm", ["ppo", "mmd"])
def test_entropy_weight_and_learning_rate_follow_their_schedules(algorithm: str) -> None:
    pytest.importorskip("torch")
    from train.algorithms.mmd import MMD, MMDConfig
    from train.algorithms.ppo import PPO, PPOConfig

    learner_class, config_class = {"ppo": (PPO, PPOConfig), "mmd": (MMD, MMDConfig)}[algorithm]
    small: dict[str, Any] = {"num_envs": 8, "num_steps": 32, "hidden": (8,), "threads": 1, "precision": "float32"}
    told: dict[str, Any] = {
        "ent_coef": 0.02,
        "ent_coef_final": 0.01,
        "ent_coef_shape": "cosine",
        "learning_rate_final": 1e-3,
    }
    with learner_class(config_class(**small, **told)) as learner:
        figures = [learner.iterate(part) for part in PARTS]
    assert [line["train/entropy_weight"] for line in figures] == [
        scheduled(0.02, 0.01, "cosine", part) for part in PARTS
    ]
    assert [line["train/learning_rate"] for line in figures] == pytest.approx([2e-3, 1.75e-3, 1.5e-3, 1.25e-3, 1e-3])


@pytest.mark.adapters
def test_the_entropy_weight_of_the_moment_is_the_one_that_the_loss_has() -> None:
    """A weight that is large at the end holds the policy near the uniform one; one that falls to 0 lets it go."""
    pytest.importorskip("torch")
    from train.algorithms.ppo import PPO, PPOConfig

    small: dict[str, Any] = {"num_envs": 64, "num_steps": 32, "hidden": (16,), "threads": 1, "precision": "float32"}
    entropy: dict[float, float] = {}
    for last in (0.0, 10.0):
        told: dict[str, Any] = {"learning_rate": 1e-2, "learning_rate_shape": "constant", "ent_coef_shape": "linear"}
        with PPO(PPOConfig(**small, **told, ent_coef_final=last)) as learner:
            for _ in range(6):
                entropy[last] = learner.iterate(0.99)["train/entropy"]
    assert entropy[10.0] > entropy[0.0] + 0.01
