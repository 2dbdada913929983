"""The weights of ``tuned``: a search by CMA-ES, whole hands played in compiled code.

One set of weights is searched at a time, for 2, for 3 and 4, for 5 and more players, or for RLCard's game. No Mercy has
sets of its own; a hand there is played by the set for few after the one for many, once players are out. A
candidate's value is its mean win rate over the :data:`TASKS` of the set (tables of other strategies, and of the weights
that the search began with), times half the number of players, so that tables of any size weigh alike. Within a
generation all candidates play the same duplicate deals (see :mod:`train.evaluation.duplicate`); every generation has
new ones.

Source: N. Hansen, "The CMA Evolution Strategy: A Tutorial", 2016, by the library ``cma``.

A search saves the values of each generation (:class:`train.common.job.ResumableJob`), which is all it needs to go on:
the candidates depend on the seed and on these values, so a search that was stopped and goes on finds what it would have
found.
"""

import sys
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from msgspec import Meta

from agents.scripted.tuned_weights import FEATURES, SETS, WEIGHTS_FILE, features_of, load_weights
from agents.search import new_search_scratch, play_hands, set_rules
from train.cli.arguments import Command
from train.cli.errors import user_input
from train.cli.program import Program
from train.common.job import ResumableJob
from train.common.options import Count, Deals, File, Folder, Positive, Seed
from train.common.progress import progress_bar
from train.common.table import MarkdownTable
from train.evaluation.duplicate import derived_seed, duplicate_deals
from train.evaluation.estimate import Estimate
from uno_env.common.files import read_json, verify_writable, write_json
from uno_env.core.arrays import Array
from uno_env.editions import edition_for
from uno_env.rules import Rules

TASKS: dict[str, tuple[tuple[str, int, str], ...]] = {
    "two": (
        ("duel", 2, "random-play"),
        ("duel", 2, "rlcard-rule"),
        ("duel", 2, "greedy"),
        ("duel", 2, "tuned"),
        ("classic", 2, "greedy"),
    ),
    "few": (
        ("duel", 4, "random-play"),
        ("duel", 4, "greedy"),
        ("duel", 3, "greedy"),
        ("classic", 4, "greedy"),
        ("house", 4, "greedy"),
    ),
    "many": (
        ("duel", 6, "random-play"),
        ("duel", 6, "greedy"),
        ("classic", 8, "greedy"),
        ("house", 6, "greedy"),
    ),
    "no_mercy_two": (
        ("no_mercy", 2, "random-play"),
        ("no_mercy", 2, "greedy"),
        ("no_mercy", 2, "tuned"),
    ),
    "no_mercy_few": (
        ("no_mercy", 4, "random-play"),
        ("no_mercy", 4, "greedy"),
        ("no_mercy", 3, "greedy"),
    ),
    "no_mercy_many": (
        ("no_mercy", 6, "random-play"),
        ("no_mercy", 6, "greedy"),
        ("no_mercy", 8, "greedy"),
    ),
    "rlcard": (
        ("rlcard", 2, "random"),
        ("rlcard", 2, "rlcard-rule"),
        ("rlcard", 2, "tuned"),
    ),
}
"""The tables that each set is searched on: preset, players, and the agent at all other seats."""

SPREAD = dict.fromkeys(FEATURES, 0.4) | dict.fromkeys(
    ("held", "wild_size", "four_size", "draw_size", "number", "turn_round", "shed", "demands", "overbid", "guards"), 0.1
)
"""Spread of the first generation, by feature: smaller where the feature's own numbers are larger."""

_DEALS, _CHECK, _OWN, _OTHERS = range(2**62, 2**62 + 4)
"""Streams of seeds: the deals of the generations, those of the check at the end, and both players' own."""


@dataclass(frozen=True)
class Settings:
    """A search."""

    which: Annotated[
        Literal["two", "few", "many", "rlcard", "no_mercy_two", "no_mercy_few", "no_mercy_many"], Meta(title="SET")
    ]
    """the set of weights: two (for 2 players), few (3 and 4), many (5 and more), rlcard (for RLCard's game), or the
    first three in No Mercy"""
    generations: Count = 100
    """number of generations"""
    population: Annotated[int, Meta(ge=4)] = 16
    """candidates of a generation"""
    deals: Deals = 400
    """duplicate deals of each task, for each candidate of a generation"""
    sigma: Positive = 1.0
    """spread of the weights in the first generation, 1: the usual one"""
    seed: Seed = 0
    """seed of the deals and of all randomness"""


