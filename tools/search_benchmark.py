"""What a network is worth to a search, and a search to a network.

``python -m tools.search_benchmark --policy zoo:duel-2p`` measures it.

Every contender plays duplicate deals against ``tuned`` and against the network alone. The deals are the same for all,
so how much more a contender wins against ``tuned`` than the network does (its *gain*) has a narrower interval than the
two win rates. Then each decides in the same positions of games between networks, one at a time, by the clock.

With a folder, what is played is saved, and the same command goes on where it stopped. ``--json`` writes ``{"command",
"versions", "search": {"commit", "date", "code", "policy", "rules", "players", "worlds", "seed", "deals",
"search_deals", "contenders": [{"name", "agent", "against": {"tuned": {"win_rate", "low", "high", "deals"}, "network":
…}, "gain": {"mean", "low", "high", "deals"}, "ms": {"median", "p95", "decisions"}}, …]}}``; what was not played is
null, and so are commit and date outside a checkout.
"""

import sys
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from msgspec import Meta

import agents
from train.benchmarks.measuring import code_version
from train.cli.arguments import Measuring
from train.cli.errors import user_input
from train.cli.program import Program
from train.common.options import Agent, Count, Deals, Folder, Seed, Workers
from train.common.table import MarkdownTable
from train.evaluation.crosstable import Cell, LineupGames, compare
from train.evaluation.estimate import Estimate
from train.evaluation.lineups import against
from train.evaluation.played_by import player_digest
from train.evaluation.tournament import Plan, is_slow, open_job, play
from train.evaluation.tournament_report import gather
from uno_env.batched import BatchedGames
from uno_env.common.spelling import did_you_mean
from uno_env.rules import Rules

REFERENCE, NETWORK = "tuned", "network"
_FLAT = "search:flat?num_determinizations={worlds}"
OPENING = 12
"""Steps of games that are played before positions are taken."""

CONTENDERS: Mapping[str, str] = {
    NETWORK: "{policy}",
    "flat": _FLAT,
    "flat, prior": _FLAT + "&prior={policy}",
    "flat, rollouts": _FLAT + "&rollout={policy}",
    "flat, value": _FLAT + "&value={policy}",
    "flat, rollouts and value at once": _FLAT + "&rollout={policy}&value={policy}&depth=0",
    "flat, rollouts and value": _FLAT + "&rollout={policy}&value={policy}",
    "flat, rollouts, value and prior": _FLAT + "&rollout={policy}&value={policy}&prior={policy}",
    "ismcts": "search:ismcts?sims={sims}",
    "ismcts, prior": "search:ismcts?sims={sims}&prior={policy}",
    "ismcts, prior and value": "search:ismcts?sims={sims}&rollout={policy}&value={policy}&prior={policy}",
}
"""What is compared: what the network does for the search, and the agent that does it."""


@dataclass(frozen=True)
class SearchPlan:
    """Measure how much stronger and slower a network makes the searches, as prior, rollout and value."""

    policy: Agent
    """the network: zoo:NAME, or the path of a saved policy; its rules are played"""
    rules: Rules
    contenders: tuple[str, ...] | None = None
    """some of those in tools/search_benchmark.py (default: all)"""
    worlds: Annotated[int, Meta(ge=2)] = 64
    """determinizations of flat Monte Carlo"""
    sims: Annotated[int, Meta(ge=2)] = 256
    """simulations of ismcts"""
    deals: Deals = 20_000
    """duplicate deals of a pair in which no agent searches"""
    search_deals: Deals = 500
    """duplicate deals of a pair in which an agent searches"""
    positions: Count = 100
    """decisions that are timed"""
    seed: Seed = 0
    """seed of the deals and of the agents"""


def contenders(plan: SearchPlan) -> tuple[str, ...]:
    """Names of all contenders, the network first."""
    chosen = CONTENDERS if plan.contenders is None else plan.contenders
    return (NETWORK, *(name for name in chosen if name != NETWORK))


def spec_of(plan: SearchPlan, name: str) -> str:
    """The agent of a contender."""
    return CONTENDERS[name].format(policy=plan.policy, worlds=plan.worlds, sims=plan.sims)


def tournament(plan: SearchPlan) -> Plan:
    """The tournament of a plan; its agents are the contenders, then the reference.

    Raises:
        ValueError: there is no such contender or agent, or it does not play by the rules.
    """
    for name in contenders(plan):
        if name not in CONTENDERS:
            meant = did_you_mean(name, CONTENDERS)
            raise ValueError(f"contender {name!r} is not allowed{meant}: there are {', '.join(map(repr, CONTENDERS))}")
    specs = (*(spec_of(plan, name) for name in contenders(plan)), REFERENCE)
    for spec in specs:
        agents.load(spec, rules=plan.rules)
    last, lineups = len(specs) - 1, []
    for index in range(last):
        lineups += [against(index, other, plan.rules.players) for other in (last, 0) if other != index]
    slow = [any(is_slow(specs[index]) for index in lineup) for lineup in lineups]
    deals = tuple(plan.search_deals if each else max(plan.deals, plan.search_deals) for each in slow)
    return Plan(specs, plan.rules, tuple(lineups), deals, plan.seed, tables="against")


def prepare(plan: SearchPlan, folder: Path | None = None) -> None:
    """Check everything before hours of work.

    Raises:
        ValueError: an argument is not allowed, or the folder holds something else.
    """
    if agents.load(plan.policy).card is None:
        raise ValueError(f"--policy {plan.policy!r} is not allowed: it is no saved policy")
    open_job(tournament(plan), folder)


