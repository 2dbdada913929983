"""train/evaluation/tournament.py and train/evaluation/tournament_report.py: the same result however it is played; what
is kept; what is reported."""

import json
import math
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace

import numpy as np
import pytest

from tests.helpers import ROOT
from train.common.job import Interrupted
from train.evaluation import ratings, tournament, tournament_report
from train.evaluation.duplicate import evaluate, play_deals
from train.evaluation.lineups import make_lineups
from train.evaluation.luck.values import values_for
from train.evaluation.tournament import Chunk, ChunkPlayer, Plan, open_job
from train.evaluation.tournament_report import gather, partial_report, report, run, show
from train.evaluation.tournament_setup import new_tournament, saved_tournament
from uno_env import Rules

DUEL = Rules.preset("duel")
FOUR = Rules.preset("classic", players=4)
THREE_AGENTS = ("random-play", "greedy", "random")


@pytest.fixture(autouse=True)
def _few_runs(monkeypatch):
    monkeypatch.setattr(ratings, "BOOTSTRAPS", 20)


def make_plan(agents=THREE_AGENTS, rules=DUEL, deals=50, tables="mixed", **options):
    lineups = tuple(make_lineups(len(agents), rules.players, tables))
    return Plan(tuple(agents), rules, lineups, (deals,) * len(lineups), tables=tables, **{"chunk": 20} | options)


def timeless(values):
    """A report without what the clock says."""
    if isinstance(values, dict):
        return {name: timeless(value) for name, value in values.items() if "second" not in name}
    return [timeless(value) for value in values] if isinstance(values, list) else values


class Interrupt:
    """Presses Ctrl-C after some chunks."""

    def __init__(self, chunks):
        self.left = chunks

    def __call__(self, games):
        self.left -= 1
        if self.left == 0:
            raise KeyboardInterrupt


# --- playing ----------------------------------------------------------------------------------------------------------


def test_chunks_hold_every_deal_once_and_advance_evenly():
    plan = Plan(("greedy", "random", "search:flat"), DUEL, ((0, 1), (0, 2)), (100, 40), chunk=30)
    chunks = plan.chunks()
    for lineup, deals in enumerate(plan.deals):
        mine = [chunk for chunk in chunks if chunk.lineup == lineup]
        assert [chunk.first for chunk in mine] == sorted(chunk.first for chunk in mine)
        assert [deal for chunk in mine for deal in range(chunk.first, chunk.first + chunk.deals)] == list(range(deals))
    assert {chunk.deals for chunk in chunks if chunk.lineup == 1} == {16, 8}
    parts = [chunk.first / plan.deals[chunk.lineup] for chunk in chunks]
    assert parts == sorted(parts)


def test_a_chunk_depends_on_the_plan_and_itself_alone():
    plan = make_plan()
    first, again = (ChunkPlayer(plan)(Chunk(1, 20, 20)) for _ in range(2))
    other = ChunkPlayer(plan)(Chunk(1, 40, 20))
    assert (first.winner == again.winner).all()
    assert (first.winner != other.winner).any()
    assert first.winner.shape == (20, 2)
    assert first.asked.sum() == first.length
    assert first.asked[1] == 0  # line-up 1 is agents 0 and 2


def test_winners_are_those_of_the_games_played():
    plan = make_plan(("greedy", "highest-points"), deals=40, chunk=40)
    (games,) = gather(plan, {chunk: ChunkPlayer(plan)(chunk) for chunk in plan.chunks()})
    assert set(np.unique(games.winner)) <= {-1, 0, 1}
    assert (games.shares(0) + games.shares(1) == 1).all()
    assert 0.4 < games.shares(0).mean() < 0.8


@pytest.mark.thorough
def test_without_luck_a_tournament_finds_the_same_and_is_surer():
    plan = make_plan(("tuned", "greedy", "random-play"), deals=120, chunk=120)
    plain, calm = (run(replace(plan, luck=luck), workers=1) for luck in ("", "duel-2p"))
    assert (plain["luck"], calm["luck"], plain["games"]) == (None, "duel-2p", calm["games"])
    before, after = (tournament_report.cell_of(found, 0, 1) for found in (plain, calm))
    assert abs(after.mean - before.mean) < before.half
    assert after.error < 0.9 * before.error
    expected = evaluate("tuned", "greedy", DUEL, 120, plan.seed, luck=values_for(DUEL))
    assert abs(after.mean - expected.luck.win_rate) < 2 * math.hypot(after.error, expected.luck.standard_error)
    for one, other in zip(plain["agents"], calm["agents"], strict=True):
        assert one["low"] < other["win_rate"] < one["high"]
        assert other["high"] - other["low"] < one["high"] - one["low"]


def test_luck_is_saved_with_the_games_and_told(tmp_path, capsys):
    plan = make_plan(deals=40, luck="duel-2p")
    once, again = (run(plan, workers=1, job=open_job(plan, tmp_path)) for _ in range(2))
    assert once["cross"] == again["cross"]
    show(once)
    assert "The luck of drawn cards is taken out by duel-2p." in capsys.readouterr().out
    assert saved_tournament(tmp_path).plan == plan
    with pytest.raises(ValueError, match="another"):
        open_job(make_plan(deals=40), tmp_path)


