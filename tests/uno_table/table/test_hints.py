"""Hints: what an agent would do, and how sure it is."""

import pytest

import agents
from agents.policy.policy_file import save_policy
from tests.agents.policy.test_policy_file import a_card, some_weights
from uno_env import Game, Rules
from uno_table.table.question import ask_hints, hints_view

DUEL = Rules.preset("duel")


@pytest.fixture
def position():
    game = Game(DUEL, seed=4)
    return game, game.observe(game.to_move, "uint8"), game.action_mask()


def test_a_policy_tells_its_probabilities_and_its_value(tmp_path, position):
    game, observation, mask = position
    path = tmp_path / "policy.safetensors"
    save_policy(path, some_weights(a_card(DUEL)), a_card(DUEL))
    policy = agents.load(path, rules=DUEL)
    hints = ask_hints(policy, observation, mask)
    assert set(hints.shares) == set(game.legal_actions())
    assert sum(hints.shares.values()) == pytest.approx(1)
    assert list(hints.shares.values()) == sorted(hints.shares.values(), reverse=True)
    assert next(iter(hints.shares)) == policy.act(observation, mask)
    assert hints.value is not None
    message = hints_view(hints, str(path))
    assert message["by"] == tmp_path.name
    assert len(message["actions"]) <= 5


@pytest.mark.parametrize("spec", ["greedy", "search:flat?num_determinizations=4"])
def test_others_tell_their_choice(spec, position):
    game, observation, mask = position
    hints = ask_hints(agents.load(spec, rules=DUEL), observation, mask)
    (action,) = hints.shares
    assert action in game.legal_actions()
    assert hints.shares[action] == 1
    assert hints.value is None
