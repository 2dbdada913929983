"""The report on a language model, ``uno benchmark chat``: :func:`measure`, and what people read: :func:`write`.

Any other agent is measured through the same text door (:class:`agents.chat.through_text.ThroughText`).
"""

import html
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

import agents
from agents.chat.chat_agent import TALLIES, ChatAgent, Tally
from agents.chat.through_text import ThroughText
from train.benchmarks.measuring import code_version
from train.benchmarks.plans import ChatPlan
from train.common.progress import progress_bar
from train.common.suite import read_suite
from train.common.table import MarkdownTable
from train.evaluation.choices import positions as valued
from train.evaluation.duplicate import evaluate
from train.evaluation.estimate import Z_95, Estimate
from train.evaluation.luck.values import LEAST_GAIN, worthwhile_values
from uno_env.common.files import write_text
from uno_env.core.arrays import Array
from uno_env.rules import Rules

_MANY = 4
"""Legal actions that are counted as one group, with all numbers above."""
_SHARES = {"rethinks": "rethinks", "illegal": "illegal moves", "unclear": "unclear answers",
           "by_chance": "moves drawn by chance"}  # fmt: skip
_COUNTS = {"tokens_in": "tokens sent", "tokens_out": "tokens received", "resumed": "answers saved before"}
_STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}table{border-collapse:"
    "collapse;margin:1rem 0}td,th{padding:.2rem .8rem;border-bottom:1px solid #ccc;text-align:right}"
    "td:first-child,th:first-child{text-align:left}"
)
_FIGURES = (
    "Regret is the win rate that a chosen move loses against the best one. ODHR is the Optimal Decision Hit Rate: the "
    "share of the decisions at which the best move was chosen. ADR is the Average Decision Rank: the mean rank of the "
    "chosen move, where 1 is the best. ODHR@K and ADR@K are those of the decisions between K moves. Positions with "
    "much and with little at stake are equally many."
)
Parts = list[str | MarkdownTable]


