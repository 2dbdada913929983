"""Games as data: what a file holds is what was played, and an interrupted command goes on."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from train.cli.main import main
from train.game_data import play_hands, write_jsonl
from uno_env import Game, Rules
from uno_env.replay import Replay
from uno_env.text import prompt_for, read_answer, rules_text


def written(file: Path, specs: list[str], rules: Rules, games: int, seed: int = 3) -> list[dict[str, Any]]:
    """The lines of a file that was just written."""
    seen: list[int] = []
    assert write_jsonl(file, specs, rules, games, seed, seen.append) == games
    return [json.loads(line) for line in file.read_text().splitlines()]


@pytest.mark.parametrize(("specs", "rules"), [
    (["greedy"], Rules.preset("duel")), (["greedy", "zoo:any", "random-play"], Rules.preset("house", players=3)),
])  # fmt: skip
def test_lines_are_what_was_played_and_can_be_replayed(tmp_path: Path, specs: list[str], rules: Rules) -> None:
    header, *lines = written(tmp_path / "games.jsonl", specs, rules, 4)
    assert Rules.from_dict(header["rules"]) == rules
    assert header["rules_text"] == rules_text(rules)
    for number, line in enumerate(lines):
        game = Game(rules, line["seed"])
        assert line["agents"] == [specs[(seat + number) % len(specs)] for seat in range(rules.players)]
        for decision in line["decisions"]:
            assert (decision["seat"], decision["legal"]) == (game.to_move, game.legal_names())
            assert decision["prompt"] == prompt_for(game)
            assert read_answer(f"[{decision['move']}]", game.legal_actions()).action is not None
            assert (decision["value"] is not None) == line["agents"][decision["seat"]].startswith("zoo")
            game.step(decision["move"])
        assert (game.rewards(), game.end, game.over) == (line["rewards"], line["end"], True)
        replay = Replay.from_json(json.dumps(line["replay"]))
        assert replay.game.to_json() == game.to_json()
        assert list(replay.names) == line["agents"]


def test_a_command_that_was_cut_off_goes_on(tmp_path: Path) -> None:
    rules, file = Rules.preset("duel"), tmp_path / "games.jsonl"
    written(tmp_path / "whole.jsonl", ["greedy"], rules, 5)
    whole = (tmp_path / "whole.jsonl").read_text()
    for cut in (10, len(whole) // 3, len(whole) - 5):
        file.write_text(whole[:cut] if cut > 10 else "")
        written(file, ["greedy"], rules, 5)
        assert file.read_text() == whole
    written(file, ["greedy"], rules, 7)
    assert file.read_text().startswith(whole)


def test_hands_depend_on_their_number_alone() -> None:
    rules = Rules.preset("duel")
    hands = [hand.game.to_json() for hand in play_hands(["greedy"], rules, 4, seed=1)]
    assert [hand.game.to_json() for hand in play_hands(["greedy"], rules, 4, seed=1, first=2)] == hands[2:]
    assert len(set(hands)) == 4


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    line = ["record", "greedy", "--games", "2", "--rules", "duel"]
    assert main(line) == 0
    assert "Wrote games.jsonl: 2 hands" in capsys.readouterr().out
    assert main([*line, "--seed", "5"]) == 2
    assert "'games.jsonl' holds something else: name another file" in capsys.readouterr().err
    assert main(["record", "greedy", "tuned", "random-play", "--rules", "duel", "--out", "x"]) == 2
    assert "3 agents are not allowed: name 1, or one for each of 2 seats" in capsys.readouterr().err


def test_without_minari_there_is_a_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "minari", None)
    assert main(["record", "greedy", "--games", "3", "--format", "minari", "--out", "uno/t-v0"]) == 2
    assert "uno: Minari cannot be used (" in capsys.readouterr().err
