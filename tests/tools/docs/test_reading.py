"""tools/docs/reading.py: what reading the rules is worth, from the scores that were measured."""

import re
from collections.abc import Mapping, Sequence

import pytest

pytest.importorskip("scipy")

from tools.benchmark import table
from tools.docs import reading
from train.common.suite import read_suite
from train.evaluation.scores import Score

LISTS = ("seen", "values", "switches", "combinations")


def rows(monkeypatch: pytest.MonkeyPatch, rates: Mapping[str, Sequence[float]]) -> dict[str, list[str]]:
    """The last four columns of the table by list, for submissions with such a win rate in each of their runs."""
    suite = read_suite()
    scores = [
        Score(name, f"unseen-rules/{part}", seed, opponent, rate + shift, 0.0, 1.0, 50, 0, 20_000_000, 9.0, True)
        for name, runs in rates.items()
        for seed, rate in enumerate(runs)
        for part in LISTS
        for opponent, shift in (("tuned", -0.1), ("random-play", 0.1))
    ]
    monkeypatch.setattr(reading, "scores_of", lambda *_: iter(scores))
    made = reading.ppo_table(suite, [])
    assert all(row[:2] == ["today", "20,000,000"] for row in made.rows)
    return {row[2]: row[3:] for row in made.rows}


def test_a_difference_has_the_interval_of_welchs_test(monkeypatch: pytest.MonkeyPatch) -> None:
    told = rows(monkeypatch, {"ppo-layout-3": [0.50, 0.52], "ppo-blanked-layout-3": [0.40, 0.42]})
    assert list(told) == [*LISTS, reading.ALL]
    assert told["seen"] == ["2, 2", "51.0", "41.0", "+10.0 (+3.9 to +16.1)"]  # 4.303 times the standard error of 1.414


def test_one_run_alone_has_no_interval(monkeypatch: pytest.MonkeyPatch) -> None:
    told = rows(monkeypatch, {"ppo-layout-3": [0.50, 0.52], "ppo-blanked-layout-3": [0.40]})
    assert told["seen"] == ["2, 1", "51.0", "40.0", "+11.0"]


def test_what_is_published_of_one_alone_is_no_row(monkeypatch: pytest.MonkeyPatch) -> None:
    assert rows(monkeypatch, {"ppo-layout-3": [0.50]}) == {}


def test_what_is_weaker_has_a_minus(monkeypatch: pytest.MonkeyPatch) -> None:
    assert rows(monkeypatch, {"ppo-layout-3": [0.40], "ppo-blanked-layout-3": [0.45]})["values"][-1] == "−5.0"


def test_the_names_are_those_of_rows_of_the_table() -> None:
    published = {name for name, _ in table.ABOUT.values()}
    assert {name for pair in reading.PAIRS.values() for name in pair} <= published


def test_the_page_has_what_was_published() -> None:
    text = reading.reading_tables()
    assert len(re.findall(r"^\| before \| 20,000,000 \| ", text, re.MULTILINE)) == len(LISTS) + 1
    assert re.findall(r"^\| (\w+) \| 0\.\d\d \|$", text, re.MULTILINE) == list(LISTS)
