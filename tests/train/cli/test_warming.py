"""``uno warm-up``, and what warms up by itself before a person takes a click."""

import importlib.util

from agents.human.terminal_app import TableApp
from train.cli import playing, warming
from train.cli.main import main
from uno_env.core.jit.notice import NOTICE


def test_every_part_is_told_with_its_time_and_the_second_time_nothing_is_compiled(capsys):
    assert main(["warm-up"]) == 0
    capsys.readouterr()
    before = NOTICE.compiled
    assert main(["warm-up"]) == 0
    *parts, total = capsys.readouterr().out.splitlines()
    assert [line.partition(":")[0] for line in parts] == list(warming.PARTS)
    assert all(": no functions compiled, " in line and line.endswith(" s") for line in parts)
    assert total.startswith("no functions compiled in ")
    assert NOTICE.compiled == before


def test_what_is_compiled_is_counted(capsys, monkeypatch):
    def compile_some(number):
        NOTICE.compiled += number

    monkeypatch.setattr(warming, "PARTS", {"one": lambda: compile_some(1), "more": lambda: compile_some(3)})
    assert main(["warm-up"]) == 0
    assert [line.rpartition(" ")[0].rpartition(",")[0] for line in capsys.readouterr().out.splitlines()[:2]] == [
        "one: 1 function compiled",
        "more: 3 functions compiled",
    ]


def test_without_torch_the_rest_is_compiled(capsys, monkeypatch):
    find = importlib.util.find_spec
    monkeypatch.setattr(warming, "find_spec", lambda name: None if name == "torch" else find(name))
    monkeypatch.setattr(warming, "PARTS", {"games": lambda: None, "training": lambda: 1 / 0})
    assert main(["warm-up"]) == 0
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
