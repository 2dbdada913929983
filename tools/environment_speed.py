"""``python -m tools.environment_speed``: our environments beside RLCard and OpenSpiel.

All are measured in turns in one process. A ratio is the median of the
ratios of turns that followed each other. A library that is not installed is left out. Measured besides: more games and
players, the start with and without compiled code, and memory.
"""

import importlib.util
import itertools
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any

import numpy as np
from msgspec import Meta

from tools.speed import engine
from tools.speed.engine import GAMES, Turn, batch_turn, medians, speed_of, take_turns
from train.cli.arguments import Measured, Measuring
from train.cli.program import Program
from train.common.options import Count, Seed
from train.common.processes import cores
from train.common.progress import progress_bar
from train.common.table import MarkdownTable, show_lines
from uno_env import BatchedGames

CURVE_GAMES = tuple(4**power for power in range(3, 10))
CURVE_PLAYERS = tuple(range(2, 11))
MEMORY_GAMES = 65_536
STARTS = 3
"""Times that the cold and the warm start are measured."""

RUNNERS = engine.RUNNERS | {
    "rlcard": "RLCard env.step, random agents",
    "rlcard_playouts": "RLCard env.run, random agents",
    "open_spiel": "OpenSpiel crazy_eights, with observations",
}
"""The programs that are measured: playouts in whole games, all others in decisions."""

LINES = (
    ("duel_uint8", "rlcard", 180),
    ("duel_float32", "rlcard", 130),
    ("house4_uint8", "rlcard", 80),
    ("duel_uint8", "open_spiel", 30),
    ("many_threads", "many", 1.8),
    ("raw_env", "rlcard", 2),
    ("playouts", "rlcard_playouts", 100),
)
"""Lines of the table: a program, another one, and the factor by which the first is to be faster."""


@dataclass(frozen=True)
class PeersPlan:
    """Measure the speed of the environments beside RLCard's and OpenSpiel's, also with more games and players."""

    repeats: Count = 5
    """times that each is measured"""
    seconds: Annotated[float, Meta(gt=0)] = 1.0
    """seconds of each measurement"""
    seed: Seed = 0
    """seed of the games and of the actions"""
    no_curves: bool = False
    """measure only the table"""


@dataclass(frozen=True, kw_only=True)
class EnvironmentSpeed(Measuring):
    """``python -m tools.environment_speed``."""

    plan: PeersPlan

    def run(self) -> Measured:
        measured = measure(self.plan)
        return Measured({"speed": measured}, partial(show, measured))


def measure(plan: PeersPlan) -> dict[str, Any]:
    """Speeds, starts and memory: plain values for JSON.

    They are the settings; under ``speeds`` for each of :data:`RUNNERS` its ``median`` and ``turns``, in decisions
    (playouts: games) a second; under ``ratios`` the lines of the table; under ``start`` seconds from the import to the
    end of the first step, ``cold`` and ``warm``; under ``memory`` bytes a game; and ``curves``.
    """
    seconds, seed = plan.seconds, plan.seed
    turns = {**engine.env_turns(seed), **peer_turns(seed)}
    points = 0 if plan.no_curves else len(CURVE_GAMES) + len(CURVE_PLAYERS)
    with progress_bar("Measuring", (plan.repeats + 1) * len(turns) + 2 * STARTS + 1 + points) as show:
        count = itertools.count(1)

        def done() -> None:
            show(next(count))

        speeds = take_turns(turns, plan.repeats, seconds, done)
        measured: dict[str, Any] = {
            "repeats": plan.repeats,
            "seconds": seconds,
            "seed": seed,
            "cores": cores(),
            "speeds": medians(speeds),
            "ratios": _ratios(speeds),
            "start": {name: _median_start(name == "warm", done) for name in ("cold", "warm")},
            "memory": {
                "games": MEMORY_GAMES,
                "record": BatchedGames(1, "duel").games.itemsize,
                "all": _measured_apart(MEMORY_GAMES, 2, seconds, seed, done)["bytes_per_game"],
            },
        }
        if not plan.no_curves:
            measured["curves"] = {
                "games": [_measured_apart(games, 2, seconds, seed, done) for games in CURVE_GAMES],
                "players": [_measured_apart(GAMES, players, seconds, seed, done) for players in CURVE_PLAYERS],
            }
    return measured


