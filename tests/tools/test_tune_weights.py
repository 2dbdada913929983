"""The search for weights: the same whatever stops it, and better than where it began."""

import json
from pathlib import Path

import numpy as np
import pytest

import agents
from agents.scripted.agent import STRATEGIES
from agents.scripted.dispatch import STRATEGY_NUMBERS
from agents.scripted.tuned_weights import FEATURES, SETS, features_of, load_weights
from tools.tune_weights import SPREAD, TASKS, Settings, check, duplicate_scores, found_by, save_weights, search
from train.common.job import Interrupted
from train.evaluation.duplicate import duplicate_deals, play_deals
from uno_env import Rules
from uno_env.common.lock import LOCK

pytest.importorskip("cma", reason="cma is not installed: pip install -c constraints.txt '.[search]'")

TINY = Settings("rlcard", generations=3, population=4, deals=4, seed=5)


def test_a_search_that_was_stopped_finds_what_it_would_have_found(tmp_path: Path) -> None:
    whole = search(TINY, tmp_path / "whole")

    def stop(generation: int) -> None:
        if generation == 2:
            raise KeyboardInterrupt

    with pytest.raises(Interrupted, match=r"2 of 3 parts are saved\. The same command goes on"):
        search(TINY, tmp_path / "stopped", progress=stop)
    saved = contents(tmp_path / "stopped")
    assert len(saved) == 3
    assert (search(TINY, tmp_path / "stopped", threads=2) == whole).all()
    assert saved.items() <= contents(tmp_path / "stopped").items()
    assert contents(tmp_path / "stopped") == contents(tmp_path / "whole")


def contents(folder: Path) -> dict[str, str]:
    """The files of a folder, but for its lock."""
    return {path.name: path.read_text() for path in folder.iterdir() if path.name != LOCK}


def test_a_search_changes_only_its_own_set(tmp_path: Path) -> None:
    found, base = search(TINY, tmp_path / "log"), load_weights()
    differs = [bool((one != other).any()) for one, other in zip(found, base, strict=True)]
    assert differs == [name == "rlcard" for name in SETS]


def test_another_search_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "search"
    search(Settings("rlcard", 1, 4, 2), folder)
    with pytest.raises(ValueError, match="holds another search for weights: its settings have seed=0 instead of 1"):
        search(Settings("rlcard", 1, 4, 2, seed=1), folder)
    (folder / "study.json").write_text("{}\n")
    with pytest.raises(ValueError, match="holds no search for weights to go on with"):
        search(Settings("rlcard", 1, 4, 2), folder)
    log = tmp_path / "log.jsonl"
    log.write_text("{}\n")
    with pytest.raises(ValueError, match="is a file of something else"):
        search(Settings("rlcard", 1, 4, 2), log)


def test_a_search_finds_its_way_from_bad_weights(tmp_path: Path) -> None:
    bad = np.zeros_like(load_weights())
    found = search(Settings("two", 12, 8, 25, sigma=2.0, seed=1), tmp_path / "log", bad)
    before, after = (np.mean([t["win_rate"] for t in check("two", w, load_weights(), 400, 9)]) for w in (bad, found))
    assert after > before + 0.05


def test_weights_are_saved_and_played_by(tmp_path: Path) -> None:
    path = tmp_path / "other.json"
    weights = np.array(load_weights())
    weights[:, [FEATURES.index("wild"), FEATURES.index("four")]] = 50
    save_weights(path, weights, {"two": "by hand"})
    assert load_weights(path)[0, FEATURES.index("wild")] == 50
    assert found_by(path) == {"two": "by hand"}
    assert agents.load(f"tuned?weights={path}").name == "tuned"


@pytest.mark.parametrize("text", ["", "[]", '{"weights": {}}', json.dumps({"weights": {"two": {"held": "x"}}})])
def test_a_file_that_holds_no_weights_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "weights.json").write_text(text)
    with pytest.raises(ValueError, match="holds no weights of tuned"):
        agents.load(f"tuned?weights={tmp_path / 'weights.json'}")


def test_a_weight_that_is_no_number_is_named(tmp_path: Path) -> None:
    sets = {name: dict.fromkeys(features_of(name), 0.5) for name in SETS}
    (tmp_path / "weights.json").write_text(json.dumps({"weights": {**sets, "two": {**sets["two"], "held": "x"}}}))
    with pytest.raises(ValueError, match=r"holds no weights of tuned: .*two\.held='x' is not allowed: choose a number"):
        load_weights(tmp_path / "weights.json")


def test_every_set_has_tasks_and_every_feature_a_spread() -> None:
    assert set(TASKS) == set(SETS)
    assert set(SPREAD) == set(FEATURES)
    assert all(opponent in STRATEGY_NUMBERS for tables in TASKS.values() for _, _, opponent in tables)


def test_compiled_playouts_are_the_games_that_the_agents_play() -> None:
    rules, base = Rules.preset("duel"), load_weights()
    for opponent in ("random-play", "greedy", "tuned"):
        means = duplicate_scores(base, opponent, base, rules, 300, seed=3)
        starts, seating = duplicate_deals(300, 2, 3)
        players = [agents.load("tuned", seed=1), agents.load(opponent, seed=2)]
        played = play_deals(seating, players, starts, rules)
        scores = (played.winner == np.tile([0, 1], 300)).reshape(300, 2).mean(axis=1)
        assert abs(means.mean() - scores.mean()) < 0.07
        assert (means == scores).mean() > 0.3  # chance decides between equals; where it has no say, the same games


@pytest.mark.parametrize("name", STRATEGIES)
def test_playouts_know_every_strategy(name: str) -> None:
    assert sorted(STRATEGY_NUMBERS.values()) == list(range(len(STRATEGIES)))
    scores = duplicate_scores(load_weights(), name, load_weights(), Rules.preset("classic", players=3), 20, seed=3)
    assert scores.shape == (20,)
