"""Training: ``uno train``, ``uno train-rlcard``, ``uno tune``, ``uno demo``."""

import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar, Literal

from msgspec import Meta

from agents.policy.policy_file import policy_path
from agents.rlcard.bridge import TRAINED
from agents.scripted.tuned import WEIGHTS_FILE, load_weights
from train.algorithms import cma_tuned
from train.algorithms.registry import prepare_training
from train.algorithms.rlcard_dmc import ACTORS, train_dmc
from train.algorithms.rlcard_nfsp import train_nfsp
from train.cli.arguments import Changes, Command
from train.cli.config_help import config_help, list_configs
from train.cli.errors import UserError, user_input
from train.common.options import Deals, File, Folder, Positive, Seed, Threads
from train.common.processes import sigterm_interrupts
from train.common.progress import clock, progress_bar
from train.common.table import Table, show_lines, show_list
from uno_env.common.files import verify_writable


@dataclass(frozen=True, kw_only=True)
class Train(Command):
    """Train a policy on a config, or resume a run."""

    positional: ClassVar = ("target",)

    target: Annotated[Path, Meta(title="CONFIG")] | None = None
    """a YAML file, the name of a shipped config such as ppo_duel, or the folder of a run to resume (default: list the
    shipped configs)"""
    changes: Changes
    """any key of the config can be changed (in a resumed run, some of them)"""

    @classmethod
    def more_help(cls, words: Sequence[str]) -> str:
        """The keys of the configs of an algorithm: that of the config that is named, or ppo."""
        with user_input():
            return config_help(Path(words[0]) if words else None)

    def run(self) -> None:
        if self.target is None and not self.changes:
            show_lines(["Name a config, a YAML file of your own, or the folder of a run to resume: uno train CONFIG\n"])
            show_list(list_configs())
            return
        with user_input():
            if self.target is None:
                raise ValueError("name a config: `uno train` lists those there are")
            start = prepare_training(self.target, self.changes)
        folder = run_training(start)
        print(f"The policy is {policy_path(folder)}")


def run_training(start: Callable[[], Path]) -> Path:
    """Train; that a run cannot go on (its numbers diverge, say) is no bug either, but a matter of the config."""
    from train.runs.learner import RunError

    try:
        return start()
    except RunError as error:
        raise UserError(str(error)) from error


@dataclass(frozen=True, kw_only=True)
class TrainRLCard(Command):
    """Train RLCard's own DMC or NFSP in RLCard's environment, as an opponent. Ctrl-C and SIGTERM end it early, and save
    what it has learnt."""

    needs: ClassVar = ("rlcard",)

    algorithm: Literal["dmc", "nfsp"] = "dmc"
    """dmc or nfsp"""
    minutes: Positive = 25.0
    """minutes of training"""
    actors: Threads = ACTORS
    """processes that play for dmc; the default is RLCard's"""
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
        with sigterm_interrupts(), progress_bar(title, round(60 * self.minutes)) as bar:
            if self.algorithm == "dmc":
                weights, info = train_dmc(self.minutes, self.actors, lambda seconds: bar(int(seconds)))
            else:
                weights, info = train_nfsp(self.minutes, self.seed, lambda seconds: bar(int(seconds)))
        TRAINED[self.algorithm][0].save(save, weights, {**info, **self.origin()})
        seconds, frames = info["seconds"], info["frames"]
        print(f"{frames:,} frames in {clock(seconds)}, {frames / seconds:,.0f} a second")
        spec = shlex.quote(f"rlcard:{self.algorithm}={save}")
        print(f"To play against it: uno benchmark rlcard AGENT --against {spec}")


@dataclass(frozen=True, kw_only=True)
class Tune(Command):
    """Search for weights of the agent tuned, with CMA-ES."""

    positional: ClassVar = ("which",)
    needs: ClassVar = ("cma",)

    settings: cma_tuned.Settings
    check_deals: Deals = 20_000
    """duplicate deals at each table, to measure the weights that are found"""
    threads: Annotated[int, Meta(ge=1, le=64)] = 1
    """threads that play"""
    start: File | None = None
    """weights to begin with (default: the shipped ones)"""
    log: Folder | None = None
    """save the search in this folder, and resume from it (default runs/tune/SET-SEED)"""
    out: File = Path("tuned.json")
    """the file of weights to write, for tuned?weights=FILE"""

    def run(self) -> None:
        settings, which, seed = self.settings, self.settings.which, self.settings.seed
        with user_input():
            start = self.start or WEIGHTS_FILE
            base, notes = load_weights(start), cma_tuned.found_by(start)
            folder = self.log or Path("runs", "tune", f"{which}-{seed}")
            cma_tuned.open_search(settings, folder, base)
            verify_writable(self.out)
        with progress_bar(f"Weights for {which}", settings.generations) as progress:
            weights = cma_tuned.search(settings, folder, base, self.threads, progress)
        old, new = (cma_tuned.check(which, each, base, self.check_deals, seed) for each in (base, weights))
        rows = []
        for before, after in zip(old, new, strict=True):
            table = f"{after['rules']}, {after['players']} players, {after['opponent']}"
            half = (after["high"] - after["low"]) / 2
            rows.append([table, f"{before['win_rate']:.2%}", f"{after['win_rate']:.2%} ± {half:.2%}"])
        Table("", ("table", "win rate before", "now"), rows).show()
        with user_input():
            notes[which] = [*notes.get(which, []), {**self.origin(), "tables": new}]
            cma_tuned.save_weights(self.out, weights, notes)
        print(f"The weights are {self.out}: tuned?weights={self.out}")


@dataclass(frozen=True, kw_only=True)
class Demo(Command):
    """Train on configs/demo.yaml, evaluate, plot, and show how to play against the result."""

    needs: ClassVar = ("matplotlib",)

    config: File | None = None
    """another config to train on"""
    resume: Annotated[Path, Meta(title="RUN")] | None = None
    """resume the run of a demo that was stopped"""
    deals: Deals = 10_000
    """deals of each evaluation, played once from every seat"""
    changes: Changes
    """any key of the config can be changed"""

    def run(self) -> None:
        from train.cli import demo
        from train.cli.evaluating import print_evaluations

        with user_input():
            if self.resume is None:
                start = demo.prepare(self.config or demo.CONFIG, self.changes)
            elif self.config is not None or self.changes:
                raise ValueError("--resume goes on with a run as it is: give no config and no other keys")
            else:
                start = demo.prepare_resume(self.resume)
        folder = run_training(start)
        print(demo.summary(folder))
        print_evaluations(demo.measure(folder, self.deals))
        print("Policy, evaluation and curve:")
        for file in (folder / "policy.safetensors", folder / "evaluation.json", *demo.plot(folder)):
            print(f"  {file}")
        play, board = demo.next_commands(folder)
        print(f"Play against it:    {play}\nLook at its curves: {board}")
