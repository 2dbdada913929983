"""The strength of an agent: duplicate deals, every seat in turn, intervals over deals.

Each *deal* (one seed: the same dealer, deck order and later draws) is played once from each seat: the agent sits at
seat r for r in 0 … players − 1, the opponent at all others. What the cards alone decide then weighs the same for both,
and the mean of a deal's games is one measurement. So the 95 % interval is computed over deals.

A game scores 1 if the agent goes out first, 0 if another does, and 1 / players if the hand is truncated: an agent
against itself then scores exactly the *par*, 1 / players. The share of truncated games is reported.

The result depends on the arguments alone. An agent that draws random numbers draws them in the order in which it is
asked, so another ``batch`` gives another sample of its strength.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from train.evaluation.estimate import Estimate
from train.evaluation.luck.adjusted import LuckAdjusted
from train.evaluation.luck.meter import LuckMeter
from uno_env.batched import BatchedGames
from uno_env.common.numbers import checked_seed, checked_whole
from uno_env.core.arrays import Array
from uno_env.core.record import WENT_OUT
from uno_env.core.rng import stream
from uno_env.history import Memory, histories_for
from uno_env.player import Player, PlayerLike, as_player, checked_choices
from uno_env.rules import Rules, as_rules

if TYPE_CHECKING:
    from train.evaluation.game_recorder import Recorder
    from train.evaluation.luck.values import ValueNetwork


BATCH = 1024
"""Games played side by side: enough for a network, few enough for the cache."""

_DEAL_STREAM = 2**63
AGENT_STREAM = 2**63 + 1
"""Index under which the seeds of agents are derived from a seed."""


@dataclass(frozen=True)
class Played:
    """Results of games, by their number; see :func:`play_deals`."""

    winner: Array
    """int32 [games]: the seat that went out, −1 if nobody did; the winner of the match, where matches are played."""
    points: Array
    """int32 [games, players]: points of the hand, or of the match, by seat."""
    length: Array
    """int32 [games]: decisions of all hands."""
    end: Array
    """int32 [games]: why the last hand ended, an index into :data:`uno_env.core.record.END_NAMES`."""
    starter: Array
    """int8 [games]: the seat that decided first."""
    hands: Array
    """int32 [games]: hands, 1 but for matches."""


@dataclass(frozen=True)
class Evaluation:
    """The result of an agent against an opponent. Shares are between 0 and 1."""

    agent: str
    opponent: str
    rules: dict[str, Any]
    players: int
    seed: int
    deals: int
    games: int
    """Deals × players: each deal is played once from each seat."""
    win_rate: float
    """Mean over deals of the agent's mean score."""
    standard_error: float
    """Standard deviation of the deals' scores (n − 1) by the root of their number."""
    low: float
    high: float
    """The 95 % interval of the win rate over deals, see :class:`train.evaluation.estimate.Estimate`."""
    par: float
    """1 / players: the win rate of an agent as strong as its opponent."""
    truncated: float
    """Share of games that nobody won."""
    starter_win_rate: float
    """Share of games won by the seat that decided first, whoever sat there."""
    mean_length: float
    """Decisions a hand, of all players."""
    decisions: int
    """Decisions of these games, of all players."""
    seconds: float
    decisions_per_second: float
    luck: LuckAdjusted | None = None
    """The result with luck taken out, if that was asked for."""
    trained_decisions: int | None = None
    """Decisions that the agent had been trained for, if it was measured in the course of a training."""

    @property
    def estimate(self) -> Estimate:
        """The win rate with its interval."""
        return Estimate(self.win_rate, self.standard_error, self.deals, self.low, self.high)

    @property
    def without_luck(self) -> Estimate:
        """The same with luck taken out, if that was asked for."""
        return self.estimate if self.luck is None else replace(self.luck.estimate, n=self.deals)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> "Evaluation":
        """The inverse of :meth:`to_dict`."""
        luck = values.get("luck")
        return cls(**{**values, "luck": luck and LuckAdjusted(**luck)})

    def to_dict(self) -> dict[str, Any]:
        """All fields as plain values for JSON."""
        return asdict(self)


