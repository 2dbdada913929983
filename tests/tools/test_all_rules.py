"""tools/all_rules.py: which tables an agent is measured at, what is measured there, and what is said of it."""

import json
from pathlib import Path

import pytest

from tests.helpers.positions import save_random_policy
from tools import all_rules
from tools.all_rules import PROGRAM, AllRulesPlan
from train.common.random_rules import random_rules
from train.evaluation.duplicate import evaluate
from uno_env import Rules
from uno_env.rules import PRESETS

TINY = [("mini", Rules.preset("mini")), ("duel", Rules.preset("duel", players=3))]


def test_every_preset_with_every_number_of_players_and_rules_that_no_run_has_learnt() -> None:
    parts = all_rules.parts_of(AllRulesPlan("tuned", random_rules=30)).values()
    assert {part.name for part in parts} == {*PRESETS, all_rules.RANDOM}
    classic = [part.rules.players for part in parts if part.name == "classic" and part.opponent == "greedy"]
    assert classic == list(range(2, 11))
    drawn = {part.rules for part in parts if part.name == all_rules.RANDOM}
    assert len(drawn) == 30
    learnt = {random_rules(seed, number) for seed in range(3) for number in range(100)}
    assert not drawn & learnt


def test_a_policy_of_other_rules_is_refused_before_anything_is_played(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    save_random_policy(tmp_path / "p.safetensors", Rules.preset("duel"))
    assert PROGRAM.main([str(tmp_path / "p.safetensors"), "--save", str(tmp_path / "saved")]) == 2
    assert "was trained for other rules" in capsys.readouterr().err
    assert not (tmp_path / "saved").exists()


def test_what_is_measured_is_what_evaluate_measures_and_is_saved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(all_rules, "PRESETS", ("mini", "duel"))
    monkeypatch.setattr(all_rules, "_tables_of", lambda name: [rules for each, rules in TINY if each == name])
    command = ["random-play", "--against", "random", "--games", "24", "--random-rules", "1",
               "--workers", "1", "--save", str(tmp_path / "saved"), "--json", str(tmp_path / "out.json")]  # fmt: skip
    PROGRAM.main(command)
    text = capsys.readouterr().out
    assert "3 (33.3)" in text
    assert "rules drawn at random" in text
    mini, duel, drawn = json.loads((tmp_path / "out.json").read_text())["rules"]["tables"]
    assert (duel["rules"], duel["players"], duel["deals"], drawn["rules"]) == ("duel", 3, 16, "random")
    assert mini["win_rate"] == evaluate("random-play", "random", "mini", deals=12, seed=0).win_rate
    monkeypatch.setattr(all_rules, "evaluate", None)
    PROGRAM.main(command)
    assert capsys.readouterr().out == text, "nothing is played again"


def test_what_is_above_below_and_told_apart_is_counted() -> None:
    rates = {"clearly above": (0.6, 0.55), "above": (0.52, 0.47), "below": (0.48, 0.43), "clearly below": (0.4, 0.35)}
    lines = [
        {"rules": "random", "players": 2, "opponent": "tuned", "win_rate": rate, "low": low, "high": 2 * rate - low}
        for rate, low in rates.values()
    ]
    *_, counts = all_rules.tables({"agent": "mine", "against": ["tuned"], "games": 9, "tables": lines})
    assert counts.rows == [["rules drawn at random", "`tuned`", "4", "2 (50%)", "1", "1"]]
