"""The speed of games and of training on a GPU; ``python -m tools.speed.gpu`` measures both on a machine that has one.

- Games: random play with observations of the player to move. *Graph*: the steps are one CUDA graph, so that nothing
  waits for Python.
- Training: the configs for a GPU, for a minute each, without and with ``cuda_graphs``; seconds are those of
  iterations, without compiling and evaluations.

Each row is saved when it is there, and the same command goes on with the rows that are missing.
"""

import argparse
import itertools
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch

from tools import ROOT
from train.algorithms.ppo import PPO, PPOConfig
from train.common.table import MarkdownTable
from train.evaluation.duplicate import evaluate
from train.runs.config import find_config, make_config, read_yaml
from uno_env import DeviceGames
from uno_env.common.files import read_json, write_json

FILE = ROOT / "tools" / "docs" / "figures" / "gpu.json"
TABLES = (("duel", 2), ("classic", 4), ("house", 4))
SIZES = (4_096, 32_768, 131_072, 524_288)
STEPS, TURNS = 64, 5
"""Steps of a turn, and turns of which the median counts."""
TRAININGS = {"ppo_duel-2p_gpu": "zoo:duel-2p", "ppo_classic-4p_gpu": "zoo:classic-4p"}
"""Configs that are trained, and a strong opponent for each."""
SECONDS, DEALS = (10, 20, 40, 60), 5_000
"""The seconds after which a training is evaluated, and the deals of an evaluation."""


def begun(device: str) -> dict[str, Any]:
    """The file's results for this device, with the same PyTorch; nothing yet if it is of another."""
    made_with = {"device": name_of(device), "torch": torch.__version__, "cuda": torch.version.cuda}
    saved = read_json(FILE) if FILE.exists() else {}
    if {name: saved.get(name) for name in made_with} == made_with:
        return dict(saved)
    return {**made_with, "rows": [], "training": []}


def add(measured: dict[str, Any], kind: str, row: dict[str, Any]) -> None:
    """Write a row to the file."""
    measured[kind].append(row)
    print(row, flush=True)
    write_json(FILE, measured)


def measure_games(measured: dict[str, Any], device: str, sizes: Sequence[int] = SIZES, steps: int = STEPS) -> None:
    """Add decisions a second for each of the rules and numbers of games that are missing."""
    done = [(row["rules"], row["games"]) for row in measured["rows"]]
    for (rules, players), size in itertools.product(TABLES, sizes):
        row: dict[str, Any] = {"rules": f"{rules}-{players}p", "games": size}
        if (row["rules"], size) in done:
            continue
        games = DeviceGames(size, rules, device=device, players=players, obs_dtype="uint8")
        games.reset()
        row["calls"] = rate(lambda: step(games, steps), games, size * steps)  # noqa: B023
        if games.device.type == "cuda":
            row["graph"] = rate(captured(lambda: step(games, steps)), games, size * steps)  # noqa: B023
        add(measured, "rows", row)


def measure_trainings(measured: dict[str, Any]) -> None:
    """Add the trainings that are missing."""
    done = [(row["config"], row["graphs"]) for row in measured["training"]]
    for (name, strong), graphs in itertools.product(TRAININGS.items(), (False, True)):
        if (name, graphs) not in done:
            config = replace(make_config(PPOConfig, read_yaml(find_config(Path(name)))), cuda_graphs=graphs)
            row = {"config": name, "graphs": graphs, **measure_training(config, strong, SECONDS, DEALS)}
            add(measured, "training", row)


def measure_training(config: PPOConfig, strong: str, seconds: Sequence[float], deals: int) -> dict[str, Any]:
    """Decisions a second, seconds of a rollout and of an iteration, the most memory, and win rates after some seconds
    of training; the schedules end with the last of these.
    """
    curve: list[dict[str, Any]] = []
    with PPO(config.resolved()) as learner:
        learner.begin()
        learner.warm_up()
        learner.iterate(0.0)
        learner.decisions, done, iterations = 0, 0.0, 0
        for mark in seconds:
            while done < mark:
                done += timed(lambda: learner.iterate(min(1.0, done / seconds[-1])), config.device)  # noqa: B023
                iterations += 1
            results = [evaluate(learner.policy(), each, config.game_rules(), deals) for each in ("random-play", strong)]
            curve.append({"seconds": mark, "decisions": learner.decisions, "win_rates": [r.win_rate for r in results]})
        memory = torch.cuda.max_memory_allocated() / 1e9 if config.device == "cuda" else 0.0
        speed = learner.decisions / done
        return {
            "rate": speed,
            "play": timed(lambda: learner.play(config.num_steps), config.device),
            "iteration": done / iterations,
            "memory": memory,
            "strong": strong,
            "curve": curve,
        }


def timed(work: Callable[[], Any], device: str) -> float:
    """Seconds that something takes, until the device has done it."""
    began = time.perf_counter()
    work()
    if device == "cuda":
        torch.cuda.synchronize()
    return time.perf_counter() - began


def step(games: DeviceGames, steps: int) -> None:
    """Random play."""
    for _ in range(steps):
        games.step(games.sample_actions())


def captured(work: Callable[[], None]) -> Callable[[], None]:
    """Work as one CUDA graph."""
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        work()
    return graph.replay


def rate(work: Callable[[], None], games: DeviceGames, decisions: int) -> float:
    """Decisions a second, the median of some turns after one that does not count."""
    rates = []
    for _ in range(TURNS + 1):
        began = time.perf_counter()
        work()
        games.synchronize()
        rates.append(decisions / (time.perf_counter() - began))
    return statistics.median(rates[1:])


def name_of(device: str) -> str:
    """The device's name."""
    return torch.cuda.get_device_name(device) if device.startswith("cuda") else "processor"


def gpu_table() -> str:
    """The table of the page; a sentence as long as nothing was measured."""
    if not FILE.exists():
        return "Nothing of this was measured yet: no machine with a GPU was there since it was written."
    saved = read_json(FILE)
    trained = [
        (
            each["config"],
            "yes" if each["graphs"] else "no",
            f"{each['rate']:,.0f}",
            f"{each['play'] / each['iteration']:.0%}",
            f"{each['memory']:.1f}",
            f"after {point['seconds']} s",
            f"{point['decisions']:,}",
            *(f"{rate:.1%}" for rate in point["win_rates"]),
        )
        for each in saved["training"]
        for point in each["curve"]
    ]
    columns = (
        "config",
        "CUDA graphs",
        "decisions/s",
        "time for rollouts",
        "memory, GB",
        "",
        "decisions",
        "v `random-play`",
        "v the zoo's",
    )
    rows = [
        (row["rules"], f"{row['games']:,}", f"{row['calls']:,.0f}", f"{row['graph']:,.0f}" if "graph" in row else "")
        for row in saved["rows"]
    ]
    table = MarkdownTable("", ("rules", "games", "decisions/s", "decisions/s, one CUDA graph"), rows).markdown()
    training = MarkdownTable("", columns, trained).markdown()
    return f"On {saved['device']}, with PyTorch {saved['torch']} and CUDA {saved['cuda']}:\n\n{table}\n\n{training}"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cuda")
    device = parser.parse_args().device
    so_far = begun(device)
    measure_games(so_far, device)
    measure_trainings(so_far)
    print(f"saved in {FILE}; python -m tools.docs.tables writes the page's table")
