"""``uno benchmark``: each plan of :mod:`train.benchmarks.plans` is a command."""

import itertools
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Annotated, ClassVar

from msgspec import Meta

from train.benchmarks import plans
from train.cli.arguments import Command, Measured, Measuring, Saving
from train.cli.errors import user_input
from train.cli.sharing import check_shareable, sharing
from train.common.options import Address, Agent, File, Folder, Seed
from train.common.suite import LATEST
from train.common.table import show_reports
from uno_env.common.files import verify_writable, write_text


@dataclass(frozen=True, kw_only=True)
class Run(Measuring, Saving):
    """``uno benchmark run``."""

    positional: ClassVar = ("tracks",)
    exclusive: ClassVar = (("decisions", "minutes"),)
    needs: ClassVar = ("matplotlib", "scipy")

    plan: plans.RunPlan
    address: Address = ""
    """share the runs among the machines of a Ray cluster, named by its head, or auto; all see the folder at its path"""

    def run(self) -> Measured:
        with user_input():
            from train.benchmarks import algorithms
            from train.evaluation.scores import scores_of
            from train.plots.algorithms import plot_algorithms

            plan = replace(
                self.plan,
                algorithms=tuple(dict.fromkeys(self.plan.algorithms)),
                tracks=tuple(dict.fromkeys(self.plan.tracks)),
                threads=self.plan.threads or int(self.address != ""),
            )
            check_shareable(self.address, itertools.chain(*algorithms.policies_of(plan).values()))
            folder = self.save or algorithms.default_folder(plan)
            algorithms.prepare(plan, folder)
        with sharing(self.address, 1, plan.threads) as workers:
            measured = algorithms.measure(plan, folder, self.origin(), workers)
        with user_input():
            scores = scores_of(measured)
            if any(not score.final for score in scores):
                plot_algorithms(scores, folder / "algorithms")

        def show() -> None:
            show_reports(algorithms.report_tables(measured))
            print(f"Scores, tables and plots: {folder}/scores.jsonl, algorithms.json, .md, algorithms-*.png, .svg")

        return Measured({"algorithms": measured}, show)


@dataclass(frozen=True, kw_only=True)
class Submit(Saving):
    """Check a folder with a card (submission.yaml) and policies or scores, measure again what can be measured, and
    write the file for the leaderboard. The same command resumes."""

    positional: ClassVar = ("folder",)
    needs: ClassVar = ("scipy",)

    folder: Folder
    """the folder, such as that of `uno benchmark run`"""
    suite: str = LATEST
    """the suite"""
    out: Folder | None = None
    """folder for the file (default: benchmark/SUITE/scores)"""
    threads: Annotated[int, Meta(ge=0, le=256)] = 0
    """threads, 0: one for each core"""
    trust_code: bool = False
    """take also policies that are code (file.py:Name): it runs with your rights, so read what somebody else wrote
    first"""

    def run(self) -> None:
        with user_input():
            from train.benchmarks.submission import submit
            from train.common.suite import read_suite

            out = self.out or Path("benchmark") / self.suite / "scores"
            print(submit(self.folder, out, read_suite(self.suite), self.threads, self.trust_code, self.save))


