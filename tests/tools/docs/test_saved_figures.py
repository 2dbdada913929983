"""tools/docs/saved_figures.py: what cannot be saved is refused in one sentence."""

import json
import warnings
from pathlib import Path

import pytest

from tools.docs import saved_figures
from tools.docs.saved_figures import players_of_figures, save_comparison
from train.evaluation import played_by
from train.evaluation.scores import read_scores

SCORE = {"algorithm": "ppo", "track": "duel-2p", "seed": 0, "opponent": "tuned", "win_rate": 0.5, "low": 0.4,
         "high": 0.6, "deals": 10, "players": 2, "decisions": 5, "seconds": 1.0, "final": True}  # fmt: skip


def benchmark(path: Path, **changes: object) -> Path:
    values = {"minutes": 1, "decisions": 0, "deals": 10, "commit": "abc", "date": "2026-11-22", "machine": {}}
    run = {"scores": [SCORE | changes]}
    path.write_text(json.dumps({"command": "uno benchmark algorithms", "algorithms": {**values, "runs": [run]}}))
    return path


def test_benchmarks_of_algorithms_are_put_together(tmp_path: Path) -> None:
    files = [benchmark(tmp_path / "one"), benchmark(tmp_path / "same"), benchmark(tmp_path / "two", seed=1)]
    save_comparison(files, "algorithms", tmp_path, tmp_path)
    assert [score.seed for score in read_scores([tmp_path / "algorithms.jsonl"])] == [0, 1]
    assert len(json.loads((tmp_path / "algorithms.json").read_text())["made"]) == 3


def test_two_scores_of_one_run_are_refused_and_so_is_another_file(tmp_path: Path) -> None:
    files = [benchmark(tmp_path / "one"), benchmark(tmp_path / "other", win_rate=0.6)]
    with pytest.raises(ValueError, match="another score of"):
        save_comparison(files, "algorithms", tmp_path, tmp_path)
    (tmp_path / "none").write_text('{"command": "x", "algorithms": {"track": "duel-2p"}}')
    with pytest.raises(ValueError, match="holds no benchmark of algorithms"):
        save_comparison([tmp_path / "none"], "algorithms", tmp_path, tmp_path)


def test_scores_on_other_numbers_of_deals_are_not_put_together(tmp_path: Path) -> None:
    files = [benchmark(tmp_path / "one"), benchmark(tmp_path / "few", algorithm="sb3_ppo", deals=4)]
    with pytest.raises(ValueError, match="duel-2p was measured on 4 and 10 deals: measure all on as many"):
        save_comparison(files, "algorithms", tmp_path, tmp_path)


def test_which_pages_are_stale() -> None:
    """They are named in a warning, and each says so itself (``python -m tools.docs.tables`` writes that)."""
    players = players_of_figures()
    assert [file for file, named in players.items() if "" in {digest for _, digest in named}] == []
    stale = {file for file, named in players.items() if "has been replaced since" in played_by.played_by(named)}
    if stale:
        warnings.warn(f"measured with shipped policies that have been replaced since: {sorted(stale)}", stacklevel=1)


def test_a_policy_that_is_replaced_is_told_on_every_page_it_played_for(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "which the package has now" in saved_figures.ladder_tables()
    monkeypatch.setattr(played_by, "player_digest", lambda spec: "another")
    assert "`zoo:duel-2p` of 473a23e393477133, which has been replaced since" in saved_figures.ladder_tables()


def test_rows_of_the_study_bring_their_digests_to_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    digest = played_by.player_digest("zoo:duel-2p")
    rows = [{"spec": "zoo:duel-2p", "spec_digest": digest, "opponent_spec": "zoo:duel-2p", "opponent_spec_digest": "1"}]
    (tmp_path / "luck.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    monkeypatch.setattr(saved_figures, "STUDY", tmp_path)
    monkeypatch.setattr(saved_figures, "STUDIES", ("luck",))
    now, gone = sorted(saved_figures.players_of_study("luck").splitlines(), key=len, reverse=True)
    assert (digest in now, "of 1, which has been replaced since" in gone) == (True, True)
