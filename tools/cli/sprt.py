"""``python -m tools.cli.sprt``: which of two agents is better, with as few deals as it takes.

The sequential test has three answers. It takes the deals of a tournament of the two agents.

The measurement is an agent's score of a deal: its share of the deal's games, over all rotations, 1/2 in the mean if the
two are equal. With two players it is one of 0, 1/4, 1/2, 3/4 and 1: the pentanomial model of chess engine testing,
which takes the games of a deal as what they are, not independent.

Two generalized sequential probability ratio tests (GSPRT) run side by side, each of the hypothesis "the two are equal"
(score 1/2) against one of a difference:

- the first agent is better: its score is 1/2 + margin,
- the second agent is better: its score is 1/2 − margin.

The log-likelihood ratio (LLR) of a test is that of the two most probable distributions over the observed scores that
have the hypotheses' means. A test rejects equality at LLR ≥ ln((1 − β) / (α / 2)), and the difference at LLR ≤ ln(β /
(1 − α / 2)). The answer is ``first`` or ``second`` once a test rejects equality, ``equal`` once both reject their
difference.

Error rates, approximately: equal agents are called different with probability α at most (α / 2 in each direction), and
agents that differ by the margin or more are called equal, or the wrong one better, with probability β at most. In
between, it takes the longest, and either answer is possible.
"""

import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt

import agents
from train.cli.arguments import Measured, Measuring, Parallel, Saving, Seeded
from train.cli.errors import user_input
from train.cli.program import Program
from train.common.options import Agent, Deals, Folder
from train.common.table import show_lines
from train.evaluation.crosstable import LineupGames
from train.evaluation.lineups import make_lineups
from train.evaluation.tournament import Chunk, ChunkResult, Plan, Results, open_job, play
from train.evaluation.tournament_report import gather, report, show
from uno_env.rules import Rules

MARGIN, ALPHA, BETA = 0.01, 0.05, 0.05
CHUNK = 500
"""Deals between looks at a test."""

_ROUNDED = 9
_REGULAR = 1e-3
"""Made-up deals at each of 0, 1/2 and 1, so that one kind of score alone has a likelihood, too."""


@dataclass
class Sprt:
    """The test, fed with scores as they come.

    Args:
        margin: what difference from 1/2 in the score is to be distinguished from none.
        alpha: error rate of calling equal agents different.
        beta: error rate of not seeing a difference of the margin.

    Raises:
        ValueError: an argument is not allowed.
    """

    margin: float = MARGIN
    alpha: float = ALPHA
    beta: float = BETA
    counts: dict[float, int] = field(default_factory=dict)
    """Deals by score."""

    def __post_init__(self) -> None:
        for name, high in (("margin", 0.5), ("alpha", 0.5), ("beta", 0.5)):
            value = getattr(self, name)
            if not 0 < value < high:
                raise ValueError(f"{name}={value!r} is not allowed: choose a number between 0 and {high}")

    @property
    def upper(self) -> float:
        """LLR from which on a test rejects equality."""
        return math.log((1 - self.beta) / (self.alpha / 2))

    @property
    def lower(self) -> float:
        """LLR down to which a test rejects its difference."""
        return math.log(self.beta / (1 - self.alpha / 2))

    @property
    def deals(self) -> int:
        """Number of scores so far."""
        return sum(self.counts.values())

    def add(self, scores: npt.ArrayLike) -> None:
        """Take the first agent's scores of more deals."""
        values, numbers = np.unique(np.round(np.asarray(scores, float), _ROUNDED), return_counts=True)
        for value, number in zip(values.tolist(), numbers.tolist(), strict=True):
            self.counts[value] = self.counts.get(value, 0) + number

    def ratios(self) -> tuple[float, float]:
        """LLR of "the first is better" and of "the second is better", each against equality."""
        values, counts = np.array(sorted(self.counts.items())).T if self.counts else (np.zeros(0), np.zeros(0))
        return (
            log_likelihood_ratio(values, counts, 0.5 + self.margin),
            log_likelihood_ratio(values, counts, 0.5 - self.margin),
        )

    def verdict(self) -> str | None:
        """``first``, ``second`` or ``equal``; None while more deals are needed."""
        first, second = self.ratios()
        if max(first, second) >= self.upper:
            return "first" if first > second else "second"
        return "equal" if max(first, second) <= self.lower else None

    def to_dict(self, agents: Sequence[str]) -> dict[str, Any]:
        """The test for JSON: settings, bounds, both LLRs, deals, counts by score, verdict and the ``better`` agent."""
        verdict, (first, second) = self.verdict(), self.ratios()
        return {
            **{name: value for name, value in asdict(self).items() if name != "counts"},
            "agents": list(agents),
            "lower": self.lower,
            "upper": self.upper,
            "llr_first": first,
            "llr_second": second,
            "deals": self.deals,
            "counts": {f"{score:g}": number for score, number in sorted(self.counts.items())},
            "verdict": verdict,
            "better": {"first": agents[0], "second": agents[1]}.get(verdict or ""),
        }