def test_at_a_larger_table_the_order_of_seats_is_drawn_for_each_deal(monkeypatch):
    seen = []
    monkeypatch.setattr(
        tournament,
        "play_deals",
        lambda seating, *rest, **more: seen.append(seating) or play_deals(seating, *rest, **more),
    )
    plan = make_plan(("random-play", "random", "greedy", "highest-points"), FOUR, deals=30, chunk=30)
    ChunkPlayer(plan)(plan.chunks()[0])
    deals = seen[0].reshape(30, 4, 4)
    assert (np.sort(deals, axis=2) == np.arange(4)).all()
    assert (np.sort(deals, axis=1) == np.arange(4)[:, None]).all()  # everyone at every seat, once
    after = {tuple(np.roll(row, -int(np.flatnonzero(row == 0)[0]))) for row in deals[:, 0]}
    assert len(after) == 6


@pytest.mark.thorough
def test_the_result_does_not_depend_on_workers():
    plan = make_plan(rules=FOUR, deals=40)
    alone, shared = (timeless(run(plan, workers)) for workers in (1, 2))
    assert alone == shared
    assert alone["complete"]
    assert alone["games"] == plan.games
    assert json.loads(json.dumps(alone, allow_nan=False)) == alone
    assert run(make_plan(rules=FOUR, deals=40, seed=1), 1)["cross"] != alone["cross"]


# --- keeping and going on ---------------------------------------------------------------------------------------------


@pytest.mark.thorough
@pytest.mark.parametrize("workers", [1, 2])
def test_who_is_stopped_goes_on_to_the_same_result(tmp_path, workers):
    plan = make_plan(deals=60)
    with pytest.raises(Interrupted, match=r"of 9 parts are saved\. The same command goes on") as stop:
        run(plan, workers, open_job(plan, tmp_path / "kept"), progress=Interrupt(4))
    assert len(stop.value.results) < 9
    kept = sorted((tmp_path / "kept" / "chunks").iterdir())
    assert len(kept) == 4
    kept[0].write_bytes(kept[0].read_bytes()[:100])  # half a file is none
    played = []
    again = saved_tournament(tmp_path / "kept")
    assert again.plan == plan
    whole = again.play(1, played.append)
    assert timeless(whole) == timeless(run(plan, 1))
    assert len(played) == 9
    assert len(list((tmp_path / "kept" / "chunks").iterdir())) == 9


def test_more_deals_go_on_from_the_chunks_there_are(tmp_path, monkeypatch):
    new_tournament(["greedy", "random"], DUEL, deals=8_000, folder=tmp_path / "kept").play(1)
    called = []
    play = ChunkPlayer.__call__
    monkeypatch.setattr(ChunkPlayer, "__call__", lambda self, chunk: called.append(chunk) or play(self, chunk))
    more = saved_tournament(tmp_path / "kept", 12_000).play(1)
    assert more["deals"] == 12_000
    assert called == [Chunk(0, 0, 1), Chunk(0, 8_000, 4_000)]  # the first to have all compiled


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"seed": 1}, "it has seed=0 instead of 1"),
        ({"agents": ("random-play", "greedy", "highest-points")}, "it has agents="),
        ({"rules": DUEL.replace(draw="until_playable")}, "its rules have draw='one' instead of 'until_playable'"),
        ({"chunk": 10}, "it has chunk=20 instead of 10"),
    ],
)
def test_another_tournament_is_refused(tmp_path, change, sentence):
    open_job(make_plan(), tmp_path)
    with pytest.raises(ValueError, match=f"holds another tournament: {sentence}"):
        open_job(make_plan(**change), tmp_path)
    open_job(make_plan(deals=99), tmp_path)


def test_a_tournament_of_other_code_is_refused(tmp_path, monkeypatch):
    open_job(make_plan(), tmp_path)
    monkeypatch.setattr(tournament, "code_digest", lambda: "0")
    with pytest.raises(ValueError, match="the code of the game or the agents has changed since"):
        open_job(make_plan(), tmp_path)


