"""The whole table: every algorithm on every track with both budgets, run by run; it resumes.

``python -m tools.benchmark table`` lists the rows, ``--run-rows N`` runs the next N of them, and ``--publish`` adds
what is done to ``benchmark/v1/scores/``. Each row is a call of ``uno benchmark run`` with a folder of its own, so what
is done is not done again. A row that was published with all its seeds is done, too, wherever its runs are. With 10⁶
decisions an algorithm has the options of its best trial (:mod:`tools.benchmark.tuning`), else those of the config that
ships. RLCard's DMC is on ``rlcard-2p`` alone (:mod:`tools.benchmark.rlcard_dmc`). Not in the table: the larger
budget for RLlib's PPO, which would take more than a day, and for RLCard's DMC and the PPO in the manner of CleanRL.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Annotated, Any, ClassVar, NamedTuple

from msgspec import Meta

from tools.benchmark import rlcard_dmc, tuning
from tools.benchmark.freeze import register, submission_text
from train.benchmarks import algorithms
from train.benchmarks.checked_scores import budget_of
from train.benchmarks.plans import RunPlan
from train.benchmarks.submission import Submission, read_submissions
from train.benchmarks.submitted_folder import Card
from train.cli.arguments import Command
from train.cli.errors import user_input
from train.common.options import Folder
from train.common.suite import Suite, read_suite
from train.common.table import show_lines
from train.evaluation.scores import Score, read_scores
from uno_env.common.files import write_text

SMALL, LARGE = 1_000_000, 20_000_000
OURS = ("ppo", "mmd", "dmc")
BLANKED_PPO = "tools/benchmark/blanked_rules.py:BlankedPPO"
LAYOUT_3 = {"ppo of layout 3": "ppo", "ppo-blanked of layout 3": BLANKED_PPO}
"""Rows of layout 3 of the observations, and the algorithm of each. The row of that algorithm itself was measured when
the columns had other scales."""
SEEDS: dict[str, dict[int, int]] = {
    "ppo": {SMALL: 10, LARGE: 5},
    "mmd": {SMALL: 10, LARGE: 5},
    "dmc": {SMALL: 10, LARGE: 5},
    "sb3_ppo": {SMALL: 5, LARGE: 5},
    "tools/benchmark/cleanrl_ppo.py:CleanRLPPO": {SMALL: 3},
    "tools/rllib_ppo.py:RLlibPPO": {SMALL: 3},
    rlcard_dmc.FAMILY: {SMALL: 3},
    BLANKED_PPO: {SMALL: 5, LARGE: 5},
    **{row: {LARGE: 5} for row in LAYOUT_3},
}
"""Seeds of each algorithm by budget."""
PRECISION = {"precision": "float32"}
"""The option of our own algorithms. By default, a processor with bfloat16 would give other runs."""
LISTS = ("unseen-rules",)
"""Tracks with a list of rule sets to train on."""
ORDER = ("duel-2p", "classic-4p", "classic-2p", "house-4p", "rlcard-2p", "unseen-rules")
"""Tracks, the first to be measured first."""
TRACKS: dict[str, Sequence[str]] = {
    "ppo": ORDER,
    **dict.fromkeys((BLANKED_PPO, *LAYOUT_3), LISTS),
    rlcard_dmc.FAMILY: (rlcard_dmc.TRACK,),
}
"""Tracks of some algorithms. All other algorithms have the tracks with one rule set."""
CURVES = ("duel-2p",)
"""Tracks whose learning curves are published, those of the small budget."""
CURVE_DEALS = 100
"""Deals of each point of the learning curves."""
ABOUT = {
    "ppo": ("ppo", "PPO by self-play, all seats learn; canonical form."),
    "mmd": ("mmd", "Magnetic mirror descent by self-play, all seats learn; canonical form."),
    "dmc": ("dmc", "Deep Monte Carlo by self-play, all seats learn; canonical form."),
    "sb3_ppo": ("sb3-ppo", "SB3's MaskablePPO at one seat against random, highest-points and greedy; canonical form."),
    "tools/benchmark/cleanrl_ppo.py:CleanRLPPO": (
        "cleanrl-ppo",
        "PPO in one file, as CleanRL's, by self-play; canonical form.",
    ),
    "tools/rllib_ppo.py:RLlibPPO": ("rllib-ppo", "RLlib's PPO by self-play, all seats learn; canonical form."),
    rlcard_dmc.FAMILY: ("rlcard-dmc", "RLCard's deep Monte Carlo, by RLCard's trainer, in its own environment."),
    BLANKED_PPO: ("ppo-blanked", "PPO by self-play that does not see the rules: their columns and the deck's are 0."),
    "ppo of layout 3": ("ppo-layout-3", "ppo with layout 3 of the observations, and the rules from their means on."),
    "ppo-blanked of layout 3": ("ppo-blanked-layout-3", "ppo-blanked with layout 3 of the observations."),
}
"""The name of an algorithm on the leaderboard, and a description of it."""


class Row(NamedTuple):
    """An algorithm on a track with a budget, all seeds."""

    track: str
    algorithm: str
    budget: int
    seeds: int

    @property
    def trained(self) -> str:
        """The algorithm that is trained."""
        return LAYOUT_3.get(self.algorithm, self.algorithm)

    @property
    def is_tuned(self) -> bool:
        """True if a search found options for the algorithm."""
        return self.budget == SMALL and self.track not in LISTS and tuning.is_done(self.algorithm)

    @property
    def options(self) -> str:
        """The algorithm with the options that it has here. Ours compute in float32, as the others do, on every
        processor."""
        named = tuning.tuned(self.algorithm) if self.is_tuned else self.trained
        return tuning.with_options(named, PRECISION if self.trained in (*OURS, BLANKED_PPO) else {})

    def plan(self) -> RunPlan:
        """The plan of its runs."""
        return RunPlan(
            (self.track,), decisions=self.budget, algorithms=(self.options,), seeds=self.seeds, curve_deals=CURVE_DEALS,
            threads=1,
        )  # fmt: skip

    def measure(self, folder: Path, origin: Mapping[str, Any]) -> None:
        """Do the rest of its runs."""
        here = self.folder(folder)
        if self.algorithm == rlcard_dmc.FAMILY:
            track, options = read_suite().track(self.track), tuning.best_options(self.algorithm)
            rlcard_dmc.measure(track, self.budget, options, self.seeds, here)
            return
        with user_input():
            algorithms.prepare(self.plan(), here)
        algorithms.measure(self.plan(), here, origin)

    def done(self, folder: Path) -> int:
        """Count its runs that are done in a folder."""
        return len(list(self.folder(folder).glob(f"*/*/{algorithms.MEASURED}")))

    def holds(self, score: Score) -> bool:
        """Return whether a published score is one of this row's."""
        return (score.track.partition("/")[0], score.algorithm, budget_of(score, (SMALL, LARGE))) == (
            self.track, ABOUT[self.algorithm][0], self.budget,
        )  # fmt: skip

    def folder(self, folder: Path) -> Path:
        """The folder of its runs."""
        name = ABOUT[self.algorithm][0] if self.algorithm in LAYOUT_3 else self.algorithm.rpartition(":")[2].lower()
        return folder / f"{self.track}-{name}{'-tuned' * self.is_tuned}-{self.budget}"


