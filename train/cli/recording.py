"""Games as data: ``uno record``."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar, Literal

from msgspec import Meta

from train.cli.arguments import Command, RulesOptions, make_rules
from train.cli.errors import user_input
from train.common.options import Agent, Seed


@dataclass(frozen=True, kw_only=True)
class Record(Command, RulesOptions):
    """Record hands among agents as data: prompts, legal moves, moves, values and results. For pictures, see
    `uno video`."""

    positional: ClassVar = ("agents",)

    agents: tuple[Agent, ...]
    """one agent for all seats, or one for each"""
    games: Annotated[int, Meta(ge=1, le=10_000_000)] = 1_000
    """hands"""
    seed: Seed = 0
    """seed of the cards and of all randomness"""
    format: Literal["jsonl", "minari"] = "jsonl"
    """jsonl: a line for each hand; minari: a data set of Minari, an episode for each seat"""
    out: Annotated[str, Meta(title="NAME")] = "games.jsonl"
    """the file, or with --format minari the name of the data set, such as uno/greedy-v0; the same command continues a
    file that was interrupted"""

    def run(self) -> None:
        with user_input():
            from train.common.progress import progress_bar
            from train.game_data import write_jsonl, write_minari
            from uno_env.common.files import verify_writable
            from uno_env.render.video import SUFFIXES

            if Path(self.out).suffix in SUFFIXES:
                raise ValueError(f"--out {self.out!r} is a picture, and uno record writes data: uno video {self.out}")
            rules = make_rules(self.rules, self.players, self.agents, self.preset)
            if self.format == "jsonl":
                verify_writable(Path(self.out))
            with progress_bar("hands", self.games) as progress:
                if self.format == "jsonl":
                    done = write_jsonl(Path(self.out), self.agents, rules, self.games, self.seed, progress)
                else:
                    done = write_minari(self.out, self.agents, rules, self.games, self.seed, progress)
        print(f"Wrote {self.out}: {done} {'hands' if self.format == 'jsonl' else 'episodes'}")
