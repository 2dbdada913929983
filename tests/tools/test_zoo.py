"""tools/zoo/: what a run's policy becomes on its way into agents/zoo/."""

import json
from inspect import signature
from pathlib import Path

import numpy as np
import pytest

import agents
from agents.policy.policy_file import load_policy, save_policy
from agents.zoo import shipped
from tests.helpers.positions import save_random_policy
from tools.ladder import REPORT_SEED, LadderPlan
from tools.zoo import cards, hand_length, ship
from tools.zoo.commands import PROGRAM
from tools.zoo.ship import ShipPlan
from train.evaluation.duplicate import deal_starts, evaluate, play_deals
from train.evaluation.tournament import ChunkPlayer
from uno_env import Rules

FEW = ["--deals", "8", "--search-deals", "2", "--workers", "1"]
PLAYERS = ("random", "random-play")


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A run's folder, with paths in what it tells; few opponents, and an empty zoo."""
    folder = tmp_path / "secret place" / "night"
    config = {"algorithm": "ppo", "folder": "/home/someone/runs", "league": ["greedy", "/srv/deep/policy.safetensors"],
              "initial_policy": "/srv/old/policy.safetensors"}  # fmt: skip
    made = {"algorithm": "ppo", "config": config, "decisions": 12_000, "seconds": 90.0, "threads": 2}
    save_random_policy(folder / "policy.safetensors", Rules.preset("duel"), trained_by=made)
    (folder / "versions.json").write_text(json.dumps({"cores": 2, "cpu": "AVX512"}))
    (folder / "command.txt").write_text("/opt/py /home/x/uno train configs/ppo/duel-2p.yaml --folder /home/x/runs\n")
    monkeypatch.setattr(ship, "STRATEGIES", dict.fromkeys(PLAYERS))
    monkeypatch.setattr(ship.ladder, "SEARCHING", ("search:flat?num_determinizations=2",))
    monkeypatch.setattr(ship.ladder, "HANDS", 6)
    monkeypatch.setattr(hand_length, "FILE", tmp_path / "hand_length.json")
    (tmp_path / "hand_length.json").write_text("{}")
    there = tmp_path / "zoo"
    there.mkdir()
    monkeypatch.setattr(shipped, "FOLDER", there)
    return folder