def rows() -> list[Row]:
    """The table, the first rows first: the small budget, ours, and the track with all rivals."""
    listed = [
        Row(track, algorithm, budget, seeds[budget])
        for budget in (SMALL, LARGE)
        for algorithm, seeds in SEEDS.items()
        for track in read_suite().tracks
        if budget in seeds and (track in TRACKS[algorithm] if algorithm in TRACKS else track not in LISTS)
    ]
    return sorted(
        listed,
        key=lambda row: (
            row.budget, row.track != ORDER[0], row.algorithm not in OURS, ORDER.index(row.track),
            list(SEEDS).index(row.algorithm),
        ),
    )  # fmt: skip


# --- what is published ------------------------------------------------------------------------------------------------


def published(suite: Suite) -> list[Score]:
    """The scores of the table that were published, on the suite's tracks as they are."""
    names = [name for name, _ in ABOUT.values()]
    files = [file for name in names if (file := _file(suite, name)).is_file()]
    return [score for each in read_submissions(files, suite) for score in each.scores]


def publish(folder: Path, suite: Suite) -> list[Path]:
    """Add the rows of a folder to the scores of each algorithm that has some of the suite's tracks as they are. Rows
    that were published before stay, unless the folder has them with as many seeds. Returns the files."""
    written, before = [], published(suite)
    for algorithm, (name, about) in ABOUT.items():
        found = {}
        for row in (row for row in rows() if row.algorithm == algorithm):
            new = _scores(row, folder, suite, name)
            old = [score for score in before if row.holds(score)]
            if new or old:
                found[row] = new if len(_seeds(new)) >= len(_seeds(old)) else old
        if any(found.values()):
            told = sorted({_tuning(row) for row, scores in found.items() if scores})
            trained = LAYOUT_3.get(algorithm, algorithm)
            card = Card(name, "the uno-env authors", " ".join([about, *told]), algorithm=trained)
            scores = tuple(score for each in found.values() for score in each)
            write_text(_file(suite, name), submission_text(asdict(Submission(card, suite.version, (), scores))))
            written.append(_file(suite, name))
    register(written, suite, trained_here=True)
    return written


