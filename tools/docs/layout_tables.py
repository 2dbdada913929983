"""The layouts of observations, planes and histories as the Markdown tables that the pages show."""

import numpy as np

from train.common.table import MarkdownTable
from uno_env.encodings import FORMS, PLANES
from uno_env.history import HISTORY_LAYOUT
from uno_env.observation import LAYOUT


def layout_table() -> str:
    """The columns of an observation: section, columns, scale and meaning."""
    rows = []
    for section in LAYOUT.values():
        last = section.start + section.width - 1
        lowest, highest = np.min(section.scale), np.max(section.scale)
        scale = f"{lowest:g}" if lowest == highest else f"{lowest:g}–{highest:g}"
        rows.append((f"`{section.name}`", f"{section.start}–{last}", scale, section.meaning))
    return MarkdownTable("", ("section", "columns", "scale", "meaning"), rows).markdown()


def planes_table() -> str:
    """The planes of an observation."""
    rows = [(_run(plane.start, plane.number), f"`{plane.section}`", FORMS[plane.form][1]) for plane in PLANES.values()]
    return MarkdownTable("", ("planes", "section", "how it stands there"), rows).markdown()


def history_table() -> str:
    """The columns of an event: name, columns, number of values and meaning."""
    rows = [
        (f"`{run.name}`", _run(run.start, run.width), str(run.values), run.meaning) for run in HISTORY_LAYOUT.values()
    ]
    return MarkdownTable("", ("column", "columns", "values", "meaning"), rows).markdown()


def _run(start: int, width: int) -> str:
    return f"{start}" if width == 1 else f"{start}–{start + width - 1}"
