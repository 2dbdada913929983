"""``python -m tools.rlcard``: train RLCard's own players, and compare win rates at both tables."""

import shlex
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, ClassVar, Literal

from msgspec import Meta

import agents
from tools.rlcard.dmc import ACTORS, train_dmc
from tools.rlcard.nfsp import train_nfsp
from tools.rlcard.players import FILES, spec_of
from tools.rlcard.table import compare_with_rlcard
from train.cli.arguments import Command, Measured, Measuring
from train.cli.errors import user_input
from train.cli.program import Program
from train.common.options import Agent, File, Positive, Seed, Threads
from train.common.processes import sigterm_interrupts, torch_threads
from train.common.progress import clock, progress_bar
from uno_env.common.files import verify_writable


@dataclass(frozen=True, kw_only=True)
class TrainPlayers(Command):
    """Train RLCard's own DMC or NFSP in RLCard's environment, as an opponent. Ctrl-C and SIGTERM end it early, and save
    what it has learnt."""

    needs: ClassVar = ("rlcard",)

    algorithm: Literal["dmc", "nfsp"] = "dmc"
    """dmc or nfsp"""
    minutes: Positive = 25.0
    """minutes of training"""
    actors: Threads = ACTORS
    """processes that play for dmc; the default is RLCard's"""
    threads: Threads = 1
    """threads of PyTorch for each operation of what learns"""
    seed: Seed = 0
    """seed of nfsp; dmc has none"""
    save: File | None = None
    """the file to write (default runs/rlcard-ALGORITHM.safetensors)"""

    def run(self) -> None:
        save = self.save or Path(f"runs/rlcard-{self.algorithm}.safetensors")
        with user_input():
            save.parent.mkdir(parents=True, exist_ok=True)
            verify_writable(save)
        title = f"RLCard's {self.algorithm.upper()}, seconds"
        with (
            sigterm_interrupts(),
            torch_threads(self.threads),
            progress_bar(title, round(60 * self.minutes)) as bar,
        ):
            if self.algorithm == "dmc":
                weights, info = train_dmc(self.minutes, self.actors, lambda seconds, frames: bar(int(seconds)))
            else:
                weights, info = train_nfsp(self.minutes, self.seed, lambda seconds: bar(int(seconds)))
        FILES[self.algorithm].save(save, weights, {**info, **self.origin()})
        seconds, frames = info["seconds"], info["frames"]
        print(f"{frames:,} frames in {clock(seconds)}, {frames / seconds:,.0f} a second")
        spec = shlex.quote(spec_of(self.algorithm, str(save)))
        print(f"To play against it: python -m tools.rlcard compare AGENT --against {spec}")


@dataclass(frozen=True)
class ComparePlan:
    """Compare win rates under the preset rlcard with those in RLCard's own environment."""

    agent: Agent
    """named as for `uno evaluate`; rlcard:random and rlcard:uno-rule-v1 are RLCard's own, as are
    tools/rlcard/players.py:DMC?file=FILE and :NFSP?file=FILE (`python -m tools.rlcard train`)"""
    against: tuple[Agent, ...] = ("rlcard:random", "rlcard:uno-rule-v1")
    """opponents"""
    games: Annotated[int, Meta(ge=4, multiple_of=2, description="an even number, 4 or more")] = 20_000
    """games at each table, an even number, since each deal is played from both seats"""
    seed: Seed = 0
    """seed of the deals and of the agents"""


@dataclass(frozen=True, kw_only=True)
class Compare(Measuring):
    """``python -m tools.rlcard compare``."""

    positional: ClassVar = ("agent",)
    needs: ClassVar = ("rlcard",)

    plan: ComparePlan

    def run(self) -> Measured:
        plan = self.plan
        with user_input():
            for spec in (plan.agent, *plan.against):
                agents.load(spec, rules="rlcard")
        results = []
        for opponent in plan.against:
            with progress_bar(f"{plan.agent} against {opponent}", plan.games) as progress:
                results.append(compare_with_rlcard(plan.agent, opponent, plan.games, plan.seed, progress))
        return Measured({"rlcard": [result.to_dict() for result in results]}, partial(print, *results, sep="\n"))


PROGRAM = Program(
    "python -m tools.rlcard",
    "RLCard's own players, and win rates at RLCard's table.",
    {
        "train": ("tools.rlcard.commands:TrainPlayers", "train RLCard's own DMC or NFSP in RLCard's environment"),
        "compare": ("tools.rlcard.commands:Compare", "win rates at our table and at RLCard's"),
    },
)
