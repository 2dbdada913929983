"""Games as data: what a file holds is what was played, and an interrupted command goes on."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, NoReturn

import pytest

from train.cli.main import main
from train.game_data import play_hands, write_jsonl
from uno_env import Game, Rules
from uno_env.common.files import MAX_BYTES
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
    for cut in (0, 10, len(whole.partition("\n")[0]), len(whole) // 3, len(whole) - 5, len(whole) - 1):
        file.write_text(whole[:cut])
        written(file, ["greedy"], rules, 5)
        assert file.read_text() == whole
    written(file, ["greedy"], rules, 7)
    assert file.read_text().startswith(whole)


def test_whole_hands_are_never_written_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that is killed while it goes on has lost nothing that was there."""
    rules, file = Rules.preset("duel"), tmp_path / "games.jsonl"
    written(file, ["greedy"], rules, 3)
    whole = file.read_bytes()
    with open(file, "ab") as out:
        out.write(b'{"seed": 1')
    monkeypatch.setattr("train.game_data.play_hands", killed)
    with pytest.raises(KeyboardInterrupt):
        write_jsonl(file, ["greedy"], rules, 5, 3, lambda done: None)
    assert file.read_bytes() == whole


def killed(*_arguments: object) -> NoReturn:
    raise KeyboardInterrupt


def test_one_process_at_a_time_writes_to_a_file(tmp_path: Path) -> None:
    rules, file, seen = Rules.preset("duel"), tmp_path / "games.jsonl", []

    def meanwhile(done: int) -> None:
        with pytest.raises(ValueError, match=r"another process writes to .*games\.jsonl"):
            write_jsonl(file, ["greedy"], rules, 2, 3, lambda done: None)
        seen.append(done)

    assert write_jsonl(file, ["greedy"], rules, 2, 3, meanwhile) == 2
    assert seen == [1, 2]
    assert len(file.read_text().splitlines()) == 3


@pytest.mark.thorough
def test_a_file_of_any_length_goes_on(tmp_path: Path) -> None:
    rules, file = Rules.preset("duel"), tmp_path / "games.jsonl"
    written(tmp_path / "few.jsonl", ["greedy"], rules, 2)
    header, _, last = (tmp_path / "few.jsonl").read_bytes().splitlines(keepends=True)
    with open(file, "wb") as out:
        out.write(header)
        out.truncate(MAX_BYTES)  # takes no room on the disk
        out.seek(0, os.SEEK_END)
        out.write(b"\n" + last)
    before = file.stat().st_size
    assert write_jsonl(file, ["greedy"], rules, 3, 3, lambda done: None) == 3
    with open(file, "rb") as grown:
        grown.seek(before)
        assert json.loads(grown.read())["agents"] == ["greedy", "greedy"]


@pytest.mark.parametrize("last", [b"\0" * 30, b"{}", b'{"seed": 1}', b"[]"])
def test_a_file_whose_last_hand_is_another_one_does_not_go_on(tmp_path: Path, last: bytes) -> None:
    rules, file = Rules.preset("duel"), tmp_path / "games.jsonl"
    written(file, ["greedy"], rules, 2)
    with open(file, "ab") as out:
        out.write(last + b"\n")
    before = file.read_bytes()
    with pytest.raises(ValueError, match=r"games\.jsonl' is damaged: line 4 is not its hand"):
        write_jsonl(file, ["greedy"], rules, 5, 3, lambda done: None)
    assert file.read_bytes() == before


@pytest.mark.thorough
def test_a_full_disk_is_one_sentence_and_no_torn_line(tmp_path: Path) -> None:
    rules, file = Rules.preset("duel"), tmp_path / "games.jsonl"
    written(tmp_path / "whole.jsonl", ["greedy"], rules, 3)
    whole = (tmp_path / "whole.jsonl").read_bytes()
    room = len(b"".join(whole.splitlines(keepends=True)[:3])) + 100
    code = (
        "import resource, sys; from train.cli.main import main\n"
        f"resource.setrlimit(resource.RLIMIT_FSIZE, ({room}, {room}))\n"
        "sys.exit(main(sys.argv[1:]))"
    )
    line = ["record", "greedy", "--rules", "duel", "--games", "3", "--seed", "3", "--out", str(file)]
    done = subprocess.run([sys.executable, "-c", code, *line], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "cannot be written any more (File too large): it holds 2 whole hands" in done.stderr
    assert whole.startswith(file.read_bytes())
    assert file.read_bytes().count(b"\n") == 3
    assert main(line) == 0
    assert file.read_bytes() == whole


def test_hands_depend_on_their_number_alone() -> None:
    rules = Rules.preset("duel")
    hands = [hand.game.to_json() for hand in play_hands(["greedy"], rules, 4, seed=1)]
    assert [hand.game.to_json() for hand in play_hands(["greedy"], rules, 4, seed=1, first=2)] == hands[2:]
    assert len(set(hands)) == 4


def test_uno_record_writes_games_and_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
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
