"""What a network is worth to a search, and a search to a network: ``uno benchmark search --policy zoo:duel-2p``.

Every contender plays duplicate deals against ``tuned`` and against the network alone. The deals are the same for all,
so how much more a contender wins against ``tuned`` than the network does (its *gain*) has a narrower interval than the
two win rates. Then each decides in the same positions of games between networks, one at a time, by the clock.

With a folder, what is played is kept, and the same command goes on where it stopped. ``--json`` writes ``{"command",
"versions", "search": {"policy", "rules", "players", "worlds", "seed", "deals", "search_deals", "contenders": [{"name",
"agent", "against": {"tuned": {"win_rate", "low", "high", "deals"}, "network": …}, "gain": {"mean", "low", "high",
"deals"}, "ms": {"median", "p95", "decisions"}}, …]}}``; what was not played is null.
"""

import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

import agents
from train.common.processes import cores
from train.common.progress import progress_bar
from train.evaluation.crosstable import Estimate, LineupGames, compare
from train.evaluation.duplicate import Z_95, mean_and_error
from train.evaluation.lineups import against
from train.evaluation.tournament import Plan, Results, Store, is_slow, play
from train.evaluation.tournament_report import gather, percent
from uno_env.batched import BatchedGames
from uno_env.rules import Rules

DEALS, SEARCH_DEALS = 20_000, 500
REFERENCE, NETWORK = "tuned", "network"
OPENING = 12
"""Steps of games that are played before positions are taken."""

CONTENDERS: Mapping[str, str] = {
    NETWORK: "{policy}",
    "flat": "search:flat?worlds={worlds}",
    "flat, prior": "search:flat?worlds={worlds}&prior={policy}",
    "flat, rollouts": "search:flat?worlds={worlds}&rollout={policy}",
    "flat, value": "search:flat?worlds={worlds}&value={policy}",
    "flat, rollouts and value at once": "search:flat?worlds={worlds}&rollout={policy}&value={policy}&depth=0",
    "flat, rollouts and value": "search:flat?worlds={worlds}&rollout={policy}&value={policy}",
    "flat, rollouts, value and prior": "search:flat?worlds={worlds}&rollout={policy}&value={policy}&prior={policy}",
    "ismcts": "search:ismcts?sims={sims}",
    "ismcts, prior": "search:ismcts?sims={sims}&prior={policy}",
    "ismcts, prior and value": "search:ismcts?sims={sims}&rollout={policy}&value={policy}&prior={policy}",
}
"""What is compared: what the network does for the search, and the agent that does it."""


@dataclass(frozen=True)
class Comparison:
    """What is to be measured."""

    policy: str
    """The network: what :func:`agents.load` takes."""
    rules: Rules
    worlds: int = 64
    """Worlds of a flat search."""
    sims: int = 256
    """Descents of a tree search."""
    deals: int = DEALS
    """Duplicate deals of a pair in which none searches."""
    search_deals: int = SEARCH_DEALS
    """The same where one does."""
    positions: int = 100
    """Decisions that are timed."""
    seed: int = 0
    names: tuple[str, ...] = tuple(CONTENDERS)
    """Who is measured, beside the network itself."""

    def spec(self, name: str) -> str:
        """The agent of a contender."""
        return CONTENDERS[name].format(policy=self.policy, worlds=self.worlds, sims=self.sims)

    @property
    def contenders(self) -> tuple[str, ...]:
        """Names of all, the network first."""
        return (NETWORK, *(name for name in self.names if name != NETWORK))

    def plan(self) -> Plan:
        """Who plays whom; agents are the contenders, then the reference.

        Raises:
            ValueError: there is no such contender or agent, or it does not play by the rules.
        """
        for name in self.names:
            if name not in CONTENDERS:
                raise ValueError(f"contender {name!r} is not allowed: there are {', '.join(map(repr, CONTENDERS))}")
        specs = (*map(self.spec, self.contenders), REFERENCE)
        for spec in specs:
            agents.load(spec, rules=self.rules)
        last, lineups = len(specs) - 1, []
        for place in range(last):
            lineups += [against(place, other, self.rules.players) for other in (last, 0) if other != place]
        slow = [any(is_slow(specs[place]) for place in lineup) for lineup in lineups]
        deals = tuple(self.search_deals if each else max(self.deals, self.search_deals) for each in slow)
        return Plan(specs, self.rules, tuple(lineups), deals, self.seed, tables="against")


def prepare(comparison: Comparison, folder: Path | None = None) -> None:
    """Check everything before hours of work.

    Raises:
        ValueError: an argument is not allowed, or the folder holds something else.
    """
    plan = comparison.plan()
    if folder is not None:
        Store(folder).open(plan)