class ChatReport:
    """All that the measurement needs, loaded first. Raises ValueError if the plan is not allowed."""

    def __init__(self, plan: ChatPlan) -> None:
        suite = read_suite(plan.suite)
        tracks = list(dict.fromkeys(plan.tracks or suite.manifest.positions))
        if plan.hands % plan.rules.players or plan.hands < 2 * plan.rules.players:
            raise ValueError(f"--hands {plan.hands} is not allowed: give {2 * plan.rules.players} or more, and a "
                             f"multiple of {plan.rules.players}: each deal is played from every seat")  # fmt: skip
        self.plan, self._luck = plan, worthwhile_values(plan.rules)
        whole = {track: valued.read_positions(suite.positions_file(track)) for track in tracks}
        self._positions = {track: valued.subset(each, -(-plan.positions // len(tracks)), plan.seed)
                           for track, each in whole.items()}  # fmt: skip
        self._players = {track: _load(plan, Rules.from_dict(dict(each.rules))) for track, each in whole.items()}
        self._player = _load(plan, plan.rules)
        for opponent in plan.against:
            agents.load(opponent, rules=plan.rules)

    def measure(self) -> dict[str, Any]:
        """Ask and play, and return the result as plain values. What a language model has answered before is not asked
        again.
        """
        chosen = {track: valued.choices_in(self._players[track], each) for track, each in self._positions.items()}
        tables = {track: valued.measure_regret(each, chosen[track]) for track, each in self._positions.items()}
        pairs = [pair for track, each in self._positions.items()
                 for pair in zip(each.positions, chosen[track].tolist(), strict=True)]  # fmt: skip
        lost = np.array([position.regrets[index] for position, index in pairs])
        ranks = np.array([1 + sum(each < position.regrets[index] for each in position.regrets)
                          for position, index in pairs])  # fmt: skip
        choices = np.array([len(position.actions) for position, _ in pairs])
        hands = [self._play(opponent) for opponent in self.plan.against]
        tally = TALLIES.get(self.plan.agent, Tally())
        return {
            **code_version(),
            "agent": self.plan.agent,
            "suite": self.plan.suite,
            "positions": tables,
            "regret": {"n": len(lost), **Estimate.of(lost).to_dict("regret")},
            "decisions": list(_by_choices(ranks, choices)),
            "hands": hands,
            "answers": asdict(tally) | {"shares": _shares(tally)},
        }

    def _play(self, opponent: str) -> dict[str, Any]:
        plan, deals = self.plan, self.plan.hands // self.plan.rules.players
        with progress_bar(f"{plan.agent} against {opponent}", plan.hands) as progress:
            return evaluate(
                self._player, opponent, plan.rules, deals, plan.seed, progress=progress, luck=self._luck
            ).to_dict()

    def parts(self, measured: Mapping[str, Any]) -> Parts:
        """Sentences and tables of the results."""
        tables = [valued.regret_table(f"Choices on {track}", self._positions[track], each)
                  for track, each in measured["positions"].items()]  # fmt: skip
        return [
            resolution(self.plan.hands, self.plan.rules.players),
            f"What `uno benchmark chat` measured of {self.plan.agent}. Intervals hold 95 %. Win rates are in per cent; "
            f"par, the win rate of equals, is {100 / self.plan.rules.players:.0f}.",
            _FIGURES,
            summary([measured]),
            *tables,
            _decisions_table(measured["decisions"]),
            _hands_table(measured["hands"]),
            "Each deal is played from every seat. The luck of drawn cards is taken out where that saves a sixth of the "
            "deals or more.",
            _answers_table(measured["answers"]),
        ]


def resolution(hands: int, players: int) -> str:
    """Return a sentence on the precision of ``hands`` hands against an opponent of about the agent's strength."""
    par = 1 / players
    half = 100 * Z_95 * math.sqrt(par * (1 - par) / hands)
    return (
        f"{hands:,} hands against an opponent say a win rate to about ± {half:.0f} points, so two agents whose win "
        f"rates differ by less than about {math.sqrt(2) * half:.0f} points are not told apart: --hands plays more."
    )


def write(parts: Parts, file: Path, title: str) -> Path:
    """Write a report as Markdown, and beside it as a page of HTML, and return the page. Raises OSError if it cannot be
    written.
    """
    texts = [part if isinstance(part, str) else part.markdown() for part in parts]
    write_text(file, "\n\n".join([f"# {title}", *texts]) + "\n")
    body = "\n".join(f"<p>{html.escape(part)}</p>" if isinstance(part, str) else _html(part) for part in parts)
    page = file.with_suffix(".html")
    head = f'<meta charset="utf-8"><title>{html.escape(title)}</title><style>{_STYLE}</style>'
    write_text(page, f'<!doctype html><html lang="en">{head}<h1>{html.escape(title)}</h1>\n{body}\n</html>\n')
    return page


def summary(reports: Sequence[Mapping[str, Any]]) -> MarkdownTable:
    """The main figures of reports that have the same opponents, a row for each."""
    opponents = [each["opponent"] for each in reports[0]["hands"]]
    headings = ["agent", "regret", "ODHR", "ADR", *(f"v {name}" for name in opponents), "illegal", "rethinks",
                "tokens for a decision", "cost"]  # fmt: skip
    return MarkdownTable("", headings, [_summary_row(each) for each in reports])


def _summary_row(report: Mapping[str, Any]) -> list[str]:
    answers, of_all = report["answers"], report["decisions"][-1]
    tokens = (answers["tokens_in"] + answers["tokens_out"]) / max(answers["decisions"], 1)
    return [
        report["agent"],
        Estimate.from_dict(report["regret"], "regret").text(2),
        Estimate.from_dict(of_all["ODHR"]).text(),
        Estimate.from_dict(of_all["ADR"]).text(2, scale=1),
        *(_rate(_best(each)) for each in report["hands"]),
        f"{100 * answers['shares']['illegal']['mean']:.1f} %",
        f"{100 * answers['shares']['rethinks']['mean']:.1f} %",
        f"{tokens:,.0f}",
        f"{answers['cost']:.4f}",
    ]


def _load(plan: ChatPlan, rules: Rules) -> ChatAgent | ThroughText:
    """The agent, as a player that is asked in words."""
    player: Any = agents.load(plan.agent, plan.seed, rules)
    return player if isinstance(player, ChatAgent) else ThroughText(player, plan.agent)


def _by_choices(ranks: Array, choices: Array) -> Iterator[dict[str, Any]]:
    """ODHR and ADR for each number K of legal actions, and of all."""
    groups = {**{str(k): choices == k for k in range(2, _MANY)}, f"{_MANY} or more": choices >= _MANY}
    for k, here in {**groups, "all": choices > 1}.items():
        if (number := int(here.sum())) > 1:
            hits = Estimate.wilson(float((ranks[here] == 1).mean()), number)
            yield {"K": k, "n": number, "moves": float(choices[here].mean()), "ODHR": hits.to_dict(),
                   "ADR": Estimate.of(ranks[here].astype(float)).to_dict()}  # fmt: skip


def _shares(tally: Tally) -> dict[str, dict[str, float]]:
    """Shares of the answers, and of the decisions for the moves that were drawn, with Wilson's intervals."""
    decisions = max(tally.decisions, 1)
    of = {name: decisions if name == "by_chance" else decisions + tally.rethinks for name in _SHARES}
    return {name: Estimate.wilson(getattr(tally, name) / number, number).to_dict() for name, number in of.items()}


def _best(hand: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the result with luck taken out, if that was of use, else the plain one."""
    luck = hand["luck"]
    return luck if luck is not None and luck["gain"] >= LEAST_GAIN else hand


def _rate(result: Mapping[str, Any]) -> str:
    return Estimate.from_dict(result, "win_rate").text()


def _decisions_table(rows: Sequence[Mapping[str, Any]]) -> MarkdownTable:
    cells = [[row["K"], f"{row['n']:,}", f"{row['moves']:.1f}", Estimate.from_dict(row["ODHR"]).text(),
              Estimate.from_dict(row["ADR"]).text(2, scale=1)] for row in rows]  # fmt: skip
    return MarkdownTable("Decisions between K moves", ("K", "positions", "moves", "ODHR@K, %", "ADR@K"), cells)


def _hands_table(hands: Sequence[Mapping[str, Any]]) -> MarkdownTable:
    cells = []
    for each in hands:
        adjusted = "left off" if _best(each) is each else _rate(_best(each))
        gain = "" if each["luck"] is None else f"{each['luck']['gain']:.2f} ×"
        cells.append([each["opponent"], f"{each['games']:,}", _rate(each), adjusted, gain])
    headings = ("opponent", "hands", "win rate", "without luck", "deals saved")
    return MarkdownTable("Hands", headings, cells)


def _answers_table(answers: Mapping[str, Any]) -> MarkdownTable:
    rows = [["decisions", f"{answers['decisions']:,}", "", ""]]
    for name, label in _SHARES.items():
        mean, low, high = (f"{100 * answers['shares'][name][end]:.1f}" for end in ("mean", "low", "high"))
        rows.append([label, f"{answers[name]:,}", f"{mean} %", f"{low} – {high}"])
    rows += [[label, f"{answers[name]:,}", "", ""] for name, label in _COUNTS.items()]
    rows.append(["cost", f"{answers['cost']:.4f}", "", ""])
    return MarkdownTable("Answers", ("what", "number", "share", "95 % interval, %"), rows)


def _html(table: MarkdownTable) -> str:
    lines = [f"<h2>{html.escape(table.title)}</h2>" if table.title else "", "<table>"]
    for tag, cells in [("th", table.headings), *(("td", row) for row in table.rows)]:
        lines.append(f"<tr>{''.join(f'<{tag}>{html.escape(cell)}</{tag}>' for cell in cells)}</tr>")
    return "\n".join([*lines, "</table>"])
