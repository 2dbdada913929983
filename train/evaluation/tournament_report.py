"""What a tournament shows: :func:`run` plays it, :func:`report` puts it into plain values, :func:`show` prints them."""

import statistics
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from train.evaluation.crosstable import Estimate, LineupGames, cross_table, is_shared, win_rate
from train.evaluation.ratings import rate
from train.evaluation.sprt import Sprt, deal_scores
from train.evaluation.tournament import Chunk, Plan, Results, Store, play


def run(
    plan: Plan,
    workers: int = 1,
    store: Store | None = None,
    sprt: Sprt | None = None,
    progress: Callable[[int], object] | None = None,
    anchor: str | None = None,
) -> dict[str, Any]:
    """Play a tournament, or what is left of it, and report.

    A script that calls this with several workers needs ``if __name__ == "__main__":`` around what it does, as with any
    spawned processes.

    Args:
        plan: what to play.
        workers: processes that share the work; the result does not depend on them.
        store: where finished chunks are kept, and taken from.
        sprt: a test, not fed yet, of the first agent against the second, that may end the tournament early.
        progress: called now and then with the number of games done.
        anchor: the agent whose Bradley–Terry rating is to be 0; None: the mean of all is.

    Raises:
        ValueError: an agent cannot be loaded, or chose an action that is not legal.
        Stopped: after Ctrl-C.
    """
    results: Results = {}
    watch = _Watch(plan, sprt) if sprt is not None else None
    try:
        for chunk, result in play(plan, workers, store, progress):
            results[chunk] = result
            if watch is not None and watch.sees(results):
                results = watch.seen(results)
                break
    except KeyboardInterrupt:
        raise Stopped(plan, results, sprt) from None
    return report(plan, results, sprt, anchor)


class Stopped(KeyboardInterrupt):
    """Ctrl-C in the middle of a tournament."""

    def __init__(self, plan: Plan, results: Results, sprt: Sprt | None) -> None:
        super().__init__("Interrupted.")
        self.plan, self.results, self.sprt = plan, results, sprt

    def report(self) -> dict[str, Any] | None:
        """What was played until then, or None if that is too little."""
        met = {chunk.lineup for chunk, result in self.results.items() if len(result.winner) > 1}
        return report(self.plan, self.results, self.sprt) if len(met) == len(self.plan.lineups) else None


class _Watch:
    """Feeds a test with chunks in their order, whatever the order in which they are done."""

    def __init__(self, plan: Plan, sprt: Sprt) -> None:
        self._plan, self._sprt = plan, sprt
        self._blocks = sorted({(chunk.first, chunk.deals) for chunk in plan.chunks()})
        self._fed = 0

    def sees(self, results: Results) -> bool:
        """Take what has become known; whether the test has an answer."""
        while self._fed < len(self._blocks):
            block = self._of_block(self._fed)
            if any(chunk not in results for chunk in block):
                return False
            self._sprt.add(deal_scores(gather(self._plan, {chunk: results[chunk] for chunk in block})))
            self._fed += 1
            if self._sprt.verdict() is not None:
                return True
        return False

    def seen(self, results: Results) -> Results:
        """The results that the answer rests on: others may have been played further by chance of the clock."""
        return {chunk: results[chunk] for number in range(self._fed) for chunk in self._of_block(number)}

    def _of_block(self, number: int) -> list[Chunk]:
        first, deals = self._blocks[number]
        return [Chunk(lineup, first, deals) for lineup in range(len(self._plan.lineups))]


def gather(plan: Plan, results: Results) -> list[LineupGames]:
    """The games of each line-up that has any."""
    games = []
    for number, lineup in enumerate(plan.lineups):
        chunks = sorted((chunk for chunk in results if chunk.lineup == number), key=lambda chunk: chunk.first)
        if chunks:
            deals = np.concatenate([np.arange(chunk.first, chunk.first + chunk.deals) for chunk in chunks])
            games.append(LineupGames(lineup, deals, np.concatenate([results[chunk].winner for chunk in chunks])))
    return games


def report(plan: Plan, results: Results, sprt: Sprt | None = None, anchor: str | None = None) -> dict[str, Any]:
    """Everything that a tournament measured, in the form that :mod:`train.evaluation.tournament` tells; see
    :func:`run`."""
    games, agents = gather(plan, results), len(plan.agents)
    shared = is_shared(plan.tables, plan.rules.players)
    cells = cross_table(games, agents, shared)
    ratings = rate(games, agents, plan.seed, None if anchor is None else plan.agents.index(anchor))
    ranking = sorted(range(agents), key=lambda agent: -ratings[agent].bradley_terry.value)
    played = sum(each.winner.size for each in games)
    return {
        "rules": plan.rules.to_dict(),
        "players": plan.rules.players,
        "tables": plan.tables,
        "seed": plan.seed,
        "deals": max(len(each.deal) for each in games),
        "lineups": [
            {"agents": [plan.agents[place] for place in each.lineup], "deals": len(each.deal)} for each in games
        ],
        "agents": [
            _agent(plan, results, games, agent) | {"rating": ratings[agent].to_dict()} for agent in range(agents)
        ],
        "ranking": [plan.agents[agent] for agent in ranking],
        "anchor": anchor,
        "cross": {"par": 0.5 if shared else 1 / plan.rules.players, **_matrices(cells)},
        "variance_reduction": _reductions(cells),
        "sprt": None if sprt is None else sprt.to_dict(plan.agents),
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
        "win_rate": None if rate is None else rate.value,
        "low": None if rate is None else rate.low,
        "high": None if rate is None else rate.high,
        "par": 1 / plan.rules.players,
        "decisions": asked,
        "decisions_per_second": asked / thought if thought else None,
    }