def measure(comparison: Comparison, workers: int = 1, folder: Path | None = None) -> dict[str, Any]:
    """Measure all contenders; what ``--json`` writes, see above.

    Raises:
        ValueError: as :func:`prepare`.
        KeyboardInterrupt: with a sentence that says how to go on.
    """
    prepare(comparison, folder)
    plan, results = comparison.plan(), Results()
    store = None if folder is None else Store(folder)
    try:
        with progress_bar(f"{len(comparison.contenders)} contenders", plan.games) as progress:
            for chunk, result in play(plan, workers or cores(), store, progress):
                results[chunk] = result
        clocked = _clock(comparison)
    except KeyboardInterrupt:
        kept = "nothing is kept without --save FOLDER" if store is None else "the same command goes on"
        raise KeyboardInterrupt(f"Interrupted; {kept}.") from None
    return _report(comparison, plan, gather(plan, results), clocked)


def _report(
    comparison: Comparison, plan: Plan, games: list[LineupGames], clocked: Mapping[str, Mapping[str, float]]
) -> dict[str, Any]:
    last, shared = len(plan.agents) - 1, plan.rules.players == 2
    told = {name: value for name, value in asdict(comparison).items() if name not in ("names", "rules")}
    contenders = [
        {
            "name": name,
            "agent": comparison.spec(name),
            "against": {
                REFERENCE: _cell(compare(games, place, last, shared)),
                NETWORK: _cell(compare(games, place, 0, shared) if place else None),
            },
            "gain": _gain(games, place, last) if place else None,
            "ms": clocked[name],
        }
        for place, name in enumerate(comparison.contenders)
    ]
    rules = plan.rules
    return {**told, "rules": rules.to_dict(), "players": rules.players, "par": 1 / rules.players,
            "contenders": contenders}  # fmt: skip


def _cell(estimate: Estimate | None) -> dict[str, Any] | None:
    if estimate is None:
        return None
    return {"win_rate": estimate.value, "low": estimate.low, "high": estimate.high, "deals": estimate.deals}


def _gain(games: list[LineupGames], place: int, reference: int) -> dict[str, Any]:
    """How much more a contender wins against the reference than the network does on the same deals."""
    scores = {}
    for agent in (place, 0):
        played = next(each for each in games if each.lineup == against(agent, reference, len(each.lineup)))
        scores[agent] = played.shares(agent).mean(axis=1)
    number = min(map(len, scores.values()))
    mean, error = mean_and_error(scores[place][:number] - scores[0][:number])
    return {"mean": mean, "low": mean - Z_95 * error, "high": mean + Z_95 * error, "deals": number}


def _clock(comparison: Comparison) -> dict[str, dict[str, float]]:
    """Milliseconds that each contender takes where it has a choice."""
    rows, masks = _positions(comparison)
    times = {}
    for name in comparison.contenders:
        agent = agents.load(comparison.spec(name), seed=comparison.seed, rules=comparison.rules)
        agent.act(rows[0], masks[0])  # whatever is to be compiled or loaded
        taken = []
        for row, mask in zip(rows, masks, strict=True):
            began = time.perf_counter()
            agent.act(row, mask)
            taken.append(1000 * (time.perf_counter() - began))
        median, high = np.quantile(taken, (0.5, 0.95))
        times[name] = {"median": float(median), "p95": float(high), "decisions": len(taken)}
    return times


def _positions(comparison: Comparison) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Observations and masks of players who have a choice, each from another game between networks."""
    number = comparison.positions
    batch = BatchedGames(4 * number, comparison.rules, seed=comparison.seed, obs_dtype="uint8")
    player = agents.load(comparison.policy, seed=comparison.seed, rules=comparison.rules)
    rows, masks, _ = batch.reset()
    chance = np.random.default_rng(comparison.seed)
    moves = chance.integers(OPENING, size=len(rows))
    kept = np.zeros_like(rows), np.zeros_like(masks)
    for step in range(OPENING):
        now = moves == step
        kept[0][now], kept[1][now] = rows[now], masks[now]
        rows, masks, *_ = batch.step(player.act_batch(rows, masks))
    choice = np.flatnonzero(np.count_nonzero(kept[1], axis=1) > 1)[:number]
    return kept[0][choice], kept[1][choice]


def show(measured: Mapping[str, Any]) -> None:
    """Print what was measured as a table."""
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    title = f"{measured['policy']}: {measured['worlds']} worlds, {measured['sims']} descents; par {measured['par']:.0%}"
    table = Table(box=box.SIMPLE_HEAD, title=Text(title))
    table.add_column("contender", min_width=14)
    for heading in (f"v {REFERENCE}", "gain", f"v {NETWORK}", "deals", "ms, 95 %"):
        table.add_column(heading, justify="right", no_wrap=True)
    for each in measured["contenders"]:
        cells = [_text(each["against"][REFERENCE], "win_rate"), _text(each["gain"], "mean", "+"),
                 _text(each["against"][NETWORK], "win_rate")]  # fmt: skip
        times = f"{each['ms']['median']:.1f}, {each['ms']['p95']:.1f}"
        table.add_row(Text(each["name"]), *cells, f"{each['against'][REFERENCE]['deals']:,}", times)
    Console(highlight=False).print(table)


def _text(cell: Mapping[str, float] | None, field: str, sign: str = "") -> str:
    if cell is None:
        return ""
    text = percent(cell[field], cell["low"], cell["high"])
    return f"{sign if cell[field] >= 0 else ''}{text}"
