"""Pages and parts of the site that each build makes from the code: :func:`make_pages`, which ``docs/conf.py`` calls."""

import re
import shutil
from dataclasses import fields
from importlib import import_module
from pathlib import Path
from typing import Any

from tools.docs.reference import PACKAGES, directives
from train.evaluation.duplicate import evaluate
from train.evaluation.game_recorder import Recorder
from uno_env.guide import CHAPTERS, INTRODUCTION, page_text, pages
from uno_env.render.page import replay_page
from uno_env.replay import Replay
from uno_env.rules import Rules

POLICY, OPPONENT = "zoo:duel-2p", "greedy"

_CODE_OR_SECTION = re.compile(r"`[^`]*`|(?<![\d.])(?P<section>\d+\.\d+)(?![\d.]*\d)|(?<=\()(?P<chapter>\d+)(?=\))")
_CITED = re.compile(r"GUIDE\.md (\d+(?:\.\d+)?)")


def make_pages(docs: Path) -> None:
    """Write the pages of the rules and of the modules, and the replay that a page embeds, below ``docs``."""
    for folder in (docs / "rules", docs / "reference" / "modules"):
        shutil.rmtree(folder, ignore_errors=True)  # a page of an earlier build would be in no list
    for name, text in (rule_pages() | reference_pages()).items():
        (docs / name).parent.mkdir(exist_ok=True)
        (docs / name).write_text(text, encoding="utf-8")
    made = docs / "made" / "tutorials"
    made.mkdir(parents=True, exist_ok=True)
    (made / "replay.html").write_text(replay_page(example_replay(), 0), encoding="utf-8")


def rule_pages() -> dict[str, str]:
    """A page for each rule by its file, such as ``rules/jump_in.md``, and ``rules.md``, which lists them."""
    found, lines, chapters = {}, [INTRODUCTION, ""], set()
    for name, rule in pages().items():
        chapter = rule.section[0]
        if chapter in CHAPTERS and chapter not in chapters:
            lines.append(f"- {chapter} {CHAPTERS[chapter]}")
        chapters.add(chapter)
        title, *rest = page_text(name).splitlines()
        found[f"rules/{name}.md"] = "\n".join([f"# {title.lstrip('# ')}", *map(_linked, rest), ""])
        lines.append(f"{'  ' * (len(rule.section) - 1)}- [{rule.number} {rule.title}](rules/{name}.md)")
    tree = ["", "```{toctree}", ":hidden:", "", *(f"rules/{name}" for name in pages()), "```", ""]
    return found | {"rules.md": "\n".join(lines + tree)}


def _linked(line: str) -> str:
    """A line of a rule's page whose sections, as in ``(6.1)``, are links; code stays as it is."""
    named = {rule.number: name for name, rule in pages().items()}

    def link(found: "re.Match[str]") -> str:
        number = found["section"] or found["chapter"]
        return f"[{number}]({named[number]}.md)" if number in named else found[0]

    return _CODE_OR_SECTION.sub(link, line)


def link_guide(app: object, what: str, name: str, obj: object, options: object, lines: list[str]) -> None:
    """Sphinx's ``autodoc-process-docstring``: sections of the guide that docstrings cite are links."""
    named = {rule.number: name for name, rule in pages().items()}
    for index, line in enumerate(lines):
        lines[index] = _CITED.sub(
            lambda found: f":doc:`{found[0]} </rules/{named[found[1]]}>`" if found[1] in named else found[0], line
        )


def show_fields(
    app: object, what: str, name: str, obj: object, options: object, signature: str | None, returned: str | None
) -> tuple[str | None, str | None]:
    """Sphinx's ``autodoc-process-signature``: the signature of ``Rules`` has its fields with their defaults."""
    if obj is Rules:
        signature = f"({', '.join(f'{field.name}={field.default!r}' for field in fields(Rules))})"
    return signature, returned


_PARTS = {
    '<aside class="sidebar-drawer">': '<aside class="sidebar-drawer" aria-label="All pages">',
    '<aside class="toc-drawer': '<aside aria-label="This page" class="toc-drawer',
    '<div class="content-icon-container">': '<div class="content-icon-container" role="navigation" aria-label="Code">',
    'role="heading">': 'role="heading" aria-level="2">',
    '<th class="head"><p></p></th>': '<td class="head"></td>',
    'notranslate"><div class="highlight"><pre>': 'notranslate"><div class="highlight"><pre tabindex="0">',
    '<div class="table-wrapper ': '<div tabindex="0" role="group" aria-label="Table" class="table-wrapper ',
}
"""HTML that the theme writes, and the same with what screen readers and the keyboard need."""


def name_parts(app: Any, exception: Exception | None) -> None:
    """Sphinx's ``build-finished``: name the parts of each page, and let the keyboard reach wide tables."""
    for page in Path(app.outdir).rglob("*.html"):
        text = before = page.read_text(encoding="utf-8")
        for written, mended in _PARTS.items():
            text = text.replace(written, mended)
        if text != before:
            page.write_text(text, encoding="utf-8")


def reference_pages() -> dict[str, str]:
    """A page for each documented module, and one for each package, which lists them by heading."""
    found = {}
    for package, (introduction, sections) in PACKAGES.items():
        lines, names = [f"# {package}", "", introduction, ""], []
        for heading, modules in sections.items():
            lines += [f"## {heading}", "", "| module | |", "| --- | --- |"]
            for module in modules:
                names.append(module)
                lines.append(f"| [{module}]({module}.md) | {_first_sentence(module)} |")
                text = f"# {module}\n\n```{{eval-rst}}\n{directives(module)}\n```\n"
                found[f"reference/modules/{module}.md"] = text
            lines.append("")
        lines += ["```{toctree}", ":hidden:", "", *names, "```", ""]
        found[f"reference/modules/{package}.md"] = "\n".join(lines)
    return found


def _first_sentence(module: str) -> str:
    """The first paragraph of a module's docstring, as Markdown for a cell of a table."""
    paragraph = (import_module(module).__doc__ or "").strip().split("\n\n")[0]
    text = re.sub(r":\w+:`[~.]?([^`<]+?)(?: <[^`]*>)?`", r"`\1`", " ".join(paragraph.split())).replace("``", "`")
    return text.replace("|", "\\|")


def example_replay() -> Replay:
    """A hand of a shipped policy, with what the policy thought."""
    recorder = Recorder(1)
    evaluate(POLICY, OPPONENT, "duel", deals=2, seed=7, recorder=recorder)
    return recorder.replays()[0]
