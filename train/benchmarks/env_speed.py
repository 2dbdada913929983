"""Speed of the environments side by side with that of other libraries: ``uno benchmark speed``.

Everything is measured in turns in one process, so that whatever else the machine does touches all alike; a ratio is the
median of the ratios of turns that followed each other. *Decisions* are those of all seats, chosen uniformly among the
legal ones. A peer that is not installed is left out.
"""

import importlib.util
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from train.common.processes import cores
from train.common.progress import progress_bar
from uno_env import BatchedGames, Game, raw_env

GAMES, MANY = 4096, 65_536
"""Games side by side, and where threads share them, since waking one takes as long as many games."""
BATCH_STEPS = 8
PLAYOUTS = 500
CURVE_GAMES = tuple(4**power for power in range(3, 10))
CURVE_PLAYERS = tuple(range(2, 11))
MEMORY_GAMES = 65_536
STARTS = 3
"""Times that the cold and the warm start are measured."""

KEPT = Path(__file__).with_name("env_speed.json")
"""What was measured last, by ``uno benchmark speed --json train/benchmarks/env_speed.json``, for the README."""

Turn = Callable[[], int]
"""Does some work; how much."""


@dataclass(frozen=True)
class Line:
    """A line of the table: what is measured, against what, and how many times as fast it is to be."""

    ours: str
    peer: str
    target: float


RUNNERS: dict[str, str] = {
    "duel_uint8": "BatchedGames.step, duel, uint8",
    "duel_float32": "BatchedGames.step, duel, float32",
    "house4_uint8": "BatchedGames.step, house rules, 4 players, uint8",
    "many_threads": "BatchedGames.step, duel, uint8, 65,536 games, 2 threads",
    "many": "BatchedGames.step, duel, uint8, 65,536 games",
    "raw_env": "PettingZoo raw_env, step + last",
    "playouts": "Game.playouts, rlcard preset",
    "rlcard": "RLCard env.step, random agents",
    "rlcard_playouts": "RLCard env.run, random agents",
    "open_spiel": "OpenSpiel crazy_eights, with observations",
}
"""What is measured; playouts in whole games, all else in decisions."""

LINES = (
    Line("duel_uint8", "rlcard", 180),
    Line("duel_float32", "rlcard", 130),
    Line("house4_uint8", "rlcard", 80),
    Line("duel_uint8", "open_spiel", 30),
    Line("many_threads", "many", 1.8),
    Line("raw_env", "rlcard", 2),
    Line("playouts", "rlcard_playouts", 100),
)


def benchmark_speed(repeats: int = 5, seconds: float = 1.0, curves: bool = True, seed: int = 0) -> dict[str, Any]:
    """Measure.

    Args:
        repeats: turns of each, after one that is not counted.
        seconds: length of a turn at least.
        curves: whether speed and memory are measured over numbers of games and of players, too.
        seed: decides games and chance.

    Returns:
        Plain values for JSON: the settings; under ``speeds`` for each of :data:`RUNNERS` its ``median`` and ``turns``,
        in decisions (playouts: games) a second; under ``ratios`` the lines of the table; under ``start`` seconds from
        the import to the end of the first step, ``cold`` and ``warm``; under ``memory`` bytes a game; and ``curves``.
    """
    turns = _turns(seed)
    points = len(CURVE_GAMES) + len(CURVE_PLAYERS) if curves else 0
    total = (repeats + 1) * len(turns) + 2 * STARTS + 1 + points
    with progress_bar("Measuring", total) as show:
        done = _Count(show)
        speeds = _measure(turns, repeats, seconds, done)
        start = {name: _median_start(name == "warm", done) for name in ("cold", "warm")}
        memory = {
            "record": BatchedGames(1, "duel").games.itemsize,
            **_measured_apart(MEMORY_GAMES, 2, seconds, seed, done),
        }
        measured: dict[str, Any] = {
            "repeats": repeats,
            "seconds": seconds,
            "seed": seed,
            "cores": cores(),
            "speeds": {name: {"median": statistics.median(rates), "turns": rates} for name, rates in speeds.items()},
            "ratios": _ratios(speeds),
            "start": start,
            "memory": {"games": MEMORY_GAMES, "record": memory["record"], "all": memory["bytes_per_game"]},
        }
        if curves:
            measured["curves"] = {
                "games": [_measured_apart(games, 2, seconds, seed, done) for games in CURVE_GAMES],
                "players": [_measured_apart(GAMES, players, seconds, seed, done) for players in CURVE_PLAYERS],
            }
    return measured


class _Count:
    """How many parts are done."""

    def __init__(self, show: Callable[[int], None]) -> None:
        self._show, self._done = show, 0

    def __call__(self) -> None:
        self._done += 1
        self._show(self._done)


# --- in turns ---------------------------------------------------------------------------------------------------------


