"""``python -m tools.exact_curves``: do the planned runs that are not in the file yet; Ctrl-C loses the present run."""

import argparse
import time
from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import torch

from tools.exact_curves import learners
from tools.exact_curves.decks import DECKS, load_deck
from tools.exact_curves.runs import CURVES, PlannedRun, add_line, done, planned
from train.common.progress import progress_bar

CFR_ITERATIONS = 256


def main() -> None:
    """Read the command line and run."""
    parser = argparse.ArgumentParser(prog="python -m tools.exact_curves", description=__doc__)
    parser.add_argument("--out", type=Path, default=CURVES, help="the file of results, one JSON object a line")
    parser.add_argument("--minutes", type=float, default=float("inf"), help="begin no run after that many minutes")
    parser.add_argument("--decks", nargs="*", choices=DECKS, default=DECKS)
    parser.add_argument("--algorithms", nargs="*", choices=("cfr", *learners.DEFAULTS))
    chosen = parser.parse_args()
    end, there = time.monotonic() + 60 * chosen.minutes, done(chosen.out)
    torch.set_num_threads(1)
    runs = [
        run for run in planned()
        if run.deck in chosen.decks and run.algorithm in (chosen.algorithms or [run.algorithm])
        and run.key() not in there
    ]  # fmt: skip
    with progress_bar("runs", 1_000 * len(runs)) as bar:
        for number, run in enumerate(runs):
            if time.monotonic() > end:
                break
            result = carry_out(run, partial(_tell, bar, number))
            add_line(chosen.out, asdict(run), result)
            last = ", ".join(f"{value:.6f}" for value in result["curve"][-1][1:])
            print(f"{run.deck} {run.algorithm} {dict(run.changes)} seed {run.seed}: {last}", flush=True)


def _tell(bar: Callable[[int], None], number: int, share: float) -> None:
    """Show that of the run ``number`` a share is done."""
    bar(round(1_000 * (number + share)))


def carry_out(run: PlannedRun, progress: Callable[[float], object]) -> dict[str, Any]:
    """Do a run; its figures."""
    deck = load_deck(run.deck)
    if run.algorithm == "cfr":
        return learners.solve(deck, CFR_ITERATIONS)
    return learners.learn(deck, run.algorithm, run.changes, run.seed, run.decisions, run.points, progress)


if __name__ == "__main__":
    main()
