"""The interface between a run and its algorithm: :class:`Learner`, and the errors that end a run."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar, Literal, Self

from agents.policy.policy_file import PolicyCard, save_policy
from train.networks.policy_network import Network, NetworkPlayer
from train.runs.evaluator import Evaluator
from train.runs.run_config import RunConfig
from uno_env.core.arrays import Array
from uno_env.player import Player


class Learner(ABC):
    """An algorithm in training. It is made from a config, and trains inside its ``with`` block.

    ``uno train`` and ``uno benchmark run`` also train your own subclass, wherever its file is. A config names it
    (``algorithm: path/to/file.py:Class`` or ``module:Class``), or a package offers it by the entry-point group
    ``uno_env.algorithms``. It needs

    * :attr:`config_class`; such a config is the only argument of the constructor;
    * :meth:`iterate`, which increases :attr:`decisions`;
    * :meth:`least_decisions`, so that a run stays within its budget;
    * :meth:`get_state` and :meth:`set_state`, so that a run can be stopped and resumed;
    * a :attr:`network` of ours, or else methods :meth:`policy` and :meth:`save_policy`.

    A config may have been written by somebody else, so one that names code is refused without ``--trust-code``.
    """

    config_class: ClassVar[type[RunConfig]]
    """A frozen dataclass; the fields that it adds are keys of the configs."""
    policy_suffix: ClassVar[Literal[".safetensors", ".onnx"]] = ".safetensors"
    """The suffix of the file that :meth:`save_policy` writes."""
    config: RunConfig
    network: Network
    decisions: int = 0
    """Decisions played so far."""
    choices: int = 0
    """Decisions with two or more legal actions."""
    has_replicas: ClassVar[bool] = False
    """True if several processes can train together (:mod:`train.common.replicas`)."""
    notes: Mapping[str, Any] = MappingProxyType({})
    """Additions to the card of a saved policy."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:  # noqa: B027 (not all have something to end)
        """Close the resources of the training, such as threads."""

    def evaluator(self) -> Evaluator:
        """The evaluator of the policy during training."""
        return Evaluator(self.config)

    def begin(self) -> None:  # noqa: B027 (few have something to begin with)
        """Prepare a new run, not a resumed one. Raises ValueError if a file that the config names cannot be used."""

    def warm_up(self) -> None:  # noqa: B027 (not all have something to compile)
        """Compile everything that an iteration needs, before the clock of the run starts."""

    def least_decisions(self) -> int:
        """Decisions that the next iteration plays at least. A run ends where its ``total_timesteps`` has no room for so
        many. With 1, an iteration may go beyond.
        """
        return 1

    def policy(self) -> Player:
        """A player of the present policy, for evaluations."""
        return NetworkPlayer(self.network)

    def save_policy(self, path: Path, about: Mapping[str, Any]) -> None:
        """Write the present policy as a file that ends in :attr:`policy_suffix`, for :func:`agents.load`; ``about`` are
        fields of its card, such as ``rules``, ``trained_by`` and ``evaluation``.
        """
        network = self.network
        card = PolicyCard(
            columns=network.columns.tolist(),
            actions=network.actions.tolist(),
            hidden=network.hidden,
            symmetry=network.symmetry,
            **about,
        )
        save_policy(path, network.weights(), card)

    @abstractmethod
    def iterate(self, progress: float) -> dict[str, float]:
        """Play and update once, and return figures for TensorBoard. Schedules depend on the run's ``progress``, from 0
        to 1.
        """

    @abstractmethod
    def get_state(self) -> tuple[dict[str, Array], dict[str, Any]]:
        """Arrays and plain values that the next iteration depends on."""

    @abstractmethod
    def set_state(self, arrays: dict[str, Array], values: dict[str, Any]) -> None:
        """Continue from a state that :meth:`get_state` gave."""


class RunError(ValueError):
    """A run cannot continue, for a reason that its user can change."""


class DivergedError(RunError):
    """The training led to numbers that are not finite."""


class WorkersLostError(RunError):
    """All processes that play for a run are lost. Its weights are sound, and are saved."""
