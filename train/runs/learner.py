"""What a run needs of an algorithm: :class:`Learner`, and the errors that end a run."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Self

from train.networks.policy_network import Network
from train.runs.checkpoint import Array
from train.runs.evaluator import Evaluator
from train.runs.run_config import RunConfig


class Learner(ABC):
    """An algorithm with all that it has learnt. It is made from a config, and trains inside its ``with`` block."""

    config: RunConfig
    network: Network
    decisions: int
    """Decisions played so far."""
    choices: int
    """Those with two or more legal actions."""
    notes: Mapping[str, Any] = MappingProxyType({})
    """More for the card of a saved policy."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:  # noqa: B027 (not all have something to end)
        """End what was started for the training."""

    def evaluator(self) -> Evaluator:
        """What evaluates the network during training."""
        return Evaluator(self.config)

    @abstractmethod
    def warm_up(self) -> None:
        """Compile everything that an iteration needs."""

    @abstractmethod
    def iterate(self, progress: float) -> dict[str, float]:
        """Play and learn once; figures for TensorBoard. The schedules follow ``progress`` of the run, from 0 to 1."""

    @abstractmethod
    def get_state(self) -> tuple[dict[str, Array], dict[str, Any]]:
        """Arrays, and plain values, that the next iteration depends on."""

    @abstractmethod
    def set_state(self, arrays: dict[str, Array], values: dict[str, Any]) -> None:
        """Go on from a state that :meth:`get_state` gave."""


class RunError(ValueError):
    """A run cannot go on; its user can change that."""


class DivergedError(RunError):
    """The training has arrived at numbers that are not finite."""


class WorkersLostError(RunError):
    """All processes that play for a run are lost; what it has learnt is sound, and is saved."""
