"""tools/cli/warm_up.py, and what warms up by itself before a person takes a click."""

import importlib.util

from agents.human.terminal_app import TableApp
from tools.cli import warm_up
from train.cli import playing
from uno_env.core.jit.notice import NOTICE


def test_every_part_is_told_with_its_time_and_the_second_time_nothing_is_compiled(capsys):
    warm_up.main()
    capsys.readouterr()
    before = NOTICE.compiled
    warm_up.main()
    *parts, total = capsys.readouterr().out.splitlines()
    assert [line.partition(":")[0] for line in parts] == list(warm_up.PARTS)
    assert all(": no functions compiled, " in line and line.endswith(" s") for line in parts)
    assert total.startswith("no functions compiled in ")
    assert NOTICE.compiled == before


def test_what_is_compiled_is_counted(capsys, monkeypatch):
    def compile_some(number):
        NOTICE.compiled += number

    monkeypatch.setattr(warm_up, "PARTS", {"one": lambda: compile_some(1), "more": lambda: compile_some(3)})
    warm_up.main()
    assert [line.rpartition(" ")[0].rpartition(",")[0] for line in capsys.readouterr().out.splitlines()[:2]] == [
        "one: 1 function compiled",
        "more: 3 functions compiled",
    ]


def test_without_torch_the_rest_is_compiled(capsys, monkeypatch):
    find = importlib.util.find_spec
    monkeypatch.setattr(warm_up, "find_spec", lambda name: None if name == "torch" else find(name))
    monkeypatch.setattr(warm_up, "PARTS", {"games": lambda: None, "training": lambda: 1 / 0})
    warm_up.main()
    assert "training: left out" in capsys.readouterr().out


def test_the_terminal_rehearses_its_table_before_it_is_shown(monkeypatch):
    from agents.human import console
    from agents.human.table import rehearsal

    order = []
    monkeypatch.setattr(console, "can_show_a_table", lambda: True)
    monkeypatch.setattr(rehearsal, "rehearse", lambda specs, rules: order.append((specs, rules.players)))
    monkeypatch.setattr(TableApp, "run", lambda app: order.append("shown"))
    playing.Play(agents=("greedy", "tuned"), seed=1).run()
    assert order == [(["greedy", "tuned"], 3), "shown"]
