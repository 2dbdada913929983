"""tools/search_benchmark.py: the network and the searches that it helps, on the same deals, kept and gone on with."""

import json
from pathlib import Path

import pytest

from agents.policy.policy_file import save_policy
from tests.helpers.positions import a_card, some_weights
from tools import search_benchmark as search
from tools.search_benchmark import CONTENDERS, PROGRAM, SearchPlan, measure, tournament
from train.evaluation.duplicate import evaluate
from train.evaluation.tournament import ChunkPlayer
from uno_env import Rules

DUEL = Rules.preset("duel")
NAMES = ("flat, rollouts, value and prior", "ismcts, prior and value")


@pytest.fixture
def policy(tmp_path: Path) -> str:
    """The path of a policy of random weights."""
    path = tmp_path / "policy.safetensors"
    card = a_card(DUEL)
    save_policy(path, some_weights(card), card)
    return str(path)


def small(policy: str) -> SearchPlan:
    return SearchPlan(policy, DUEL, NAMES, 4, 8, deals=8, search_deals=2, positions=3)


def test_all_play_the_same_deals_and_are_timed(policy: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    measured = measure(small(policy), 1, tmp_path / "saved")
    network, *others = measured["contenders"]
    assert [each["name"] for each in (network, *others)] == ["network", *NAMES]
    assert network["against"]["tuned"]["win_rate"] == evaluate(policy, "tuned", DUEL, deals=8, seed=0).win_rate
    same = evaluate(policy, "tuned", DUEL, deals=2, seed=0).win_rate
    for each in others:
        assert each["gain"]["mean"] == pytest.approx(each["against"]["tuned"]["win_rate"] - same)
        assert each["gain"]["low"] <= each["gain"]["mean"] <= each["gain"]["high"]
        assert each["against"]["network"]["deals"] == each["gain"]["deals"] == 2
        assert 0 < each["ms"]["median"] <= each["ms"]["p95"]
    played: list[object] = []
    monkeypatch.setattr(ChunkPlayer, "__call__", lambda self, chunk: played.append(chunk))
    again = measure(small(policy), 1, tmp_path / "saved")
    assert not played
    for each in (*again["contenders"], *measured["contenders"]):
        each.pop("ms")
    assert again == measured


def test_every_contender_can_be_loaded(policy: str) -> None:
    assert len(tournament(SearchPlan(policy, DUEL)).agents) == len(CONTENDERS) + 1


def test_from_the_command_line(policy: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    numbers = ["--worlds", "2", "--deals", "4", "--search-deals", "2", "--positions", "2", "--workers", "1"]
    told = tmp_path / "search.json"
    command = ["--policy", policy, "--contenders", "flat, value", *numbers, "--json", str(told)]
    assert PROGRAM.main(command) == 0
    out = capsys.readouterr().out
    assert "flat, value" in out
    measured = json.loads(told.read_text())["search"]
    assert [each["name"] for each in measured["contenders"]] == ["network", "flat, value"]
    assert (measured["worlds"], measured["policy"], measured["players"]) == (2, policy, 2)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--policy", "greedy"], "--policy 'greedy' is not allowed: it is no saved policy"),
        (["--policy", "zoo:best"], "there is no shipped policy zoo:best"),
        (["--policy", "POLICY", "--contenders", "deep"], "contender 'deep' is not allowed: there are 'network'"),
        (["--policy", "POLICY", "--save", "FOLDER"], "is a folder of something else"),
    ],
)
def test_mistakes_are_one_sentence(
    arguments: list[str], message: str, policy: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = [{"POLICY": policy, "FOLDER": str(tmp_path)}.get(word, word) for word in arguments]
    assert PROGRAM.main(words) == 2
    assert message in capsys.readouterr().err


def test_positions_are_where_there_is_a_choice(policy: str) -> None:
    rows, masks = search._positions(SearchPlan(policy, DUEL, positions=20))
    assert len(rows) == 20
    assert (masks.astype(bool).sum(axis=1) > 1).all()
