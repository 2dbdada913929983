"""tools/ladder.py: who plays whom, what is kept, and that the page's tables are the kept ones."""

import json
import re

import pytest

from agents.scripted.agent import STRATEGIES
from agents.zoo.shipped import shipped_for
from tools import ladder
from tools.docs.saved_figures import FOLDER, LADDER, ladder_tables, save
from tools.ladder import LadderPlan, markdown, measure, prepare, references_of, tournaments
from train.evaluation import ratings


@pytest.fixture(autouse=True)
def _few_runs(monkeypatch):
    monkeypatch.setattr(ratings, "BOOTSTRAPS", 20)


def test_by_default_all_agents_play_all_references_on_all_tracks():
    ladder_plan = LadderPlan(deals=40, search_deals=20)
    plans = tournaments(ladder_plan)
    assert set(plans) == set(LadderPlan().tracks)
    for track, plan in plans.items():
        able = [*STRATEGIES, *shipped_for(plan.rules)]
        assert {*able, *ladder.SEARCHING} == set(plan.agents)
        assert set(plan.deals) == ({40, 20} if track == "duel-2p" else {4, 2})
        pairs = {(plan.agents[lineup[0]], plan.agents[lineup[1]]) for lineup in plan.lineups}
        for name in able:
            for reference in references_of(ladder_plan):
                met = (name, reference) in pairs or (plan.rules.players == 2 and (reference, name) in pairs)
                assert met == (name != reference), (track, name, reference)
        assert all(lineup[1:] == lineup[1:2] * (plan.rules.players - 1) for lineup in plan.lineups)


def test_agents_that_search_play_less(monkeypatch):
    load = ladder.players.load
    monkeypatch.setattr(ladder.players, "load", lambda spec, **options: load(spec.removeprefix("search:"), **options))
    agents = ("random", "search:greedy")
    plan = tournaments(LadderPlan(agents, ("random-play", "highest-points"), ("duel-2p",), 500, 30))["duel-2p"]
    deals = {
        tuple(plan.agents[place] for place in lineup): deals
        for lineup, deals in zip(plan.lineups, plan.deals, strict=True)
    }
    assert deals == {
        ("random", "random-play"): 500,
        ("random", "highest-points"): 500,
        ("search:greedy", "highest-points"): 30,
        ("random-play", "highest-points"): 500,
    }


def test_who_cannot_play_a_track_is_left_out():
    pytest.importorskip("rlcard")
    with pytest.raises(ValueError, match="knows no other rules than RLCard's"):
        prepare(LadderPlan(("random", "rlcard:uno-rule-v1"), ("random-play",), deals=10))


def test_agents_for_other_tracks_are_left_out_unless_they_are_asked_for():
    plans = tournaments(LadderPlan(tracks=("classic-2p",), deals=20, search_deals=20))
    assert [name for name in plans["classic-2p"].agents if name.startswith("zoo:")] == ["zoo:any", "zoo:classic-2p"]
    with pytest.raises(ValueError, match="was trained for other rules"):
        prepare(LadderPlan(("random", "zoo:rlcard-2p"), ("random-play",), deals=10))


def test_a_ladder_is_measured_kept_and_shown(tmp_path):
    plan = LadderPlan(("random", "greedy"), ("random-play",), ("duel-2p", "classic-4p"), 400)
    measured = measure(plan, 1, tmp_path / "saved")
    assert measured["references"] == ["random-play"]
    for track in measured["tracks"].values():
        assert track["ranking"] == ["greedy", "random-play", "random"]
        elo = {agent["name"]: agent["rating"]["bradley_terry"]["elo"] for agent in track["agents"]}
        assert elo["random-play"] == 0
        assert elo["random"] < 0 < elo["greedy"]
        lengths = {name: length["decisions"] for name, length in track["lengths"].items()}
        assert lengths["random"] > lengths["greedy"] > 5
    again = measure(plan, 1, tmp_path / "saved")
    assert json.dumps(again) == json.dumps(measured)  # nothing is played again: even the clock is the same
    file = tmp_path / "measured.json"
    file.write_text(json.dumps({"command": "python -m tools.ladder", "ladder": measured}))
    save(file, tmp_path, tmp_path / "elo.json")
    saved = json.loads((tmp_path / LADDER).read_text())
    assert ladder.tables(saved) == markdown(measured)
    assert json.loads((tmp_path / "elo.json").read_text())["duel-2p"] == {
        agent["name"]: round(agent["elo"][0]) for agent in saved["tracks"]["duel-2p"]["agents"]
    }
    rows = [line for line in markdown(measured).splitlines() if line.startswith("| `")]
    assert len(rows) == 6
    cell = measured["tracks"]["duel-2p"]["cross"]["win_rate"][1][2]
    assert f"| {100 * cell:.1f} " in rows[0]
    assert f"| {lengths['greedy']:.0f} ± " in rows[3]


def test_the_saved_ladder_says_where_it_is_from():
    saved = json.loads((FOLDER / LADDER).read_text(encoding="utf-8"))
    assert re.fullmatch("[0-9a-f]{7,40}", saved["commit"])
    assert saved["command"].startswith("python -m tools.ladder")
    assert set(saved["tracks"]) == set(LadderPlan().tracks)
    assert saved["commit"] in ladder_tables()
