"""train/benchmarks/submission.py and leaderboard.py: what is taken, measured again, refused and shown."""

import json
import re
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest
import yaml

pytest.importorskip("scipy")

from tests.helpers.positions import save_random_policy
from tests.helpers.small_suite import DEALS, small_suite
from tools.benchmark.freeze import register
from train.benchmarks import leaderboard, submission
from train.benchmarks.measuring import Trained, measure_policy, scale_scores
from train.benchmarks.submission import read_submissions, submit
from train.cli.main import main
from train.common import suite as suites
from train.common.suite import BOTTOM, TOP, Suite, read_suite
from train.evaluation.scores import Score, verify_one_suite, write_scores
from uno_env import Rules

CARD = {"name": "mine", "authors": "Ada Example", "about": "First legal action."}
AGENT = """
from uno_env.player import Player

class First(Player):
    name = "first"
    def act_batch(self, observations, masks, histories=None):
        return masks.argmax(axis=1)

class Fails(Player):
    def act_batch(self, observations, masks, histories=None):
        if len(masks) < 3:
            raise RuntimeError("no idea")
        return masks.argmax(axis=1)
"""


@pytest.fixture
def suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Suite:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(suites, "SUITES", tmp_path / "suites")
    small_suite(tmp_path / "suites")
    return read_suite()


@pytest.fixture
def folder(tmp_path: Path, suite: Suite) -> Path:
    """A policy of ours, and an agent of one's own."""
    path = tmp_path / "mine"
    path.mkdir()
    save_random_policy(path / "seed0.safetensors", Rules.preset("duel"))
    (path / "agents.py").write_text(AGENT)
    return path


def write(folder: Path, **values: Any) -> Path:
    (folder / "submission.yaml").write_text(yaml.safe_dump({**CARD, **values}))
    return folder


def claimed(suite: Suite, policy: str, algorithm: str = "own", seed: int = 0) -> list[Score]:
    return measure_policy(suite.track("duel-2p"), policy, Trained(algorithm, seed, 1_000, 2.0, 900), threads=1)


def test_policies_are_measured_and_one_file_is_written(folder: Path, suite: Suite, tmp_path: Path) -> None:
    write(folder, policies={"duel-2p": ["seed0.safetensors", "agents.py:First"]}, decisions=1_000_000)
    path = submit(folder, tmp_path / "out", suite, 1, trust_code=True)
    assert path == tmp_path / "out" / "mine.json"
    (made,) = read_submissions([path], suite)
    assert (made.card.name, made.suite) == ("mine", suite.version)
    assert made.verified == tuple(f"duel-2p, seed {seed}, 1,000,000 decisions" for seed in (0, 1))
    again = claimed(suite, str(folder / "seed0.safetensors"))
    mine = [score for score in made.scores if score.seed == 0]
    assert [score.win_rate for score in mine] == [score.win_rate for score in again]
    track = suite.track("duel-2p")
    assert {(score.suite, score.track_digest, score.deals) for score in made.scores} == {
        (suite.version, track.digest, DEALS)
    }
    assert {score.decisions for score in made.scores} == {1_000_000}


