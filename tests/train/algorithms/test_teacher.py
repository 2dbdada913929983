"""A teacher in ``ppo`` and ``mmd``: what it would choose is stored, the policy is drawn to it, and it is checked."""

from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from agents import load  # noqa: E402
from tests.helpers.remembering import REMEMBERS  # noqa: E402
from train.algorithms.mmd import MMD, MMDConfig  # noqa: E402
from train.algorithms.parts.rollout import Rollout  # noqa: E402
from train.algorithms.parts.rollout_buffer import RolloutBuffer  # noqa: E402
from train.algorithms.ppo import PPO, PPOConfig  # noqa: E402
from uno_env import BatchedGames  # noqa: E402
from uno_env.player import Player  # noqa: E402
from uno_env.policy_columns import policy_actions, policy_columns  # noqa: E402
from uno_env.symmetry import CanonicalForm  # noqa: E402

GAMES, STEPS = 8, 40
SMALL: dict[str, Any] = {
    "rules": "house", "players": 4, "threads": 1, "precision": "float32", "num_envs": 64, "num_steps": 32,
    "hidden": (32,), "minibatch_size": 500, "learning_rate": 0.01, "eval_every": 0,
}  # fmt: skip
ALGORITHMS: dict[str, tuple[Any, type[PPOConfig]]] = {"ppo": (PPO, PPOConfig), "mmd": (MMD, MMDConfig)}


class Noting(Player):
    """Plays as ``tuned``, and keeps what it was asked and what it answered."""

    name = "noting"

    def __init__(self) -> None:
        self.asked: list[tuple[Any, Any]] = []
        self.tuned = load("tuned")

    def reset(self, seed: int) -> None:
        self.tuned.reset(seed)

    def act_batch(self, observations: Any, masks: Any, histories: Any = None) -> Any:
        actions = self.tuned.act_batch(observations, masks)
        self.asked.append((observations.copy(), actions))
        return actions


def rollout(teacher: Player | None, has_teacher: bool = True, **options: Any) -> Rollout:
    games = BatchedGames(GAMES, SMALL["rules"], players=4, obs_dtype="uint8")
    columns, actions = policy_columns(games.rules), policy_actions(games.rules)
    buffer = RolloutBuffer.empty(GAMES * STEPS, len(columns), len(actions), has_teacher=has_teacher)
    return Rollout(games, columns, actions, buffer, np.random.default_rng(1), teacher=teacher, **options)


@pytest.mark.parametrize("symmetry", [False, True])
def test_what_the_teacher_would_choose_is_stored_as_the_network_sees_it(symmetry: bool) -> None:
    teacher = Noting()
    played = rollout(teacher, symmetry=symmetry)
    columns, actions = policy_columns(played.games.rules), policy_actions(played.games.rules)
    blank = torch.zeros(GAMES, len(actions)), torch.zeros(GAMES)
    stats = played.collect(STEPS, lambda rows: (blank[0][: len(rows)], blank[1][: len(rows)]))
    assert stats.choices == sum(len(asked) for _, asked in teacher.asked) > GAMES * STEPS // 2
    teacher_actions = played.buffer.teacher_action[: stats.choices, 0]
    assert (played.buffer.mask[torch.arange(stats.choices), teacher_actions] == 1).all()
    canonical, begin = CanonicalForm(columns, actions, 0, played.games.rules), 0
    for observations, answers in teacher.asked:
        rows = slice(begin, begin + len(answers))
        forms = canonical.forms(observations) if symmetry else np.zeros(len(answers), np.int64)
        np.testing.assert_array_equal(canonical.real_actions(forms, teacher_actions[rows].numpy()), answers)
        begin = rows.stop


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_the_policy_is_drawn_to_the_teacher_at_first(algorithm: str) -> None:
    """The same few iterations with a teacher and without: how probable its choices have become."""
    made, config = ALGORITHMS[algorithm]
    agreement = {}
    for coef in (0.0, 1.0):
        with made(config(**SMALL, teacher="tuned", teacher_coef=coef)) as learner:
            for _ in range(8):
                learner.iterate(0.0)
            learner.games.play()
            rows = learner.games.buffer.closed()
            with torch.no_grad():
                logits, _ = learner.network(learner.games.buffer.obs[rows])
            legal = logits.masked_fill(learner.games.buffer.mask[rows] == 0, -torch.inf)
            agreement[coef] = float(legal.softmax(dim=1).gather(1, learner.games.buffer.teacher_action[rows]).mean())
    assert agreement[1.0] > agreement[0.0] + 0.2


def test_the_pull_of_the_teacher_falls_to_0() -> None:
    with PPO(PPOConfig(**SMALL, teacher="tuned", teacher_coef=0.5)) as learner:
        pulls = []
        for progress in (0.0, 0.5, 1.0):
            learner.iterate(progress)
            pulls.append(learner.teacher_coef)
    assert pulls == [0.5, 0.25, 0.0]


def test_who_cannot_play_where_the_network_learns_is_no_teacher() -> None:
    for teacher, told in (
        ("cheat:flat", "an agent that sees all hands plays only where games are evaluated"),
        (REMEMBERS, "it remembers the hand"),
        ("zoo:duel-2p", "zoo:duel-2p"),
        ("nobody", "unknown agent 'nobody'"),
    ):
        with pytest.raises(ValueError, match=told):
            PPOConfig(**SMALL, teacher=teacher).check()
    PPOConfig(**SMALL, teacher="zoo:house-4p").check()


@pytest.mark.parametrize(("teacher", "has_teacher"), [(None, True), (Noting(), False)])
def test_a_buffer_without_room_for_the_teachers_choices_is_refused(teacher: Player | None, has_teacher: bool) -> None:
    with pytest.raises(ValueError, match="does not fit"):
        rollout(teacher, has_teacher)
