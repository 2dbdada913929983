"""The tables of the pages that are made from the code; ``python -m tools.docs.tables`` writes them anew.

A page is README.md, or a file in ``docs/``. A table stands between two marks, ``<!-- table: NAME -->`` and
``<!-- end -->``.
"""

import functools
import itertools
import re
from collections.abc import Callable

from agents.scripted.dispatch import STRATEGIES
from tools import ROOT
from tools.benchmark.ceilings import ceilings_table
from tools.benchmark.page import leaderboard_tables
from tools.docs import first_network, foreign_programs
from tools.docs.layout_tables import history_table, layout_table, planes_table
from tools.docs.reading import reading_tables
from tools.docs.saved_figures import (
    COMPARISONS,
    STUDIES,
    chat_table,
    comparison_tables,
    exploitability_table,
    ladder_tables,
    overview,
    players_of_study,
    speed_table,
    tracks_table,
)
from tools.docs.structure import structure
from tools.exact_curves import page as exact
from tools.speed.gpu import gpu_table
from tools.speed.scale import scale_table
from train.cli.main import COMMANDS
from train.common.table import MarkdownTable
from uno_env import PRESETS, actions

README = ROOT / "README.md"
MADE = {"_build", "made", "modules", "rules", "rules.md"}
"""Files and folders of ``docs/`` that building the site writes."""
PAGES = [README, *sorted(path for path in (ROOT / "docs").rglob("*.md")
                         if MADE.isdisjoint(path.relative_to(ROOT).parts))]  # fmt: skip

_ACTION_GROUPS = (
    (actions.PLAY, "play the coloured card of that kind"),
    (actions.PLAY_WILD, "play the wild of that kind and declare the colour"),
    (actions.PLAY_PAIR, "play two cards of that number and colour together"),
    (actions.DRAW, "draw instead of playing"),
    (actions.PASS, "keep the drawn card; let a chance to catch, call or jump in go by"),
    (actions.CHALLENGE, "challenge the Wild Draw Four"),
    (actions.ACCEPT, "take the penalty"),
    (actions.CALL, "call UNO"),
    (actions.CATCH, "catch the player who has not called"),
    (actions.JUMP_IN, "lay the card identical to the top card: out of turn, or together with one's own"),
    (actions.SWAP, "swap hands with that player to the left"),
    (actions.DECLARE, "declare the colour of a first Wild"),
    (actions.NUM_ACTIONS, ""),
)


def actions_table() -> str:
    """The catalogue of actions, in groups."""
    rows = []
    for (first, meaning), (end, _) in itertools.pairwise(_ACTION_GROUPS):
        last = end - 1
        if first == last:
            rows.append((str(first), f"`{actions.name(first)}`", meaning))
        else:
            rows.append((f"{first}–{last}", f"`{actions.name(first)}` … `{actions.name(last)}`", meaning))
    return MarkdownTable("", ("ids", "texts", "meaning"), rows).markdown()


def presets_table() -> str:
    """The presets and what they set."""
    rows = []
    for name, changes in PRESETS.items():
        sets = ", ".join(f"`{field}={value!r}`" for field, value in changes.items()) or "all defaults: 4 players"
        rows.append((f"`{name}`", sets))
    return MarkdownTable("", ("preset", "sets"), rows).markdown()


def commands_table() -> str:
    """The commands of ``uno``."""
    rows = []
    for name, (target, text) in COMMANDS.items():
        rows.append((f"`uno {name}`", text))
        if not isinstance(target, str):
            rows += [(f"`uno {name} {inner}`", meaning) for inner, (_, meaning) in target.items()]
    return MarkdownTable("", ("command", "what it does"), rows).markdown()


def agents_table() -> str:
    """The scripted agents, their play and their strength."""
    rows = [(f"`{name}`", each.about) for name, each in STRATEGIES.items()]
    return MarkdownTable("", ("agent", "what it does"), rows).markdown()


TABLES: dict[str, Callable[[], str]] = {
    "structure": structure,
    "ladder": ladder_tables,
    "exploitability": exploitability_table,
    "exact_curves": exact.curves_table,
    "exact_solver": exact.solver_table,
    "exact_attacks": exact.attacks_table,
    "chat": chat_table,
    **{name: functools.partial(comparison_tables, name) for name in COMPARISONS},
    "zoo": overview,
    "tracks": tracks_table,
    "ceilings": ceilings_table,
    "leaderboard": leaderboard_tables,
    "reading_rules": reading_tables,
    "speed": speed_table,
    "scale": scale_table,
    "gpu": gpu_table,
    **{f"played_{name}": functools.partial(players_of_study, name) for name in STUDIES},
    "actions": actions_table,
    "observation": layout_table,
    "planes": planes_table,
    "history": history_table,
    "presets": presets_table,
    "commands": commands_table,
    "agents": agents_table,
    "first_network": first_network.table,
    "foreign_programs": foreign_programs.table,
}


def with_tables(text: str) -> str:
    """The text with each table between its marks made anew."""
    block = re.compile(r"(<!-- table: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)
    return block.sub(lambda match: f"{match[1]}{TABLES[match[2]]()}\n{match[3]}", text)


if __name__ == "__main__":
    for page in PAGES:
        before = page.read_text(encoding="utf-8")
        if (after := with_tables(before)) != before:
            page.write_text(after, encoding="utf-8")
