"""train/networks/critic.py: a critic that sees all hands, and a saved policy that knows nothing of them."""

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import agents
from agents.policy.policy_file import load_policy, weight_shapes
from tests.helpers.failures import failing
from tests.helpers.records import put
from tests.helpers.symmetry import Renaming
from tests.train.algorithms.test_self_play import SOLVED, TINY, assert_equal, learn, new, run, weights
from train.algorithms.mmd import MMD
from train.algorithms.parts import threads
from train.algorithms.ppo import PPO
from train.algorithms.registry import prepare_training
from train.evaluation.exact.measure import exploitability
from train.networks import kernels
from train.networks.critic import hand_kinds
from uno_env import BatchedGames, Game, Rules
from uno_env.core.packed_games import rows_of
from uno_env.observation import LAYOUT
from uno_env.symmetry import CanonicalForm
from uno_env.symmetry.tables import NUM_ORDERS, ORDERS, REAL_KINDS, REAL_SEATS

pytestmark = pytest.mark.adapters

OPEN: dict[str, Any] = {"critic": "privileged"}


def other_hands(game: Any, players: int, kinds: list[int]) -> list[int]:
    """What the others hold, said plainly."""
    seats = [(int(game["to_move"]) + place) % players for place in range(1, players)]
    return [int(game["seats"]["hand"][seat][kind]) for seat in seats for kind in kinds]


def with_hidden_cards_mixed(games: Any, players: int, chance: np.random.Generator) -> Any:
    """The same games for whoever is to move; the cards that they do not see lie elsewhere."""
    mixed = games.copy()
    for game in mixed:
        seats = [(int(game["to_move"]) + place) % players for place in range(1, players)]
        pile = game["pile"][game["pile_next"] : game["pile_end"]]
        hands, sizes = game["seats"]["hand"], game["seats"]["hand_size"]
        cards = [card for seat in seats for card in np.repeat(np.arange(hands.shape[1]), hands[seat])]
        unseen = chance.permutation([*cards, *pile]).tolist()
        for seat in seats:
            hands[seat] = 0
            for kind, number in Counter(unseen.pop() for _ in range(sizes[seat])).items():
                hands[seat][kind] = number
        pile[:] = unseen
    return mixed


def hands_of(batch, games, seat, kinds, out, forms=None):
    """What the others hold, written to ``out`` in some form, by default as it is."""
    forms = np.zeros(len(games), np.int64) if forms is None else forms
    tables = REAL_SEATS, np.ascontiguousarray(REAL_KINDS[:, kinds])
    kernels.gather_other_hands(rows_of(batch.games), games, seat, batch.rules.players, forms, *tables, out)


@pytest.mark.parametrize(("preset", "players"), [("duel", 2), ("house", 5)])
def test_hands_are_those_of_the_others_from_the_left_on(preset: str, players: int) -> None:
    rules = Rules.preset(preset, players=players)
    batch = BatchedGames(20, rules, obs_dtype="uint8", seed=4)
    _, _, seat = batch.reset()
    for _ in range(50):
        _, _, seat, _, _ = batch.step(batch.sample_actions())
    kinds, places = hand_kinds(rules), np.arange(1, 20, 3)
    out = np.full((len(places), (players - 1) * len(kinds)), 99, np.uint8)
    hands_of(batch, places, seat, kinds, out)
    assert len(set(seat[places].tolist())) > 1
    assert out.tolist() == [other_hands(batch.games[place], players, kinds.tolist()) for place in places]