def _measure(turns: dict[str, Turn], repeats: int, seconds: float, done: Callable[[], None]) -> dict[str, list[float]]:
    speeds: dict[str, list[float]] = {name: [] for name in turns}
    for repeat in range(repeats + 1):
        for name, turn in turns.items():
            speed = speed_of(turn, seconds if repeat else 0.0)
            if repeat:
                speeds[name].append(speed)
            done()
    return speeds


def speed_of(turn: Turn, seconds: float) -> float:
    """Work a second, of turns that take so many seconds together, or one turn."""
    work, began = 0, time.perf_counter()
    while True:
        work += turn()
        elapsed = time.perf_counter() - began
        if elapsed >= seconds:
            return work / elapsed


def _turns(seed: int) -> dict[str, Turn]:
    turns = {
        "duel_uint8": batch_turn(GAMES, "duel", 2, seed),
        "duel_float32": batch_turn(GAMES, "duel", 2, seed, obs_dtype="float32"),
        "house4_uint8": batch_turn(GAMES, "house", 4, seed),
        "many_threads": batch_turn(MANY, "duel", 2, seed, threads=2),
        "many": batch_turn(MANY, "duel", 2, seed),
        "raw_env": _raw_env_turn(seed),
        "playouts": _playouts_turn(seed),
    }
    if importlib.util.find_spec("rlcard"):
        turns["rlcard"], turns["rlcard_playouts"] = _rlcard_turns(seed)
    if importlib.util.find_spec("pyspiel"):
        turns["open_spiel"] = _open_spiel_turn(seed)
    return turns


def batch_turn(games: int, rules: str, players: int, seed: int, **options: Any) -> Turn:
    """Steps of a batch, in decisions."""
    batch = BatchedGames(games, rules, seed, players=players, **{"obs_dtype": "uint8", **options})
    batch.reset()

    def turn() -> int:
        for _ in range(BATCH_STEPS):
            batch.step(batch.sample_actions())
        return BATCH_STEPS * games

    return turn


def _raw_env_turn(seed: int) -> Turn:
    env, chance = raw_env("duel"), np.random.default_rng(seed)
    env.reset(seed=seed)

    def turn() -> int:
        for uniform in chance.random(1000).tolist():
            observation, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.reset()
                observation = env.last()[0]
            legal = observation["action_mask"].nonzero()[0]
            env.step(int(legal[int(uniform * len(legal))]))
        return 1000

    return turn


def _playouts_turn(seed: int) -> Turn:
    seeds = iter(range(seed, 2**63))

    def turn() -> int:
        number = next(seeds)
        Game("rlcard", seed=number).playouts(PLAYOUTS, seed=number)
        return PLAYOUTS

    return turn


def _rlcard_turns(seed: int) -> tuple[Turn, Turn]:
    import rlcard
    from rlcard.agents import RandomAgent

    env, whole = (rlcard.make("uno", config={"seed": seed}) for _ in range(2))
    agent = RandomAgent(env.num_actions)
    whole.set_agents([agent] * whole.num_players)
    state, _ = env.reset()

    def steps() -> int:
        nonlocal state
        for _ in range(300):
            state, _ = env.step(agent.step(state), agent.use_raw)
            if env.is_over():
                state, _ = env.reset()
        return 300

    def playouts() -> int:
        for _ in range(5):
            whole.run()
        return 5

    return steps, playouts


def _open_spiel_turn(seed: int) -> Turn:
    import pyspiel

    game, chance = pyspiel.load_game("crazy_eights"), np.random.default_rng(seed)
    state = game.new_initial_state()

    def turn() -> int:
        nonlocal state
        decisions = 0
        for uniform in chance.random(1000).tolist():
            if state.is_terminal():
                state = game.new_initial_state()
            if state.is_chance_node():
                outcomes = state.legal_actions()
                state.apply_action(outcomes[int(uniform * len(outcomes))])
            else:
                state.observation_tensor()
                legal = state.legal_actions()
                state.apply_action(legal[int(uniform * len(legal))])
                decisions += 1
        return decisions

    return turn


def _ratios(speeds: dict[str, list[float]]) -> list[dict[str, Any]]:
    return [
        {
            "ours": line.ours,
            "peer": line.peer,
            "ratio": statistics.median(a / b for a, b in zip(speeds[line.ours], speeds[line.peer], strict=True)),
            "target": line.target,
        }
        for line in LINES
        if line.peer in speeds
    ]


# --- in processes of their own ----------------------------------------------------------------------------------------

_START = """
import time
began = time.perf_counter()
from uno_env import BatchedGames
batch = BatchedGames(64, "duel", obs_dtype="uint8")
batch.reset()
batch.step(batch.sample_actions())
print(time.perf_counter() - began)
"""

_APART = """
import json, sys
from train.benchmarks.env_speed import measure_here
print(json.dumps(measure_here(**json.loads(sys.argv[1]))))
"""


