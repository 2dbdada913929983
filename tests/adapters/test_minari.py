"""`uno record --format minari`: Minari reads what it wrote, and it is what was played."""

from pathlib import Path

import pytest

from train.cli.main import main
from train.game_data import play_hands
from uno_env import Rules

minari = pytest.importorskip("minari", reason="Minari is not installed: make test-adapters")
pytestmark = pytest.mark.adapters


def test_a_data_set_of_minari(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path))
    assert main(["record", "greedy", "--games", "3", "--rules", "duel", "--format", "minari", "--out", "uno/t-v0"]) == 0
    found = minari.load_dataset("uno/t-v0")
    rules = Rules.preset("duel")
    hands = list(play_hands(["greedy"], rules, 3, seed=0))
    assert found.total_episodes == 6
    assert found.total_steps == sum(len(hand.game.history) for hand in hands)
    for number, episode in enumerate(found.iterate_episodes()):
        hand, seat = hands[number // 2], number % 2
        game, taken = hand.game.start(), []
        for action in hand.game.history:
            if game.to_move == seat:
                assert (episode.observations["observation"][len(taken)] == game.observe(seat, "uint8")).all()
                assert (episode.observations["action_mask"][len(taken)] == game.action_mask()).all()
                taken.append(action)
            game.step(action)
        assert episode.actions.tolist() == taken
        assert episode.rewards.sum() == hand.game.rewards()[seat]
        assert episode.terminations[-1]
