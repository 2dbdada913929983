"""The form of a question of the study: parts that are measured, the rows that result, the page that tells them."""

import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from train.common.options import Deals, Players, Seed
from train.evaluation.duplicate import derived_seed
from train.evaluation.estimate import Estimate
from uno_env import Rules

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Row = Mapping[str, Any]
"""One measured value: labels, ``measure``, ``mean`` with ``low`` and ``high``, and ``n``, all plain values for JSON."""

PLAYERS = (2, 3, 4, 6, 10)
"""Numbers of players that questions are asked for, where it makes sense."""


@dataclass(frozen=True)
class StudyPlan:
    """Answer questions about the game by simulation, in pages with figures, tables and the rows behind them. The same
    command resumes."""

    questions: tuple[str, ...] = ()
    """some of luck, deal, advice, bluffing, house_rules, editions, no_mercy, flip and match_length (default: all)"""
    deals: Deals = 20_000
    """deals of each cell of a table where scripted agents play; saved policies play a tenth of them, searches a
    hundredth"""
    players: tuple[Players, ...] = PLAYERS
    """numbers of players at the tables"""
    seed: Seed = 0
    """seed of the deals and of the agents"""

    def __post_init__(self) -> None:
        for players in self.players:
            Rules(players=players)  # refuses what no table has
        object.__setattr__(self, "players", tuple(dict.fromkeys(self.players)))


@dataclass(frozen=True)
class StudyPart:
    """A part of a question that is measured in one go, and saved as a file of its name."""

    question: str
    name: str
    seed: int
    """Seed of its own: parts are independent of each other, and results depend on the part alone."""
    arguments: tuple[tuple[str, Any], ...]
    """Plain values by name, in any order: :meth:`__getitem__` reads them."""

    @classmethod
    def of(cls, plan: StudyPlan, question: str, name: str, **arguments: Any) -> "StudyPart":
        """A part of a plan, with the seed that the plan's seed and the names give."""
        seed = derived_seed(plan.seed, zlib.crc32(f"{question}/{name}".encode()))
        return cls(question, name, seed, tuple(arguments.items()))

    def __getitem__(self, name: str) -> Any:
        return dict(self.arguments)[name]


@dataclass(frozen=True)
class StudyPage:
    """The page that a question's rows make."""

    summary: str
    """The answer in a few sentences for card players, of Markdown; it stands first on the page and in the summary."""
    text: str
    """Markdown with tables, headings from ``##`` on; ``{figure:NAME}`` stands where a figure is shown."""
    figures: Mapping[str, "Figure"] = field(default_factory=dict)
    """Figures by name; the first one is shown in the summary, too."""
    captions: Mapping[str, str] = field(default_factory=dict)
    """A sentence on the content of each figure; it is the alternative text, too."""


@dataclass(frozen=True, kw_only=True)
class StudyQuestion:
    """A question of the study."""

    name: str
    """Its name on the command line, and of its files."""
    title: str
    """The question in plain words."""
    at_the_table: str
    """The answer as one sentence of advice for card players."""
    parts: Callable[[StudyPlan], list[StudyPart]]
    """The parts to measure, each some seconds to some minutes at the default size."""
    measure: Callable[[StudyPart], list[Row]]
    """The rows of one part."""
    page: Callable[[Sequence[Row]], StudyPage]
    """The page, made of the rows of all parts alone."""


def row(measure: str, estimate: Estimate, **labels: Any) -> Row:
    """A row of an estimate."""
    return {**labels, "measure": measure, **estimate.to_dict(), "n": estimate.n}


def pick(rows: Sequence[Row], **labels: Any) -> list[Row]:
    """The rows that have all of the labels."""
    return [each for each in rows if all(each.get(name) == value for name, value in labels.items())]


def values(rows: Sequence[Row], label: str) -> list[Any]:
    """The values that a label has, each once, in the order of the rows."""
    return list(dict.fromkeys(each[label] for each in rows if label in each))
