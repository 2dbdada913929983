"""Tables for the terminal and for Markdown from the same rows: :class:`MarkdownTable`."""

import itertools
import sys
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from uno_env.common.output import replace_unprintable
from uno_env.common.plain_text import printable, without_marks

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table as RichTable
    from rich.text import Text

WIDEST = 10_000
"""Columns of an output that is no terminal."""
_LEAST_TEXT = 24
"""Columns that a text needs beside a name; else it goes on below."""


@dataclass(frozen=True)
class MarkdownTable:
    """Rows of cells under headings. Texts are Markdown; the terminal shows them without its marks."""

    title: str
    headings: Sequence[str]
    rows: Sequence[Sequence[str]]
    words: int | Sequence[int] = 1
    """Number of the first columns, or indices of the columns, that hold words: they are aligned on the left."""

    def markdown(self) -> str:
        """The table below its title, if it has one."""
        rows = (self.headings, ["---"] * len(self.headings), *self.rows)
        lines = [f"| {' | '.join(map(printable, cells))} |" for cells in rows]
        return "\n".join([printable(self.title), "", *lines] if self.title else lines)

    def show(self) -> None:
        """Print the whole table; no cell is cut.

        On a terminal that is too narrow the columns are shown in parts, each behind the first columns of words; where
        even one has no room there, the cells stand one below the other. What is no terminal has any width.
        """
        console = _console()
        if self.title:
            console.print(_text(self.title), style="italic")
        parts = self._parts(console)
        for part in parts:
            console.print(self._drawn(part))
        if parts:
            return
        for row in self.rows:
            console.print()
            for heading, cell in zip(self.headings, row, strict=True):
                console.print(_text(f"{heading}: {cell}" if heading else cell), overflow="fold")
        console.print()

    def _is_of_words(self, index: int) -> bool:
        return index < self.words if isinstance(self.words, int) else index in self.words

    def _parts(self, console: "Console") -> list[list[int]]:
        """Return the indices of the columns that are shown side by side, or none if the console is too narrow for
        that.
        """
        indices = list(range(len(self.headings)))
        names = list(itertools.takewhile(self._is_of_words, indices))
        parts: list[list[int]] = []
        for index in indices[len(names) :] or names:
            if parts and self._fits([*parts[-1], index], console):
                parts[-1].append(index)
            else:
                parts.append([*names, index] if index not in names else names)
            if not self._fits(parts[-1], console):
                return []
        return parts

    def _fits(self, part: Sequence[int], console: "Console") -> bool:
        from rich.measure import Measurement

        wide = console.options.update(max_width=WIDEST)
        return Measurement.get(console, wide, self._drawn(part)).maximum <= console.width

    def _drawn(self, part: Sequence[int]) -> "RichTable":
        from rich import box
        from rich.table import Table as RichTable

        table = RichTable(box=box.SIMPLE_HEAD)
        for index in part:
            justify: Literal["left", "right"] = "left" if self._is_of_words(index) else "right"
            table.add_column(_text(self.headings[index]), justify=justify, no_wrap=True)
        for row in self.rows:
            table.add_row(*(_text(row[index]) for index in part))
        return table


def show_lines(lines: Sequence[str]) -> None:
    """Print sentences below a table, wrapped as the terminal is wide."""
    for line in lines:
        _console().print(line, markup=False, highlight=False)


def show_reports(parts: Sequence[str | MarkdownTable]) -> None:
    """Print tables, and sentences between them, as a terminal shows them; as Markdown, to be pasted somewhere, where
    the output is no terminal.
    """
    replace_unprintable()
    if not sys.stdout.isatty():
        print("\n\n".join(part if isinstance(part, str) else part.markdown() for part in parts))
        return
    for part in parts:
        if isinstance(part, str):
            show_lines([part])
        else:
            part.show()


def show_page(text: str) -> None:
    """Print a page of Markdown as a terminal shows it; as it is, where the output is no terminal."""
    replace_unprintable()
    if not sys.stdout.isatty():
        print(text)
        return
    from rich.markdown import Markdown

    _console().print(Markdown(text))


def show_list(rows: Sequence[Sequence[str]]) -> None:
    """Print names with what they are, the last cell of each row, which is wrapped beside or below its name."""
    width = _console().width
    columns = [max(map(len, column)) for column in zip(*(row[:-1] for row in rows), strict=True)]
    for *names, text in rows:
        head = "".join(f"{name:{column}}  " for name, column in zip(names, columns, strict=True))
        indent = " " * (len(head) if width - len(head) >= _LEAST_TEXT else 4)
        wrapper = textwrap.TextWrapper(width, head, indent, break_long_words=False, break_on_hyphens=False)
        print(wrapper.fill(text))


def _console() -> "Console":
    """The standard output: as wide as the terminal is, or of any width if it is none."""
    from train.common.console import Output

    replace_unprintable()
    return Output(highlight=False, width=None if sys.stdout.isatty() else WIDEST)


def _text(text: str) -> "Text":
    from rich.text import Text

    return Text(printable(without_marks(text)))
