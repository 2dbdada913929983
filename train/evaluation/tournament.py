"""Who is how strong: duplicate deals among any number of agents, over processes, kept on disk as they are played.

A tournament is a list of line-ups (:mod:`train.evaluation.lineups`), and a number of deals for each. Each deal is
played from every rotation of the line-up; at tables of three or more, the order of who sits next to whom is drawn anew
for each deal. Deal number d is the same start of chance for every line-up, so what is compared is compared on the same
cards.

It is played in *chunks*: some deals of one line-up, with chance of their own. Chunks are what worker processes share,
and what is kept on disk when it is saved; so neither the number of workers nor stopping and going on changes a result.
The chunks of all line-ups advance evenly.

With ``--json FILE``, ``uno tournament`` writes ``{"command", "versions", "tournament": …}``, where the last is what
:func:`report` returns:

====================== =================================================================================================
field                  content
====================== =================================================================================================
``rules``, ``players`` the rules, and the number of seats
``tables``             ``mixed`` or ``against``, see :mod:`train.evaluation.lineups`
``seed``, ``deals``    the seed; deals of each line-up (the most of one)
``lineups``            ``[{"agents": [name, …], "deals": …}, …]``, an agent for each seat
``agents``             in the order given: ``[{"name", "games", "win_rate", "low", "high", "rating", "decisions",
                       "decisions_per_second"}, …]``; ``win_rate`` is a seat's share of wins over all its tables, with
                       ``par`` 1 / players; ``rating`` is ``{"bradley_terry": {"elo", "low", "high"}, "openskill":
                       {"mu", "low", "high", "sigma"}}``, see :mod:`train.evaluation.ratings`; ``decisions_per_second``
                       counts the seconds of the processor, so it is that of one core
``ranking``            names by falling Bradley–Terry rating
``anchor``             whose Bradley–Terry rating is 0; null: the mean of all is
``cross``              ``{"par", "win_rate", "low", "high", "standard_error", "deals", "variance_reduction"}``: ``par``
                       and matrices as lists of rows, row i for agent i against agent j in column j, null where they did
                       not meet; see :mod:`train.evaluation.crosstable` for what a cell is
``variance_reduction`` ``{"median", "low", "high"}`` of the cells: how many times as many games it takes on independent
                       deals to get the same interval; null where nothing varied
``sprt``               null, or what :meth:`train.evaluation.sprt.Sprt.to_dict` gives
``games``              games played; ``truncated`` is the share that nobody won
``decisions``, ``seconds``  of all games; ``seconds`` are those of all workers together
``complete``           whether all deals asked for were played
====================== =================================================================================================

Shares are between 0 and 1; ``low`` and ``high`` bound 95 % intervals over deals.
"""

import hashlib
import io
import json
import time
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from train.common.processes import map_unordered
from train.evaluation.duplicate import AGENT_STREAM, Array, deal_starts, derived_seed, play_deals, rotated
from train.evaluation.lineups import Lineup
from uno_env.common.files import replace_file, write_json
from uno_env.player import Player
from uno_env.rules import Rules

CHUNK, SLOW_CHUNK = 4_000, 16
"""Deals of a chunk: enough to keep a batch full, and few where an agent thinks long over each decision."""

SLOW_KINDS = ("search", "cheat")
"""Kinds of agents, as in ``kind:argument``, that think long."""

_ORDER_STREAM = 2**63 + 2
_FORMAT = 1
_SOURCES = (".py", ".json", ".yaml", ".safetensors")


@dataclass(frozen=True)
class Plan:
    """What is to be played."""

    agents: tuple[str, ...]
    """Specs that :func:`agents.load` takes, each once."""
    rules: Rules
    lineups: tuple[Lineup, ...]
    deals: tuple[int, ...]
    """Deals of each line-up."""
    seed: int = 0
    chunk: int = CHUNK
    """Deals of a chunk without slow agents."""
    tables: str = "mixed"
    """How the line-ups were made, for reports."""

    def __post_init__(self) -> None:
        twice = [agent for place, agent in enumerate(self.agents) if agent in self.agents[:place]]
        if twice:
            raise ValueError(f"agent {twice[0]!r} is named twice: name each once")
        if min(self.deals) < 2:
            raise ValueError(f"{min(self.deals)} deals have no interval: play 2 or more")

    @property
    def games(self) -> int:
        """Number of games."""
        return sum(self.deals) * self.rules.players

    def chunks(self) -> list["Chunk"]:
        """All chunks, in such an order that the line-ups advance evenly."""
        chunks = []
        for number, (lineup, deals) in enumerate(zip(self.lineups, self.deals, strict=True)):
            size = SLOW_CHUNK if any(is_slow(self.agents[place]) for place in lineup) else self.chunk
            for first in range(0, deals, size):
                chunks.append((first / deals, Chunk(number, first, min(size, deals - first))))
        return [chunk for _, chunk in sorted(chunks, key=lambda item: (item[0], item[1].lineup))]


