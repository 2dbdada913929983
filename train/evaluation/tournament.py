"""Tournaments: duplicate deals among any number of agents, shared by processes, saved as they are played.

A tournament is a list of line-ups (:mod:`train.evaluation.lineups`), and a number of deals for each. Each deal is
played from every rotation of the line-up; at tables of three or more, the order of who sits next to whom is drawn anew
for each deal. Deal number d has the same seed for every line-up, so what is compared is compared on the same cards.

It is played in *chunks*: some deals of one line-up, with a seed of their own. Chunks are what worker processes share,
and what is saved; so neither the number of workers nor stopping and going on changes a result.
"""

import hashlib
import io
import re
import time
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt

from agents.policy.policy_file import policy_path
from train.common.job import ResumableJob
from train.common.processes import Mapper, cores
from train.common.progress import progress_bar
from train.evaluation.duplicate import AGENT_STREAM, deal_starts, derived_seed, play_deals, rotated
from train.evaluation.lineups import Lineup
from train.evaluation.luck.meter import LuckMeter
from train.evaluation.luck.values import values_for
from uno_env.common.files import read_file
from uno_env.core.arrays import Array
from uno_env.player import Player
from uno_env.rules import Rules

CHUNK, SLOW_CHUNK = 4_000, 16
"""Deals of a chunk: enough to fill a batch, and few where an agent thinks long over each decision."""

SLOW_KINDS = ("search", "cheat", "chat")
"""Kinds of agents, as in ``kind:argument``, that think long."""

_ORDER_STREAM = 2**63 + 2
_SOURCES = (".py", ".json", ".yaml", ".safetensors")


@dataclass(frozen=True)
class Plan:
    """The plan of a tournament."""

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
    """The way that the line-ups were made, for reports."""
    luck: str = ""
    """The value function by which luck is taken out, by its name; empty: it stays in."""

    def __post_init__(self) -> None:
        twice = [agent for index, agent in enumerate(self.agents) if agent in self.agents[:index]]
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
            size = SLOW_CHUNK if any(is_slow(self.agents[index]) for index in lineup) else self.chunk
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
    """The results of a chunk of games."""

    winner: npt.NDArray[np.int16]
    """int16 [deals, players]: index among the agents of the winner of each rotation, −1 if nobody won."""
    length: int
    """Decisions of all games."""
    asked: npt.NDArray[np.int64]
    """int64 [agents]: decisions of each agent."""
    thought: npt.NDArray[np.float64]
    """float64 [agents]: seconds of the processor that each took for them."""
    seconds: float
    """Seconds of the whole chunk."""
    luck: npt.NDArray[np.float32]
    """float32 [deals, players, different agents]: luck of a seat of each agent; [deals, players, 0] without."""


Results = dict[Chunk, ChunkResult]


def is_slow(spec: str) -> bool:
    """True if the agent of a spec thinks long over each decision."""
    return spec.partition(":")[0] in SLOW_KINDS


@dataclass(frozen=True)
class ChunkPlayer:
    """Plays chunks of a plan."""

    plan: Plan

    def __call__(self, chunk: Chunk) -> ChunkResult:
        """Play a chunk. But for the time that it took, the result depends on the plan and the chunk alone."""
        import agents

        plan, began = self.plan, time.perf_counter()
        lineup = plan.lineups[chunk.lineup]
        seed = derived_seed(plan.seed, AGENT_STREAM, chunk.lineup, chunk.first)
        distinct = sorted(set(lineup))
        clocked = [
            _Clocked(agents.load(plan.agents[index], seed=derived_seed(seed, index), rules=plan.rules))
            for index in distinct
        ]
        starts = deal_starts(chunk.deals, plan.seed, chunk.first)
        seating = rotated(_orders(np.searchsorted(distinct, lineup), chunk.deals, derived_seed(seed, _ORDER_STREAM)))
        meter = LuckMeter(values_for(plan.rules), plan.rules, len(seating)) if plan.luck else None
        watch = None if meter is None else meter.watch
        played = play_deals(seating, clocked, np.repeat(starts, plan.rules.players), plan.rules, watch=watch)
        seats = np.maximum(played.winner, 0)
        winner = np.asarray(distinct)[seating[np.arange(len(seating)), seats]]
        asked, thought = np.zeros(len(plan.agents), np.int64), np.zeros(len(plan.agents))
        for index, agent in zip(distinct, clocked, strict=True):
            asked[index], thought[index] = agent.decisions, agent.seconds
        return ChunkResult(
            winner=np.where(played.winner < 0, -1, winner).astype(np.int16).reshape(chunk.deals, -1),
            length=int(played.length.sum()),
            asked=asked,
            thought=thought,
            seconds=time.perf_counter() - began,
            luck=_luck_by_agent(meter, seating, len(distinct)).reshape(chunk.deals, plan.rules.players, -1),
        )


def _luck_by_agent(meter: LuckMeter | None, seating: Array, agents: int) -> npt.NDArray[np.float32]:
    """The mean luck of each agent's seats, float32 [games × agents], or [0] without a meter."""
    if meter is None:
        return np.zeros(0, np.float32)
    means = [np.mean(meter.luck, axis=1, where=seating == agent) for agent in range(agents)]
    return np.stack(means, axis=1).astype(np.float32)