@dataclass(frozen=True, kw_only=True)
class Leaderboard(Command):
    """Show the leaderboard of a suite; or compare files of scores, such as runs/mine/scores.jsonl, without training."""

    positional: ClassVar = ("files",)
    needs: ClassVar = ("matplotlib", "scipy")

    files: tuple[File, ...] = ()
    """more submissions (.json); or files of scores (.jsonl), which are compared alone"""
    suite: str = LATEST
    """the suite"""
    out: Folder = Path("plots")
    """folder for tables and plots of files of scores"""

    def run(self) -> None:
        with user_input():
            from train.benchmarks import leaderboard
            from train.benchmarks.comparison import compare, tables
            from train.common.suite import read_suite
            from train.evaluation.scores import read_scores
            from train.plots.algorithms import plot_algorithms

            suite, lines = read_suite(self.suite), [file for file in self.files if file.suffix == ".jsonl"]
            if not lines:
                files = [*leaderboard.submission_files(suite), *self.files]
                show_reports(leaderboard.tables(suite, list(dict.fromkeys(file.resolve() for file in files))))
                return
            if len(lines) < len(self.files):
                raise ValueError(
                    "files of scores (.jsonl) and submissions (.json) are not shown together: name one kind"
                )
            scores = read_scores(lines)
            compared = compare(scores)
            made = tables(compared)
            write_text(self.out / "algorithms.md", "\n\n".join(table.markdown() for table in made) + "\n")
            show_reports(made)
            if compared["reason"]:
                print(f"Not compared over tracks: {compared['reason']}.")
            drawn = plot_algorithms(scores, self.out / "algorithms")
            print(*(self.out / "algorithms.md", *drawn), sep="\n")


@dataclass(frozen=True, kw_only=True)
class Positions(Measuring):
    """Ask an agent once in each position of the suite, and show what its choices cost: win rate lost against the best
    action, by playouts of the policy that the file names."""

    positional: ClassVar = ("agent",)
    needs: ClassVar = ("scipy",)

    agent: Agent
    """the agent, named as for `uno evaluate`"""
    tracks: tuple[str, ...] = ()
    """tracks of the suite (default: all that have positions)"""
    slow: bool = False
    """ask in 200 positions only, the same ones each time, as many of each track: for slow agents"""
    suite: str = LATEST
    """the suite"""
    seed: Seed = 0
    """seed of the agent"""

    def run(self) -> Measured:
        with user_input():
            import agents
            from train.common.suite import read_suite
            from train.evaluation.choices.positions import (
                choices_in,
                measure_regret,
                read_positions,
                regret_table,
                subset,
            )

            suite = read_suite(self.suite)
            tracks = dict.fromkeys(self.tracks or suite.manifest.positions)
            asked = {track: read_positions(suite.positions_file(track)) for track in tracks}
            if self.slow:
                asked = {track: subset(each, 200 // len(asked)) for track, each in asked.items()}
            players = {track: agents.load(self.agent, self.seed, dict(asked[track].rules)) for track in tracks}
            measured = {
                track: measure_regret(asked[track], choices_in(players[track], asked[track])) for track in tracks
            }
        reports = [regret_table(f"{self.agent} on {track}", asked[track], measured[track]) for track in tracks]
        return Measured({"positions": measured}, partial(show_reports, reports))


@dataclass(frozen=True, kw_only=True)
class Chat(Measuring):
    """``uno benchmark chat``."""

    positional: ClassVar = ("agent",)

    plan: plans.ChatPlan
    out: File = Path("report.md")
    """the report in Markdown; beside it, a page of HTML"""

    def run(self) -> Measured:
        with user_input():
            from train.benchmarks.chat_report import ChatReport, write

            if self.out.suffix == ".html":
                raise ValueError(f"--out {str(self.out)!r} is not allowed: the Markdown goes there, the page beside it")
            report = ChatReport(self.plan)
            self.out.parent.mkdir(parents=True, exist_ok=True)
            verify_writable(self.out)
        measured = report.measure()
        parts = report.parts(measured)
        with user_input():
            page = write(parts, self.out, f"Report on {self.plan.agent}")

        def show() -> None:
            show_reports(parts)
            print(self.out, page, sep="\n")

        return Measured({"chat_report": measured}, show)


@dataclass(frozen=True, kw_only=True)
class Exploit(Measuring, Saving):
    """``uno benchmark exploit``."""

    positional: ClassVar = ("agent",)
    needs: ClassVar = ("torch",)

    plan: plans.ExploitPlan

    def run(self) -> Measured:
        with user_input():
            from train.benchmarks import exploit

            folder = self.save or exploit.default_folder(self.plan.agent, self.plan.rules)
            exploit.prepare(self.plan, folder)
        measured = exploit.measure(self.plan, folder)
        return Measured({"exploit": measured}, partial(exploit.show, measured))
