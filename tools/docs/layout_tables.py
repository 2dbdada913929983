"""The layouts of observations, planes and histories as the Markdown tables that the pages show."""

import numpy as np

from uno_env.encodings import FORMS, PLANES
from uno_env.history import HISTORY_LAYOUT
from uno_env.observation import LAYOUT


def layout_table() -> str:
    """The columns of an observation: section, columns, scale and meaning."""
    lines = ["| section | columns | scale | meaning |", "| --- | --- | --- | --- |"]
    for section in LAYOUT.values():
        last = section.start + section.width - 1
        lowest, highest = np.min(section.scale), np.max(section.scale)
        scale = f"{lowest:g}" if lowest == highest else f"{lowest:g}–{highest:g}"
        lines.append(f"| `{section.name}` | {section.start}–{last} | {scale} | {section.meaning} |")
    return "\n".join(lines)


def planes_table() -> str:
    """The planes of an observation."""
    lines = ["| planes | section | how it stands there |", "| --- | --- | --- |"]
    for plane in PLANES.values():
        numbers = _run(plane.start, plane.number)
        lines.append(f"| {numbers} | `{plane.section}` | {FORMS[plane.form][1]} |")
    return "\n".join(lines)


def history_table() -> str:
    """The columns of an event: name, columns, number of values and meaning."""
    lines = ["| column | columns | values | meaning |", "| --- | --- | --- | --- |"]
    for run in HISTORY_LAYOUT.values():
        lines.append(f"| `{run.name}` | {_run(run.start, run.width)} | {run.values} | {run.meaning} |")
    return "\n".join(lines)


def _run(start: int, width: int) -> str:
    return f"{start}" if width == 1 else f"{start}–{start + width - 1}"
