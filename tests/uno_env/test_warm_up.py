"""uno_env/warm_up.py, and what warms up by itself before a person takes a click."""

import sys

import pytest

from train.warm_up import PARTS as TRAINING_PARTS
from uno_env import warm_up
from uno_env.core.jit.notice import NOTICE
from uno_table import commands
from uno_table.terminal_app import TableApp


def test_every_part_is_told_with_its_time_and_the_second_time_nothing_is_compiled(
    capsys: pytest.CaptureFixture[str],
) -> None:
    warm_up.main()
    capsys.readouterr()
    before = NOTICE.compiled
    warm_up.main()
    *parts, total = capsys.readouterr().out.splitlines()
    assert [line.partition(":")[0] for line in parts] == list(warm_up.all_parts())
    assert {"environments", "tables", "training"} <= set(warm_up.all_parts())
    assert all(": no functions compiled, " in line and line.endswith(" s") for line in parts)
    assert total.startswith("no functions compiled in ")
    assert NOTICE.compiled == before


def test_what_is_compiled_is_counted(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def compile_some(number: int) -> None:
        NOTICE.compiled += number

    monkeypatch.setattr(warm_up, "all_parts", lambda: {"one": lambda: compile_some(1), "more": lambda: compile_some(3)})
    warm_up.main()
    assert [line.rpartition(" ")[0].rpartition(",")[0] for line in capsys.readouterr().out.splitlines()[:2]] == [
        "one: 1 function compiled",
        "more: 3 functions compiled",
    ]


def test_two_processes_share_the_parts(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """One begins with the first part, the other with the last."""
    monkeypatch.setattr(warm_up, "all_parts", lambda: {"one": lambda: None, "two": lambda: None})
    warm_up.main(backwards=True)
    assert [line.partition(":")[0] for line in capsys.readouterr().out.splitlines()[:2]] == ["two", "one"]


def test_without_torch_the_rest_is_compiled(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    monkeypatch.setattr(warm_up, "all_parts", lambda: {"training": TRAINING_PARTS["training"], "games": lambda: None})
    warm_up.main()
    first, second, _ = capsys.readouterr().out.splitlines()
    assert first == "training: left out, as torch is not installed"
    assert second.startswith("games: no functions compiled, ")


def test_the_terminal_rehearses_its_table_before_it_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    from uno_table import console
    from uno_table.table import rehearsal

    order: list[object] = []
    monkeypatch.setattr(console, "can_show_a_table", lambda: True)
    monkeypatch.setattr(console, "end_with_the_terminal", lambda: None)
    monkeypatch.setattr(rehearsal, "rehearse", lambda specs, rules: order.append((specs, rules.players)))
    monkeypatch.setattr(TableApp, "run", lambda app: order.append("shown"))
    commands.Play(agents=("greedy", "tuned"), seed=1).run()
    assert order == [(["greedy", "tuned"], 3), "shown"]