def duplicate_scores(weights: Array, opponent: str, base: Array, rules: Rules, deals: int, seed: int) -> Array:
    """Mean score in each duplicate deal, float64 [deals], of weights at one seat and a strategy at all others.

    See :mod:`train.evaluation.duplicate`; here whole hands are played in compiled code, by one thread.

    Args:
        weights: those of the one ``tuned``, float64 [sets, features].
        opponent: the strategy at the other seats.
        base: its weights, if it is ``tuned`` as well.
        rules: the rules of the table.
        deals: number of deals; each is played from every seat.
        seed: decides them.
    """
    players = rules.players
    starts, seating = duplicate_deals(deals, players, seed)
    seeds = derived_seed(seed, _OWN), derived_seed(seed, _OTHERS)
    scratch, winners = (
        new_search_scratch("tuned", opponent, seeds, (weights, base), edition_for(rules)),
        np.zeros(len(starts), np.int64),
    )
    set_rules(scratch, rules)
    play_hands(scratch, starts, seating, winners)
    at = np.tile(np.arange(players), deals)
    means: Array = np.where(winners < 0, 1 / players, winners == at).reshape(deals, players).mean(axis=1)
    return means


def search(
    settings: Settings,
    folder: Path,
    base: Array | None = None,
    threads: int = 1,
    progress: Callable[[int], object] | None = None,
) -> Array:
    """The weights that a search ends with, float64 [sets, features]; it goes on with what its folder holds.

    Args:
        settings: the search.
        folder: where the values of each generation are saved, and taken from.
        base: the weights to begin with, and of the other sets, float64 [sets, features]; those shipped by default.
        threads: threads that share the candidates of a generation; the result does not depend on it.
        progress: called with the number of finished generations.

    Raises:
        ValueError: the folder holds another search.
        Interrupted: after Ctrl-C.
    """
    base = load_weights() if base is None else base
    strategy = _cma(base[SETS.index(settings.which), _places(settings.which)], settings)
    candidates = strategy.ask()
    with ThreadPoolExecutor(threads) as pool:

        def work(generation: int) -> list[float]:
            seed = derived_seed(settings.seed, _DEALS, generation)
            return list(pool.map(lambda candidate: _value(candidate, base, settings, seed), candidates))

        def seen(generation: int, values: list[float]) -> None:
            nonlocal candidates
            strategy.tell(candidates, [-value for value in values])
            candidates = strategy.ask()
            if progress is not None:
                progress(generation + 1)

        parts = {f"generation-{generation:05d}.json": generation for generation in range(settings.generations)}
        open_search(settings, folder, base).run(parts, work, seen=seen)
    return with_set(base, settings.which, np.array(strategy.result.xfavorite))


def open_search(settings: Settings, folder: Path, base: Array) -> ResumableJob:
    """The job of a search in a folder, which may hold its beginning; it may go on to more generations.

    Raises:
        ValueError: the folder holds another search, or something else.
    """
    values = asdict(settings)
    generations = {"generations": values.pop("generations")}
    identity = {"settings": values, "tasks": TASKS[settings.which], "base": base.tolist()}
    return ResumableJob("search for weights", identity, folder, generations)


def with_set(base: Array, which: str, weights: Array) -> Array:
    """The weights of ``base``, float64 [sets, features], with others for the features of the set ``which``."""
    sets = base.copy()
    sets[SETS.index(which), _places(which)] = weights
    return sets


def _places(which: str) -> list[int]:
    """The columns of weights that a set has."""
    return [FEATURES.index(feature) for feature in features_of(which)]


def _value(candidate: Array, base: Array, settings: Settings, seed: int) -> float:
    """Mean win rate of a candidate over the tasks, each times half the number of players."""
    sets = with_set(base, settings.which, candidate)
    return float(
        np.mean(
            [
                duplicate_scores(sets, opponent, base, rules, settings.deals, derived_seed(seed, index)).mean()
                * (rules.players / 2)
                for index, (_, rules, opponent) in enumerate(_tables(settings.which))
            ]
        )
    )


