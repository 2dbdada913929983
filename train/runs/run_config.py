"""The config that every algorithm has: :class:`RunConfig`."""

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar, Literal, Self

import torch
from msgspec import Meta

import agents
from train.common.options import Seed
from train.common.processes import cores
from train.common.suite import named_rules
from train.runs.config import LayerSizes, NonNegativeFloat, NonNegativeInt, NumPlayers, PositiveInt
from train.runs.limits import check_folder, check_layers, check_memory, check_name
from uno_env.common.numbers import checked_seed
from uno_env.policy_columns import policy_actions, policy_columns
from uno_env.rules import Rules


@dataclass(frozen=True, kw_only=True)
class RunConfig:
    """The fields that every algorithm's config has."""

    changeable: ClassVar[tuple[str, ...]] = (
        "total_timesteps", "max_minutes", "threads", "device", "eval_every", "eval_deals", "eval_against", "save_games",
        "checkpoint_every", "parts", "keep_checkpoints",
    )  # fmt: skip
    """Fields that may be changed when a run is resumed."""
    algorithm: str = "ppo"
    """The algorithm: a name, or ``path/to/file.py:Class``."""
    folder: str = "runs"
    """The folder in which run folders are made."""
    name: str = ""
    """Name of the run folder; a number is added if it exists. Empty: algorithm, rules and time."""
    rules: str | Mapping[str, Any] = "duel"
    """A preset, or fields of the rules; ``preset: classic`` among them is the preset to start from."""
    players: NumPlayers | tuple[NumPlayers, ...] | None = None
    """Number of players. null: that of the rules. A list: each number gets an equal share of the games (not for every
    algorithm)."""
    seed: Seed = 0
    """Seed of all randomness."""
    total_timesteps: PositiveInt = 100_000_000
    """Decisions to train for at most: those of all seats, also forced ones. A run ends where no iteration fits into
    what is left. The schedules follow the part that is done."""
    max_minutes: NonNegativeFloat = 0.0
    """Minutes to train for at most, 0: no limit. With a limit, the schedules follow the larger part: that
    of the decisions or that of the minutes."""
    threads: Annotated[int, Meta(ge=0, le=256)] = 0
    """Threads that share the work, 0: one for each core. The result does not depend on them."""
    device: Literal["cpu", "cuda"] = "cpu"
    """``cuda``: a GPU of NVIDIA holds the network; for algorithms of self-play also the games and the whole training
    (see the page *Games on a GPU*)."""
    hidden: LayerSizes = (256, 256)
    """Sizes of the network's hidden layers."""
    eval_every: NonNegativeInt = 10_000_000
    """Decisions between evaluations, 0: none. There are also small ones before the first, see
    :mod:`train.runs.evaluator`."""
    eval_deals: Annotated[int, Meta(ge=2, le=10**15)] = 2_000
    """Deals of an evaluation; each is played from every seat."""
    eval_against: tuple[str, ...] = ("random-play", "greedy")
    """Opponents of the evaluations."""
    save_games: Annotated[int, Meta(ge=0, le=1_000)] = 1
    """Games of each evaluation that are saved, for each opponent; see ``uno replay``."""
    checkpoint_every: NonNegativeInt = 25_000_000
    """Decisions between checkpoints, 0: only at the end, and after Ctrl-C."""
    parts: NonNegativeInt = 0
    """Equal parts of the run, by decisions or minutes. Each ends with an evaluation and a checkpoint, besides those of
    ``eval_every`` and ``checkpoint_every``; 0: no parts."""
    keep_checkpoints: PositiveInt = 3
    """Number of checkpoints that are kept; older ones are deleted."""

    def game_rules(self) -> Rules:
        """The rules to train for, with one number of players. Raises ValueError if there are several."""
        if isinstance(self.players, tuple):
            raise ValueError(f"players={list(self.players)} is not allowed here: choose one number of players")
        return named_rules(self.rules, self.players)

    def all_rules(self) -> tuple[Rules, ...]:
        """The rules to train for, for each number of players. Raises ValueError if they cannot be played."""
        if not isinstance(self.players, tuple):
            return (self.game_rules(),)
        if not self.players or len(set(self.players)) < len(self.players):
            raise ValueError(f"players={list(self.players)} is not allowed: choose one or more, all different")
        return tuple(named_rules(self.rules, players) for players in self.players)

    def network_rules(self) -> tuple[Rules, ...]:
        """Rules whose columns and actions the network has."""
        return self.all_rules()

    def check(self) -> None:
        """Raise :class:`ValueError` if a run cannot be done here: its rules, sizes, folder, opponents or device."""
        rules = self.all_rules()
        checked_seed(self.seed)
        check_name(self.name)
        check_folder(self.folder)
        check_layers(self.network_inputs(), self.hidden, len(policy_actions(self.network_rules())) + 1)
        check_memory(self.memory())
        for spec, each in itertools.product(self.eval_against, rules):
            try:
                agents.load(spec, rules=each)
            except ValueError as error:
                raise ValueError(f"eval_against={spec!r} is not allowed: {error}") from None
        if self.device == "cuda" and not torch.cuda.is_available():
            raise ValueError("device='cuda' is not there: PyTorch finds no GPU on this machine, choose 'cpu'")

    def network_inputs(self) -> int:
        """The number of values that the network's first layer reads."""
        return self.network_columns()

    def network_columns(self) -> int:
        """The number of columns of an observation that the network reads."""
        return len(policy_columns(self.network_rules()))

    def memory(self) -> dict[str, int]:
        """Bytes of memory that a run needs at least, by the fields that they depend on, such as ``num_envs=256``."""
        most = max(rules.players for rules in self.all_rules())
        evaluations = self.eval_deals * most * (8 + most) if self.eval_every or self.parts else 0
        return {f"eval_deals={self.eval_deals}": evaluations}

    def resolved(self) -> Self:
        """The config with the number of threads that this machine decides."""
        return replace(self, threads=self.threads or cores())
