"""The plots of the pages are drawn from the figures that the repository holds, and from the newest of them."""

import re

import pytest

from tests.helpers import ROOT
from tests.helpers.plots import styles
from tools.docs.plots import FOLDER, PLOTS, digest, drawn, leaderboard, leaderboard_aggregate


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


def test_a_submission_looks_the_same_in_both_plots_of_the_leaderboard() -> None:
    profiles, curves = styles(leaderboard_aggregate().axes[2]), styles(leaderboard().axes[0])
    both = profiles.keys() & curves.keys()
    assert len(both) > 1
    assert {name: curves[name] for name in both} == {name: profiles[name] for name in both}
    assert len(set(curves.values())) == len(curves)
