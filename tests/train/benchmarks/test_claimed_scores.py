"""What the leaderboard believes: what was measured here, and nothing that a file says of itself."""

import json
import math
import re
import shutil
import time
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest
import yaml

pytest.importorskip("scipy")

from tests.helpers import ROOT
from tests.helpers.positions import save_random_policy
from tests.helpers.small_suite import DEALS, small_suite
from tools.benchmark.freeze import register
from train.benchmarks import leaderboard, measured_here
from train.benchmarks.measured_here import REGISTER, Status, digest_of, status_of
from train.benchmarks.submission import Submission, read_submissions, submit
from train.benchmarks.submitted_folder import Card
from train.cli.main import main
from train.common import suite as suites
from train.common.suite import BOTTOM, TOP, Suite, read_suite
from train.evaluation.scores import Score
from uno_env import Rules

RUN = "duel-2p, seed 0, 1,000,000 decisions"


@pytest.fixture
def suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Suite:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(suites, "SUITES", tmp_path / "suites")
    (small_suite(tmp_path / "suites") / REGISTER).unlink()
    return read_suite()


def scores(suite: Suite, name: str = "mine", seed: int = 0, rate: float = 1.0, **changes: Any) -> list[Score]:
    """Scores of a run on duel-2p, written by hand."""
    track = suite.track("duel-2p")
    return [
        Score(name, "duel-2p", seed, opponent, rate, rate, rate, track.deals, 2, 1_000_000, 5.0, True, "d", 900,
              suite.version, track.digest, **changes)
        for opponent in track.opponent_specs()
    ]  # fmt: skip


def written(path: Path, suite: Suite, found: list[Score], name: str = "mine", **card: Any) -> Path:
    """A submission's file, written by hand."""
    made = Submission(Card(name, "Ada", "about", **card), suite.version, (), tuple(found))
    path.write_text(json.dumps(asdict(made)))
    return path


def shown(suite: Suite, *files: Path) -> str:
    return "\n\n".join(table.markdown() for table in leaderboard.tables(suite, files))


@pytest.fixture
def folder(tmp_path: Path, suite: Suite) -> Path:
    """A folder with a policy and its card."""
    path = tmp_path / "folder"
    path.mkdir()
    save_random_policy(path / "seed0.safetensors", Rules.preset("duel"))
    values = {"name": "mine", "authors": "Ada", "about": "x", "decisions": 1_000_000}
    (path / "submission.yaml").write_text(yaml.safe_dump({**values, "policies": {"duel-2p": ["seed0.safetensors"]}}))
    return path


def test_what_was_measured_here_is_told_from_what_is_claimed(folder: Path, suite: Suite, tmp_path: Path) -> None:
    here = submit(folder, tmp_path / "out", suite, 1)
    assert "| `mine` | Ada | x | 1 | 0 | not told |" in shown(suite, here), "one's own measurement is a claim, too"
    assert "Elo" not in shown(suite, here)
    register([here], suite)
    alone = shown(suite, here)
    assert "| `mine` | Ada | x | 1 | 1 | not told |" in alone
    claimed = written(tmp_path / "claimed.json", suite, scores(suite, "theirs"), "theirs")
    tables = {part.split("\n")[0]: part for part in re.split(r"\n\n(?=\*\*)", shown(suite, here, claimed))}
    *rated, _ = re.split(r"\n\n(?=\*\*)", alone)
    assert len(rated) == 3, "a comparison on the track, one over tracks, and Elo"
    assert rated == list(tables.values())[:3], "no rating has moved"
    (title,) = [title for title in tables if "claimed by its author, not measured here; 1,000,000 decisions" in title]
    assert title.startswith("**duel-2p**")
    assert "`theirs`" in tables[title]
    assert "| `theirs` | Ada | about | 1 | 0 | 900 |" in tables["**Submissions**"]


def test_what_is_registered_is_a_run_with_its_name_and_its_scores(folder: Path, suite: Suite, tmp_path: Path) -> None:
    file = submit(folder, tmp_path / "out", suite, 1)
    register([file], suite)
    honest = json.loads(file.read_text())

    def status(change: Callable[[dict[str, Any]], object]) -> Status:
        values = json.loads(json.dumps(honest))
        change(values)
        file.write_text(json.dumps(values))
        (made,) = read_submissions([file], suite)
        ((run, found),) = made.runs(suite).items()
        return status_of(made.card.name, run, found, measured_here.read_register(suite))

    def better(values: dict[str, Any]) -> None:
        for score in values["scores"]:
            score |= {"win_rate": 1.0, "high": 1.0}

    def renamed(values: dict[str, Any]) -> None:
        values["card"]["name"] = "another"
        for score in values["scores"]:
            score["algorithm"] = "another"

    assert status(better) is Status.CLAIMED
    assert status(renamed) is Status.CLAIMED
    assert status(lambda values: values.update(verified=[f"run {each}" for each in range(1000)])) is Status.MEASURED
    assert "| 1 | 1 |" in shown(suite, file), "invented entries are not counted"