def log_likelihood_ratio(values: npt.NDArray[Any], counts: npt.NDArray[Any], mean: float) -> float:
    """LLR of a mean score against 1/2, of ``counts`` [K] deals that scored ``values`` [K]."""
    values = np.concatenate([values, [0.0, 0.5, 1.0]])
    counts = np.concatenate([counts, np.full(3, _REGULAR)])
    share = counts / counts.sum()
    return float(counts @ np.log(_likeliest(values, share, mean) / _likeliest(values, share, 0.5)))


def _likeliest(values: npt.NDArray[Any], share: npt.NDArray[Any], mean: float) -> npt.NDArray[Any]:
    """The distribution over ``values`` with that mean under which the observed ``share`` is the most probable."""
    from scipy.optimize import brentq

    off = values - mean
    low, high = -1 / off.max(), -1 / off.min()
    inside = 1e-12 * (high - low)
    tilt = brentq(lambda tilt: float(share @ (off / (1 + tilt * off))), low + inside, high - inside)
    return np.asarray(share / (1 + tilt * off))


def deal_scores(games: Sequence[LineupGames]) -> npt.NDArray[np.float64]:
    """The first agent's score of each deal that all line-ups have played, float64 [D]: its share of all their games."""
    scores = np.stack([each.shares(0).mean(axis=1) * each.lineup.count(0) for each in games])
    return np.asarray(scores.mean(axis=0))


def play_until_told_apart(plan: Plan, sprt: Sprt, workers: int = 0, folder: Folder | None = None) -> dict[str, Any]:
    """The report of a tournament that ends when a test of its first agent against its second answers.

    The test, not fed yet, takes the chunks in their order, whatever the order in which processes are done with them.
    Raises ValueError if the folder holds another tournament.
    """
    waiting: Results = {}
    tested: Results = {}
    first_deals = sorted({(chunk.first, chunk.deals) for chunk in plan.chunks()})
    blocks = [[Chunk(lineup, *deals) for lineup in range(len(plan.lineups))] for deals in first_deals]

    def answers(chunk: Chunk, result: ChunkResult) -> bool:
        waiting[chunk] = result
        while blocks and all(each in waiting for each in blocks[0]):
            block = {each: waiting[each] for each in blocks.pop(0)}
            tested.update(block)
            sprt.add(deal_scores(gather(plan, block)))
            if sprt.verdict() is not None:
                return True
        return False

    play(plan, workers, open_job(plan, folder), seen=answers)
    # the answer rests on the tested chunks: others may have been played further by chance of the clock
    return {**report(plan, tested), "sprt": sprt.to_dict(plan.agents)}


def sprt_sentence(test: Mapping[str, Any]) -> str:
    """The answer of a test, in a sentence."""
    first, second = test["agents"]
    ratios = f"LLR {test['llr_first']:.2f} and {test['llr_second']:.2f}"
    after = f"after {test['deals']:,} deals ({ratios}, bounds {test['lower']:.2f} and {test['upper']:.2f})"
    if test["verdict"] is None:
        return f"Not told apart {after}: play more deals."
    if test["verdict"] == "equal":
        return f"{first} and {second} are equal to within {test['margin']:.1%}, {after}; error rate {test['beta']:.0%}."
    other = second if test["better"] == first else first
    return f"{test['better']} is better than {other}, {after}; error rate {test['alpha']:.0%}."


@dataclass(frozen=True, kw_only=True)
class TellApart(Measuring, Seeded, Parallel, Saving):
    """Play 2 agents against each other until one is clearly better, or both are clearly equal."""

    positional: ClassVar = ("agents",)
    needs: ClassVar = ("scipy",)

    agents: tuple[Agent, ...]
    """2 agents, named as for `uno evaluate`"""
    rules: Rules
    tables: Literal["mixed", "against"] = "mixed"
    """with 3 players or more: both agents at a table, or one agent at a table of the other"""
    deals: Deals = 200_000
    """deals of each line-up at most"""
    margin: float = MARGIN
    """the difference in the score that must be found"""
    alpha: float = ALPHA
    """error rate of calling equal agents different"""
    beta: float = BETA
    """error rate of not seeing a difference of the margin"""

    def run(self) -> Measured:
        with user_input():
            sprt = Sprt(self.margin, self.alpha, self.beta)
            if len(self.agents) != 2:
                raise ValueError(f"a sequential test tells 2 agents apart, and {len(self.agents)} are named")
            lineups = tuple(make_lineups(2, self.rules.players, self.tables))
            deals = (self.deals,) * len(lineups)
            plan = Plan(self.agents, self.rules, lineups, deals, self.seed, CHUNK, self.tables)
            for spec in plan.agents:
                agents.load(spec, rules=plan.rules)
            open_job(plan, self.save)
        told = play_until_told_apart(plan, sprt, self.workers, self.save)

        def show_all() -> None:
            show(told)
            show_lines([sprt_sentence(told["sprt"])])

        return Measured({"tournament": told}, show_all)


PROGRAM = Program("python -m tools.cli.sprt", "Tell two agents apart.", "tools.cli.sprt:TellApart")

if __name__ == "__main__":
    sys.exit(PROGRAM.main())
