"""The plots of the pages are drawn from the figures that the repository holds, and from the newest of them."""

import re

import pytest

from tests.helpers import ROOT
from tools.docs.plots import FOLDER, PLOTS, digest, drawn


@pytest.mark.parametrize("name", PLOTS)
def test_a_plot_is_of_the_saved_figures(name: str) -> None:
    text = (FOLDER / name).read_text(encoding="utf-8")
    assert digest(PLOTS[name][0]) in text, "python -m tools.docs.plots draws it anew"
    pages = [page.read_text(encoding="utf-8") for page in (ROOT / "docs").rglob("*.md")]
    assert any(f"pictures/{name}" in page for page in pages), "no page shows it"


@pytest.mark.parametrize("name", PLOTS)
def test_a_plot_says_what_was_measured(name: str) -> None:
    """The words and numbers of the kept plot are those that the figures give now."""
    words = re.compile(r"<text[^>]*>([^<]*)<")
    assert words.findall(drawn(name)) == words.findall((FOLDER / name).read_text(encoding="utf-8"))
