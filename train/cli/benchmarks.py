"""``uno benchmark``: each plan of :mod:`train.benchmarks.plans` is a command."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

from train.benchmarks import plans
from train.cli.arguments import Command, Measuring
from train.cli.errors import user_input
from train.common.options import File, Folder, Workers
from train.common.table import show_reports
from uno_env.common.files import write_text


@dataclass(frozen=True, kw_only=True)
class _Saving(Command):
    """A benchmark that can be stopped and resumed."""

    save: Folder | None = None
    """save the results in this folder, and resume from it"""


@dataclass(frozen=True, kw_only=True)
class _Shared(_Saving):
    """A benchmark whose work is shared by processes."""

    workers: Workers = 0
    """processes, 0: one for each core; win rates do not depend on them"""


@dataclass(frozen=True, kw_only=True)
class Speed(Measuring):
    """``uno benchmark speed``."""

    plan: plans.SpeedPlan

    def run(self) -> Mapping[str, Any]:
        from train.benchmarks import env_speed

        measured = env_speed.measure(self.plan)
        env_speed.show(measured)
        return {"speed": measured}


@dataclass(frozen=True, kw_only=True)
class Algorithms(Measuring, _Saving):
    """``uno benchmark algorithms``."""

    exclusive: ClassVar = (("decisions", "minutes"),)
    needs: ClassVar = ("matplotlib", "scipy")

    plan: plans.AlgorithmsPlan

    def run(self) -> Mapping[str, Any]:
        with user_input():
            from train.benchmarks import algorithms
            from train.evaluation.scores import scores_of
            from train.plots.algorithms import plot_algorithms

            plan = replace(
                self.plan,
                algorithms=tuple(dict.fromkeys(self.plan.algorithms)),
                tracks=tuple(dict.fromkeys(self.plan.tracks)),
            )
            folder = self.save or algorithms.default_folder(plan)
            algorithms.prepare(plan, folder)
        measured = algorithms.measure(plan, folder, self.origin())
        show_reports(algorithms.report_tables(measured))
        with user_input():
            scores = scores_of(measured)
            if any(not score.final for score in scores):
                plot_algorithms(scores, folder / "algorithms")
        print(f"Scores, tables and plots: {folder}/scores.jsonl, algorithms.json, .md, algorithms-*.png, .svg")
        return {"algorithms": measured}


@dataclass(frozen=True, kw_only=True)
class Scores(Measuring):
    """Compare algorithms by saved scores, of `uno benchmark algorithms` or of others, without training."""

    positional: ClassVar = ("files",)
    needs: ClassVar = ("matplotlib", "scipy")

    files: tuple[File, ...]
    """files of scores, such as runs/algorithms-5min/scores.jsonl, which are put together"""
    out: Folder = Path("plots")
    """where the tables and the plots go"""

    def run(self) -> Mapping[str, Any]:
        with user_input():
            from train.benchmarks.comparison import compare, tables
            from train.evaluation.scores import read_scores
            from train.plots.algorithms import plot_algorithms

            scores = read_scores(self.files)
            compared = compare(scores)
            made = tables(compared)
            write_text(self.out / "algorithms.md", "\n\n".join(table.markdown() for table in made) + "\n")
            show_reports(made)
            if compared["reason"]:
                print(f"Not compared over tracks: {compared['reason']}.")
            for file in (self.out / "algorithms.md", *plot_algorithms(scores, self.out / "algorithms")):
                print(file)
        return {"scores": compared}


@dataclass(frozen=True, kw_only=True)
class Ladder(Measuring, _Shared):
    """``uno benchmark agents``."""

    plan: plans.LadderPlan

    def run(self) -> Mapping[str, Any]:
        with user_input():
            from train.benchmarks import ladder

            ladder.prepare(self.plan, self.save)
        measured = ladder.measure(self.plan, self.workers, self.save)
        ladder.show(measured)
        return {"ladder": measured}


@dataclass(frozen=True, kw_only=True)
class Exploit(Measuring, _Saving):
    """``uno benchmark exploit``."""

    positional: ClassVar = ("agent",)

    plan: plans.ExploitPlan

    def run(self) -> Mapping[str, Any]:
        with user_input():
            from train.benchmarks import exploit

            folder = self.save or exploit.default_folder(self.plan.agent, self.plan.rules)
            exploit.prepare(self.plan, folder)
            if "ppo" in self.plan.families:
                import train.algorithms.ppo  # noqa: F401 (torch is missed now)
        measured = exploit.measure(self.plan, folder)
        exploit.show(measured)
        return {"exploit": measured}


@dataclass(frozen=True, kw_only=True)
class AllRules(Measuring, _Shared):
    """``uno benchmark rules``."""

    positional: ClassVar = ("agent",)

    plan: plans.AllRulesPlan

    def run(self) -> Mapping[str, Any]:
        with user_input():
            from train.benchmarks import all_rules

            all_rules.prepare(self.plan, self.save)
        measured = all_rules.measure(self.plan, self.workers, self.save)
        for table in all_rules.tables(measured):
            table.show()
        return {"rules": measured}
