"""The report of a tournament: :func:`run` plays it, :func:`report` puts it into plain values, :func:`show` prints them.

docs/reference/files.md lists the fields of a report. Shares are between 0 and 1, intervals hold 95 % over deals.
"""

import statistics
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from train.common.job import ResumableJob
from train.common.processes import Mapper
from train.common.table import MarkdownTable, show_lines
from train.evaluation.crosstable import Cell, LineupGames, cross_table, is_shared, win_rate
from train.evaluation.estimate import Estimate
from train.evaluation.ratings import rate
from train.evaluation.tournament import Plan, Results, play


def run(
    plan: Plan,
    workers: int | Mapper = 0,
    job: ResumableJob | None = None,
    progress: Callable[[int], object] | None = None,
    anchor: str | None = None,
    title: str = "",
) -> dict[str, Any]:
    """Play a tournament, or what is left of it, and report. Arguments and errors are those of
    :func:`train.evaluation.tournament.play`. The ``anchor`` is the agent whose Bradley–Terry rating is to be 0; if it
    is None, the mean of all is.

    A script that calls this with several workers needs ``if __name__ == "__main__":`` around what it does, as with any
    spawned processes. After Ctrl-C, :func:`partial_report` tells what was measured until then.
    """
    return report(plan, play(plan, workers, job, title, progress), anchor)


def partial_report(plan: Plan, results: Results) -> dict[str, Any] | None:
    """The report of an interrupted tournament, or None if too little was played for it."""
    met = {chunk.lineup for chunk, result in results.items() if len(result.winner) > 1}
    return report(plan, results) if len(met) == len(plan.lineups) else None


def gather(plan: Plan, results: Results) -> list[LineupGames]:
    """The games of each line-up that has any."""
    games = []
    for number, lineup in enumerate(plan.lineups):
        chunks = sorted((chunk for chunk in results if chunk.lineup == number), key=lambda chunk: chunk.first)
        if chunks:
            deals = np.concatenate([np.arange(chunk.first, chunk.first + chunk.deals) for chunk in chunks])
            winner = np.concatenate([results[chunk].winner for chunk in chunks])
            luck = np.concatenate([results[chunk].luck for chunk in chunks]).astype(np.float64) if plan.luck else None
            games.append(LineupGames(lineup, deals, winner, luck))
    return games


def report(plan: Plan, results: Results, anchor: str | None = None) -> dict[str, Any]:
    """All measurements of a tournament; docs/reference/files.md lists the fields. The ``anchor`` is that of
    :func:`run`.
    """
    games, agents = gather(plan, results), len(plan.agents)
    shared = is_shared(plan.tables, plan.rules.players)
    cells = cross_table(games, agents, shared)
    ratings = rate(games, agents, plan.seed, None if anchor is None else plan.agents.index(anchor))
    ranking = sorted(range(agents), key=lambda agent: -ratings[agent].mean)
    played = sum(each.winner.size for each in games)
    return {
        "rules": plan.rules.to_dict(),
        "players": plan.rules.players,
        "tables": plan.tables,
        "seed": plan.seed,
        "deals": max(len(each.deal) for each in games),
        "lineups": [
            {"agents": [plan.agents[index] for index in each.lineup], "deals": len(each.deal)} for each in games
        ],
        "agents": [
            _agent(plan, results, games, agent) | {"rating": {"bradley_terry": ratings[agent].to_dict("elo")}}
            for agent in range(agents)
        ],
        "ranking": [plan.agents[agent] for agent in ranking],
        "anchor": anchor,
        "luck": plan.luck or None,
        "cross": {"par": 0.5 if shared else 1 / plan.rules.players, **_matrices(cells)},
        "variance_reduction": _reductions(cells),
        "games": played,
        "truncated": sum(int((each.winner < 0).sum()) for each in games) / played,
        "decisions": sum(result.length for result in results.values()),
        "seconds": sum(result.seconds for result in results.values()),
        "complete": played == plan.games,
    }


