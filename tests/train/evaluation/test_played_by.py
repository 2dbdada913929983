"""train/evaluation/played_by.py: what tells one version of a player from the next, and lines that say so."""

from dataclasses import replace
from pathlib import Path

import pytest

import uno_env
from agents.policy.policy_file import load_policy, save_policy
from agents.zoo import shipped
from tests.helpers.positions import save_random_policy
from train.evaluation.played_by import played_by, player_digest
from uno_env import Rules


@pytest.fixture
def policy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The one policy of a zoo, ``zoo:duel-2p``."""
    monkeypatch.setattr(shipped, "FOLDER", tmp_path)
    save_random_policy(tmp_path / "duel-2p.safetensors", Rules.preset("duel"))
    return tmp_path / "duel-2p.safetensors"


def test_a_digest_changes_with_what_plays_and_not_with_what_is_told_of_it(policy: Path) -> None:
    before, searching = player_digest("zoo:duel-2p"), player_digest("search:flat?rollout=zoo:duel-2p")
    assert len(before) == len(searching) == 16
    weights, card = load_policy(policy)
    save_policy(policy, weights, replace(card, evaluation=[], trained_by={"algorithm": "other"}))
    assert player_digest("zoo:duel-2p") == before
    some = min(weights)
    save_policy(policy, {**weights, some: weights[some] + 1}, card)
    assert player_digest("zoo:duel-2p") != before
    assert player_digest("search:flat?rollout=zoo:duel-2p") != searching
    with pytest.raises(ValueError, match="no shipped policy zoo:gone-2p"):
        player_digest("zoo:gone-2p")


def test_files_have_that_of_their_bytes_and_others_a_name_and_a_version(policy: Path) -> None:
    assert len(player_digest(str(policy))) == 16
    assert player_digest("tuned") == f"tuned of uno-env {uno_env.__version__}"


def test_a_page_says_which_policies_played_and_which_have_gone(policy: Path) -> None:
    now = player_digest("zoo:duel-2p")
    told = played_by({("zoo:duel-2p", now), ("zoo:duel-2p", "0123"), ("zoo:gone-2p", "4567"), ("zoo:gone-2p", ""),
                      ("tuned", "tuned of uno-env 0.0.1")})  # fmt: skip
    assert sorted(told.splitlines()) == sorted(
        [
            f"- Measured with `zoo:duel-2p` of {now}, which the package has now.",
            "- Measured with `zoo:duel-2p` of 0123, which has been replaced since.",
            "- Measured with `zoo:gone-2p` of 4567, which has been replaced since.",
            "- Measured with a `zoo:gone-2p` whose digest was not recorded: it may have been replaced since.",
        ]
    )
    assert played_by([("tuned", "")]) == ""
