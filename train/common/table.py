"""Tables for the terminal and for Markdown from the same rows: :class:`Table`."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console


@dataclass(frozen=True)
class Table:
    """Rows of cells under headings. Texts are Markdown; the terminal shows them without its marks."""

    title: str
    headings: Sequence[str]
    rows: Sequence[Sequence[str]]
    words: int | Sequence[int] = 1
    """Number of the first columns, or indices of the columns, that hold words: they are aligned on the left, and may
    be broken into lines."""

    def markdown(self) -> str:
        """The table below its title, if it has one."""
        lines = [f"| {' | '.join(cells)} |" for cells in (self.headings, ["---"] * len(self.headings), *self.rows)]
        return "\n".join([self.title, "", *lines] if self.title else lines)

    def show(self, console: "Console | None" = None) -> None:
        """Print the table."""
        from rich import box
        from rich.console import Console
        from rich.table import Table
        from rich.text import Text

        table = Table(box=box.SIMPLE_HEAD, title=Text(_plain(self.title)) if self.title else None)
        for index, heading in enumerate(self.headings):
            words = index < self.words if isinstance(self.words, int) else index in self.words
            table.add_column(Text(_plain(heading)), justify="left" if words else "right", no_wrap=not words)
        for row in self.rows:
            table.add_row(*(Text(_plain(cell)) for cell in row))
        (console or Console(highlight=False)).print(table)


def show_lines(lines: Sequence[str], console: "Console | None" = None) -> None:
    """Print sentences below a table, wrapped as the terminal is wide."""
    from rich.console import Console

    for line in lines:
        (console or Console(highlight=False)).print(line, markup=False, highlight=False)


def _plain(text: str) -> str:
    return text.replace("`", "").replace("**", "")
