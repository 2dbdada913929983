"""What a run needs of an algorithm: :class:`Learner`, and the errors that end a run."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar, Literal, Self

from agents.policy.policy_file import PolicyCard, save_policy
from train.networks.policy_network import Network, NetworkPlayer
from train.runs.checkpoint import Array
from train.runs.evaluator import Evaluator
from train.runs.run_config import RunConfig
from uno_env.player import Player


class Learner(ABC):
    """An algorithm with all that it has learnt. It is made from a config, and trains inside its ``with`` block.

    A subclass of one's own trains by ``uno train`` and stands in ``uno benchmark algorithms``, wherever its file is: a
    config names it, ``algorithm: path/to/file.py:Class`` or ``module:Class``, or a package offers it by the entry-point
    group ``uno_env.algorithms``. It gives

    * :attr:`config_class`, and takes such a config and nothing else to be made;
    * :meth:`iterate`, which raises :attr:`decisions`;
    * :meth:`get_state` and :meth:`set_state`, so that a run can be stopped and resumed;
    * what it has learnt: a :attr:`network` of ours, or :meth:`policy` and :meth:`save_policy` of its own.

    A config of somebody else can name code: read it before you train on it.
    """

    config_class: ClassVar[type[RunConfig]]
    """A frozen dataclass; the fields that it adds are keys of the configs. Ours stand in the registry instead."""
    policy_suffix: ClassVar[Literal[".safetensors", ".onnx"]] = ".safetensors"
    """How the file ends that :meth:`save_policy` writes."""
    config: RunConfig
    network: Network
    decisions: int = 0
    """Decisions played so far."""
    choices: int = 0
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

    def begin(self) -> None:  # noqa: B027 (few have something to begin with)
        """Do what only a new run does, before its first iteration; a run that is resumed has its state instead.

        Raises:
            ValueError: what the config names cannot be used.
        """

    def warm_up(self) -> None:  # noqa: B027 (not all have something to compile)
        """Compile everything that an iteration needs, before the clock of the run starts."""

    def policy(self) -> Player:
        """What plays as it has been learnt until now, to be measured."""
        return NetworkPlayer(self.network)

    def save_policy(self, path: Path, about: Mapping[str, Any]) -> None:
        """Write what has been learnt until now as a file that :func:`agents.load` plays.

        Args:
            path: the file, which ends in :attr:`policy_suffix`.
            about: what its card is to say: ``rules``, ``more_players``, ``trained_by``, ``evaluation``; for an ONNX
            file
                :func:`agents.policy.onnx_file.write_card` takes them.
        """
        network = self.network
        card = PolicyCard(
            columns=network.columns.tolist(),
            actions=network.actions.tolist(),
            hidden=network.hidden,
            history=network.history,
            event_width=network.event_width,
            symmetry=network.symmetry,
            **about,
        )
        save_policy(path, network.weights(), card)

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
