"""Figures of benchmarks that are saved in the repository, and the tables of the pages that are made from them.

``python -m tests.project.saved_figures FILE`` saves the figures of a file that ``uno benchmark agents``, ``search`` or
``algorithms`` wrote with ``--json`` in ``tests/project/figures``; ``uno benchmark speed --json
tests/project/figures/env_speed.json`` writes its own.
``python -m tests.project.readme`` writes the tables.
"""

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from agents.policy.policy_file import load_policy
from agents.zoo.shipped import KIND, shipped, shipped_file, track_rules
from train.benchmarks import algorithms, env_speed, ladder, search
from train.benchmarks.ship_policy import training
from train.benchmarks.tracks import OPPONENTS
from train.common.table import Table
from train.evaluation.estimate import Estimate
from uno_env.common.files import write_json

FOLDER = Path(__file__).parent / "figures"
LADDER, ALGORITHMS, SPEED = "ladder.json", "algorithms.json", "env_speed.json"
EXPLOITABILITY, SEARCH = "exploitability.json", "search.json"


def save(file: Path, folder: Path = FOLDER) -> None:
    """Save the figures of what a benchmark wrote.

    Raises:
        ValueError: the file holds none of the three.
    """
    try:
        values = json.loads(file.read_text(encoding="utf-8"))
        command = {"command": values["command"]}
        if "ladder" in values:
            write_json(folder / LADDER, {**command, **ladder.figures(values["ladder"])})
            return
        if "search" in values:
            search.table(values["search"])
            write_json(folder / SEARCH, {**command, "search": values["search"]})
            return
        names = (
            "decisions",
            "minutes",
            "seeds",
            "deals",
            "opponents",
            "commit",
            "date",
            "machine",
            "tracks",
            "aggregate",
        )
        figures = {**command, **{name: values["algorithms"][name] for name in names}}
        algorithms.markdown(figures)
    except (KeyError, TypeError, json.JSONDecodeError) as error:
        raise ValueError(
            f"{str(file)!r} holds no ladder and no benchmark of searches or algorithms: {error!r}"
        ) from None
    write_json(folder / ALGORITHMS, figures)


def _read(file: Path) -> dict[str, Any]:
    return dict(json.loads(file.read_text(encoding="utf-8"))) if file.exists() else {}


def ladder_tables() -> str:
    """The tables of the saved ladder, with what they were made by."""
    saved = _read(FOLDER / LADDER)
    return f"{_made_by(saved)}, seed {saved['seed']}.\n\n{ladder.tables(saved)}"


def algorithms_tables(folder: Path = FOLDER) -> str:
    """The saved tables of algorithms, with what they were made by."""
    figures = _read(folder / ALGORITHMS)
    if not figures:
        return "Not measured yet."
    threads = figures["machine"]["threads"]
    number = "one thread" if threads == 1 else f"{threads} threads"
    return f"{_made_by(figures)}, {number}.\n\n{algorithms.markdown(figures)}"


def search_table() -> str:
    """The saved table of searches, with what it was made by."""
    saved = _read(FOLDER / SEARCH)
    made_by = _made_by({"command": saved["command"], **saved["search"]})
    return f"{made_by}.\n\n{search.table(saved['search']).markdown()}"


def exploitability_table() -> str:
    """The saved exploitabilities: of agents, and of CFR+ as it went on."""
    saved = _read(FOLDER / EXPLOITABILITY)
    rows = [[f"`{each['agent']}`", f"{each['exploitability']:.3f}"] for each in saved["exploitabilities"]]
    rows += [[f"CFR+, {iterations} iterations", f"{value:.4f}"] for iterations, value in saved["solution"]["curve"]]
    nodes = f"{saved['solution']['nodes']:,} nodes"
    made_by = f"Code of commit {saved['commit']} ({saved['date']}); the tree has {nodes}."
    return f"{made_by}\n\n{Table('', ('who', 'exploitability'), rows).markdown()}"


def _made_by(figures: Mapping[str, Any]) -> str:
    return f"`{figures['command']}`, code of commit {figures['commit']} ({figures['date']})"


def speed_table() -> str:
    """The saved speeds of the environments."""
    measured = _read(FOLDER / SPEED)["speed"]
    table, start, memory = env_speed.table(measured), measured["start"], measured["memory"]
    table = Table("", table.headings[:-1], [row[:-1] for row in table.rows])
    return (
        f"{table.markdown()}\n\n"
        f"Import and first step: {start['cold']:.1f} s at first, {start['warm']:.2f} s once compiled. Memory: "
        f"{memory['all']:,.0f} bytes a game in a batch of {memory['games']:,}, {memory['record']:,} of them its state, "
        "the rest what is seen of it."
    )


def overview() -> str:
    """All shipped policies in a table, from their cards: how often each wins against some."""
    rows = []
    for name in shipped():
        card = load_policy(shipped_file(name))[1]
        rates = {line["opponent"]: Estimate.from_dict(line, "win_rate").text() for line in card.evaluation}
        par = f"{1 / track_rules(name).players:.0%}"
        cells = [rates.get(opponent, "") for opponent in OPPONENTS]
        rows.append([f"`{KIND}:{name}`", par, *cells, training(card.trained_by)])
    headings = ["policy", "par", *(f"v `{opponent}`" for opponent in OPPONENTS), "trained for"]
    return Table("", headings, rows).markdown()


if __name__ == "__main__":
    try:
        save(Path(sys.argv[1]))
    except (ValueError, OSError, IndexError) as error:
        sys.exit(f"tests.project.saved_figures: {error}; usage: python -m tests.project.saved_figures FILE")