@pytest.mark.parametrize(("preset", "players"), [("duel", 2), ("house", 5)])
def test_in_canonical_form_they_are_those_of_the_game_renamed(preset: str, players: int) -> None:
    rules = Rules.preset(preset, players=players)
    batch = BatchedGames(40, rules, obs_dtype="uint8", seed=4)
    batch.reset()
    for _ in range(60):
        rows, _, seat, _, _ = batch.step(batch.sample_actions())
    kinds, places = hand_kinds(rules), np.arange(40)
    forms = CanonicalForm().forms(rows)
    out = np.zeros((len(places), (players - 1) * len(kinds)), np.uint8)
    hands_of(batch, places, seat, kinds, out, forms)
    assert len(set((forms // NUM_ORDERS).tolist())) > (players > 2)
    game = Game(rules)
    for place in places.tolist():
        put(game, batch, place)
        order = ORDERS[forms[place] % NUM_ORDERS]
        renaming = Renaming([order.index(colour) for colour in range(4)], forms[place] >= NUM_ORDERS)
        assert out[place].tolist() == other_hands(renaming.game(game)._array[0], players, kinds.tolist())


@pytest.mark.parametrize("players", [2, 4])
def test_each_choice_is_stored_with_the_hands_of_its_moment(players: int) -> None:
    """They are as large as the observation of the same row says."""
    with new("ppo", players=players, rules={**TINY, "hand_size": 2}, **OPEN) as learner:
        learner.iterate(0.0)
        rows, hands = learner.games.buffer.obs, learner.games.buffer.hands
        sizes = [learner.network.columns.tolist().index(LAYOUT["hand_sizes"].start + place) for place in range(players)]
        told = hands.reshape(len(rows), players - 1, -1).sum(dim=2)
        assert int(told.sum()) > 0
        filled = rows.sum(dim=1) > 0
        assert (told[filled] == rows[filled][:, sizes[1:]]).all()


def test_without_it_no_hand_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernels, "gather_other_hands", None)
    with new("ppo") as learner:
        learner.iterate(0.0)
        assert learner.critic is None
        assert learner.games.buffer.hands.shape[1] == 0


def test_a_saved_policy_holds_nothing_of_the_critic(tmp_path: Path) -> None:
    own, taught = run("ppo", tmp_path), run("ppo", tmp_path, **OPEN)
    (_, card), (weight, taught_card) = (load_policy(folder / "policy.safetensors") for folder in (own, taught))
    assert replace(taught_card, trained_by={}) == replace(card, trained_by={})
    assert list(weight) == list(weight_shapes(card))
    assert taught_card.trained_by["config"]["critic"] == "privileged"
    assert any((weight[name] != weights(own)[name]).any() for name in weight)


def test_what_it_plays_does_not_depend_on_hidden_cards(tmp_path: Path) -> None:
    rules, chance = Rules.preset("duel"), np.random.default_rng(2)
    agent = agents.load(run("ppo", tmp_path, rules="duel", **OPEN) / "policy.safetensors", rules=rules)
    batch = BatchedGames(64, rules, obs_dtype="uint8", seed=3)
    changed = 0
    with new("ppo", rules="duel", **OPEN) as learner:
        assert learner.critic is not None
        for _ in range(30):
            obs, mask, seat = batch.reset() if not changed else batch.step(batch.sample_actions())[:3]
            seen, kinds = obs.copy(), hand_kinds(rules)
            before, after = (np.zeros((64, len(kinds)), np.uint8) for _ in range(2))
            games = np.arange(64)
            hands_of(batch, games, seat, kinds, before)
            chosen = agent.act_batch(obs, mask)
            value = learner.critic(torch.from_numpy(obs[:, learner.network.columns]), torch.from_numpy(before))
            state = batch.get_state()
            obs, mask, seat = batch.set_state({**state, "games": with_hidden_cards_mixed(batch.games, 2, chance)})
            hands_of(batch, games, seat, kinds, after)
            assert (obs == seen).all()
            assert (agent.act_batch(obs, mask) == chosen).all()
            other = learner.critic(torch.from_numpy(obs[:, learner.network.columns]), torch.from_numpy(after))
            changed += int((value != other).sum())
    assert changed > 64 * 20, "the critic does see them"


@pytest.mark.parametrize("algorithm", ["ppo", "mmd"])
def test_runs_repeat_and_go_on_whatever_the_threads(
    algorithm: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(threads, "GROUP", 12)
    monkeypatch.setattr(threads, "CHUNK", 64)
    changes = {**OPEN, "checkpoint_every": 2 * 24 * 16}
    straight = run(algorithm, tmp_path, **changes)
    assert_equal(weights(straight), weights(run(algorithm, tmp_path, threads=3, **changes)))
    with failing(monkeypatch, {"ppo": PPO, "mmd": MMD}[algorithm], 3 * 24 * 16):
        run(algorithm, tmp_path, **changes)
    stopped = straight.with_name("small-3")
    assert prepare_training(stopped, {})() == stopped
    assert_equal(weights(straight), weights(stopped))


def test_the_critic_learns_and_the_policy_with_it() -> None:
    assert exploitability(learn("ppo", SOLVED, 150_000, **OPEN), SOLVED).exploitability < 0.02
    with new("ppo", **OPEN) as learner:
        assert learner.critic is not None
        before = [parameter.clone() for parameter in learner.critic.parameters()]
        learner.iterate(0.0)
        assert all((old != parameter).any() for old, parameter in zip(before, learner.critic.parameters(), strict=True))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("critic: other", "critic='other' is not allowed: choose one of 'shared', 'privileged'"),
        ("algorithm: dmc\ncritic: privileged", "unknown key 'critic'"),
    ],
)
def test_what_is_no_critic_is_refused(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "bad.yaml"
    file.write_text(text)
    with pytest.raises(ValueError, match=message):
        prepare_training(file, {"folder": str(tmp_path)})