def _agent(plan: Plan, results: Results, games: Sequence[LineupGames], agent: int) -> dict[str, Any]:
    asked = sum(int(result.asked[agent]) for result in results.values())
    thought = sum(float(result.thought[agent]) for result in results.values())
    rate = win_rate(games, agent)
    return {
        "name": plan.agents[agent],
        "games": sum(each.winner.size for each in games if agent in each.lineup),
        **(dict.fromkeys(("win_rate", "low", "high")) if rate is None else rate.to_dict("win_rate")),
        "par": 1 / plan.rules.players,
        "decisions": asked,
        "decisions_per_second": asked / thought if thought else None,
    }


def _matrices(cells: Sequence[Sequence[Cell | None]]) -> dict[str, list[list[Any]]]:
    fields = {"win_rate": "mean", "low": "low", "high": "high", "standard_error": "error", "deals": "n"}
    return {
        name: [[None if cell is None else getattr(cell, attribute) for cell in row] for row in cells]
        for name, attribute in {**fields, "variance_reduction": "variance_reduction"}.items()
    }


def _reductions(cells: Sequence[Sequence[Cell | None]]) -> dict[str, float | None]:
    known = [cell.variance_reduction for row in cells for cell in row if cell and cell.variance_reduction is not None]
    if not known:
        return {"median": None, "low": None, "high": None}
    return {"median": statistics.median(known), "low": min(known), "high": max(known)}


# --- on the terminal --------------------------------------------------------------------------------------------------


def show(report: dict[str, Any]) -> None:
    """Print a report: the ranking, the cross table and what duplicates were worth."""
    _ranking_table(report).show()
    _cross_table(report).show()
    par, shared = report["cross"]["par"], report["cross"]["par"] == 0.5
    kind = "of the two agents' wins, the row's" if shared else "wins of the row's agent at a table of the column's"
    lines = [f"Cells: {kind}, in per cent ± half of the 95 % interval over deals; par {par:.1%}."]
    if report["luck"]:
        lines.append(f"The luck of drawn cards is taken out by {report['luck']}.")
    reduction, taken = report["variance_reduction"], " without luck" if report["luck"] else ""
    if reduction["median"] is not None:
        lines.append(
            f"Duplicate deals{taken}: independent ones would take {reduction['median']:.2f} times as many games for "
            f"these intervals ({reduction['low']:.2f} to {reduction['high']:.2f})."
        )
    if report["truncated"]:
        lines.append(f"{report['truncated']:.2%} of the games had no winner; each counts as par.")
    show_lines(lines)


def _ranking_table(report: dict[str, Any]) -> MarkdownTable:
    agents = {agent["name"]: agent for agent in report["agents"]}
    return MarkdownTable(
        f"{report['players']} players, seed {report['seed']}, {report['games']:,} games",
        ("", "agent", "Elo", "win rate", "decisions/s"),
        [(str(rank), *_ranking_row(agents[name])) for rank, name in enumerate(report["ranking"], 1)],
        words=(1,),
    )


def _ranking_row(agent: dict[str, Any]) -> list[str]:
    rating, speed = agent["rating"], agent["decisions_per_second"]
    return [
        agent["name"],
        Estimate.from_dict(rating["bradley_terry"], "elo").text(0, "+", scale=1),
        "" if agent["win_rate"] is None else Estimate.from_dict(agent, "win_rate").text(),
        "" if speed is None else f"{speed:,.0f}",
    ]


def _cross_table(report: dict[str, Any]) -> MarkdownTable:
    names = [agent["name"] for agent in report["agents"]]
    order = [names.index(name) for name in report["ranking"]]
    columns = [other for other in order if any(row[other] is not None for row in report["cross"]["win_rate"])]
    rows = []
    for rank, agent in enumerate(order, 1):
        cells = [cell_of(report, agent, other) for other in columns]
        rows.append([str(rank), names[agent], *["" if cell is None else cell.text() for cell in cells]])
    return MarkdownTable("", ["", "agent", *(str(order.index(other) + 1) for other in columns)], rows, words=2)


def cell_of(report: Mapping[str, Any], agent: int, other: int) -> Estimate | None:
    """The cell of two agents, by their index, in a report's cross table, or None if they did not meet."""
    values = {name: rows[agent][other] for name, rows in report["cross"].items() if name != "par"}
    if values["win_rate"] is None:
        return None
    return Estimate(values["win_rate"], values["standard_error"], values["deals"], values["low"], values["high"])