def test_a_run_becomes_a_file_and_its_card(run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert PROGRAM.main(["add", str(run), "--name", "duel-2p", *FEW]) == 0
    file = tmp_path / "zoo" / "duel-2p.safetensors"
    weights, card = load_policy(file)
    trained = load_policy(run / "policy.safetensors")[0]
    assert all((weights[name] == trained[name]).all() for name in trained)
    assert [line["opponent"] for line in card.evaluation] == [*PLAYERS, "search:flat?num_determinizations=2"]
    assert [line["deals"] for line in card.evaluation] == [8, 8, 2]
    text = file.with_suffix(".md").read_text()
    assert text in capsys.readouterr().out
    for told in (
        "# zoo:duel-2p",
        "12,000 decisions in 1.5 minutes, begun with a saved policy",
        "| processor | AVX512 |",
        "| cores | 2 |",
        "It has seen games among its own kind.",
        "league:\n- greedy\n- policy",
        "24, 16",
        "uno train configs/ppo/duel-2p.yaml --folder runs",
        f"| `random` | {card.evaluation[0]['win_rate']:.1%}",
    ):
        assert told in text  # fmt: skip
    for private in ("home", "someone", "srv", "secret", str(tmp_path)):
        assert private not in text
        assert private not in json.dumps([card.trained_by, card.evaluation])
    before = text
    file.with_suffix(".md").write_text("stale")
    assert PROGRAM.main(["cards"]) == 0
    assert file.with_suffix(".md").read_text() == before


def test_reports_are_on_other_deals_than_choices(run: Path, tmp_path: Path) -> None:
    assert (
        ShipPlan(run, "duel-2p").seed
        == LadderPlan().seed
        == REPORT_SEED
        != signature(evaluate).parameters["seed"].default
    )
    assert PROGRAM.main(["add", str(run), "--name", "duel-2p", *FEW]) == 0
    file = tmp_path / "zoo" / "duel-2p.safetensors"
    assert {line["seed"] for line in load_policy(file)[1].evaluation} == {REPORT_SEED}
    assert f"those of the deals of seed {REPORT_SEED:,}; the policy was chosen on others" in cards.model_card(file)


def test_a_shipped_policy_is_measured_anew(run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert PROGRAM.main(["add", str(run), "--name", "duel-2p", *FEW, "--seed", "0"]) == 0
    file = tmp_path / "zoo" / "duel-2p.safetensors"
    weights, before = load_policy(file)
    assert "was chosen on the deals of this table" in cards.model_card(file)
    assert PROGRAM.main(["add", str(file), "--name", "duel-2p", *FEW]) == 0
    again, after = load_policy(file)
    assert all((weights[name] == again[name]).all() for name in weights)
    assert after.trained_by["commands"] == before.trained_by["commands"]
    assert {line["seed"] for line in after.evaluation} == {REPORT_SEED}
    assert {path.name for path in file.parent.iterdir()} == {"duel-2p.safetensors", "duel-2p.md"}


@pytest.mark.parametrize(
    ("config", "company"),
    [({"league_share": 1.0, "league_size": 0, "league_scripted": ["tuned", "x"]}, "with `tuned` and `x` alone"),
     ({"league_share": 1.0, "league_size": 0, "opponent": "tuned"}, "with `tuned` alone"),
     ({"league_share": 0.5, "league_size": 0, "league_scripted": ["tuned"]}, "among its own kind"),
     ({"league_share": 1.0, "league_size": 2, "league_scripted": ["tuned"]}, "among its own kind")],
)  # fmt: skip
def test_a_card_says_whom_a_policy_has_played_with(config: dict[str, object], company: str) -> None:
    assert cards.opponents_text(config) == company


def test_stopped_it_goes_on(run: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(ship.ladder, "SEARCHING", ())
    played = []

    def play(self: ChunkPlayer, chunk: object, play=ChunkPlayer.__call__) -> object:
        if len(played) == 3:
            raise KeyboardInterrupt
        played.append(chunk)
        return play(self, chunk)

    with monkeypatch.context() as patch:
        patch.setattr(ChunkPlayer, "__call__", play)
        assert PROGRAM.main(["add", str(run), "--name", "duel-2p", *FEW]) == 130
    assert "The same command goes on" in capsys.readouterr().err
    assert len(list(run.glob("zoo/duel-2p-*/chunks/*"))) == 1  # two were for warming up
    assert PROGRAM.main(["add", str(run), "--name", "duel-2p", *FEW]) == 0
    assert len(list(run.glob("zoo/duel-2p-*/chunks/*"))) == 2


def test_a_large_policy_is_rounded_and_a_huge_one_refused(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = (run / "policy.safetensors").stat().st_size
    monkeypatch.setattr(ship, "MAX_BYTES", whole - 1)
    candidate = ship.prepare(ShipPlan(run, "duel-2p", 8, 0))
    rounded, trained = load_policy(candidate.file)[0], load_policy(run / "policy.safetensors")[0]
    assert all((rounded[name] == trained[name].astype(np.float16)).all() for name in trained)
    assert "as float16" in cards.model_card(ship.add(candidate, folder=run))
    monkeypatch.setattr(ship, "MAX_BYTES", whole // 4)
    with pytest.raises(ValueError, match="bytes as float16, and zoo:duel-2p may have"):
        ship.prepare(ShipPlan(run, "duel-2p", 8, 0))


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("duel", "'duel' is no name of a shipped policy"),
        ("classic-2p", "was trained for other rules: .*uno_call='automatic' instead of 'declared'"),
    ],
)
def test_what_cannot_be_shipped(run: Path, name: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ship.prepare(ShipPlan(run, name))


def test_lengths_are_those_of_the_hands_and_change_only_the_card(run: Path, tmp_path: Path) -> None:
    assert PROGRAM.main(["add", str(run), "--name", "duel-2p", *FEW]) == 0
    file = tmp_path / "zoo" / "duel-2p.safetensors"
    before = file.read_bytes()
    assert "## Length of hands\n\nNot measured." in cards.model_card(file)
    assert PROGRAM.main(["lengths", "duel-2p"]) == 0
    assert file.read_bytes() == before
    rules, starts = Rules.preset("duel"), deal_starts(6, REPORT_SEED)
    alone = play_deals(np.zeros((6, 2), np.int8), [agents.load(str(file), rules=rules)], starts, rules).length
    assert f"| `duel-2p` | its own kind | {alone.mean():.0f} |" in file.with_suffix(".md").read_text()
    weights, card = load_policy(file)
    save_policy(file, {name: -weight for name, weight in weights.items()}, card)
    assert "## Length of hands\n\nNot measured." in cards.model_card(file)