def evaluate(
    agent: str | PlayerLike,
    opponent: str | PlayerLike,
    rules: Rules | str = "duel",
    deals: int = 10_000,
    seed: int = 0,
    batch: int = BATCH,
    threads: int = 1,
    progress: Callable[[int], object] | None = None,
    recorder: "Recorder | None" = None,
    luck: "ValueNetwork | None" = None,
) -> Evaluation:
    """Measure ``agent`` against a table of ``opponent``.

    Args:
        agent: what :func:`agents.load` takes, a loaded agent (which keeps its random generator), or what
            :func:`uno_env.player.as_player` takes: a function of an observation and a mask is enough. A model of SB3
            becomes one by :class:`uno_env.sb3.ModelPlayer`.
        opponent: likewise; it plays every other seat.
        rules: rules of the games, or a preset's name.
        deals: number of deals, 2 or more; each is played ``rules.players`` times.
        seed: seed of the deals and of agents given by name. The deals are none that
            ``BatchedGames(seed=…)`` deals, so a policy is not measured on the hands it was trained on.
        batch: games played side by side.
        threads: threads that share the stepping of the games.
        progress: called now and then with the number of finished games.
        recorder: records the first games that are played.
        luck: the value function by which luck is taken out of the result, too.

    Raises:
        ValueError: an argument is not allowed, or there is no such agent.
        PlayerError: an agent failed, or chose an action that is not legal.
    """
    rules = as_rules(rules)
    checked_whole("deals", deals, 2)
    checked_seed(seed)
    pair = [_seated(agent, 0, seed, rules), _seated(opponent, 1, seed, rules)]
    starts, seating = duplicate_deals(1, rules.players, 0)
    tried = [as_player(lambda _, mask: int(mask.argmax())) if each.is_remote else each for each in pair]
    play_deals(seating, tried, starts, rules)  # everything is compiled or loaded before the clock starts
    began = time.perf_counter()
    starts, seating = duplicate_deals(deals, rules.players, seed)
    watches: list[Callable[[Array, Array, BatchedGames], object]] = []
    if recorder is not None:
        watches.append(recorder.begin(seating, pair, (_label(agent), _label(opponent)), starts, rules))
    meter = None if luck is None else LuckMeter(luck, rules, len(seating))
    if meter is not None:
        watches.append(meter.watch)
    watch = (lambda *step: [each(*step) for each in watches]) if watches else None
    played = play_deals(seating, pair, starts, rules, batch, threads, progress, watch)
    seconds = time.perf_counter() - began
    scores = agent_scores(played, seating).reshape(deals, rules.players)
    rate = Estimate.of(scores.mean(axis=1)).share()
    return Evaluation(
        agent=_label(agent),
        opponent=_label(opponent),
        rules=rules.to_dict(),
        players=rules.players,
        seed=seed,
        deals=deals,
        games=len(seating),
        win_rate=rate.mean,
        standard_error=rate.error,
        low=rate.low,
        high=rate.high,
        par=1 / rules.players,
        truncated=float((played.end != WENT_OUT).mean()),
        starter_win_rate=float((played.winner == played.starter).mean()),
        mean_length=float(played.length.mean()),
        decisions=int(played.length.sum()),
        seconds=seconds,
        decisions_per_second=float(played.length.sum() / seconds),
        luck=None if luck is None or meter is None else LuckAdjusted.of(luck.name, scores, meter.luck[seating == 0]),
    )


def duplicate_deals(deals: int, players: int, seed: int) -> tuple[Array, Array]:
    """Seeds uint64 [deals × players] and seating int8 [deals × players, players] of duplicate deals.

    Game ``deal * players + r`` plays that deal with agent 0 at seat r and agent 1 elsewhere.
    """
    lineups = np.ones((deals, players), np.int8)
    lineups[:, 0] = 0
    return np.repeat(deal_starts(deals, seed), players), rotated(lineups)


def deal_starts(deals: int, seed: int, first: int = 0) -> npt.NDArray[np.uint64]:
    """The seed of each of the deals ``first``, ``first + 1`` … of a seed, uint64 [deals]."""
    deal_seed = derived_seed(seed, _DEAL_STREAM)
    return np.array([derived_seed(deal_seed, deal) for deal in range(first, first + deals)], np.uint64)


def rotated(lineups: Array) -> npt.NDArray[np.int8]:
    """Every rotation of each line-up: int8 [deals × players, players] of integers [deals, players].

    Row ``deal * players + r`` seats the line-up's first agent at seat r, the second at r + 1, and so on.
    """
    players = lineups.shape[1]
    agents = (np.arange(players)[None, :] - np.arange(players)[:, None]) % players
    return lineups[:, agents].reshape(-1, players).astype(np.int8)


