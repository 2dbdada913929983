"""What a plot shows, read from its figure."""

from typing import Any


def styles(panel: Any) -> dict[str, tuple[str, str, str]]:
    """Colour, marker and line of each curve of a panel, by its name in the legend."""
    drawn = zip(*panel.get_legend_handles_labels(), strict=True)
    lines = {label: handle.lines[0] if hasattr(handle, "lines") else handle for handle, label in drawn}
    return {label: (line.get_color(), line.get_marker(), line.get_linestyle()) for label, line in lines.items()}
