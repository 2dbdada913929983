"""The hyperparameters of each family that a search found: ``benchmark/v1/trials.jsonl`` has all of its trials.

It was a random search, with the same number of trials for all. A trial is one run on ``duel-2p`` with 10⁶ decisions and
one seed; RLCard's DMC knows RLCard's rules alone, so its trials are on ``rlcard-2p``. Trial 0 is the config that ships.
The strength of a trial is the mean win rate against the opponents of the track on deals that no score is measured on.
One seed can be lucky, so the best trials were done :data:`AGAIN` with other seeds. The table
(:mod:`tools.benchmark.table`) uses the best of each family on every track. The program of the search is in commit
d4aedb2; ``uno sweep`` is the one for searches of today.
"""

import json
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any

from tools.benchmark import rlcard_dmc
from tools.benchmark.freeze import FOLDER

FILE = FOLDER / "trials.jsonl"
TRACK, TRIALS = "duel-2p", 16
FINALISTS, AGAIN = 4, 2
"""Best trials of each family that were done again, and the times of it; then the mean over the seeds decides."""


def with_options(family: str, options: dict[str, Any]) -> str:
    """A family, which may have options already, with more of them, as ``uno benchmark run`` reads it."""
    family, _, first = family.partition("?")
    every = [*([first] if first else []), *(f"{name}={value}" for name, value in options.items())]
    return f"{family}?{'&'.join(every)}" if every else family


def trials() -> list[dict[str, Any]]:
    """The trials that were done."""
    return [json.loads(line) for line in FILE.read_text().splitlines()] if FILE.is_file() else []


def is_done(family: str) -> bool:
    """Return whether a family has all its trials, and the best were done again."""
    done = _trials_of(family)
    return len(done) >= TRIALS and all(len(best.get("again", ())) >= AGAIN for best in _finalists(done))


def best_options(family: str) -> dict[str, Any]:
    """The options of a family's best trial by :func:`mean_strength`, of those that were done again; none if it was not
    searched for."""
    if not is_done(family):
        return {}
    options: dict[str, Any] = max(_finalists(_trials_of(family)), key=mean_strength)["options"]
    return options


def tuned(family: str) -> str:
    """A family with its best options; as it ships if it has none."""
    return with_options(family, best_options(family))


def mean_strength(trial: Mapping[str, Any]) -> float:
    """The mean strength of a trial over its seeds."""
    return fmean([trial["strength"], *trial.get("again", ())])


def _trials_of(family: str) -> list[dict[str, Any]]:
    return [trial for trial in trials() if trial["family"] == family]


def _finalists(done: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The trials of a family that were done again; the best first."""
    return sorted(done, key=lambda trial: -trial["strength"])[:FINALISTS]


def track_of(family: str) -> str:
    """The track that a family's trials are on."""
    return rlcard_dmc.TRACK if family == rlcard_dmc.FAMILY else TRACK
