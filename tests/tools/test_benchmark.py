"""tools/benchmark/: the commands, and the rows of the whole table."""

import json
import re
import shutil
import subprocess
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import yaml

pytest.importorskip("scipy")

from agents.policy.policy_agent import PolicyAgent
from agents.policy.policy_file import load_policy
from tools import ROOT
from tools.benchmark import blanked_rules, commands, freeze, page, rlcard_dmc, table, tuning
from tools.benchmark.blanked_rules import BLANKED, BlankedConfig, BlankedFrozen, BlankedPPO
from tools.benchmark.commands import PROGRAM
from train.algorithms.registry import config_of
from train.benchmarks import algorithms
from train.benchmarks.measuring import Trained
from train.benchmarks.submission import Submission, read_submissions
from train.cli.main import UNO
from train.common import suite as suites
from train.common.suite import LATEST, Track, read_suite, training_rules
from train.evaluation.scores import Score, write_scores
from uno_env import BatchedGames
from uno_env.observation import LAYOUT, OBSERVATION_SIZE


def test_check_says_what_differs(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(commands, "differences", list)
    assert PROGRAM.main(["check"]) == 0
    monkeypatch.setattr(commands, "differences", lambda: ["duel-2p: tuned chooses otherwise"])
    assert PROGRAM.main(["check"]) == 2
    assert capsys.readouterr().err == "python -m tools.benchmark: duel-2p: tuned chooses otherwise\n"


def test_every_row_of_the_table_can_be_run(tmp_path: Path) -> None:
    rows = table.rows()
    assert len({row.folder(tmp_path) for row in rows}) == len(rows)
    assert {row.budget for row in rows} == {*read_suite().track("duel-2p").budgets}
    for row in rows:
        assert row.budget in read_suite().track(row.track).budgets
        if row.algorithm in table.OURS:
            assert algorithms.config_file(row.algorithm, row.track).is_file()
    both = {"ppo", table.BLANKED_PPO}
    assert {row.algorithm for row in rows if row.track == "unseen-rules"} == both | table.LAYOUT_3.keys()
    assert {row.trained for row in rows if row.track == "unseen-rules"} == both
    assert {row.algorithm for row in rows} == {*table.SEEDS} == {*table.ABOUT}
    assert [(row.track, row.algorithm) for row in rows[:3]] == [("duel-2p", name) for name in table.OURS]


def test_the_command_of_the_tutorial_trains_the_ppo_of_the_leaderboard() -> None:
    """One name, one number: the same options, budget, threads and first seed."""
    tutorial = (ROOT / "docs" / "tutorials" / "own-algorithm.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"```sh\n(options=.*?)```", tutorial, re.DOTALL)
    typed = subprocess.run(["bash", "-c", f'uno() {{ printf "%s\\n" "$@"; }}\n{block}'], capture_output=True, text=True)
    plan = UNO.parse(typed.stdout.splitlines()).plan  # type: ignore[attr-defined]
    row = next(row for row in table.rows() if (row.track, row.algorithm) == ("duel-2p", "ppo"))
    theirs = row.plan()
    assert plan.algorithms == (*theirs.algorithms, "examples/my_algorithm.py:Reinforce")
    for name in ("tracks", "suite", "decisions", "minutes", "seed", "threads", "deals", "changes"):
        assert getattr(plan, name) == getattr(theirs, name), name


def test_ppo_that_does_not_see_the_rules_is_else_as_ppo() -> None:
    config = algorithms.config_file("ppo", "unseen-rules")
    seeing = asdict(config_of(yaml.safe_load(config.read_text())))
    blanked = asdict(config_of({"algorithm": table.BLANKED_PPO}))
    set_by_the_benchmark = {name for name in seeing if seeing[name] != blanked[name]}
    assert set_by_the_benchmark <= {*algorithms.OWN}


def test_a_blanked_network_does_not_see_the_rules_before_and_after_learning() -> None:
    config = BlankedConfig(num_envs=8, num_steps=8, minibatch_size=32, random_rules=2, hidden=(16,))
    learner = BlankedPPO(config)
    rng = np.random.default_rng(1)
    rows = rng.integers(0, 5, (6, OBSERVATION_SIZE)).astype(np.uint8)
    others = rows.copy()
    others[:, BLANKED] += 1
    hands = rows.copy()
    hands[:, LAYOUT["hand"].columns] += 1
    for _ in range(2):
        network = learner.network
        with torch.no_grad():
            logits, _ = network(torch.from_numpy(rows[:, network.columns]))
            assert torch.equal(network(torch.from_numpy(others[:, network.columns]))[0], logits)
            assert not torch.equal(network(torch.from_numpy(hands[:, network.columns]))[0], logits)
        learner.iterate(0.0)


def test_the_frozen_policy_without_rules_plays_alike_under_all_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    weights, card = load_policy(read_suite().track("unseen-rules").opponent_specs()["frozen"])
    seeing = PolicyAgent("frozen", weights, card)
    blanked = BlankedFrozen()
    rng = np.random.default_rng(1)
    rows = rng.integers(0, 3, (4, OBSERVATION_SIZE)).astype(np.uint8)
    others = rows.copy()
    others[:, BLANKED] = rng.integers(0, 3, (4, len(BLANKED)))
    assert not np.array_equal(seeing.logits_and_value(rows)[0], seeing.logits_and_value(others)[0])
    assert np.array_equal(blanked.logits_and_value(rows)[0], blanked.logits_and_value(others)[0])
    one = training_rules("unseen-rules")[3]
    monkeypatch.setattr(blanked_rules, "training_rules", lambda track: (one,))
    shown = BatchedGames(4, one, seed=4).reset()[0]
    assert np.allclose(BlankedFrozen().logits_and_value(shown)[0], seeing.logits_and_value(shown)[0], atol=1e-3)


def test_rows_that_are_done_are_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    first, second = table.Row("duel-2p", "ppo", 1_000_000, 1), table.Row("duel-2p", "mmd", 1_000_000, 2)
    third = table.Row("duel-2p", "dmc", 1_000_000, 1)
    monkeypatch.setattr(table, "rows", lambda: [first, second, third])
    monkeypatch.setattr(table, "published", lambda suite: [replace(score("duel-2p", ""), algorithm="dmc")])
    done = first.folder(tmp_path) / "duel-2p" / "ppo-s0" / algorithms.MEASURED
    done.parent.mkdir(parents=True)
    done.touch()
    measured = []
    monkeypatch.setattr(algorithms, "prepare", lambda plan, folder: None)
    monkeypatch.setattr(algorithms, "measure", lambda plan, folder, origin: measured.append((plan.algorithms, folder)))
    assert PROGRAM.main(["table", "--run-rows", "5", "--save", str(tmp_path)]) == 0
    assert measured == [((f"{tuning.tuned('mmd')}&precision=float32",), second.folder(tmp_path))]
    told = capsys.readouterr().out
    assert "duel-2p, ppo, 1,000,000 decisions: 1 of 1 runs" in told
    assert "duel-2p, dmc, 1,000,000 decisions: 1 of 1 runs" in told


def score(track: str, digest: str, algorithm: str = "ppo") -> Score:
    return Score(algorithm, track, 0, "tuned", 0.5, 0.4, 0.6, 4_000, 2, 1_000_000, 9.0, True, "", 9, "v1-draft", digest)


@pytest.fixture
def copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the suite as a draft, with one track and no scores."""
    folder = tmp_path / "suites" / LATEST
    shutil.copytree(ROOT / "benchmark" / LATEST, folder)
    monkeypatch.setattr(suites, "SUITES", folder.parent)
    monkeypatch.setattr(freeze, "all_tracks", lambda folder: [freeze._plain_track("duel-2p", folder)])
    shutil.rmtree(folder / "scores", ignore_errors=True)
    manifest = json.loads((folder / "manifest.json").read_text())
    (folder / "manifest.json").write_text(json.dumps({**manifest, "suite": freeze.VERSION}))
    return folder


def test_a_frozen_suite_keeps_its_scores_and_is_not_written_again(copied: Path) -> None:
    draft = read_suite().track("duel-2p")
    card = table.Card("mine", "Ada Example", "x")
    scores = (score("duel-2p", draft.digest), score("classic-2p", "0" * 64))
    (copied / "scores").mkdir()
    file = copied / "scores" / "mine.json"
    file.write_text(freeze.submission_text(asdict(Submission(card, "v1-draft", (), scores))))
    freeze.freeze(copied, final=True)
    suite = read_suite()
    assert suite.version == LATEST
    assert suite.track("duel-2p").digest == draft.digest
    (kept,) = read_submissions([file], suite)
    assert kept.scores == scores[:1]
    manifest = (copied / "manifest.json").read_bytes()
    with pytest.raises(ValueError, match="suite v1 is frozen: a change makes the next version"):
        freeze.freeze(copied)
    assert (copied / "manifest.json").read_bytes() == manifest


def test_only_rows_of_the_tracks_as_they_are_are_published(copied: Path, tmp_path: Path) -> None:
    suite = read_suite()
    good, old = (table.Row(track, "ppo", table.SMALL, 10) for track in ("duel-2p", "classic-2p"))
    for row, digest in ((good, suite.track("duel-2p").digest), (old, "0" * 64)):
        named = replace(score(row.track, digest), algorithm=row.options)
        write_scores(row.folder(tmp_path) / "scores.jsonl", [named])
    (file,) = table.publish(tmp_path, suite)
    (made,) = read_submissions([file], suite)
    assert [(each.algorithm, each.track) for each in made.scores] == [("ppo", "duel-2p")]


def test_a_card_says_whether_the_options_were_searched_for(
    copied: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    suite, row = read_suite(), table.Row("duel-2p", "tools/rllib_ppo.py:RLlibPPO", table.SMALL, 3)
    monkeypatch.setattr(tuning, "is_done", lambda family: False)
    named = replace(score(row.track, suite.track(row.track).digest), algorithm=row.options)
    write_scores(row.folder(tmp_path) / "scores.jsonl", [named])
    (file,) = table.publish(tmp_path, suite)
    assert "1,000,000 decisions: not tuned, the config that ships." in read_submissions([file], suite)[0].card.about
    monkeypatch.setattr(tuning, "is_done", lambda family: True)
    monkeypatch.setattr(tuning, "tuned", lambda family: f"{family}?learning_rate=0.1")
    write_scores(row.folder(tmp_path) / "scores.jsonl", [named])
    table.publish(tmp_path, suite)
    assert "the best of 16 trials on duel-2p: learning_rate 0.1." in read_submissions([file], suite)[0].card.about


def test_what_was_published_stays_until_the_folder_has_as_many_seeds(copied: Path, tmp_path: Path) -> None:
    suite = read_suite()
    row = table.Row("duel-2p", "ppo", table.SMALL, 10)

    def won(folder: str, *win_rates: float) -> list[float]:
        made = replace(score("duel-2p", suite.track("duel-2p").digest), algorithm=row.options)
        scores = [replace(made, seed=seed, win_rate=rate) for seed, rate in enumerate(win_rates)]
        if scores:
            write_scores(row.folder(tmp_path / folder) / "scores.jsonl", scores)
        (file,) = table.publish(tmp_path / folder, suite)
        return [each.win_rate for each in read_submissions([file], suite)[0].scores]

    assert won("first", 0.41, 0.42) == [0.41, 0.42]
    assert won("nothing") == [0.41, 0.42]
    assert won("fewer", 0.43) == [0.41, 0.42]
    assert won("as many", 0.44, 0.45) == [0.44, 0.45]


def test_learning_curves_of_the_small_budget_alone_are_published(copied: Path, tmp_path: Path) -> None:
    suite = read_suite()
    for budget in (table.SMALL, table.LARGE):
        row = table.Row("duel-2p", "ppo", budget, 5)
        last = replace(score("duel-2p", suite.track("duel-2p").digest), algorithm=row.options, decisions=budget)
        point = replace(last, final=False, decisions=budget // 10)
        write_scores(row.folder(tmp_path) / "scores.jsonl", [point, last])
    (file,) = table.publish(tmp_path, suite)
    (made,) = read_submissions([file], suite)
    assert [(score.final, score.decisions) for score in made.scores] == [
        (False, table.SMALL // 10), (True, table.SMALL), (True, table.LARGE),
    ]  # fmt: skip


def test_the_best_trial_of_a_family_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "trials.jsonl"
    monkeypatch.setattr(tuning, "FILE", file)
    lines = [
        {"family": "ppo", "trial": trial, "options": {"n_epochs": trial}, "strength": trial / 100}
        for trial in range(16)
    ]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines[:15]))
    assert tuning.tuned("ppo") == "ppo"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert tuning.tuned("ppo") == "ppo"  # the best were not done again yet
    for line in lines[12:]:
        line["again"] = [line["strength"]] * tuning.AGAIN
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert tuning.tuned("ppo") == "ppo?n_epochs=15"
    assert tuning.tuned("mmd") == "mmd"
    lines[11]["again"], lines[12]["again"] = [0.9, 0.9], [0.3, 0.4]
    lines[13]["again"], lines[14]["again"], lines[15]["again"] = [0.1, 0.3], [0.1, 0.1], [0.0, 0.1]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert tuning.tuned("ppo") == "ppo?n_epochs=12"  # 11 is not among the best four of the first seed


@pytest.fixture
def trained(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """What RLCard's trainer was asked for; it gives untrained weights."""
    asked: list[dict[str, Any]] = []
    rng = np.random.default_rng(5)

    def train_dmc(**options: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        asked.append(options)
        weights = {
            name: rng.normal(0, 0.05, shape).astype(np.float32)
            for name, shape in rlcard_dmc.FILES["dmc"].shapes.items()
        }
        return weights, {"frames": options["frames"], "seconds": 9.0}

    monkeypatch.setattr(rlcard_dmc, "train_dmc", train_dmc)
    return asked


def test_a_row_of_rlcards_dmc_goes_on_and_is_published(
    trained: list[dict[str, Any]], copied: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def measured(track: Track, agent: str, trained: Trained, threads: int) -> list[Score]:
        made = score(track.name, track.digest, algorithm=trained.algorithm)
        return [replace(made, seed=trained.seed, decisions=trained.decisions)]

    monkeypatch.setattr(rlcard_dmc, "measure_policy", measured)
    row = next(row for row in table.rows() if row.algorithm == rlcard_dmc.FAMILY)._replace(seeds=2)
    row._replace(seeds=1).measure(tmp_path, {})
    assert (len(trained), row.done(tmp_path)) == (1, 1)
    row.measure(tmp_path, {})
    assert (len(trained), row.done(tmp_path)) == (2, 2)
    (file,) = table.publish(tmp_path, read_suite())
    (made,) = read_submissions([file], read_suite())
    assert {(score.seed, score.decisions, score.track) for score in made.scores} == {
        (seed, table.SMALL, "rlcard-2p") for seed in range(2)
    }


def test_an_interrupted_training_of_rlcards_dmc_is_no_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rlcard_dmc, "train_dmc", lambda **options: ({}, {"frames": 99, "seconds": 1.0}))
    with pytest.raises(KeyboardInterrupt):
        rlcard_dmc.train(100, {}, tmp_path)
    assert not list(tmp_path.iterdir())


def test_the_page_shows_what_compares_all_tracks_and_folds_the_rest() -> None:
    text = page.leaderboard_tables()
    shown, _, hidden = text.partition("<details>")
    assert shown.count(" together**") == shown.count("\n| --- |") == 2  # a table for each budget
    assert hidden.count("</details>") == text.count("<details>") == text.count("<summary>") > 5
    assert page.folded("Nothing", []) == ""


def test_the_page_says_what_the_search_gained() -> None:
    row = next(row for row in page.search_table().rows if row[0] == "`ppo`")
    ships, best, gain = map(float, row[2:5])
    assert gain == pytest.approx(best - ships, abs=0.11)
    assert row[5].count(", ") == tuning.AGAIN


def test_differences_that_seeds_can_tell() -> None:
    assert page.detectable(10) == pytest.approx(1.325, abs=0.001)  # the tables of power of the two-sample t-test
    assert page.detectable(5) == pytest.approx(2.024, abs=0.001)
    assert page.pooled_deviation([[0.0, 2.0], [5.0, 5.0, 8.0]]) == pytest.approx((8 / 3) ** 0.5)


def told(monkeypatch: pytest.MonkeyPatch, *added: Score) -> list[list[str]]:
    """What is told of ppo's published runs on duel-2p with the small budget, and of others."""
    suite = read_suite()
    (ours,) = read_submissions([suite.folder / "scores" / "ppo.json"], suite)
    shown = replace(ours, scores=(*ppo_on_duel(), *added))
    monkeypatch.setattr(page, "read_submissions", lambda files, suite: [shown])
    return [list(row) for row in page.told_apart(suite).rows]


def ppo_on_duel() -> list[Score]:
    (ours,) = read_submissions([read_suite().folder / "scores" / "ppo.json"], read_suite())
    return [
        score for score in ours.scores if score.track == "duel-2p" and score.final and score.decisions < 2 * table.SMALL
    ]


def test_a_run_below_random_play_says_nothing_about_the_spread_and_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    failed = [replace(score, seed=99, win_rate=0.1) for score in ppo_on_duel() if score.seed == 0]
    ((*start, none, spread, difference),) = told(monkeypatch)
    assert told(monkeypatch, *failed) == [[*start, "1", spread, difference]]
    assert start == ["`duel-2p`", "1,000,000", "1"]
    assert none == "0"


def test_runs_of_two_budgets_do_not_make_the_spread_larger(monkeypatch: pytest.MonkeyPatch) -> None:
    longer = [replace(score, decisions=table.LARGE, win_rate=score.win_rate + 0.1) for score in ppo_on_duel()]
    small, large = told(monkeypatch, *longer)
    assert [small] == told(monkeypatch)
    assert large == ["`duel-2p`", "20,000,000", *small[2:]]
