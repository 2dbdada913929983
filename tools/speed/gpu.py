"""The speed of games on a GPU; ``python -m tools.speed.gpu`` measures it on a machine that has one.

Everything is random play with observations of the player to move. *Graph*: the steps are one CUDA graph, so that
nothing waits for Python.
"""

import argparse
import json
import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any

import torch

from tools import ROOT
from train.common.table import MarkdownTable
from uno_env import DeviceGames

FILE = ROOT / "tools" / "docs" / "figures" / "gpu.json"
TABLES = (("duel", 2), ("classic", 4), ("house", 4))
SIZES = (4_096, 32_768, 131_072, 524_288)
STEPS, TURNS = 64, 5
"""Steps of a turn, and turns of which the median counts."""


def measure(device: str, sizes: Sequence[int] = SIZES, steps: int = STEPS) -> dict[str, Any]:
    """Decisions a second for each of the rules and numbers of games; and what they were measured with."""
    rows: list[dict[str, Any]] = []
    for rules, players in TABLES:
        for size in sizes:
            games = DeviceGames(size, rules, device=device, players=players, obs_dtype="uint8")
            games.reset()
            row: dict[str, Any] = {"rules": f"{rules}-{players}p", "games": size}
            row["calls"] = rate(lambda: step(games, steps), games, size * steps)  # noqa: B023
            if games.device.type == "cuda":
                row["graph"] = rate(captured(lambda: step(games, steps)), games, size * steps)  # noqa: B023
            rows.append(row)
            print(row, flush=True)
    return {"device": name_of(device), "torch": torch.__version__, "cuda": torch.version.cuda, "rows": rows}


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
    """What the device is called."""
    return torch.cuda.get_device_name(device) if device.startswith("cuda") else "processor"


def gpu_table() -> str:
    """The table of the page; a sentence as long as nothing was measured."""
    if not FILE.exists():
        return "Nothing of this was measured yet: no machine with a GPU was there since it was written."
    saved = json.loads(FILE.read_text(encoding="utf-8"))
    rows = [
        (row["rules"], f"{row['games']:,}", f"{row['calls']:,.0f}", f"{row['graph']:,.0f}" if "graph" in row else "")
        for row in saved["rows"]
    ]
    table = MarkdownTable("", ("rules", "games", "decisions/s", "decisions/s, one CUDA graph"), rows).markdown()
    return f"On {saved['device']}, with PyTorch {saved['torch']} and CUDA {saved['cuda']}:\n\n{table}"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cuda")
    FILE.write_text(json.dumps(measure(parser.parse_args().device), indent=1) + "\n", encoding="utf-8")
    print(f"saved in {FILE}; python -m tools.docs.tables writes the page's table")