@cache
def _tables(which: str) -> tuple[tuple[str, Rules, str], ...]:
    """Preset, rules and opponent of each task of a set."""
    return tuple(
        (preset, Rules.preset(preset, players=players), opponent) for preset, players, opponent in TASKS[which]
    )


def _cma(start: Array, settings: Settings) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import cma

        options = {
            "seed": settings.seed + 1,  # 0 would be the clock
            "popsize": settings.population,
            "CMA_stds": [SPREAD[feature] for feature in features_of(settings.which)],
            "verbose": -9,
        }
        return cma.CMAEvolutionStrategy(start, settings.sigma, options)


def check(which: str, weights: Array, base: Array, deals: int, seed: int) -> list[dict[str, Any]]:
    """Win rates of weights on each task of a set, on deals that no generation saw; plain values for JSON.

    Args:
        which: the set.
        weights: float64 [sets, features].
        base: those that ``tuned`` plays by as an opponent.
        deals: duplicate deals of each task.
        seed: decides them.
    """
    lines = []
    for index, (preset, rules, opponent) in enumerate(_tables(which)):
        scores = duplicate_scores(weights, opponent, base, rules, deals, derived_seed(seed, _CHECK, index))
        table = {"rules": preset, "players": rules.players, "opponent": opponent, "deals": deals}
        lines.append({**table, **Estimate.of(scores).to_dict("win_rate")})
    return lines


def save_weights(path: Path, weights: Array, found_by: dict[str, Any]) -> None:
    """Write a file that ``tuned`` can load, rounded to four places.

    Args:
        path: the file.
        weights: float64 [sets, features].
        found_by: for each set how it was found; free.
    """
    sets = {
        name: {feature: round(float(row[FEATURES.index(feature)]), 4) for feature in features_of(name)}
        for name, row in zip(SETS, weights, strict=True)
    }
    write_json(path, {"weights": sets, "found_by": found_by})


def found_by(path: Path) -> dict[str, Any]:
    """A file's note on the search for its sets of weights."""
    noted: dict[str, Any] = read_json(path).get("found_by", {})
    return noted


@dataclass(frozen=True, kw_only=True)
class Tune(Command):
    """Search for weights of the agent tuned, with CMA-ES."""

    positional: ClassVar = ("which",)
    needs: ClassVar = ("cma",)

    settings: Settings
    check_deals: Deals = 20_000
    """duplicate deals at each table, to measure the weights that are found"""
    threads: Annotated[int, Meta(ge=1, le=64)] = 1
    """threads that play"""
    start: File | None = None
    """weights to begin with (default: the shipped ones)"""
    log: Folder | None = None
    """save the search in this folder, and resume from it (default runs/tune/SET-SEED)"""
    out: File = Path("tuned.json")
    """the file of weights to write, for tuned?weights=FILE"""

    def run(self) -> None:
        settings, which, seed = self.settings, self.settings.which, self.settings.seed
        with user_input():
            start = self.start or WEIGHTS_FILE
            base, notes = load_weights(start), found_by(start)
            folder = self.log or Path("runs", "tune", f"{which}-{seed}")
            open_search(settings, folder, base)
            verify_writable(self.out)
        with progress_bar(f"Weights for {which}", settings.generations) as progress:
            weights = search(settings, folder, base, self.threads, progress)
        old, new = (check(which, each, base, self.check_deals, seed) for each in (base, weights))
        rows = []
        for before, after in zip(old, new, strict=True):
            table = f"{after['rules']}, {after['players']} players, {after['opponent']}"
            rows.append([table, f"{100 * before['win_rate']:.2f}", Estimate.from_dict(after, "win_rate").text(2)])
        MarkdownTable("", ("table", "win rate before, %", "now"), rows).show()
        with user_input():
            notes[which] = [*notes.get(which, []), {**self.origin(), "tables": new}]
            save_weights(self.out, weights, notes)
        print(f"The weights are {self.out}: tuned?weights={self.out}")


PROGRAM = Program("python -m tools.tune_weights", "Search for weights of the agent tuned.", "tools.tune_weights:Tune")

if __name__ == "__main__":
    sys.exit(PROGRAM.main())
