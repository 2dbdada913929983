"""The notebook as a page of the site, with what its cells print and draw: ``python -m tools.docs.notebook`` runs it.

The page that the repository holds is of one run. The times and, on another kind of processor, the numbers may differ.
"""

import ast
import io
import json
import os
import sys
import tempfile
from collections.abc import Sequence
from contextlib import redirect_stdout
from pathlib import Path
from types import ModuleType
from typing import Any

from tools import ROOT

NOTEBOOK = ROOT / "examples" / "notebook.ipynb"
PAGE = ROOT / "docs" / "tutorials" / "notebook.md"
PICTURES = ROOT / "docs" / "pictures"

MARK = "<!-- not run: tests/examples runs the notebook, with less training -->"
_HOW = """This page is `examples/notebook.ipynb`, with what its cells printed and drew in one run. It trains for about a
minute on one thread. The times and, on another kind of processor, the numbers of your run may differ.

<!-- not run: it trains for a minute -->
```sh
python -m tools.docs.notebook   # runs the notebook, and writes this page
```
"""


def cells() -> list[tuple[str, str]]:
    """The cells of the notebook: the kind, ``"markdown"`` or ``"code"``, and the source without a last semicolon."""
    notebook = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    return [(cell["cell_type"], "".join(cell["source"]).removesuffix(";")) for cell in notebook["cells"]]


def page(outputs: Sequence[str]) -> str:
    """The page in Markdown; ``outputs`` has the output of each cell of code, as Markdown."""
    parts, left = [], iter(outputs)
    for kind, source in cells():
        parts.append(source if kind == "markdown" else f"{MARK}\n```python\n{source}\n```\n\n{next(left)}".strip())
    parts.insert(1, _HOW.strip())
    return "\n\n".join(parts) + "\n"


class _SVG:
    """Stands for ``IPython.display.SVG``."""

    def __init__(self, text: str) -> None:
        self._repr_svg_ = lambda: text


def run() -> list[str]:
    """Run the cells of code in a folder of their own, and write their pictures. Returns their outputs as Markdown."""
    import matplotlib as mpl

    mpl.use("Agg")
    display = ModuleType("IPython.display")
    display.SVG = _SVG  # type: ignore[attr-defined]
    sys.modules["IPython.display"] = display
    names: dict[str, Any] = {}
    here = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            return [_run(source, names, index) for index, source in enumerate(_code())]
        finally:
            os.chdir(here)


def _code() -> list[str]:
    return [source for kind, source in cells() if kind == "code"]


def _run(source: str, names: dict[str, Any], index: int) -> str:
    tree = ast.parse(source)
    end = tree.body[-1]
    last = end.value if isinstance(end, ast.Expr) else None
    if last:
        tree.body.pop()
    with redirect_stdout(io.StringIO()) as printed:
        exec(compile(tree, NOTEBOOK.name, "exec"), names)
        value = eval(compile(ast.Expression(last), NOTEBOOK.name, "eval"), names) if last else None
    text = printed.getvalue().rstrip()
    return "\n\n".join([f"```text\n{text}\n```"] * bool(text) + _shown(value, names, index))


def _shown(value: Any, names: dict[str, Any], index: int) -> list[str]:
    """The picture of a cell's value, or the plot that it drew."""
    import matplotlib.pyplot as plt

    file = PICTURES / f"notebook-{index}.svg"
    if plt.get_fignums():
        with plt.rc_context({"svg.hashsalt": "notebook"}):
            plt.gcf().savefig(file, metadata={"Date": None})
        plt.close("all")
        what = "The plot that the cell draws"
    elif hasattr(value, "_repr_svg_"):
        file.write_text(value._repr_svg_(), encoding="utf-8")
        what = "The table that the cell shows"
    else:
        return []
    return [f"```{{image}} ../pictures/{file.name}\n:alt: {what}\n:width: 480\n```"]


if __name__ == "__main__":
    PAGE.write_text(page(run()), encoding="utf-8")
