"""The program of the page *Your first network*, and what becomes of it with some changes.

``python -m tools.docs.first_network`` trains ``examples/first_network.py`` as it is written, with :data:`SEEDS`, and
with each of :data:`CHANGES`, and saves the win rates in ``tools/docs/figures/first_network.json``. ``python -m
tools.docs.first_network NAME`` does so with one of them.
"""

import sys
import time
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

from tools import ROOT
from tools.docs.saved_curves import Curve, curves_table, read_curves, save_curve
from tools.docs.saved_figures import FOLDER
from train.plots.style import Point

EXAMPLE = ROOT / "examples" / "first_network.py"
FIGURES = FOLDER / "first_network.json"
WRITTEN = "as it is written"
CHANGES = {
    "views are kept": ("copy=True", "copy=False"),
    "no mask in the loss": ("mask[rows]", "torch.ones_like(mask[rows])"),
    "one chain for both seats": ("seat.long()", "torch.zeros_like(seat).long()"),
    "under the rules of duel": ('"starter"', '"duel"'),
}
"""Each change as an expression of the program, which occurs once, and what stands there instead."""
SEEDS = {f"{WRITTEN}, seed {seed}": seed for seed in (1, 2)}
"""Other seeds of the program as it is written, which has seed 0."""
ALL = (WRITTEN, *SEEDS, *CHANGES)
OPTIONS: dict[str, Any] = {}
"""Arguments of the program's ``curve``; without them it trains as the page shows it."""


def program(name: str) -> str:
    """The text of the example with a change. Raises ValueError if there is none such, or it is not one expression."""
    text = EXAMPLE.read_text(encoding="utf-8")
    if name in (WRITTEN, *SEEDS):
        return text
    if name not in CHANGES:
        raise ValueError(f"{name!r} is no change: there are {', '.join(CHANGES)}")
    right, wrong = CHANGES[name]
    if text.count(right) != 1:
        raise ValueError(f"{right!r} occurs {text.count(right)} times in the example, not once")
    return text.replace(right, wrong)


def measured(name: str, **options: Any) -> Curve:
    """Train the program with a change or another seed; ``options`` are arguments of its ``curve``. If its weights are
    no numbers at some point, the curve ends there.
    """
    names: dict[str, Any] = {"__name__": "first_network"}
    exec(compile(program(name), str(EXAMPLE), "exec"), names)
    began, points = time.process_time(), []
    try:
        for decisions, each in names["curve"](**{"seed": SEEDS.get(name, 0), **options}):
            points.append(Point(decisions, each.win_rate, each.low, each.high))
            print(f"{decisions:>9,} decisions: {each.win_rate:.1%}", flush=True)
    except RuntimeError as error:  # of PyTorch, which cannot draw an action
        print(error)
    return Curve(time.process_time() - began, points)


def curves() -> Mapping[str, Curve]:
    """The saved curves: the program's first, then those of other seeds and of the changes."""
    saved = read_curves(FIGURES)
    return {name: saved[name] for name in ALL}


def table() -> str:
    """The table of the page."""
    return curves_table(curves(), "the program")


def main(arguments: Sequence[str]) -> int:
    """Train, and save what was measured; the exit code."""
    chosen = arguments or ALL
    try:
        for name in chosen:
            program(name)
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2
    warnings.filterwarnings("ignore", "The given NumPy array is not writable")  # of the views
    for name in chosen:
        print(name, flush=True)
        save_curve(FIGURES, name, measured(name, **OPTIONS))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
