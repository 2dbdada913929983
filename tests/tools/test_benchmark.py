"""tools/benchmark/: the commands, and the rows of the whole table."""

from pathlib import Path

import pytest

pytest.importorskip("scipy")

from tools.benchmark import commands, table
from tools.benchmark.commands import PROGRAM
from train.benchmarks import algorithms
from train.common.suite import read_suite


def test_check_says_what_differs(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(commands, "differences", list)
    assert PROGRAM.main(["check"]) == 0
    monkeypatch.setattr(commands, "differences", lambda: ["duel-2p: tuned chooses otherwise"])
    assert PROGRAM.main(["check"]) == 2
    assert capsys.readouterr().err == "python -m tools.benchmark: duel-2p: tuned chooses otherwise\n"


def test_every_row_of_the_table_can_be_run(tmp_path: Path) -> None:
    rows = table.rows()
    assert len({row.folder(tmp_path) for row in rows}) == len(rows)
    assert {row.budget for row in rows} == {*read_suite().track("duel-2p").budgets}
    for row in rows:
        assert row.budget in read_suite().track(row.track).budgets
        if "tools/" not in row.algorithm and row.track != "unseen-rules":
            assert algorithms.config_file(row.algorithm, row.track).is_file()
    assert {row.algorithm for row in rows if row.track == "unseen-rules"} == {"ppo"}


def test_rows_that_are_done_are_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    first, second = table.Row("duel-2p", "ppo", 1_000_000, 1), table.Row("duel-2p", "mmd", 1_000_000, 2)
    monkeypatch.setattr(table, "rows", lambda: [first, second])
    done = first.folder(tmp_path) / "duel-2p" / "ppo-s0" / algorithms.MEASURED
    done.parent.mkdir(parents=True)
    done.touch()
    measured = []
    monkeypatch.setattr(algorithms, "prepare", lambda plan, folder: None)
    monkeypatch.setattr(algorithms, "measure", lambda plan, folder, origin: measured.append((plan.algorithms, folder)))
    assert PROGRAM.main(["table", "--run-rows", "5", "--save", str(tmp_path)]) == 0
    assert measured == [(("mmd",), second.folder(tmp_path))]
    assert "duel-2p, ppo, 1,000,000 decisions: 1 of 1 runs" in capsys.readouterr().out
