"""Hints: what an agent would do, and how sure it is."""

import pytest

import agents
from agents.human.table.hints import advise
from agents.human.web.session import hints_of
from agents.policy.policy_file import save_policy
from tests.agents.policy.test_policy_file import a_card, some_weights
from uno_env import Game, Rules

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
    advice = advise(policy, observation, mask)
    assert set(advice.shares) == set(game.legal_actions())
    assert sum(advice.shares.values()) == pytest.approx(1)
    assert list(advice.shares.values()) == sorted(advice.shares.values(), reverse=True)
    assert next(iter(advice.shares)) == policy.act(observation, mask)
    assert advice.value is not None
    hints = hints_of(advice, str(path))
    assert hints["by"] == tmp_path.name
    assert len(hints["actions"]) <= 5


@pytest.mark.parametrize("spec", ["greedy", "search:flat?worlds=4"])
def test_others_tell_their_choice(spec, position):
    game, observation, mask = position
    advice = advise(agents.load(spec, rules=DUEL), observation, mask)
    (action,) = advice.shares
    assert action in game.legal_actions()
    assert advice.shares[action] == 1
    assert advice.value is None