def measure(plan: SearchPlan, workers: int = 0, folder: Path | None = None) -> dict[str, Any]:
    """Measure all contenders; what ``--json`` writes, see above.

    Raises:
        ValueError: as :func:`prepare`.
        Interrupted: after Ctrl-C.
    """
    played = tournament(plan)
    job = open_job(played, folder)
    results = play(played, workers, job, f"{len(contenders(plan))} contenders")
    return _report(plan, gather(played, results), _clock(plan))


def _report(plan: SearchPlan, games: list[LineupGames], clocked: Mapping[str, Mapping[str, float]]) -> dict[str, Any]:
    names, shared = contenders(plan), plan.rules.players == 2
    last = len(names)
    rows = [
        {
            "name": name,
            "agent": spec_of(plan, name),
            "against": {
                REFERENCE: _cell(compare(games, index, last, shared)),
                NETWORK: _cell(compare(games, index, 0, shared) if index else None),
            },
            "gain": _gain(games, index, last) if index else None,
            "ms": clocked[name],
        }
        for index, name in enumerate(names)
    ]
    values = {name: value for name, value in asdict(plan).items() if name != "contenders"}
    rules = plan.rules
    played = {"rules": rules.to_dict(), "players": rules.players, "par": 1 / rules.players}
    return {**code_version(), **values, **played, "digest": player_digest(plan.policy), "contenders": rows}


def _cell(cell: Cell | None) -> dict[str, Any] | None:
    return None if cell is None else {**cell.to_dict("win_rate"), "deals": cell.n}


def _gain(games: list[LineupGames], contender: int, reference: int) -> dict[str, Any]:
    """How much more a contender wins against the reference than the network does on the same deals."""
    scores = {}
    for agent in (contender, 0):
        played = next(each for each in games if each.lineup == against(agent, reference, len(each.lineup)))
        scores[agent] = played.shares(agent).mean(axis=1)
    number = min(map(len, scores.values()))
    gain = Estimate.of(scores[contender][:number] - scores[0][:number])
    return {**gain.to_dict(), "deals": gain.n}


def _clock(plan: SearchPlan) -> dict[str, dict[str, float]]:
    """Milliseconds that each contender takes where it has a choice."""
    rows, masks = _positions(plan)
    times = {}
    for name in contenders(plan):
        agent = agents.load(spec_of(plan, name), seed=plan.seed, rules=plan.rules)
        agent.act(rows[0], masks[0])  # whatever is to be compiled or loaded
        milliseconds = []
        for row, mask in zip(rows, masks, strict=True):
            began = time.perf_counter()
            agent.act(row, mask)
            milliseconds.append(1000 * (time.perf_counter() - began))
        median, high = np.quantile(milliseconds, (0.5, 0.95))
        times[name] = {"median": float(median), "p95": float(high), "decisions": len(milliseconds)}
    return times


def _positions(plan: SearchPlan) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Observations and masks of players who have a choice, each from another game between networks."""
    number = plan.positions
    batch = BatchedGames(4 * number, plan.rules, seed=plan.seed, obs_dtype="uint8")
    player = agents.load(plan.policy, seed=plan.seed, rules=plan.rules)
    rows, masks, _ = batch.reset()
    rng = np.random.default_rng(plan.seed)
    moves = rng.integers(OPENING, size=len(rows))
    taken = np.zeros_like(rows), np.zeros_like(masks)
    for step in range(OPENING):
        now = moves == step
        taken[0][now], taken[1][now] = rows[now], masks[now]
        rows, masks, *_ = batch.step(player.act_batch(rows, masks))
    choice = np.flatnonzero(np.count_nonzero(taken[1], axis=1) > 1)[:number]
    return taken[0][choice], taken[1][choice]


def show(measured: Mapping[str, Any]) -> None:
    """Print what was measured as a table."""
    table(measured).show()


def table(measured: Mapping[str, Any]) -> MarkdownTable:
    """What was measured: win rates and gains in per cent, milliseconds a decision (median, 95th percentile)."""
    title = (
        f"{measured['policy']}: {measured['worlds']} worlds, {measured['sims']} simulations; par {measured['par']:.0%}"
    )
    rows = [
        [
            each["name"],
            _text(each["against"][REFERENCE], "win_rate"),
            _text(each["gain"], "mean", "+"),
            _text(each["against"][NETWORK], "win_rate"),
            f"{each['against'][REFERENCE]['deals']:,}",
            f"{each['ms']['median']:.1f}, {each['ms']['p95']:.1f}",
        ]
        for each in measured["contenders"]
    ]
    return MarkdownTable(title, ("contender", f"v {REFERENCE}", "gain", f"v {NETWORK}", "deals", "ms, 95 %"), rows)


def _text(cell: Mapping[str, float] | None, field: str, sign: str = "") -> str:
    return "" if cell is None else Estimate.from_dict(cell, field).text(sign=sign)


@dataclass(frozen=True, kw_only=True)
class Search(Measuring):
    """``python -m tools.search_benchmark``."""

    plan: SearchPlan
    workers: Workers = 0
    """processes, 0: one for each core; win rates do not depend on them"""
    save: Folder | None = None
    """save the results in this folder, and resume from it"""

    def run(self) -> Mapping[str, Any]:
        with user_input():
            prepare(self.plan, self.save)
        measured = measure(self.plan, self.workers, self.save)
        show(measured)
        return {"search": measured}


PROGRAM = Program(
    "python -m tools.search_benchmark", "How much a network helps the searches.", "tools.search_benchmark:Search"
)

if __name__ == "__main__":
    sys.exit(PROGRAM.main())
