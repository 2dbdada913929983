"""``python -m tools.positions``: positions that can be rebuilt, sampled alike however often the tool is stopped."""

import json
from pathlib import Path

import pytest

import agents
from tools.benchmark.positions_check import main as check
from tools.positions import main
from train.cli.main import main as uno
from train.evaluation.choices.positions import choices_in, kind_of, measure_regret, read_positions
from uno_env import Rules
from uno_env.actions import parse

FEW = ["--budget", "200", "--threads", "1"]


def test_positions_are_sampled_resumed_and_played(tmp_path: Path) -> None:
    for folder, steps in (("whole", ("6",)), ("parts", ("2", "6"))):
        for number in steps:
            main(["duel-2p", "--positions", number, "--folder", str(tmp_path / folder), *FEW])
    texts = [(tmp_path / folder / "positions-duel-2p.json").read_text() for folder in ("whole", "parts")]
    assert json.loads(texts[0])["positions"][:2] == json.loads(texts[1])["positions"][:2]
    read = read_positions(tmp_path / "whole" / "positions-duel-2p.json")
    assert len(read.positions) == 6
    for position in read.positions:
        assert position.game(Rules.from_dict(dict(read.rules))).legal_actions() == list(position.actions)
        assert min(position.regrets) <= 0 < len(position.stratum)
    measured = measure_regret(read, choices_in(agents.load("tuned"), read))
    assert measured["all"]["n"] == 6 == sum(each["n"] for kind, each in measured.items() if kind != "all")
    with pytest.raises(ValueError, match="reads more than an observation"):
        choices_in(agents.load("cheat:flat"), read)
    with pytest.raises(ValueError, match="of other rules"):
        read.positions[-1].game(Rules.preset("mini"))


@pytest.mark.parametrize(
    ("texts", "kind"),
    [("challenge accept", "challenge"), ("w:r w:b", "wild and colour"), ("r5 draw", "draw or play"),
     ("r5 b5 draw", "card"),
     ("swap1 swap2", "swap"), ("jump_in pass", "jump in")],
)  # fmt: skip
def test_kinds_of_decisions(texts: str, kind: str) -> None:
    assert kind_of(tuple(map(parse, texts.split()))) == kind


def test_uno_benchmark_positions(capsys: pytest.CaptureFixture[str]) -> None:
    assert uno(["benchmark", "positions", "tuned", "--tracks", "duel-2p"]) == 0
    said = capsys.readouterr().out
    assert "tuned on duel-2p" in said
    assert "wild and colour" in said
    assert uno(["benchmark", "positions", "greedy", "--slow"]) == 0
    said = capsys.readouterr().out
    assert sum("greedy on" in line for line in said.splitlines()) == 4
    counted = [line.split("|")[2].strip() for line in said.splitlines() if line.startswith("| all")]
    assert counted in ([], ["50"] * 4)
    assert uno(["benchmark", "positions", "tuned", "--tracks", "duel-3p"]) == 2
    assert "there are positions of duel-2p, classic-2p, classic-4p, house-4p" in " ".join(
        capsys.readouterr().err.split()
    )


def test_positions_are_valued_in_other_ways(capsys: pytest.CaptureFixture[str]) -> None:
    check(["duel-2p", "--positions", "3", "--budget", "120", "--agents", "tuned", "random"])
    said = capsys.readouterr().out
    assert "3 positions of duel-2p" in said
    for way in ("the suite's", "plain, tuned", "likely, tuned", "plain, greedy"):
        (line,) = (line for line in said.splitlines() if line.startswith(f"| {way}"))
        assert line.count("±") == 2