def test_what_was_measured_is_not_measured_again(
    folder: Path, suite: Suite, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(folder, policies={"duel-2p": ["seed0.safetensors"]})
    first = submit(folder, tmp_path / "out", suite, 1).read_bytes()
    monkeypatch.setattr(submission, "measure_policy", None)
    assert submit(folder, tmp_path / "again", suite, 1).read_bytes() == first
    save_random_policy(folder / "seed0.safetensors", Rules.preset("duel"), seed=3)
    with pytest.raises(TypeError):
        submit(folder, tmp_path / "again", suite, 1)


def test_a_file_of_scores_alone_is_taken_and_counts_as_not_measured_again(
    folder: Path, suite: Suite, tmp_path: Path
) -> None:
    write_scores(folder / "scores.jsonl", [*claimed(suite, "greedy"), *scale_scores(suite.track("duel-2p"))])
    (made,) = read_submissions([submit(write(folder), tmp_path, suite, 1)], suite)
    assert made.verified == ()
    assert {(score.algorithm, score.decisions, score.choices) for score in made.scores} == {("mine", 1_000, 900)}


@pytest.mark.thorough
def test_the_folder_of_a_run_is_submitted_as_it_is(folder: Path, suite: Suite, tmp_path: Path) -> None:
    save_random_policy(folder / "duel-2p" / "own-s0" / "policy.safetensors", Rules.preset("duel"), seed=1)
    scores = claimed(suite, str(folder / "duel-2p" / "own-s0" / "policy.safetensors"))
    write_scores(folder / "scores.jsonl", [*scores, *claimed(suite, "greedy", "other")])
    (made,) = read_submissions([submit(write(folder, algorithm="own"), tmp_path, suite, 1)], suite)
    assert made.verified == ("duel-2p, seed 0, 1,000,000 decisions",)
    assert [score.win_rate for score in made.scores] == [score.win_rate for score in scores]


def test_a_score_that_does_not_come_out_again_is_refused(folder: Path, suite: Suite, tmp_path: Path) -> None:
    better = [replace(score, win_rate=1.0, low=0.99, high=1.0) for score in claimed(suite, "greedy")]
    write_scores(folder / "scores.jsonl", better)
    write(folder, policies={"duel-2p": ["agents.py:First"]})
    with pytest.raises(ValueError, match=r"own, seed 0, claims 100.0% against random-play on duel-2p, .*nothing was"):
        submit(folder, tmp_path / "out", suite, 1, trust_code=True)
    assert not (tmp_path / "out").exists()


def test_runs_are_added_to_a_submission_that_is_there(folder: Path, suite: Suite, tmp_path: Path) -> None:
    def submitted(decisions: int, *policies: str, **card: Any) -> submission.Submission:
        write(folder, policies={"duel-2p": policies}, decisions=decisions, **card)
        (made,) = read_submissions([submit(folder, tmp_path / "out", suite, 1, trust_code=True)], suite)
        return made

    small = submitted(1_000_000, "greedy", "greedy")
    both = submitted(20_000_000, "highest-points", about="Learned for longer.")
    assert both.card.about == "Learned for longer."
    assert both.scores[: len(small.scores)] == small.scores
    assert both.verified == (*small.verified, "duel-2p, seed 0, 20,000,000 decisions")
    shown = "\n".join(table.markdown() for table in leaderboard.tables(suite, [tmp_path / "out" / "mine.json"]))
    assert "| `mine` | Ada Example | Learned for longer. | 3 | 0 | not told |" in shown
    again = submitted(1_000_000, "agents.py:First")
    assert again.verified == (small.verified[1], both.verified[2], small.verified[0])
    assert len(again.scores) == len(both.scores)
    assert {score.digest for score in again.scores} != {score.digest for score in both.scores}
    before = (tmp_path / "out" / "mine.json").read_bytes()
    with pytest.raises(ValueError, match=r"mine.json' is by Ada Example: choose another name than 'mine'"):
        submitted(1_000_000, "greedy", authors="Bo Example")
    assert (tmp_path / "out" / "mine.json").read_bytes() == before


def test_points_of_a_learning_curve_are_no_runs_with_a_smaller_budget(
    folder: Path, suite: Suite, tmp_path: Path
) -> None:
    last = [replace(score, decisions=20_000_000) for score in claimed(suite, "greedy")]
    points = [replace(score, decisions=1_000_000, final=False) for score in last]
    write_scores(folder / "scores.jsonl", [*points, *last])
    file = submit(write(folder), tmp_path / "out", suite, 1)
    text = "\n".join(table.markdown() for table in leaderboard.tables(suite, [file]))
    assert "20,000,000 decisions at most" in text
    assert "1,000,000 decisions at most" not in text.replace("20,000,000", "")


def spoilt(change: Callable[[Score], Score]) -> Callable[[Path, Suite], None]:
    return lambda folder, suite: write_scores(
        folder / "scores.jsonl", [change(score) for score in claimed(suite, "greedy")]
    )


@pytest.mark.parametrize(
    ("card", "prepare", "sentence"),
    [
        (None, None, "holds no submission.yaml: write one with name, authors and about"),
        ({}, None, "holds neither policies nor scores.jsonl"),
        ({"name": "Mine!"}, None, "submission.yaml' is no card: name='Mine!' is not allowed"),
        ({"author": "x"}, None, "unknown key 'author' .did you mean 'authors'"),
        ({"policies": {"duel": ["greedy"]}}, None, "track 'duel' is not allowed .did you mean 'duel-2p'"),
        ({"policies": {"duel-2p": ["none.onnx"]}}, None, "'none.onnx' is no usable policy: there is no such file"),
        ({"policies": {"duel-2p": ["a\0b.onnx"]}}, None, "'a.x00b.onnx' is not allowed: no file can have this name"),
        ({"policies": {"duel-2p": ["a\ud800"]}}, None, "'a.ud800' is not allowed: no file can have this name"),
        ({"policies": {"duel-2p": ["zoo:classic-2p"]}}, None, "was trained for other rules"),
        ({"policies": {"duel-2p": ["agents.py:Fails"]}}, None, "failed on duel-2p, nothing was written: .*no idea"),
        ({"algorithm": "ppo"}, spoilt(lambda score: score), "algorithm 'ppo' is not allowed in .*has own"),
        ({}, spoilt(lambda score: replace(score, deals=20)), "is of 20 deals, and the track has 4"),
        ({}, spoilt(lambda score: replace(score, track_digest="0" * 64)), "another file of the track, of suite v1$"),
        ({}, spoilt(lambda score: replace(score, suite="", track_digest="")), "of another file .*, of suite none"),
        ({}, spoilt(lambda score: replace(score, track="duel")), "track 'duel' is not allowed"),
        (
            {},
            lambda folder, suite: write_scores(folder / "scores.jsonl", claimed(suite, "greedy")[:2]),
            "lacks the score against tuned on duel-2p, seed 0",
        ),
        ({}, lambda folder, suite: (folder / "scores.jsonl").write_text("{}"), "line 1 is no score"),
    ],
)
def test_what_is_no_submission_is_refused_in_a_sentence(
    folder: Path, suite: Suite, tmp_path: Path, card: dict[str, Any] | None, prepare: Any, sentence: str,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    if card is not None:
        write(folder, **card)
    if prepare is not None:
        prepare(folder, suite)
    capsys.readouterr()
    with pytest.raises(ValueError, match=sentence):
        submit(folder, tmp_path / "out", suite, 1, trust_code=True)
    options = ["--out", str(tmp_path / "out"), "--threads", "1", "--trust-code"]
    assert main(["benchmark", "submit", str(folder), *options]) == 2
    assert capsys.readouterr().err.splitlines()[-1].startswith("uno: ")
    assert not (tmp_path / "out").exists()


def test_the_leaderboard_shows_budgets_elo_points_and_cards(
    folder: Path, suite: Suite, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, policy, decisions in (("small", "greedy", 1_000_000), ("large", "highest-points", 15_000_000)):
        write(folder, name=name, policies={"duel-2p": [policy, policy]}, decisions=decisions, choices=5)
        register([submit(folder, suite.folder / "scores", suite, 1)], suite)
    text = "\n".join(table.markdown() for table in leaderboard.tables(suite, leaderboard.submission_files(suite)))
    assert "**duel-2p**: 1,000,000 decisions at most, par 50%" in text
    assert "**duel-2p**: 20,000,000 decisions at most" in text
    assert f"(`{BOTTOM}` 0, `{TOP}` 1)" in text
    assert f"| `{BOTTOM}` | +0 |" in text
    assert "| `small` | Ada Example | First legal action. | 2 | 2 | 5 |" in text
    assert main(["benchmark", "leaderboard"]) == 0
    assert "| `large` |" in capsys.readouterr().out
    file = suite.folder / "scores" / "small.json"
    values = json.loads(file.read_text())
    values["scores"][0]["track_digest"] = "0" * 64
    file.write_text(json.dumps(values))
    assert main(["benchmark", "leaderboard"]) == 2
    assert "small.json' is no submission to suite v1: " in capsys.readouterr().err


def test_the_top_of_a_scale_has_a_score_of_1_and_its_bottom_0(suite: Suite) -> None:
    from train.evaluation.aggregate import normalized

    track = suite.track("duel-2p")
    ends = list(scale_scores(track))
    named = [replace(end, algorithm=f"as-{end.algorithm}") for end in ends]
    runs = normalized([*ends, *named])
    assert runs["as-frozen"]["duel-2p"].tolist() == [1.0]
    assert runs["as-random-play"]["duel-2p"].tolist() == [0.0]


def test_a_copy_of_random_play_has_its_elo_whatever_the_players() -> None:
    frozen = read_suite()
    for track in map(frozen.track, frozen.tracks):
        ends = list(scale_scores(track))
        copies = [replace(end, algorithm="copy") for end in ends if end.algorithm == BOTTOM]
        for score in track.tables:
            text = leaderboard._elo(frozen, score, [*ends, *copies], "", ()).markdown()
            assert re.search(r"\| `copy` \| [+-]\d \|", text), text  # hands that are cut count as lost


def test_scores_of_two_suites_are_never_compared(
    suite: Suite, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scores = claimed(suite, "greedy")
    (tmp_path / "one.jsonl").write_text("".join(json.dumps(asdict(score)) + "\n" for score in scores))
    other = [replace(score, suite="v2", track_digest="1" * 64, algorithm="theirs") for score in scores]
    (tmp_path / "two.jsonl").write_text("".join(json.dumps(asdict(score)) + "\n" for score in other))
    assert main(["benchmark", "leaderboard", str(tmp_path / "one.jsonl"), str(tmp_path / "two.jsonl")]) == 2
    assert "scores on duel-2p cannot be compared: those of own are of suite v1 " in capsys.readouterr().err


def test_scores_of_a_draft_stay_valid_when_the_suite_is_declared_frozen(suite: Suite, tmp_path: Path) -> None:
    ends = scale_scores(suite.track("duel-2p"))
    draft = [replace(score, suite="v1-draft") for score in [*claimed(suite, "greedy"), *ends]]
    write_scores(tmp_path / "draft.jsonl", draft)
    write(tmp_path)
    (tmp_path / "draft.jsonl").rename(tmp_path / "scores.jsonl")
    (made,) = read_submissions([submit(tmp_path, tmp_path / "out", read_suite(), 1)], read_suite())
    assert made.suite == "v1"
    assert {score.suite for score in made.scores} == {"v1-draft"}
    later = [replace(score, suite="v1", algorithm="later") for score in made.scores]
    verify_one_suite([*made.scores, *later])


@pytest.mark.thorough
def test_a_policy_is_measured_on_every_list_of_rules(suite: Suite) -> None:
    scores = measure_policy(suite.track("unseen-rules"), "greedy", Trained("greedy"), threads=1)
    assert list(dict.fromkeys(score.track for score in scores)) == [
        f"unseen-rules/{name}" for name in ("seen", "values", "switches", "combinations")
    ]
    assert all(0 <= score.low <= score.win_rate <= score.high <= 1 for score in scores)