def test_what_the_maintainers_measured_everybody_knows(suite: Suite, tmp_path: Path) -> None:
    found = scores(suite)
    file = written(tmp_path / "mine.json", suite, found)
    assert "| 1 | 0 |" in shown(suite, file)
    (suite.folder / REGISTER).write_text(json.dumps({"measured": {"mine": {RUN: digest_of(found)}}}))
    assert "| 1 | 1 |" in shown(suite, file)
    better = written(tmp_path / "better.json", suite, [replace(score, choices=901) for score in found])
    assert "| 1 | 0 |" in shown(suite, better)
    (suite.folder / REGISTER).write_text('{"measured": 3}')
    assert main(["benchmark", "leaderboard", str(file)]) == 2


def test_the_published_runs_are_registered_and_valid() -> None:
    suite = read_suite()
    register = measured_here.read_register(suite)
    for each in read_submissions(leaderboard.submission_files(suite), suite):
        for run, found in each.runs(suite).items():
            assert status_of(each.card.name, run, found, register) is Status.MEASURED, (each.card.name, run)


def test_results_that_come_with_a_folder_are_not_taken(folder: Path, suite: Suite, tmp_path: Path) -> None:
    honest = submit(folder, tmp_path / "out", suite, 1).read_bytes()
    saved = tmp_path / "runs" / "submit-mine"
    (part,) = saved.glob("duel-2p-*.json")
    better = json.dumps([{**each, "win_rate": 1.0, "high": 1.0} for each in json.loads(part.read_text())])
    shutil.move(saved, folder / "measured")
    (folder / "measured" / part.name).write_text(better)
    assert submit(folder, tmp_path / "again", suite, 1).read_bytes() == honest


@pytest.mark.thorough
def test_code_stands_apart_even_if_it_was_measured_here(folder: Path, suite: Suite, tmp_path: Path) -> None:
    """The cheat: a policy that finds the hidden hands in the memory of the game it plays in."""
    (folder / "agents.py").write_text(
        "import gc\n"
        "from uno_env import BatchedGames\n"
        "from uno_env.player import Player\n"
        "class Cheat(Player):\n"
        "    name = 'cheat'\n"
        "    saw = 0\n"
        "    def act_batch(self, observations, masks, histories=None):\n"
        "        if not Cheat.saw:\n"
        "            tables = [each for each in gc.get_objects() if issubclass(type(each), BatchedGames)]\n"
        "            Cheat.saw = sum(table.games is not None for table in tables)\n"
        "        assert Cheat.saw, 'no hidden hands were found'\n"
        "        return masks.argmax(axis=1)\n"
    )
    values = yaml.safe_load((folder / "submission.yaml").read_text())
    values["policies"] = {"duel-2p": ["agents.py:Cheat"]}
    (folder / "submission.yaml").write_text(yaml.safe_dump(values))
    file = submit(folder, tmp_path / "out", suite, 1, trust_code=True)
    register([file], suite)
    text = shown(suite, file)
    assert "code, not isolated: measured here" in text
    assert "Elo" not in text
    assert "IQM" not in text


@pytest.mark.parametrize("name", [BOTTOM, TOP, "tuned", "rlcard-rule", "greedy", "ppo", "sb3_ppo", "taken"])
def test_names_of_anchors_and_of_ours_are_reserved(name: str, folder: Path, suite: Suite, tmp_path: Path) -> None:
    (suite.folder / "scores").mkdir()
    written(suite.folder / "scores" / "taken.json", suite, scores(suite, "taken"), "taken")
    values = yaml.safe_load((folder / "submission.yaml").read_text())
    (folder / "submission.yaml").write_text(yaml.safe_dump({**values, "name": name}))
    with pytest.raises(ValueError, match=f"the name '{name}' is taken"):
        submit(folder, tmp_path / "out", suite, 1)
    file = written(tmp_path / "x.json", suite, scores(suite, name), name)
    with pytest.raises(ValueError, match=f"x.json' is no submission to suite v1: the name '{name}' is taken"):
        shown(suite, file)


