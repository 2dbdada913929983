"""``uno benchmark chat``: a model at a server of our own is measured, and resumed; other agents by the same door."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import agents
from agents.chat import chat_agent
from agents.chat.through_text import ThroughText
from tests.agents.chat.chat_server import completion, first_move, new_process, serving
from tests.helpers.marks import ALL_PRESETS, thorough
from train.benchmarks.chat_report import _by_choices, resolution, write
from train.cli.main import main
from train.common.suite import read_suite
from train.common.table import MarkdownTable
from train.evaluation.choices.positions import choices_in, measure_regret, read_positions
from train.evaluation.duplicate import evaluate
from uno_env import Rules

FEW = [
    "--positions",
    "6",
    "--tracks",
    "duel-2p",
    "house-4p",
    "--hands",
    "4",
    "--against",
    "greedy",
    "--rules",
    "duel,hand_size=2",
]


@pytest.fixture(autouse=True)
def forget(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """As in a new process, in a folder of its own."""
    new_process()
    monkeypatch.chdir(tmp_path)


def report(tmp_path: Path) -> Any:
    return json.loads((tmp_path / "out.json").read_text())["chat_report"]


def not_warmed_up(name: str, seed: int) -> Any:
    """An agent that draws nothing before the deals that count, as ThroughText."""
    agent = agents.load(name, seed)
    agent.is_remote = True
    return agent


@pytest.mark.parametrize("name", ["greedy", *thorough("random", "zoo:duel-2p")])
def test_an_agent_plays_through_the_text_door_as_directly(name: str) -> None:
    direct = evaluate(not_warmed_up(name, 7), "greedy", "duel", 20)
    spoken = evaluate(ThroughText(agents.load(name, 7)), "greedy", "duel", 20)
    assert spoken.win_rate == direct.win_rate
    assert spoken.decisions == direct.decisions
    tally = chat_agent.TALLIES[name]
    assert tally.decisions > 100
    assert tally.tokens_in > 100 * tally.decisions
    assert (tally.rethinks, tally.illegal, tally.unclear, tally.by_chance) == (0, 0, 0, 0)


@pytest.mark.parametrize("preset", ALL_PRESETS)
def test_all_presets_pass_the_door(preset: str) -> None:
    rules = Rules.preset(preset)
    direct, spoken = (evaluate(each, "random-play", rules, 2) for each in
                      (not_warmed_up("greedy", 0), ThroughText(agents.load("greedy"))))  # fmt: skip
    assert spoken.decisions == direct.decisions


def test_a_model_is_measured_and_nothing_is_asked_twice(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = iter(["[77]", "hm"])
    with serving(lambda request: completion(next(said, None) or first_move(request), prompt_tokens=900)) as server:
        spec = f"chat:{server.address}?model=<b>tiny&price_in=1"
        line = ["benchmark", "chat", spec, *FEW, "--out", "deep/report.md", "--json", "out.json"]
        assert main(line) == 0
        asked, first = len(server.requests), report(tmp_path)
        assert [each["n"] for each in first["decisions"]][-1] == 6 == first["regret"]["n"]
        answers = first["answers"]
        assert (answers["rethinks"], answers["illegal"], answers["unclear"]) == (2, 1, 1)
        assert answers["decisions"] + 2 == asked
        assert answers["cost"] == pytest.approx(asked * 900e-6)
        low, high = (answers["shares"]["illegal"][end] for end in ("low", "high"))
        assert 0 < low < 1 / asked < high < 1
        new_process()
        assert main(line) == 0
        assert len(server.requests) == asked
        again = report(tmp_path)
        assert again["answers"].pop("resumed") == asked
        assert again["answers"] == {name: value for name, value in answers.items() if name != "resumed"}
        assert [again[name] for name in ("regret", "decisions")] == [first[name] for name in ("regret", "decisions")]
        assert again["hands"][0]["win_rate"] == first["hands"][0]["win_rate"]
    text, page = (tmp_path / "deep" / name for name in ("report.md", "report.html"))
    assert "| illegal moves | 1 |" in text.read_text()
    assert "| greedy | 4 |" in text.read_text()
    assert "| left off |" in text.read_text()  # no value function knows these rules
    assert "&lt;b&gt;tiny&amp;price_in" in page.read_text()
    assert "<b>" not in page.read_text()
    shown = capsys.readouterr().out
    assert shown.startswith("4 hands against an opponent say a win rate to about ± 49 points, so ")
    assert shown.index("Optimal Decision Hit Rate") < shown.index("| ODHR |") < shown.index("deep/report.html")


def test_the_report_says_what_so_many_hands_can_tell() -> None:
    assert resolution(100, players=2).startswith(
        "100 hands against an opponent say a win rate to about ± 10 points, so two agents whose win rates differ by "
        "less than about 14 points are not told apart"
    )
    assert "± 4 points" in resolution(500, players=4)


def test_a_spent_budget_ends_in_a_sentence_and_goes_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with serving(first_move) as server:
        line = ["benchmark", "chat", f"chat:{server.address}?model=tiny&save=kept.jsonl", *FEW, "--json", "out.json"]
        assert main([line[0], line[1], f"{line[2]}&tokens=5000", *line[3:]]) == 2
        assert "the budget tokens=5000 is spent" in capsys.readouterr().err
        before = len((tmp_path / "kept.jsonl").read_text().splitlines())
        new_process()
        assert main(line) == 0
        assert report(tmp_path)["answers"]["resumed"] == before > 0


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        (["--hands", "3"], "--hands 3 is not allowed: give 4 or more, and a multiple of 2"),
        (["--hands", "2"], "--hands 2 is not allowed"),
        (["--positions", "1"], "positions"),
        (["--tracks", "duel-3p"], "duel-3p"),
        (["--against", "greeedy"], "greeedy"),
        (["--out", "report.html"], "--out 'report.html' is not allowed"),
        (["--suite", "v9"], "v9"),
    ],
)
def test_bad_input_is_a_sentence(more: list[str], sentence: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["benchmark", "chat", "greedy", *more]) == 2
    assert sentence in capsys.readouterr().err


def test_agents_that_see_more_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("cheat:flat", "zoo:classic-9p", "chat:nowhere?model=a"):
        assert main(["benchmark", "chat", name]) == 2
    assert "'cheat:flat' reads more than an observation" in capsys.readouterr().err


def test_best_decisions_and_ranks_are_counted_by_the_number_of_moves() -> None:
    found = {each["K"]: each for each in _by_choices(np.array([1, 2, 1, 3, 6]), np.array([2, 2, 2, 3, 7]))}
    assert list(found) == ["2", "all"]  # one position alone has no interval
    assert (found["2"]["n"], found["2"]["ODHR"]["mean"], found["2"]["ADR"]["mean"]) == (3, 2 / 3, 4 / 3)
    assert (found["all"]["ODHR"]["mean"], found["all"]["ADR"]["mean"]) == (0.4, 2.6)
    assert found["all"]["ADR"]["low"] < 2.6 < found["all"]["ADR"]["high"]


def test_a_choice_in_a_position_is_that_of_the_seat_with_its_events() -> None:
    positions = read_positions(read_suite().positions_file("duel-2p"))
    few = replace(positions, positions=positions.positions[:8])
    spoken = choices_in(ThroughText(agents.load("tuned")), few)
    assert spoken.tolist() == choices_in(agents.load("tuned"), few).tolist()
    best = np.array([int(np.argmin(each.regrets)) for each in few.positions])
    assert measure_regret(few, best)["all"]["regret"] == 0


def test_the_page_holds_what_the_markdown_holds(tmp_path: Path) -> None:
    page = write(
        ["A < B.", MarkdownTable("Rows", ("a", "b"), [["x & y", "2"]])], tmp_path / "deep" / "report.md", "Title"
    )
    assert (
        tmp_path / "deep" / "report.md"
    ).read_text() == "# Title\n\nA < B.\n\nRows\n\n| a | b |\n| --- | --- |\n| x & y | 2 |\n"
    assert "<p>A &lt; B.</p>" in page.read_text()
    assert "<td>x &amp; y</td><td>2</td>" in page.read_text()