def _median_start(warm: bool, done: Callable[[], None]) -> float:
    """Seconds from the import to the end of the first step, with an empty cache of compiled code or a full one."""
    times = []
    with tempfile.TemporaryDirectory() as kept:
        if warm:
            _run_apart(_START, UNO_ENV_CACHE_DIR=kept)
        for _ in range(STARTS):
            with tempfile.TemporaryDirectory() as empty:
                times.append(float(_run_apart(_START, UNO_ENV_CACHE_DIR=kept if warm else empty)))
            done()
    return statistics.median(times)


def _measured_apart(games: int, players: int, seconds: float, seed: int, done: Callable[[], None]) -> dict[str, Any]:
    arguments = json.dumps({"games": games, "players": players, "seconds": seconds, "seed": seed})
    measured: dict[str, Any] = json.loads(_run_apart(_APART, arguments))
    done()
    return measured


def measure_here(games: int, players: int, seconds: float, seed: int) -> dict[str, Any]:
    """Speed and memory of a batch, in a process that has done nothing else: duel's rules, uint8.

    Memory is what the process takes up more, after some steps than before the batch was made, a game; not told of
    batches under 4,096 games, whose memory is lost in everything else's.
    """
    speed_of(batch_turn(64, "duel", players, seed), 0.0)
    before = _memory()
    turn = batch_turn(games, "duel", players, seed)
    turn()
    taken = (_memory() - before) / games
    row: dict[str, Any] = {
        "games": games,
        "players": players,
        "decisions_per_second": statistics.median(speed_of(turn, seconds / 3) for _ in range(3)),
    }
    return {**row, "bytes_per_game": taken} if games >= 4096 else row


def _memory() -> int:
    """Bytes of memory that the process takes up, where the system tells."""
    try:
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        import resource

        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def _run_apart(program: str, *arguments: str, **environment: str) -> str:
    command = [sys.executable, "-c", program, *arguments]
    return subprocess.run(
        command, env={**os.environ, **environment}, check=True, stdout=subprocess.PIPE, text=True
    ).stdout


# --- the table --------------------------------------------------------------------------------------------------------


def print_speed(measured: dict[str, Any], console: Console | None = None) -> None:
    """Show what :func:`benchmark_speed` measured."""
    table = Table(title=f"Speed, median of {measured['repeats']} turns")
    for heading in ("what", "a second", "against", "a second", "ratio", "at least"):
        table.add_column(heading, justify="left" if heading in ("what", "against") else "right")
    speeds = {name: speed["median"] for name, speed in measured["speeds"].items()}
    for line in measured["ratios"]:
        ours, peer = line["ours"], line["peer"]
        table.add_row(
            RUNNERS[ours],
            f"{speeds[ours]:,.0f}",
            RUNNERS[peer],
            f"{speeds[peer]:,.0f}",
            f"{line['ratio']:.1f}",
            f"{line['target']:g}",
        )
    console = console or Console()
    console.print(table)
    start, memory = measured["start"], measured["memory"]
    console.print(
        f"import and first step: {start['cold']:.1f} s with nothing compiled, {start['warm']:.2f} s after that"
    )
    console.print(
        f"memory: {memory['all']:,.0f} bytes a game with {memory['games']:,} games, {memory['record']:,} of them state"
    )
    for row in measured.get("curves", {}).get("games", []):
        taken = f", {row['bytes_per_game']:,.0f} bytes a game" if "bytes_per_game" in row else ""
        console.print(f"{row['games']:>9,} games: {row['decisions_per_second']:>12,.0f} decisions/s{taken}")
    for row in measured.get("curves", {}).get("players", []):
        console.print(f"{row['players']:>7} players: {row['decisions_per_second']:>12,.0f} decisions/s")


def kept_table() -> str:
    """What was measured last, as Markdown."""
    written = json.loads(KEPT.read_text(encoding="utf-8"))
    measured = written["speed"]
    speeds = {name: speed["median"] for name, speed in measured["speeds"].items()}
    lines = ["| what | a second | against | a second | ratio |", "| --- | --- | --- | --- | --- |"]
    for line in measured["ratios"]:
        ours, peer = line["ours"], line["peer"]
        lines.append(
            f"| {RUNNERS[ours]} | {speeds[ours]:,.0f} | {RUNNERS[peer]} | {speeds[peer]:,.0f} | {line['ratio']:.1f} |"
        )
    start, memory = measured["start"], measured["memory"]
    return "\n".join(lines) + (
        f"\n\nImport and first step: {start['cold']:.1f} s at first, {start['warm']:.2f} s once compiled. Memory: "
        f"{memory['all']:,.0f} bytes a game in a batch of {memory['games']:,}, {memory['record']:,} of them its state, "
        "the rest what is seen of it."
    )