def _matrices(cells: Sequence[Sequence[Estimate | None]]) -> dict[str, list[list[Any]]]:
    fields = {"win_rate": "value"} | {
        name: name for name in ("low", "high", "standard_error", "deals", "variance_reduction")
    }
    return {
        name: [[None if cell is None else getattr(cell, attribute) for cell in row] for row in cells]
        for name, attribute in fields.items()
    }


def _reductions(cells: Sequence[Sequence[Estimate | None]]) -> dict[str, float | None]:
    known = [cell.variance_reduction for row in cells for cell in row if cell and cell.variance_reduction is not None]
    if not known:
        return {"median": None, "low": None, "high": None}
    return {"median": statistics.median(known), "low": min(known), "high": max(known)}


# --- on the terminal --------------------------------------------------------------------------------------------------


def show(report: dict[str, Any], console: Console | None = None) -> None:
    """Print a report: the ranking, the cross table, what duplicates were worth, and the test's answer."""
    console = console or Console(highlight=False)
    console.print(_ranking_table(report))
    console.print(_cross_table(report))
    par, shared = report["cross"]["par"], report["cross"]["par"] == 0.5
    kind = "of the two agents' wins, the row's" if shared else "wins of the row's agent at a table of the column's"
    console.print(f"Cells: {kind}, in per cent ± half of the 95 % interval over deals; par {par:.1%}.")
    reduction = report["variance_reduction"]
    if reduction["median"] is not None:
        console.print(
            f"Duplicate deals: independent ones would take {reduction['median']:.2f} times as many games for these "
            f"intervals ({reduction['low']:.2f} to {reduction['high']:.2f})."
        )
    if report["truncated"]:
        console.print(f"{report['truncated']:.2%} of the games had no winner; each counts as par.")
    if report["sprt"] is not None:
        console.print(sprt_sentence(report["sprt"]))


def sprt_sentence(test: dict[str, Any]) -> str:
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


def _ranking_table(report: dict[str, Any]) -> Table:
    players, seed = report["players"], report["seed"]
    title = Text(f"{players} players, seed {seed}, {report['games']:,} games")
    table = Table(box=box.SIMPLE_HEAD, title=title)
    for heading in ("", "agent", "Elo", "OpenSkill", "win rate", "decisions/s"):
        table.add_column(heading, justify="left" if heading == "agent" else "right", no_wrap=heading != "agent")
    agents = {agent["name"]: agent for agent in report["agents"]}
    for place, name in enumerate(report["ranking"], 1):
        agent = agents[name]
        elo, skill = agent["rating"]["bradley_terry"], agent["rating"]["openskill"]
        speed = agent["decisions_per_second"]
        table.add_row(
            str(place),
            Text(name),
            f"{elo['elo']:+.0f} ± {(elo['high'] - elo['low']) / 2:.0f}",
            f"{skill['mu']:.1f} ± {(skill['high'] - skill['low']) / 2:.1f}",
            "" if agent["win_rate"] is None else percent(agent["win_rate"], agent["low"], agent["high"]),
            "" if speed is None else f"{speed:,.0f}",
        )
    return table


def _cross_table(report: dict[str, Any]) -> Table:
    names = [agent["name"] for agent in report["agents"]]
    order = [names.index(name) for name in report["ranking"]]
    cross = report["cross"]
    columns = [other for other in order if any(row[other] is not None for row in cross["win_rate"])]
    table = Table(box=box.SIMPLE_HEAD)
    table.add_column("")
    table.add_column("agent")
    for other in columns:
        table.add_column(str(order.index(other) + 1), justify="right", no_wrap=True)
    for place, agent in enumerate(order, 1):
        row = [[cross[name][agent][other] for name in ("win_rate", "low", "high")] for other in columns]
        table.add_row(str(place), Text(names[agent]), *["" if cell[0] is None else percent(*cell) for cell in row])
    return table


def percent(value: float, low: float, high: float) -> str:
    """A share with half of its interval, in per cent: ``52.3 ± 0.4``."""
    return f"{100 * value:.1f} ± {50 * (high - low):.1f}"
