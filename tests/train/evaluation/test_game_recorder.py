"""Games that evaluations keep: those that were measured, with what the agents thought."""

import json

import numpy as np
import pytest

import agents
from agents.policy.policy_file import PolicyCard, save_policy
from train.evaluation.duplicate import duplicate_deals, evaluate, play_deals
from train.evaluation.game_recorder import Recorder, file_stem, save_replays, thoughts
from uno_env import BatchedGames, Game, Rules
from uno_env.policy_columns import policy_actions, policy_columns
from uno_env.replay import Replay


@pytest.fixture(scope="module")
def policy(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The path of a policy whose weights are drawn by chance."""
    rules, chance = Rules.preset("duel"), np.random.default_rng(0)
    columns, actions = policy_columns(rules), policy_actions(rules)
    shapes = {"trunk.0": (16, len(columns)), "policy": (len(actions), 16), "value": (1, 16)}
    weights = {}
    for layer, shape in shapes.items():
        weights[f"{layer}.weight"] = chance.normal(size=shape).astype(np.float32)
        weights[f"{layer}.bias"] = chance.normal(size=shape[:1]).astype(np.float32)
    card = PolicyCard(rules=rules.to_dict(), columns=columns.tolist(), actions=actions.tolist(), hidden=[16])
    path = tmp_path_factory.mktemp("policy") / "policy.safetensors"
    save_policy(path, weights, card)
    return str(path)


@pytest.mark.thorough
@pytest.mark.parametrize(("rules", "players"), [("duel", 2), ("classic", 3), ("house", 4)])
def test_games_are_those_that_were_measured(rules: str, players: int) -> None:
    rules = Rules.preset(rules, players=players)
    recorder = Recorder(5)
    plain = evaluate("greedy", "random", rules, deals=40, seed=3, batch=16)
    kept = evaluate("greedy", "random", rules, deals=40, seed=3, batch=16, recorder=recorder)
    assert (plain.win_rate, plain.decisions) == (kept.win_rate, kept.decisions), "watching changes nothing"
    starts, seating = duplicate_deals(40, players, 3)
    pair = [agents.load("greedy", seed=1, rules=rules), agents.load("random", seed=2, rules=rules)]
    again = Recorder(5)
    watch = again.begin(seating, pair, ("greedy", "random"), starts, rules)
    played = play_deals(seating, pair, starts, rules, batch=16, watch=watch)
    for number, replay in enumerate(again.replays()):
        assert replay.game.over
        winner = -1 if replay.game.winner is None else replay.game.winner
        assert (winner, len(replay.game.history)) == (played.winner[number], played.length[number])
        assert replay.names[number % players] == "Greedy"
        assert replay.names.count("Greedy") == 1
    assert len(recorder.replays()) == 5


def test_no_more_games_than_were_played() -> None:
    recorder = Recorder(50)
    evaluate("greedy", "greedy", "duel", deals=2, recorder=recorder)
    assert [replay.game.over for replay in recorder.replays()] == [True] * 4


def test_the_deal_is_that_of_the_batch() -> None:
    rules = Rules.preset("classic", players=3)
    batch = BatchedGames(2, rules, obs_dtype="uint8")
    batch.reset()
    obs, mask, seat = batch.deal(np.array([0, 1]), np.array([5, 77], np.uint64))
    for place, start in enumerate((5, 77)):
        game = Game.from_rng(rules, start)
        assert game.to_move == seat[place]
        assert np.array_equal(game.observe(game.to_move, "uint8"), obs[place])
        assert np.array_equal(game.action_mask(), mask[place])
    with pytest.raises(ValueError, match="-1"):
        Game.from_rng(rules, -1)


def test_what_a_policy_thought(policy: str) -> None:
    recorder = Recorder(2)
    evaluate(policy, "greedy", "duel", deals=2, recorder=recorder)
    agent = agents.load(policy)
    for replay in recorder.replays():
        game = replay.game.start()
        mine = [name != "Greedy" for name in replay.names]
        for action, note in zip(replay.game.history, replay.notes, strict=True):
            assert (note is not None) == mine[game.to_move]
            if note is not None:
                assert set(note.probabilities) == set(game.legal_actions())
                assert sum(note.probabilities.values()) == pytest.approx(1, abs=1e-5)
                assert max(note.probabilities, key=note.probabilities.__getitem__) == action, "it plays the likeliest"
                assert note.value == pytest.approx(
                    float(agent.logits_and_value(game.observe(game.to_move)[None])[1][0])
                )
            game.step(action)


def test_who_cannot_say_has_no_thoughts() -> None:
    assert thoughts(agents.load("greedy"), Game("duel")) is None


def test_games_are_kept_under_names_that_files_may_have(tmp_path) -> None:
    recorder = Recorder(2)
    evaluate("greedy", "random", "duel", deals=2, recorder=recorder)
    stem = file_stem("runs/a b/policy.safetensors?sample=1", "v", "greedy")
    assert stem == "runs_a_b_policy.safetensors_sample_1-v-greedy"
    files = save_replays(recorder.replays(), tmp_path / "games", stem)
    assert [file.name for file in files] == [f"{stem}-1.json", f"{stem}-2.json"]
    assert Replay.from_json(files[1].read_text()).game.over
    assert json.loads(files[0].read_text())["seats"] == ["Greedy", "Random"]