def play_deals(
    seating: Array,
    agents: Sequence[PlayerLike],
    starts: Array,
    rules: Rules,
    batch: int = BATCH,
    threads: int = 1,
    progress: Callable[[int], object] | None = None,
    watch: Callable[[Array, Array, BatchedGames], object] | None = None,
    match: bool = False,
) -> Played:
    """Play games to the end, ``batch`` of them side by side, any agents at any seats.

    Args:
        seating: integers [games, players], the index in ``agents`` of the one at each seat.
        starts: uint64 [games], the seed of each game.
        rules: the rules, with as many players as ``seating`` has columns.
        batch: games side by side; a finished one makes room for the next.
        threads: threads that share the stepping.
        progress: called now and then with the number of finished games.
        watch: called before each step with the game in each slot (−1: none), the action that is done in it, and the
            batch.
        match: play hand after hand until the match is won, instead of one hand.

    Raises:
        ValueError: the arguments do not fit each other.
        PlayerError: an agent failed, or chose an action that is not legal.
    """
    games = _check_table(seating, agents, starts, rules)
    checked_whole("batch", batch, 1)
    slots = min(batch, games)
    players = [as_player(agent) for agent in agents]
    history = max(player.history for player in players)
    table = BatchedGames(slots, rules, threads=threads, obs_dtype="uint8", match=match, history=history)
    memory = Memory(players, slots, rules.players)
    table.reset()
    winner, length, end, hands = (np.zeros(games, np.int32) for _ in range(4))
    played = Played(winner, np.zeros((games, rules.players), np.int32), length, end, np.zeros(games, np.int8), hands)
    games_in = np.arange(slots)  # the game in each slot, -1 once there is none left to deal
    obs, mask, seat = table.deal(games_in, starts[:slots])
    played.starter[:slots] = seat
    dealt = slots
    while (games_in >= 0).any():
        actions = _choose(players, seating, games_in, obs, mask, seat, table, memory)
        if watch is not None:
            watch(games_in, actions, table)
        obs, mask, seat, _, done = table.step(actions)
        ended = np.flatnonzero(table.hand_done & (games_in >= 0))
        if not ended.size:
            continue
        memory.forget(ended)
        played.length[games_in[ended]] += table.length[ended]
        played.hands[games_in[ended]] += 1
        over = ended[done[ended] != 0]
        if not over.size:
            continue
        played.winner[games_in[over]] = table.winner[over]
        played.end[games_in[over]] = table.end[over]
        played.points[games_in[over]] = (table.scores if match else table.points)[over]
        fresh = np.arange(dealt, min(dealt + over.size, games))
        games_in[over] = -1
        if fresh.size:
            free = over[: fresh.size]
            games_in[free] = fresh
            obs, mask, seat = table.deal(free, starts[fresh])
            played.starter[fresh] = seat[free]
            dealt += fresh.size
        active = np.flatnonzero(games_in >= 0)
        if dealt == games and 0 < active.size <= len(games_in) // 2:
            table, (obs, mask, seat) = _moved(table, active, threads, match)
            games_in = games_in[active]
            memory.take(active)
        if progress is not None:
            progress(dealt - active.size)
    return played


def _moved(
    table: BatchedGames, slots: Array, threads: int, match: bool
) -> tuple[BatchedGames, tuple[Array, Array, Array]]:
    """A smaller batch with the games in ``slots``, and its view: the last hands do not pay for empty slots."""
    history = 0 if table.history is None else table.history.shape[1]
    threads = min(threads, len(slots))
    smaller = BatchedGames(len(slots), table.rules, threads=threads, obs_dtype="uint8", match=match, history=history)
    state = {name: values[slots] for name, values in table.get_state().items()}
    return smaller, smaller.set_state(state)


def agent_scores(played: Played, seating: Array, agent: int = 0) -> npt.NDArray[np.float64]:
    """Score of each game for ``agent``, which sits at one seat of each: 1 won, 0 lost, 1 / players if nobody won."""
    at = (seating == agent).argmax(axis=1)
    par = 1 / seating.shape[1]
    return np.where(played.winner < 0, par, (played.winner == at).astype(np.float64))


def _choose(
    agents: Sequence[Player],
    seating: Array,
    games_in: Array,
    obs: Array,
    mask: Array,
    seat: Array,
    table: BatchedGames,
    memory: Memory,
) -> Array:
    """The action of each slot: that of the agent to move, or any legal one where no game lies."""
    mover = np.where(games_in >= 0, seating[games_in, seat], -1)
    actions = np.zeros(len(games_in), np.int64)
    idle = np.flatnonzero(mover < 0)
    actions[idle] = mask[idle].argmax(axis=1)
    for number, agent in enumerate(agents):
        rows = np.flatnonzero(mover == number)
        if rows.size:
            if agent.sees_all_hands:
                chosen = agent.act_on_games(obs[rows], mask[rows], table.games[rows])
            else:
                histories = histories_for(agent, table.history, rows)
                chosen = memory.act(number, agent, obs[rows], mask[rows], (rows, seat[rows]), *histories)
            actions[rows] = checked_choices(agent.name, chosen, mask[rows])
    return actions


def _seated(agent: str | PlayerLike, index: int, seed: int, rules: Rules) -> Player:
    if not isinstance(agent, str):
        return as_player(agent)
    import agents

    return agents.load(agent, seed=derived_seed(seed, AGENT_STREAM, index), rules=rules)


def derived_seed(seed: int, *path: int) -> int:
    """Derive a seed from a seed by a path of indices; each path gives another one. Seeds are 0 to 2**64 − 1."""
    for index in path:
        seed = int(stream(np.uint64(seed), np.uint64(index)))
    return seed


def _label(agent: str | PlayerLike) -> str:
    return agent if isinstance(agent, str) else as_player(agent).name


def _check_table(seating: Array, agents: Sequence[PlayerLike], starts: Array, rules: Rules) -> int:
    if seating.ndim != 2 or seating.shape[1] != rules.players or len(seating) != len(starts) or not len(seating):
        raise ValueError(
            f"seating of shape {seating.shape} and {len(starts)} starts are no tables of {rules.players} players"
        )
    if seating.min() < 0 or seating.max() >= len(agents):
        raise ValueError(f"seating names agents {seating.min()} to {seating.max()}, and there are {len(agents)}")
    return len(seating)