def _ratios(speeds: dict[str, list[float]]) -> list[dict[str, Any]]:
    return [
        {
            "ours": ours,
            "peer": peer,
            "ratio": statistics.median(a / b for a, b in zip(speeds[ours], speeds[peer], strict=True)),
            "target": target,
        }
        for ours, peer, target in LINES
        if peer in speeds
    ]


# --- the peers --------------------------------------------------------------------------------------------------------


def peer_turns(seed: int) -> dict[str, Turn]:
    """The turns of the libraries that are installed."""
    turns: dict[str, Turn] = {}
    if importlib.util.find_spec("rlcard"):
        turns["rlcard"], turns["rlcard_playouts"] = _rlcard_turns(seed)
    if importlib.util.find_spec("pyspiel"):
        turns["open_spiel"] = _open_spiel_turn(seed)
    return turns


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

    game, rng = pyspiel.load_game("crazy_eights"), np.random.default_rng(seed)
    state = game.new_initial_state()

    def turn() -> int:
        nonlocal state
        decisions = 0
        for uniform in rng.random(1000).tolist():
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
from tools.environment_speed import measure_here
print(json.dumps(measure_here(**json.loads(sys.argv[1]))))
"""


def _median_start(warm: bool, done: Callable[[], None]) -> float:
    """Seconds from the import to the end of the first step, with an empty cache of compiled code or a full one."""
    times = []
    with tempfile.TemporaryDirectory() as saved:
        if warm:
            _run_apart(_START, UNO_ENV_CACHE_DIR=saved)
        for _ in range(STARTS):
            with tempfile.TemporaryDirectory() as empty:
                times.append(float(_run_apart(_START, UNO_ENV_CACHE_DIR=saved if warm else empty)))
            done()
    return statistics.median(times)


def _measured_apart(games: int, players: int, seconds: float, seed: int, done: Callable[[], None]) -> dict[str, Any]:
    arguments = json.dumps({"games": games, "players": players, "seconds": seconds, "seed": seed})
    measured: dict[str, Any] = json.loads(_run_apart(_APART, arguments))
    done()
    return measured


def measure_here(games: int, players: int, seconds: float, seed: int) -> dict[str, Any]:
    """Speed and memory of a batch, in a process that has done nothing else: duel's rules, uint8.

    Memory is what the process takes up more, after some steps than before the batch was made, a game; not reported
    for batches under 4,096 games, whose memory is lost in everything else's.
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


def show(measured: dict[str, Any]) -> None:
    """Print what was measured."""
    table(measured).show()
    start, memory = measured["start"], measured["memory"]
    lines = [
        f"import and first step: {start['cold']:.1f} s with nothing compiled, {start['warm']:.2f} s after that",
        f"memory: {memory['all']:,.0f} bytes a game with {memory['games']:,} games, {memory['record']:,} of them state",
    ]
    for row in measured.get("curves", {}).get("games", []):
        taken = f", {row['bytes_per_game']:,.0f} bytes a game" if "bytes_per_game" in row else ""
        lines.append(f"{row['games']:>9,} games: {row['decisions_per_second']:>12,.0f} decisions/s{taken}")
    for row in measured.get("curves", {}).get("players", []):
        lines.append(f"{row['players']:>7} players: {row['decisions_per_second']:>12,.0f} decisions/s")
    show_lines(lines)


def table(measured: dict[str, Any]) -> MarkdownTable:
    """The speeds beside those of the peers, and how many times as fast they are to be."""
    speeds = {name: speed["median"] for name, speed in measured["speeds"].items()}
    rows = []
    for line in measured["ratios"]:
        sides = [cell for name in (line["ours"], line["peer"]) for cell in (RUNNERS[name], f"{speeds[name]:,.0f}")]
        rows.append([*sides, f"{line['ratio']:.1f}", f"{line['target']:g}"])
    headings = ("what", "a second", "against", "a second", "ratio", "at least")
    return MarkdownTable(f"Speed, median of {measured['repeats']} turns", headings, rows, words=(0, 2))


PROGRAM = Program(
    "python -m tools.environment_speed",
    "Speed of the environments, beside RLCard's and OpenSpiel's.",
    "tools.environment_speed:EnvironmentSpeed",
)

if __name__ == "__main__":
    sys.exit(PROGRAM.main())
