"""The rules as a page to read, made from the rules' own files: :func:`guide`, also ``uno rules``.

Each file opens with the text of its rule, its edge decisions, what it does to actions and to the observation. This
module collects them by the numbers of their sections, and adds the switches with their values, defaults and presets
from :class:`uno_env.rules.Rules`.
"""

import ast
import itertools
import re
from dataclasses import fields
from functools import cache
from pathlib import Path
from typing import NamedTuple

from uno_env.common.spelling import did_you_mean
from uno_env.core.record import ALL_SWITCHES, FLAGS, SWITCHES_OF_EDITIONS
from uno_env.rules import PRESETS, Rules

ROOT = Path(__file__).parent
INTRODUCTION = "# The rules, as they are played\n\nEvery rule and every switch. `uno rules NAME` prints one page."
CHAPTERS = {3: "Setting up", 6: "UNO", 9: "Points and matches", 10: "House rules"}
"""Titles of the chapters that have sections only; the others open with a page of their own."""

_HEADING = re.compile(
    r"(?P<title>.+) \(GUIDE\.md (?P<section>[\d.]+)\)\.(?: Switch(?:es)?: (?P<switches>.*))?", re.DOTALL
)


class Page(NamedTuple):
    """The text of one rule, and where it is written."""

    section: tuple[int, ...]
    """Number of its section: chapter, or chapter and position in it."""
    title: str
    switches: tuple[str, ...]
    """Fields of :class:`Rules` that choose among its readings."""
    text: str
    file: str
    """File of the rule, relative to the package."""

    @property
    def number(self) -> str:
        """The section as it is cited: ``3.2``."""
        return ".".join(map(str, self.section))


@cache
def pages() -> dict[str, Page]:
    """The pages by name, in the order of their sections; a name is that of the rule's file without its ending."""
    paths = [ROOT / "cards.py", ROOT / "rules" / "presets.py"]
    paths += [ROOT / "editions" / f"{name}.py" for name in ("no_mercy", "flip")]
    paths += (ROOT / "core" / "rules").glob("[!_]*.py")
    return dict(sorted(((path.stem, _read(path)) for path in paths), key=lambda item: item[1].section))


def page(name: str) -> Page:
    """The page of a rule. Raises ValueError if there is no such rule."""
    if name not in pages():
        raise ValueError(f"{name!r} is no rule{did_you_mean(name, pages())}: there are {', '.join(pages())}")
    return pages()[name]


def _read(path: Path) -> Page:
    heading, text = (ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or "").split("\n\n", 1)
    found = _HEADING.fullmatch(heading)
    assert found, f"the docstring of {path} does not begin with a title and a section of the guide"
    title, section, switches = found.groups(default="")
    numbers = tuple(map(int, section.split(".")))
    return Page(
        numbers, title, tuple(re.findall(r"``(\w+)``", switches)), text, path.relative_to(ROOT.parent).as_posix()
    )


@cache
def field_texts() -> dict[str, str]:
    """The docstring of each field of :class:`Rules`, on one line and without the section that it cites."""
    tree = ast.parse((ROOT / "rules" / "fields.py").read_text(encoding="utf-8"))
    body = next(node.body for node in tree.body if isinstance(node, ast.ClassDef) and node.name == "Rules")
    texts = {}
    for node, following in itertools.pairwise(body):
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and isinstance(following, ast.Expr):
            text = " ".join(ast.literal_eval(following.value).split())
            texts[node.target.id] = re.sub(r" \(GUIDE\.md [\d.]+\)", "", text)
    return texts


def _switch_row(switch: str) -> str:
    default = next(field.default for field in fields(Rules) if field.name == switch)
    values = (*(ALL_SWITCHES.get(switch) or FLAGS.get(switch, ())), *SWITCHES_OF_EDITIONS.get(switch, ()))
    allowed = ", ".join(f"`{value}`" for value in values) or ("names, or cards" if switch == "deck" else "a number")
    presets = ", ".join(f"{name}: `{preset[switch]}`" for name, preset in PRESETS.items() if switch in preset) or "–"
    text = field_texts()[switch].replace("``", "`")
    return f"| `{switch}` | {allowed} | `{default}` | {presets} | {text} |"


def page_text(name: str) -> str:
    """The page of a rule as Markdown."""
    rule = page(name)
    lines = [f"{'#' * (len(rule.section) + 1)} {rule.number} {rule.title}", "", f"`{rule.file}`", ""]
    if rule.switches:
        lines += ["| switch | values | default | presets that differ | meaning |", "| --- | --- | --- | --- | --- |"]
        lines += [*map(_switch_row, rule.switches), ""]
    lines.append(re.sub(r"``([^`]+)``", r"`\1`", rule.text).replace("\nObservation: ", "\n\nObservation: "))
    return "\n".join(lines)


def guide() -> str:
    """All pages as one Markdown text."""
    parts: dict[tuple[int, ...], str] = {(chapter,): f"## {chapter} {title}" for chapter, title in CHAPTERS.items()}
    parts |= {each.section: page_text(name) for name, each in pages().items()}
    return "\n\n".join([INTRODUCTION, *(parts[section] for section in sorted(parts))]) + "\n"


if __name__ == "__main__":
    (ROOT / "GUIDE.md").write_text(guide(), encoding="utf-8")