@dataclass(frozen=True)
class Chunk:
    """Some deals of a line-up."""

    lineup: int
    first: int
    deals: int


@dataclass(frozen=True)
class ChunkResult:
    """What became of a chunk's games."""

    winner: npt.NDArray[np.int16]
    """int16 [deals, players]: place among the agents of the winner of each rotation, −1 if nobody won."""
    length: int
    """Decisions of all games."""
    asked: npt.NDArray[np.int64]
    """int64 [agents]: decisions of each agent."""
    thought: npt.NDArray[np.float64]
    """float64 [agents]: seconds of the processor that each took for them."""
    seconds: float
    """Seconds of the whole chunk."""


def is_slow(spec: str) -> bool:
    """Whether the agent of a spec thinks long over each decision."""
    return spec.partition(":")[0] in SLOW_KINDS


@dataclass(frozen=True)
class ChunkPlayer:
    """Plays chunks of a plan."""

    plan: Plan

    def __call__(self, chunk: Chunk) -> ChunkResult:
        """Play a chunk; the result but for the clock depends on the plan and the chunk alone."""
        plan, began = self.plan, time.perf_counter()
        lineup = plan.lineups[chunk.lineup]
        chance = derived_seed(plan.seed, AGENT_STREAM, chunk.lineup, chunk.first)
        distinct = sorted(set(lineup))
        clocked = [
            _Clocked(_load(plan.agents[place], derived_seed(chance, place), plan.rules, lineup)) for place in distinct
        ]
        starts = deal_starts(chunk.deals, plan.seed, chunk.first)
        seating = rotated(_orders(np.searchsorted(distinct, lineup), chunk.deals, derived_seed(chance, _ORDER_STREAM)))
        played = play_deals(seating, clocked, np.repeat(starts, plan.rules.players), plan.rules)
        seats = np.maximum(played.winner, 0)
        winner = np.asarray(distinct)[seating[np.arange(len(seating)), seats]]
        asked, thought = np.zeros(len(plan.agents), np.int64), np.zeros(len(plan.agents))
        for place, agent in zip(distinct, clocked, strict=True):
            asked[place], thought[place] = agent.decisions, agent.seconds
        return ChunkResult(
            winner=np.where(played.winner < 0, -1, winner).astype(np.int16).reshape(chunk.deals, -1),
            length=int(played.length.sum()),
            asked=asked,
            thought=thought,
            seconds=time.perf_counter() - began,
        )


class _Clocked(Player):
    """An agent whose decisions and seconds are counted."""

    def __init__(self, agent: Player) -> None:
        self.name, self.history, self.sees_all_hands = agent.name, agent.history, agent.sees_all_hands
        self.decisions, self.seconds = 0, 0.0
        self.act_batch = self._timed(agent.act_batch)  # type: ignore[method-assign]
        self.act_on_games = self._timed(agent.act_on_games)  # type: ignore[method-assign]

    def _timed(self, act: Callable[..., Array]) -> Callable[..., Array]:
        def timed(observations: Array, *others: Array) -> Array:
            began = time.process_time()
            actions = act(observations, *others)
            self.seconds += time.process_time() - began
            self.decisions += len(observations)
            return actions

        return timed


def _load(spec: str, seed: int, rules: Rules, lineup: Lineup) -> Player:
    import agents

    return agents.load(spec, seed=seed, rules=rules)


def _orders(lineup: Array, deals: int, seed: int) -> Array:
    """Who sits next to whom in each deal, integers [deals, players]; drawn where it matters."""
    lineups = np.tile(lineup, (deals, 1))
    if np.bincount(lineup).max() >= len(lineup) - 1:
        return lineups  # rotations bring all orders there are
    return np.random.default_rng(seed).permuted(lineups, axis=1)


Results = dict[Chunk, ChunkResult]


def play(
    plan: Plan,
    workers: int = 1,
    store: "Store | None" = None,
    progress: Callable[[int], object] | None = None,
    stop: Callable[[Chunk, ChunkResult], bool] | None = None,
) -> Iterator[tuple[Chunk, ChunkResult]]:
    """Play a plan's chunks, but for those that are kept already; each with its result as it is done, kept ones first.

    Args:
        plan: what to play.
        workers: processes that share the chunks.
        store: where chunks are kept.
        progress: called with the number of games done.
        stop: asked after each chunk whether that is enough.

    Raises:
        ValueError: an agent cannot be loaded, or chose an action that is not legal.
    """
    chunks = plan.chunks()
    kept = {} if store is None else store.load(plan, chunks)
    left = [chunk for chunk in chunks if chunk not in kept]
    if left:
        warm_up(plan)
    games = 0
    for done in (kept.items(), map_unordered(ChunkPlayer(plan), left, workers)):
        for chunk, result in done:
            if store is not None and chunk not in kept:
                store.save(chunk, result)
            games += result.winner.size
            if progress is not None:
                progress(games)
            yield chunk, result
            if stop is not None and stop(chunk, result):
                return


