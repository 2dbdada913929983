"""The rules as a page to read, made from the rules' own files: :func:`guide`, also ``uno rules``.

Each rule of the core opens with its text, its edge decisions, what it does to actions and to the observation. This
module collects them, and adds the switches with their values, defaults and presets from :class:`uno_env.rules.Rules`.
"""

import ast
import itertools
import re
from dataclasses import fields
from functools import cache
from pathlib import Path
from typing import NamedTuple

from uno_env.core.record import FLAGS, SWITCHES
from uno_env.rules import PRESETS, Rules

RULES = Path(__file__).parent / "core" / "rules"
ORDER = [
    "dealer",
    "first_card",
    "matching",
    "drawing",
    "double_play",
    "deck",
    "card_effects",
    "special_wilds",
    "wild_draw_four",
    "uno_call",
    "catching",
    "illegal",
    "going_out",
    "points",
    "match",
    "stacking",
    "seven_zero",
    "jump_in",
    "six_smackdown",
    "knowledge",
    "rlcard",
]
"""Files of the core that hold a rule, in the order of RULES.md."""


class Page(NamedTuple):
    """What there is to say of one rule."""

    name: str
    """The rule's file in the core, without its ending."""
    title: str
    sections: str
    """Sections of RULES.md it comes from."""
    switches: tuple[str, ...]
    """Fields of :class:`Rules` that choose among its readings."""
    text: str


def page(name: str) -> Page:
    """The page of the rule in ``core/rules/{name}.py``.

    Raises:
        ValueError: there is no such rule.
    """
    if name not in ORDER:
        raise ValueError(f"{name!r} is no rule: there are {', '.join(ORDER)}")
    docstring = ast.get_docstring(ast.parse((RULES / f"{name}.py").read_text(encoding="utf-8"))) or ""
    heading, *paragraphs = docstring.split("\n\n")
    if paragraphs[0].startswith("Switch"):
        heading += " " + paragraphs.pop(0)
    heading, _, switches = " ".join(heading.split()).partition(" Switch")
    title, _, sections = heading.rstrip(".").partition(" (RULES.md ")
    text = "\n\n".join(paragraphs)
    return Page(name, title, sections.rstrip(")"), tuple(re.findall(r"``(\w+)``", switches)), text)


@cache
def field_texts() -> dict[str, str]:
    """The docstring of each field of :class:`Rules`."""
    tree = ast.parse((Path(__file__).parent / "rules.py").read_text(encoding="utf-8"))
    body = next(node.body for node in tree.body if isinstance(node, ast.ClassDef) and node.name == "Rules")
    texts = {}
    for node, following in itertools.pairwise(body):
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and isinstance(following, ast.Expr):
            texts[node.target.id] = ast.literal_eval(following.value)
    return texts


def _switch_row(switch: str) -> str:
    default = next(field.default for field in fields(Rules) if field.name == switch)
    values = SWITCHES.get(switch) or ((False, True) if switch in FLAGS else ())
    allowed = ", ".join(f"`{value}`" for value in values) or "a number"
    presets = ", ".join(f"{name}: `{preset[switch]}`" for name, preset in PRESETS.items() if switch in preset) or "–"
    text = " ".join(field_texts()[switch].replace("``", "`").split())
    return f"| `{switch}` | {allowed} | `{default}` | {presets} | {text} |"


def page_text(name: str) -> str:
    """The page of a rule as Markdown."""
    rule = page(name)
    lines = [f"## {rule.title}", "", f"`core/rules/{name}.py`, RULES.md {rule.sections}", ""]
    if rule.switches:
        lines += ["| switch | values | default | presets that differ | meaning |", "| --- | --- | --- | --- | --- |"]
        lines += [*map(_switch_row, rule.switches), ""]
    lines.append(re.sub(r"``([^`]+)``", r"`\1`", rule.text))
    return "\n".join(lines)


def guide() -> str:
    """All pages as one Markdown text."""
    intro = "# The rules, as they are played\n\nMade from the rules' own files; `uno rules NAME` prints one page."
    return "\n\n".join([intro, *map(page_text, ORDER)]) + "\n"


if __name__ == "__main__":
    Path(__file__).with_name("GUIDE.md").write_text(guide(), encoding="utf-8")