def test_a_file_has_scores_of_its_own_name_and_no_other_has_it(suite: Suite, tmp_path: Path) -> None:
    file = written(tmp_path / "x.json", suite, scores(suite, TOP), "mine")
    with pytest.raises(ValueError, match="its name is 'mine', and it has scores of 'frozen'"):
        shown(suite, file)
    one = written(tmp_path / "one.json", suite, scores(suite))
    two = written(tmp_path / "two.json", suite, scores(suite, seed=1))
    with pytest.raises(ValueError, match=r"two.json' .*its name is 'mine', and so is another one's"):
        shown(suite, one, two)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"players": 4}, "players=4, and the track has 2"),
        ({"players": 0}, "players=0, and the track has 2"),
        ({"seed": 2**63}, "seed=9223372036854775808, and 4611686018427388904 at most is possible"),
        ({"deals": DEALS + 1}, "is of 5 deals, and the track has 4"),
        ({"opponent": TOP.upper()}, "the opponents are random-play, rlcard-rule, tuned, frozen"),
        ({"opponent": "mine"}, "the opponents are random-play"),
        ({"win_rate": 0.51, "low": 0.4, "high": 0.6}, "win_rate=0.51, which no number of wins in 8 games gives"),
        ({"win_rate": 0.5, "low": 0.6, "high": 0.7}, "outside its interval"),
        ({"win_rate": math.nan}, "win_rate=nan is not allowed"),
        ({"seconds": math.inf}, "seconds=inf"),
        ({"choices": 1_000_001}, "choices=1000001, and 1000000 at most is possible"),
        ({"decisions": 10**16}, "decisions=10000000000000000, and 1000000000000000 at most"),
        ({"suite": "v2"}, "suite='v2', and this is v1"),
        ({"track": "duel-2p/x"}, "score 'duel-2p/x' is not allowed"),
        ({"track_digest": "0" * 64}, "is of another file of the track"),
    ],
)
def test_every_field_is_checked(changes: dict[str, Any], sentence: str, suite: Suite, tmp_path: Path) -> None:
    first, *others = scores(suite)
    file = written(tmp_path / "x.json", suite, [replace(first, **changes), *others])
    with pytest.raises(ValueError, match=r"x\.json' is no submission") as refused:
        shown(suite, file)
    assert sentence in str(refused.value)
    write_scores_anyway(tmp_path / "f" / "scores.jsonl", [replace(first, **changes), *others])
    (tmp_path / "f" / "submission.yaml").write_text("name: mine\nauthors: A\nabout: b\n")
    with pytest.raises(ValueError):
        submit(tmp_path / "f", tmp_path / "out", suite, 1)


def write_scores_anyway(path: Path, found: list[Score]) -> None:
    """Write scores that :func:`train.evaluation.scores.write_scores` may refuse."""
    path.parent.mkdir()
    path.write_text("".join(json.dumps(asdict(score)) + "\n" for score in found))


def test_runs_are_whole_and_there_once(suite: Suite, tmp_path: Path) -> None:
    found = scores(suite)
    with pytest.raises(ValueError, match="mine lacks the score against frozen on duel-2p, seed 0"):
        shown(suite, written(tmp_path / "x.json", suite, found[:3]))
    with pytest.raises(ValueError, match="against random-play, seed 0, is there twice"):
        shown(suite, written(tmp_path / "x.json", suite, [*found, replace(found[0], win_rate=0.5, low=0.4)]))
    mixed = [replace(score, digest=score.opponent) for score in found]
    with pytest.raises(ValueError, match="differ in digest"):
        shown(suite, written(tmp_path / "x.json", suite, mixed))


def test_words_of_a_card_are_only_words(suite: Suite, tmp_path: Path) -> None:
    values = json.loads(written(tmp_path / "x.json", suite, scores(suite)).read_text())
    values["card"] |= {"authors": "Ada |\n| `ppo` | x | <script> \x1b[2J", "about": "<img src=x onerror=y> \u202e|"}
    (tmp_path / "x.json").write_text(json.dumps(values))
    (row,) = [line for line in shown(suite, tmp_path / "x.json").splitlines() if "Ada" in line]
    assert row.startswith(
        r"| `mine` | Ada \| \| \`ppo\` \| x \| &lt;script&gt; \[2J | &lt;img src=x onerror=y&gt; \| |"
    )
    for link in ("javascript:alert(1)", "https://a.b/c) [x](y", "https://a.b/\n", "https://a.b/|", "https://a <b>"):
        values["card"]["link"] = link
        (tmp_path / "x.json").write_text(json.dumps(values))
        with pytest.raises(ValueError, match=r"card.link=.* is not allowed: choose"):
            shown(suite, tmp_path / "x.json")


def test_a_thousand_scores_are_shown_in_a_moment(suite: Suite, tmp_path: Path) -> None:
    files = [written(tmp_path / f"n{each}.json", suite, scores(suite, f"n{each}"), f"n{each}") for each in range(250)]
    began = time.process_time()
    assert len(shown(suite, *files)) > 10_000
    assert time.process_time() - began < 3


def test_the_suite_itself_has_not_changed() -> None:
    suite = read_suite()
    assert (ROOT / "benchmark" / "v1" / REGISTER).is_file()
    assert [suite.track(name).digest for name in suite.tracks] == list(suite.manifest.tracks.values())
