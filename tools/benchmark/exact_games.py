"""The games of the suite that can be solved: their rules, and the files ``benchmark/v1/exact/NAME.json``."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tools.benchmark.rule_sets import spelled_out
from train.common.processes import cores
from train.common.suite import sha256
from uno_env.common.files import read_json, write_text
from uno_env.extensive_form.game_tree import grow
from uno_env.rules import Rules

SHARED: dict[str, Any] = {"players": 2, "dealer": "random", "first_card": "number", "uno_call": "automatic"}
GAMES: dict[str, tuple[str, dict[str, Any]]] = {
    "bluffs": (
        "A Wild Draw Four to bluff with, and to challenge.",
        {"deck": "b1 b1 b1 r1 r1 w+4 y1", "hand_size": 2, "max_decisions": 9, "after_draw": "must_play",
         "wild_draw_four": "bluff"},
    ),
    "stacks": (
        "Two Draw Two cards, which can be stacked.",
        {"deck": "b1 b2 b3 bs r+2 r+2 r3 r3", "hand_size": 2, "max_decisions": 8, "after_draw": "must_play",
         "stacking": "same"},
    ),
    "swaps": (
        "A 0 swaps the two hands, so who plays it takes over the cards that the other has collected.",
        {"deck": "r0 r1 r2 r2 r2 y1 y2", "hand_size": 2, "max_decisions": 11, "after_draw": "must_play",
         "seven_zero": True},
    ),
    "calls": (
        "UNO must be called, and a missing call can be caught.",
        {"deck": "r1 r1 r1 r2 r2 r2 b3 b1 b2", "hand_size": 2, "max_decisions": 7, "uno_call": "declared"},
    ),
    "medley": (
        "A Wild Draw Four to bluff with, Draw Two cards to stack, and a wild.",
        {"deck": "b1 b1 r1 r1 b+2 r+2 w w+4", "hand_size": 3, "max_decisions": 9, "after_draw": "must_play",
         "wild_draw_four": "bluff", "stacking": "any"},
    ),
}  # fmt: skip
"""By name, a game's subject, and its fields that differ from :data:`SHARED` and the defaults; the smallest first."""


def game_rules(name: str) -> Rules:
    """The rules of one of :data:`GAMES`."""
    return Rules.from_dict({**SHARED, **GAMES[name][1]})


def write_exact_games(folder: Path) -> dict[str, str]:
    """Write a file for each game; the SHA-256 of each. A tree whose rules have not changed is not grown again."""
    return {name: _written(folder / "exact" / f"{name}.json", name) for name in GAMES}


def _written(file: Path, name: str) -> str:
    rules = spelled_out(game_rules(name))
    before: Mapping[str, Any] = read_json(file) if file.is_file() else {}
    if before.get("rules") == rules:
        size = {key: before[key] for key in ("nodes", "information_states")}
    else:
        tree = grow(game_rules(name), threads=cores())
        size = {"nodes": tree.nodes, "information_states": len(tree)}
    text = json.dumps({"name": name, "about": GAMES[name][0], "rules": rules, **size}, indent=1) + "\n"
    write_text(file, text)
    return sha256(text.encode())