def warm_up(plan: Plan) -> None:
    """Let every agent play a deal, so that all is compiled, here, before other processes look for it on disk."""
    seen: set[int] = set()
    for number, lineup in enumerate(plan.lineups):
        if not seen.issuperset(lineup):
            ChunkPlayer(plan)(Chunk(number, 0, 1))
            seen.update(lineup)


# --- what is kept on disk ---------------------------------------------------------------------------------------------


class Store:
    """A folder that keeps the finished chunks of one tournament, and what it is.

    ``tournament.json`` says what is played: agents (with a digest of each policy's file), rules, seed, a digest of the
    code. ``chunks/`` has a file for each chunk, written whole or not at all.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._chunks = folder / "chunks"

    def open(self, plan: Plan, options: Mapping[str, Any] | None = None) -> None:
        """Begin to keep a tournament, or go on with it; only the number of deals may change.

        Args:
            plan: the tournament.
            options: more that is kept with it.

        Raises:
            ValueError: the folder holds another tournament, or something else.
        """
        identity = identify(plan)
        path = self.folder / "tournament.json"
        if path.exists():
            kept = self.read()
            for field, value in identity.items():
                if kept.get(field) != value:
                    raise ValueError(f"{str(self.folder)!r} cannot be gone on with: {_differs(field, kept, value)}")
        elif self.folder.exists() and any(self.folder.iterdir()):
            raise ValueError(f"{str(self.folder)!r} is a folder of something else: name a new one")
        self._chunks.mkdir(parents=True, exist_ok=True)
        write_json(path, {**identity, "deals": list(plan.deals), **(options or {})})

    def read(self) -> dict[str, Any]:
        """What is kept there.

        Raises:
            ValueError: no tournament is.
        """
        try:
            kept = json.loads((self.folder / "tournament.json").read_text(encoding="utf-8"))
            if kept["format"] != _FORMAT:
                raise ValueError(f"its format is {kept['format']!r}, not {_FORMAT}")
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise ValueError(f"{str(self.folder)!r} holds no tournament to go on with: {error}") from None
        return dict(kept)

    def load(self, plan: Plan, chunks: Sequence[Chunk]) -> Results:
        """Those chunks that are kept whole."""
        loaded = {chunk: self._load(plan, chunk) for chunk in chunks if self._path(chunk).exists()}
        return {chunk: result for chunk, result in loaded.items() if result is not None}

    def save(self, chunk: Chunk, result: ChunkResult) -> None:
        """Keep a chunk."""
        data = io.BytesIO()
        np.savez_compressed(data, **vars(result))
        replace_file(self._path(chunk), data.getvalue())

    def _path(self, chunk: Chunk) -> Path:
        return self._chunks / f"{chunk.lineup:04d}-{chunk.first:08d}-{chunk.deals}.npz"

    def _load(self, plan: Plan, chunk: Chunk) -> ChunkResult | None:
        """A kept chunk, or None if its file is damaged: it is then played again."""
        try:
            with self._path(chunk).open("rb") as raw, np.load(raw, allow_pickle=False) as file:
                result = ChunkResult(
                    file["winner"], int(file["length"]), file["asked"], file["thought"], float(file["seconds"])
                )
        except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
            return None
        whole = result.winner.shape == (chunk.deals, plan.rules.players) and len(result.asked) == len(plan.agents)
        return result if whole else None


def identify(plan: Plan) -> dict[str, Any]:
    """What makes a tournament the one it is, the number of deals aside; plain values for JSON."""
    return {
        "format": _FORMAT,
        "agents": list(plan.agents),
        "files": {spec: _file_digest(path) for spec in plan.agents if (path := Path(spec.partition("?")[0])).is_file()},
        "rules": plan.rules.to_dict(),
        "tables": plan.tables,
        "lineups": [list(lineup) for lineup in plan.lineups],
        "seed": plan.seed,
        "chunk": plan.chunk,
        "code": code_digest(),
    }


def code_digest() -> str:
    """A digest of the game's and the agents' sources and data, on which results depend."""
    import agents
    import uno_env

    digest = hashlib.sha256()
    for package in (uno_env, agents):
        folder = Path(str(package.__file__)).parent
        for path in sorted(path for path in folder.rglob("*") if path.suffix in _SOURCES and path.is_file()):
            digest.update(path.relative_to(folder).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def _file_digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16]


def _differs(field: str, kept: Mapping[str, Any], value: Any) -> str:
    before = kept.get(field)
    if field == "code":
        return "the code of the game or the agents has changed since"
    if field == "files":
        return "the file of a policy has changed since"
    if field == "rules" and isinstance(before, dict):
        names = [name for name in value if before.get(name) != value[name]]
        return "its rules have " + ", ".join(
            f"{name}={before.get(name)!r} instead of {value[name]!r}" for name in names
        )
    return f"its {field} are {before!r}, not {value!r}"
