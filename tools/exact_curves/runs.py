"""The planned runs, in the order in which they are done, and the file of the finished ones."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from tools import ROOT
from tools.exact_curves.decks import DECKS, SMALL
from train.benchmarks.measuring import code_version

FIGURES = ROOT / "tools" / "docs" / "figures"
CURVES = FIGURES / "exact_curves.jsonl"
ATTACKS = FIGURES / "exact_attacks.jsonl"
DECISIONS = 1_000_000
OF_SLOW = 300_000
"""Decisions of a run, and of a run of a slower program."""
SEEDS, FEW_SEEDS = 10, 3
POINTS, FEW_POINTS = 20, 4
LARGEST = DECKS[-1]
"""Measured once, at the end of a run: to measure it takes longer than to train."""
ALONE: Mapping[str, Any] = {"opponents": ["itself"]}
TUNED: Mapping[str, Any] = {"learning_rate": 0.01, "minibatch_size": 256}
"""The changes of ``configs/ppo/exact.yaml``; with the magnet below, those of ``configs/mmd/exact.yaml``."""
MAIN: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "mmd": ("mmd", {}), "ppo": ("ppo", {}), "dmc": ("dmc", {}), "sb3_ppo, against itself": ("sb3_ppo", ALONE),
    "ppo, tuned": ("ppo", TUNED), "mmd, tuned": ("mmd", {**TUNED, "magnet_coef": 0.3}),
    "sb3_ppo, tuned": ("sb3_ppo", {**ALONE, **TUNED, "learning_rate": 0.005}),
}  # fmt: skip
"""The algorithms that get curves, by the names of the page, with what they change of the defaults."""
CHOSEN_ON = {"ppo, tuned": DECKS[0], "sb3_ppo, tuned": DECKS[0], "mmd, tuned": LARGEST}
"""The deck on which changes were chosen, by seeds below :data:`FEW_SEEDS`."""


@dataclass(frozen=True)
class PlannedRun:
    """A run, by the values that tell it from all others."""

    deck: str
    algorithm: str
    seed: int
    decisions: int
    points: int
    changes: Mapping[str, Any] = field(default_factory=dict)

    def key(self) -> str:
        """A text that tells the run from all others."""
        return json.dumps(asdict(self), sort_keys=True)


def planned() -> Iterator[PlannedRun]:
    """All runs, those first that tell most: of each algorithm three seeds everywhere, then the others."""
    quick = [name for name in MAIN if "sb3" not in name]
    slow = [name for name in MAIN if "sb3" in name]
    few, more = range(FEW_SEEDS), range(FEW_SEEDS, SEEDS)
    for deck in DECKS:
        yield PlannedRun(deck, "cfr", 0, 0, 0)
    for deck in SMALL:
        yield from _main(deck, quick, few)
    for deck in SMALL:
        yield from _main(deck, quick, more)
    for deck in DECKS[len(SMALL) :]:
        yield from _main(deck, [*quick, *slow], few)
    yield from _main(LARGEST, ["mmd, tuned"], range(FEW_SEEDS, 2 * FEW_SEEDS))
    for deck in SMALL:
        yield from _main(deck, slow, few)
    for deck in SMALL:
        yield from _main(deck, slow, more)


def reports(name: str, deck: str, seed: int) -> bool:
    """Return whether a seed may report a result on a deck: not if it was one that chose the algorithm's options
    there.
    """
    return CHOSEN_ON.get(name) != deck or seed >= FEW_SEEDS


def budget(algorithm: str) -> int:
    """The decisions of a run; slower programs get fewer."""
    return OF_SLOW if algorithm == "sb3_ppo" else DECISIONS


def _main(deck: str, names: Sequence[str], seeds: Iterable[int]) -> Iterator[PlannedRun]:
    points = POINTS if deck in SMALL else 1 if deck == LARGEST else FEW_POINTS
    for seed in seeds:
        for name in names:
            if reports(name, deck, seed):
                algorithm, changes = MAIN[name]
                decisions = DECISIONS if name in CHOSEN_ON else budget(algorithm)
                yield PlannedRun(deck, algorithm, seed, decisions, points, changes)


def read_lines(path: Path) -> list[dict[str, Any]]:
    """The results in a file of one JSON object a line; none if it is not there. A torn last line is left out."""
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True) if path.exists() else []
    return [json.loads(line) for line in lines if line.endswith("\n")]


def add_line(path: Path, key: Mapping[str, Any], result: Mapping[str, Any]) -> None:
    """Append a result, after removing what an interrupted program may have left of one."""
    if path.exists() and not (text := path.read_bytes()).endswith(b"\n"):
        path.write_bytes(text[: text.rfind(b"\n") + 1])
    code = {name: code_version()[name] for name in ("commit", "date")}
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps({**key, **result, **code}) + "\n")


def done(path: Path) -> set[str]:
    """The keys of the runs that are in a file."""
    names = PlannedRun.__dataclass_fields__
    return {PlannedRun(**{name: line[name] for name in names}).key() for line in read_lines(path)}
