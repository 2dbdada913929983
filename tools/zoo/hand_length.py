"""The length of shipped policies' hands: :func:`measure` saves it, and :func:`markdown` shows it on model cards.

A policy that draws and waits wins more, and its hands are longer. Nobody waits for a hand gladly, so the cards say how
many decisions a hand takes among its own kind, and with one ``tuned`` among them.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from agents.zoo.shipped import GENERAL, KIND, track_rules
from tools.ladder import REPORT_SEED, hand_lengths
from train.common.table import MarkdownTable
from train.evaluation.estimate import Estimate
from train.evaluation.played_by import player_digest
from uno_env.common.files import read_json, write_text
from uno_env.rules import Rules

FILE = Path(__file__).with_suffix(".json")
"""The lines of every policy by its name, with the digest of who played."""


def measured_rules(name: str) -> dict[str, Rules]:
    """The rules that a shipped policy is measured by, by the name of their track; the policy for all rules has two."""
    names = ("classic-4p", "house-4p") if name == GENERAL else (name,)
    return {each: track_rules(each) for each in names}


def saved(name: str) -> list[dict[str, Any]]:
    """The lines that :func:`measure` saved of a shipped policy; none if it has other weights now."""
    values = read_json(FILE).get(name, {})
    return values["lines"] if values and values["digest"] == player_digest(f"{KIND}:{name}") else []


def measure(policy: Path, name: str) -> None:
    """Measure decisions a hand of all players together, and save a line for each table."""
    lines: list[dict[str, Any]] = []
    for track, rules in measured_rules(name).items():
        for tuned in (0, 1):
            length = hand_lengths(str(policy), rules, ("tuned",) * tuned)
            values = Estimate.of(length).to_dict("decisions")
            lines.append(
                {
                    "track": track,
                    "tuned": tuned,
                    "hands": len(length),
                    "seed": REPORT_SEED,
                    "median": float(np.median(length)),
                    **{field: round(values[field], 1) for field in ("decisions", "low", "high")},
                }
            )
    there = {**read_json(FILE), name: {"digest": player_digest(f"{KIND}:{name}"), "lines": lines}}
    write_text(FILE, json.dumps(there, indent=1, sort_keys=True) + "\n")


def markdown(lines: Sequence[Mapping[str, Any]]) -> str:
    """The lines of :func:`measure` as a table."""
    if not lines:
        return "Not measured."
    first = lines[0]
    title = f"Decisions a hand, of all players, on {first['hands']:,} deals of seed {first['seed']:,}."
    rows = [
        [
            f"`{line['track']}`",
            "one `tuned`, else its own kind" if line["tuned"] else "its own kind",
            f"{line['decisions']:.0f}",
            f"{line['low']:.0f}–{line['high']:.0f}",
            f"{line['median']:.0f}",
        ]
        for line in lines
    ]
    return MarkdownTable(title, ("rules", "table", "mean", "95 % interval", "median"), rows).markdown()