class _Clocked(Player):
    """An agent whose decisions and seconds are counted."""

    obs_dtype = "uint8"

    def __init__(self, agent: Player) -> None:
        self.name, self.history, self.sees_all_hands = agent.name, agent.history, agent.sees_all_hands
        self.state_size = agent.state_size
        self.decisions, self.seconds = 0, 0.0
        self.act_batch = self._timed(agent.act_batch)  # type: ignore[method-assign]
        self.act_recurrent = self._timed(agent.act_recurrent)  # type: ignore[method-assign]
        self.act_on_games = self._timed(agent.act_on_games)  # type: ignore[method-assign]

    def _timed(self, act: Callable[..., Array]) -> Callable[..., Array]:
        def timed(observations: Array, *others: Array) -> Array:
            began = time.process_time()
            actions = act(observations, *others)
            self.seconds += time.process_time() - began
            self.decisions += len(observations)
            return actions

        return timed


def _orders(lineup: Array, deals: int, seed: int) -> Array:
    """The order of the agents around the table in each deal, integers [deals, players]. It is drawn where it
    matters.
    """
    lineups = np.tile(lineup, (deals, 1))
    if np.bincount(lineup).max() >= len(lineup) - 1:
        return lineups  # rotations bring all orders there are
    return np.random.default_rng(seed).permuted(lineups, axis=1)


def play(
    plan: Plan,
    workers: int | Mapper = 0,
    job: ResumableJob | None = None,
    title: str = "",
    progress: Callable[[int], object] | None = None,
    seen: Callable[[Chunk, ChunkResult], bool] | None = None,
) -> Results:
    """Play a plan's chunks, but for those that are saved in the ``job``, shared by ``workers`` processes (0: one for
    each core) or other machines, on which the result does not depend.

    ``progress`` is called with the number of games done, instead of a bar with a ``title``; ``seen`` with each chunk
    and its result: True says that this is enough. Raises ValueError if an agent cannot be loaded, or chose an action
    that is not legal, and Interrupted after Ctrl-C.
    """
    games = 0
    with progress_bar(title or f"{len(plan.agents)} agents", plan.games) as bar:

        def each(chunk: Chunk, result: ChunkResult) -> bool:
            nonlocal games
            games += result.winner.size
            (progress or bar)(games)
            return seen is not None and seen(chunk, result)

        return (job or ResumableJob("tournament", {})).run(
            {f"chunks/{chunk.lineup:04d}-{chunk.first:08d}-{chunk.deals}.npz": chunk for chunk in plan.chunks()},
            ChunkPlayer(plan),
            workers or cores(),
            each,
            _pack,
            lambda chunk, data: _unpack(plan, chunk, data),
            lambda: _warm_up(plan),
        )


def _warm_up(plan: Plan) -> None:
    """Let every agent play a deal, so that compiling does not count as its time to decide."""
    seen: set[int] = set()
    for number, lineup in enumerate(plan.lineups):
        if not seen.issuperset(lineup):
            ChunkPlayer(plan)(Chunk(number, 0, 1))
            seen.update(lineup)


# --- what is saved ----------------------------------------------------------------------------------------------------


def open_job(plan: Plan, folder: Path | None, go_on: str = "The same command goes on.") -> ResumableJob:
    """The job of a tournament in a folder. The folder may hold the tournament's beginning: then only the number of
    deals may change.

    Without a folder nothing is saved. ``go_on`` says how to go on after Ctrl-C. Raises ValueError if the folder holds
    another tournament, or something else.
    """
    return ResumableJob("tournament", identify(plan), folder, {"deals": list(plan.deals)}, go_on)


def _pack(result: ChunkResult) -> bytes:
    data = io.BytesIO()
    np.savez_compressed(data, **vars(result))
    return data.getvalue()


def _unpack(plan: Plan, chunk: Chunk, data: bytes) -> ChunkResult:
    """A saved chunk. Raises ValueError, which says that the file is damaged."""
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as file:
            result = ChunkResult(
                file["winner"],
                int(file["length"]),
                file["asked"],
                file["thought"],
                float(file["seconds"]),
                file["luck"] if plan.luck else np.zeros((*file["winner"].shape, 0), np.float32),
            )
    except (OSError, KeyError, EOFError, zipfile.BadZipFile) as error:
        raise ValueError(str(error)) from None
    if result.winner.shape != (chunk.deals, plan.rules.players) or len(result.asked) != len(plan.agents):
        raise ValueError("it is of another tournament")
    return result


def identify(plan: Plan) -> dict[str, Any]:
    """The identity of a tournament without its number of deals, as plain values for JSON."""
    return {
        "agents": list(plan.agents),
        "files": {spec: digest for spec in plan.agents if (digest := files_digest(spec))},
        "rules": plan.rules.to_dict(),
        "tables": plan.tables,
        "lineups": [list(lineup) for lineup in plan.lineups],
        "seed": plan.seed,
        "chunk": plan.chunk,
        "code": code_digest(),
        "luck": plan.luck or None,
    }


def code_digest(*more: ModuleType) -> str:
    """A digest of the game's and the agents' sources and data, and of ``more`` packages', on which results depend."""
    import agents
    import uno_env

    digest = hashlib.sha256()
    for package in (uno_env, agents, *more):
        folder = Path(str(package.__file__)).parent
        for path in sorted(path for path in folder.rglob("*") if path.suffix in _SOURCES and path.is_file()):
            digest.update(path.relative_to(folder).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def files_digest(spec: str) -> str:
    """A digest of the files that an agent's spec names, empty if there are none: a saved policy, a user's code, and
    those in options, as in ``search:flat?rollout=FILE`` and ``my_agents.py:Network?file=FILE``."""
    from agents.custom_agents import code_of

    body, *values = re.split("[?&=]", spec)
    named = [policy_path(text.removeprefix("policy:")) for text in (body, *values)]
    files = [path for path in named if path.is_file()] or [path for path in [code_of(spec)] if path is not None]
    return hashlib.sha256(b"".join(map(read_file, files))).hexdigest()[:16] if files else ""
