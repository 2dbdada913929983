"""The drawn structure of the packages, made from their imports: :func:`structure`."""

from html import escape

from tools.docs.imports import PACKAGES, folders, levels, siblings

_WIDTH, _PAD, _ROW, _LETTER = 1000, 10, 30, 6.6
"""Pixels: the width of the picture, the space between boxes, the height of a row, and the width of a letter."""


def structure() -> str:
    """The packages and their contents as SVG, layer by layer: each part imports only from those below it."""
    parts: list[str] = []
    y = float(_PAD)
    for package in reversed(PACKAGES):
        drawn, height = _drawn(package, _PAD, y + _ROW, _WIDTH - 2 * _PAD)
        parts.append(_box(_PAD, y, _WIDTH - 2 * _PAD, height + _ROW + _PAD, "#f6f4ee"))
        parts.append(_text(2 * _PAD, y + 20, f"{package}/", "bold"))
        parts += drawn
        y += height + _ROW + 2 * _PAD
    style = "<style>text{font:12px sans-serif;fill:#222}</style>"
    title = "<title>The packages in layers; each imports only from what stands below it</title>"
    size = f'width="{_WIDTH}" height="{y:.0f}" viewBox="0 0 {_WIDTH} {y:.0f}"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" role="img" {size}>{title}{style}\n' + "\n".join(parts) + "\n</svg>"


def _drawn(folder: str, x: float, y: float, width: float) -> tuple[list[str], float]:
    """The layers of a folder, the highest first, wrapped to a width; and their height."""
    layers = levels({name: targets - {folder} for name, targets in siblings(folder).items() if name != folder})
    parts: list[str] = []
    top = y
    for layer in reversed(layers):
        left = x + _PAD
        for label, is_folder in sorted((_label(name), name in folders()) for name in layer):
            across = len(label) * _LETTER + 2 * _PAD
            if left + across > x + width - _PAD:
                left, y = x + _PAD, y + _ROW
            parts += [
                _box(left, y, across, _ROW - 6, "#cfe3f5" if is_folder else "#ffffff"),
                _text(left + _PAD, y + 16, label),
            ]
            left += across + _PAD
        y += _ROW + _PAD
        parts.append(f'<path d="M{x + _PAD} {y - _PAD}H{x + width - _PAD}" stroke="#bbb" stroke-dasharray="2 4"/>')
    return parts[:-1], y - _PAD - top


def _label(name: str) -> str:
    """A file's name, or a folder's with the folders in it."""
    label = name.rpartition(".")[2]
    if name not in folders():
        return label
    inner = sorted(each.rpartition(".")[2] for each in folders() if each.rpartition(".")[0] == name)
    return f"{label}/ ({' '.join(f'{each}/' for each in inner)})" if inner else f"{label}/"


def _box(x: float, y: float, width: float, height: float, fill: str) -> str:
    shape = f'x="{x:.0f}" y="{y:.0f}" width="{width:.0f}" height="{height:.0f}" rx="5"'
    return f'<rect {shape} fill="{fill}" stroke="#888"/>'


def _text(x: float, y: float, text: str, weight: str = "normal") -> str:
    return f'<text x="{x:.0f}" y="{y:.0f}" font-weight="{weight}">{escape(text)}</text>'