def _file(suite: Suite, name: str) -> Path:
    return suite.folder / "scores" / f"{name}.json"


def _seeds(scores: Sequence[Score]) -> set[int]:
    return {score.seed for score in scores if score.final}


def _scores(row: Row, folder: Path, suite: Suite, name: str) -> list[Score]:
    file, digest = row.folder(folder) / "scores.jsonl", suite.track(row.track).digest
    scores = [score for score in read_scores([file]) if not score.is_end] if file.is_file() else []
    curved = row.track in CURVES and row.budget == SMALL
    kept = [score for score in scores if score.track_digest == digest and (score.final or curved)]
    return [replace(score, algorithm=name) for score in kept]


def _tuning(row: Row) -> str:
    made = f"{row.budget:,} decisions{f' on {row.track}' * (row.track in LISTS)}"
    found = row.options.partition("?")[2].replace("&", ", ").replace("=", " ")
    if not row.is_tuned:
        return f"{made}: not tuned, the config that ships{f', {found}' * bool(found)}."
    return f"{made}: the best of {tuning.TRIALS} trials on {tuning.track_of(row.algorithm)}: {found}."


def _done(save: Path) -> dict[Row, int]:
    """For each row how many of its runs are done, in a folder or published."""
    before = published(read_suite())
    return {row: max(row.done(save), len(_seeds([score for score in before if row.holds(score)]))) for row in rows()}


def _left(save: Path, tracks: Sequence[str], families: Sequence[str]) -> list[Row]:
    return [
        row for row, done in _done(save).items()
        if done < row.seeds and row.track in (tracks or ORDER) and row.algorithm in (families or SEEDS)
    ]  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class WholeTable(Command):
    """List the rows of the whole table, run the next of them, or publish finished ones. The same command resumes."""

    needs: ClassVar = ("scipy",)

    run_rows: Annotated[int, Meta(ge=0)] = 0
    """rows to run, 0: only list them"""
    tracks: tuple[str, ...] = ()
    """run only rows of these tracks"""
    families: tuple[str, ...] = ()
    """run only rows of these algorithms"""
    publish: bool = False
    """add the scores of all rows that are there to benchmark/v1/scores"""
    save: Folder = Path("runs/table")
    """folder of the runs"""

    def run(self) -> None:
        for row in _left(self.save, self.tracks, self.families)[: self.run_rows]:
            row.measure(self.save, self.origin())
        if self.publish:
            with user_input():
                print(*publish(self.save, read_suite()), sep="\n")
        show_lines([f"{row.track}, {row.algorithm}, {row.budget:,} decisions: {done} of {row.seeds} runs"
                    for row, done in _done(self.save).items()])  # fmt: skip