def test_folders_of_something_else_are_left_alone(tmp_path):
    (tmp_path / "thesis.txt").write_text("years of work")
    with pytest.raises(ValueError, match="is a folder of something else"):
        open_job(make_plan(), tmp_path)
    with pytest.raises(ValueError, match="holds no tournament to go on with"):
        saved_tournament(tmp_path)
    (tmp_path / "study.json").write_text('{"study": "tournament"}')
    with pytest.raises(ValueError, match="holds no tournament to go on with"):
        saved_tournament(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {"thesis.txt", "study.json"}


@pytest.mark.slow
@pytest.mark.parametrize("kill", [signal.SIGINT, signal.SIGKILL])
def test_a_killed_tournament_goes_on_and_leaves_no_process_behind(tmp_path, kill):
    folder = tmp_path / "kept"
    line = [sys.executable, "-m", "train.cli", "tournament", "greedy", "random-play", "--deals", "200000"]
    process = subprocess.Popen([*line, "--workers", "2", "--save", folder], stderr=subprocess.PIPE, text=True)
    while len(list((folder / "chunks").glob("*.npz"))) < 3:
        assert process.poll() is None
        time.sleep(0.2)
    children = subprocess.run(["ps", "-o", "pid=", "--ppid", str(process.pid)], capture_output=True, text=True).stdout
    process.send_signal(kill)
    _, err = process.communicate(timeout=60)
    if kill == signal.SIGINT:
        assert process.returncode == 130
        assert "To go on: uno tournament --resume" in err
    deadline = time.monotonic() + 30
    while any(_lives(int(child)) for child in children.split()):
        assert time.monotonic() < deadline
        time.sleep(0.2)
    kept = len(list((folder / "chunks").glob("*.npz")))
    done = saved_tournament(folder, 4_000 * (kept + 2)).play(1)
    assert timeless(done) == timeless(run(saved_tournament(folder, 4_000 * (kept + 2)).plan, 2))


def _lives(process):
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


# --- what is reported -------------------------------------------------------------------------------------------------


def test_one_against_a_table_is_what_evaluate_measures():
    plan = make_plan(("greedy", "highest-points"), FOUR, deals=400, tables="against", chunk=400)
    measured = run(plan, 1)
    expected = evaluate("greedy", "highest-points", FOUR, deals=400)
    cell = {name: matrix[0][1] for name, matrix in measured["cross"].items() if name != "par"}
    assert measured["cross"]["par"] == 0.25
    assert {agent["par"] for agent in measured["agents"]} == {0.25}
    assert cell["win_rate"] == pytest.approx(expected.win_rate, abs=0.05)  # other chance of the agents
    assert cell["standard_error"] == pytest.approx(expected.standard_error, rel=0.1)
    (games, _) = gather(plan, {chunk: ChunkPlayer(plan)(chunk) for chunk in plan.chunks()})
    assert games.shares(0).mean() == cell["win_rate"]


def test_a_report_holds_what_its_page_says(capsys):
    plan = make_plan(("random-play", "greedy", "random", "highest-points", "random?"), FOUR, deals=40, chunk=40)
    told = run(plan, 1)
    page = (ROOT / "docs" / "reference" / "files.md").read_text(encoding="utf-8")
    rows = [line.split("|")[1] for line in page.partition("## A tournament")[2].splitlines() if line.startswith("| `")]
    for name in told:
        assert any(f"`{name}`" in row for row in rows), name
    assert [agent["name"] for agent in told["agents"]] == list(plan.agents)
    assert sorted(told["ranking"]) == sorted(plan.agents)
    assert told["ranking"][0] == "greedy"
    assert len(told["lineups"]) == 5
    cross = told["cross"]
    for one in range(5):
        assert cross["win_rate"][one][one] is None
        for other in set(range(5)) - {one}:
            assert cross["win_rate"][one][other] + cross["win_rate"][other][one] == pytest.approx(1)
            assert cross["low"][one][other] <= cross["win_rate"][one][other] <= cross["high"][one][other]
            assert cross["deals"][one][other] == 40
    for agent in told["agents"]:
        assert agent["games"] == 4 * 40 * 4
        assert agent["low"] <= agent["win_rate"] <= agent["high"]
        rating = agent["rating"]
        assert rating["bradley_terry"]["low"] <= rating["bradley_terry"]["elo"] <= rating["bradley_terry"]["high"]
    assert sum(agent["win_rate"] for agent in told["agents"]) == pytest.approx(5 / 4)
    assert sum(agent["decisions"] for agent in told["agents"]) == told["decisions"]
    show(told)
    printed = capsys.readouterr().out
    assert "greedy" in printed
    assert "independent ones would take" in printed
    assert "Elo" in printed


def test_a_stopped_tournament_reports_what_it_has():
    plan = make_plan(deals=60)
    with pytest.raises(Interrupted, match="nothing is saved without --save FOLDER") as stop:
        run(plan, 1, progress=Interrupt(5))
    partly = partial_report(plan, stop.value.results)
    assert not partly["complete"]
    assert partly["games"] == 5 * 20 * 2
    with pytest.raises(Interrupted) as stop:
        run(plan, 1, progress=Interrupt(2))
    assert partial_report(plan, stop.value.results) is None


# --- mistakes ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"agents": ["greedy", "random"], "deals": 1}, "1 deals have no interval"),
        ({"agents": ["greedy", "random"], "tables": "round"}, "tables='round' is not allowed"),
    ],
)
def test_what_is_no_tournament(arguments, sentence):
    with pytest.raises(ValueError, match=sentence):
        new_tournament(rules=DUEL, **arguments)


def test_results_of_part_of_the_lineups_are_reported():
    plan = make_plan(deals=20)
    told = report(plan, {chunk: ChunkPlayer(plan)(chunk) for chunk in plan.chunks()[:2]})
    assert told["cross"]["win_rate"][1][2] is None
    assert not told["complete"]
