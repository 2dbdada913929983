"""The common part of the learners of self-play: :class:`SelfPlayLearner`."""

from typing import Any

from train.algorithms.parts.backends import Backend
from train.algorithms.parts.config import SelfPlayConfig
from train.algorithms.parts.games import SelfPlayGames
from train.algorithms.parts.rollout import RolloutStats
from train.algorithms.parts.trainer import Trainer
from train.runs.evaluator import Evaluator
from train.runs.evaluator_beside import ProcessEvaluator
from train.runs.learner import Learner
from uno_env.core.arrays import Array


class SelfPlayLearner(Learner):
    """A learner that holds a backend, a trainer and games; it begins, saves and resumes them."""

    has_replicas = True
    config: SelfPlayConfig
    backend: Backend
    trainer: Trainer
    games: SelfPlayGames

    def __exit__(self, *error: object) -> None:
        self.backend.close()

    def evaluator(self) -> Evaluator:
        """An evaluator in this process, or beside a training on a GPU."""
        return Evaluator(self.config) if self.config.device == "cpu" else ProcessEvaluator(self.config)

    def begin(self) -> None:
        """Load the weights of the initial policy, if there is one."""
        if self.config.initial_policy:
            self.network.load_weights_from(self.config.initial_policy)

    def least_decisions(self) -> int:
        """Same as :meth:`train.runs.learner.Learner.least_decisions`: those of one step."""
        return self.config.step_size()

    def warm_up(self) -> None:
        """Compile everything that an iteration needs."""
        with self.__class__(self.config.smallest()) as small:  # type: ignore[call-arg]
            small.iterate(0.0)

    def count(self, stats: RolloutStats) -> dict[str, float]:
        """Count what was played, and return figures of it, under SB3's names. It warns once if the first hands are too
        long.
        """
        self.decisions += stats.decisions
        self.choices += stats.choices
        self.games.check_hand_length(stats)
        return stats.figures() | self.games.record_hands()

    def get_state(self) -> tuple[dict[str, Array], dict[str, Any]]:
        """Arrays and plain values that the next iteration depends on: those of the trainer and of the games."""
        arrays, values = self.trainer.get_state()
        games, state = self.games.get_state()
        return arrays | games, {"decisions": self.decisions, "choices": self.choices, **values, **state}

    def set_state(self, arrays: dict[str, Array], values: dict[str, Any]) -> None:
        """Continue from a state that :meth:`get_state` gave."""
        self.decisions, self.choices = values["decisions"], values["choices"]
        self.trainer.set_state(arrays, values)
        self.games.set_state(arrays, values)
