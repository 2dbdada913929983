"""Networks that read past events: what they are shown, in training and wherever their policies play."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
import torch

import agents
from agents.agent import Agent
from agents.human.plain_text import PlainText
from agents.human.table.question import ask_hints
from agents.human.table.table import Table
from agents.human.table.table_config import Setup
from agents.policy.event_features import FIRST_ROWS, NUM_COUNTS, NUM_NAMED, TABLE_ROWS, read_events
from agents.policy.policy_agent import PolicyAgent
from agents.policy.policy_file import load_policy
from tests.helpers.failures import failing
from tests.train.algorithms.test_self_play import SOLVED, assert_equal, new, run, weights
from train.algorithms.parts import threads
from train.algorithms.registry import find_algorithm, prepare_training
from train.evaluation.duplicate import evaluate
from train.evaluation.exact.measure import exploitability
from train.evaluation.game_recorder import Recorder
from train.evaluation.tournament import _Clocked
from train.networks.event_encoder import named_sum
from train.networks.policy_network import Network, NetworkPlayer
from uno_env import BatchedGames, Game, Rules
from uno_env.history import EVENT_SIZE, HIGHEST, HISTORY_LAYOUT, history_for, history_of
from uno_env.observation import LAYOUT

pytestmark = pytest.mark.adapters

DUEL = Rules.preset("duel")
BRIEF = replace(DUEL, max_decisions=60)
"""For players that have not learned, and might play a hand for hours."""
READING: dict[str, Any] = {"history": 6, "event_width": 8}


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A policy of a few iterations that reads six events."""
    folder = run("ppo", tmp_path_factory.mktemp("runs"), rules="duel", num_envs=64, learning_rate=1e-2, **READING)
    return folder / "policy.safetensors"


@pytest.fixture
def reader(trained: Path) -> PolicyAgent:
    agent = agents.load(trained, rules=DUEL)
    assert isinstance(agent, PolicyAgent)
    return agent


def some_events(rules: Rules, length: int, steps: int = 40, games: int = 50) -> tuple[Any, Any, Any]:
    """Observations, masks and histories of games that have gone on for a while."""
    batch = BatchedGames(games, rules, seed=3, obs_dtype="uint8", history=length)
    batch.reset()
    for _ in range(steps):
        obs, mask, *_ = batch.step(batch.sample_actions())
    assert batch.history is not None
    return obs.copy(), mask.copy(), batch.history.copy()


def test_events_are_read_as_written_down() -> None:
    chance = np.random.default_rng(0)
    _, _, histories = some_events(Rules.preset("house", players=3), 7, steps=4)
    assert (histories[:, 0, 0] == 0).any(), "some rows have no event"
    table, counts = chance.normal(size=(TABLE_ROWS, 5)), chance.normal(size=(5, NUM_COUNTS))
    bias = chance.normal(size=5)
    named = [run for run in HISTORY_LAYOUT.values() if run.name not in ("taken", "hand_sizes")]
    expected = np.zeros((50, 7, 5))
    for game in range(50):
        for place, event in enumerate(histories[game]):
            total, first = bias.copy(), 0
            for column in named:
                total += table[first + event[column.start]]
                first += column.values
            for weight, count in zip(counts.T, [*event[8:18], *event[18:28]], strict=True):
                total += 0.1 * count * weight
            expected[game, place] = np.maximum(total, 0)
    ours = read_events(histories, *(array.astype(np.float32) for array in (table, counts, bias)))
    np.testing.assert_allclose(ours, expected.reshape(50, -1), atol=1e-4)


@pytest.mark.parametrize("column", [0, NUM_NAMED - 1])
def test_events_that_there_are_not_are_refused(column: int) -> None:
    """Compiled code would read beyond its table."""
    network = Network(DUEL, (8,), **READING)
    events = np.zeros((1, READING["history"], EVENT_SIZE), np.uint8)
    events[0, -1, column] = HIGHEST[column] + 1
    obs, mask, _ = BatchedGames(1, DUEL, obs_dtype="uint8").reset()
    with pytest.raises(ValueError, match="hold events that there are not"):
        NetworkPlayer(network).act_batch(obs, mask, events)
    events[0, -1, column] -= 1
    assert mask[0, NetworkPlayer(network).act_batch(obs, mask, events)[0]]


def test_the_compiled_sum_has_the_gradient_of_a_table_of_embeddings() -> None:
    events = torch.from_numpy(some_events(DUEL, 4)[2].reshape(-1, EVENT_SIZE))
    table = torch.randn(TABLE_ROWS, 3, requires_grad=True)
    plain = torch.nn.functional.embedding(events[:, :NUM_NAMED].long() + torch.from_numpy(FIRST_ROWS), table).sum(dim=1)
    ours = named_sum(events, table)
    towards = torch.randn(ours.shape)
    torch.testing.assert_close(ours, plain)
    (by_ours,), (by_plain,) = (torch.autograd.grad(each, table, towards) for each in (ours, plain))
    torch.testing.assert_close(by_ours, by_plain)


@pytest.mark.parametrize(("preset", "players"), [("duel", 2), ("house", 4)])
def test_numpy_and_torch_agree(preset: str, players: int, tmp_path: Path) -> None:
    rules = Rules.preset(preset, players=players)
    path = run("ppo", tmp_path, rules=preset, players=players, total_timesteps=1, **READING) / "policy.safetensors"
    network = Network(rules, (16, 8), history=6, event_width=8)
    network.load_weights(load_policy(path)[0])
    observations, masks, histories = some_events(rules, 9)
    agent, player = agents.load(path), NetworkPlayer(network)
    assert isinstance(agent, PolicyAgent)
    for scaled in (observations, observations * np.float32(1)):
        ours = agent.logits_and_value(scaled if scaled.dtype == np.uint8 else rescaled(scaled), histories)
        for mine, theirs in zip(ours, player.logits_and_value(observations, histories), strict=True):
            np.testing.assert_allclose(mine, theirs, atol=1e-5)
    assert (agent.act_batch(observations, masks, histories) == player.act_batch(observations, masks, histories)).all()
    chances = agent.probabilities(observations, masks, histories)
    np.testing.assert_allclose(chances, player.probabilities(observations, masks, histories), atol=1e-5)


def rescaled(observations: Any) -> Any:
    from uno_env.observation import SCALES

    return observations * SCALES


def test_events_make_a_difference_and_only_those_that_are_read(reader: PolicyAgent) -> None:
    observations, _, histories = some_events(DUEL, 9)
    logits, values = reader.logits_and_value(observations, histories)
    older, newer = histories.copy(), histories.copy()
    older[:, :3], newer[:, 3:] = 0, 0
    assert (reader.logits_and_value(observations, older)[0] == logits).all()
    assert (reader.logits_and_value(observations, newer)[1] != values).all()


def test_each_choice_is_stored_with_the_events_of_its_moment() -> None:
    """The newest event tells the hand sizes that the observation tells; the one before it is of the turn before."""
    with new("ppo", players=3, **READING) as learner:
        learner.iterate(0.0)
        columns, buffer = learner.network.columns.tolist(), learner.games.buffer
        rows = buffer.select(buffer.closed()).obs.numpy()
        sizes = [columns.index(LAYOUT["hand_sizes"].start + place) for place in range(3)]
        events = rows[:, len(columns) :].reshape(len(rows), 6, EVENT_SIZE)
        assert (events[:, -1, HISTORY_LAYOUT["hand_sizes"].columns][:, :3] == rows[:, sizes]).all()
        assert len(np.unique(events[:, -1, HISTORY_LAYOUT["action"].start])) > 5
        assert (events[:, -2, 0] > 0).any()


def test_without_it_rows_are_observations_alone() -> None:
    with new("ppo") as learner:
        assert learner.network.width == len(learner.network.columns) == learner.games.buffer.obs.shape[1]
        assert learner.network.events is None


@pytest.mark.parametrize("algorithm", ["ppo", "dmc"])
def test_runs_repeat_and_go_on_whatever_the_threads(
    algorithm: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(threads, "GROUP", 12)
    monkeypatch.setattr(threads, "CHUNK", 64)
    changes = {**READING, "checkpoint_every": 2 * 24 * 16}
    straight = run(algorithm, tmp_path, **changes)
    assert_equal(weights(straight), weights(run(algorithm, tmp_path, threads=3, **changes)))
    with failing(monkeypatch, find_algorithm(algorithm), 3 * 24 * 16):
        run(algorithm, tmp_path, **changes)
    stopped = straight.with_name("small-3")
    assert prepare_training(stopped, {})() == stopped
    assert_equal(weights(straight), weights(stopped))


@pytest.mark.parametrize("size", [1.0, 1e4])
def test_masks_never_give_nan(size: float) -> None:
    with new("ppo", **READING) as learner:
        learner.iterate(0.0)
        batch = learner.games.buffer.select(learner.games.buffer.closed())
        with torch.no_grad():
            learner.network.policy.weight.normal_(std=size)
        loss, _ = learner.loss(batch)
        assert learner.network.events is not None
        (gradient,) = torch.autograd.grad(loss, [learner.network.events.table])
    assert not torch.isnan(gradient).any()
    assert (gradient != 0).any()


def test_a_new_network_makes_nothing_of_events_yet() -> None:
    player = NetworkPlayer(Network(DUEL, (16, 8), history=6))
    observations, _, histories = some_events(DUEL, 6)
    told, untold = (player.logits_and_value(observations, each) for each in (histories, np.zeros_like(histories)))
    assert (told[0] == untold[0]).all()
    assert (told[1] == untold[1]).all()


def test_all_weights_of_the_reader_learn() -> None:
    with new("ppo", **READING) as learner:
        before = learner.network.weights()
        learner.iterate(0.0)
        after = learner.network.weights()
    for name in ("events.table", "events.counts", "events.bias"):
        assert (before[name] != after[name]).any()


def test_the_card_says_what_is_read(trained: Path) -> None:
    weight, card = load_policy(trained)
    assert (card.history, card.event_width) == (6, 8)
    assert weight["trunk.0.weight"].shape == (16, len(card.columns) + 6 * 8)


class Reading(Agent):
    """Chooses by a sum over what it is shown, and keeps it."""

    history = 5

    def __init__(self) -> None:
        super().__init__("reading")
        self.shown: list[Any] = []

    def act_batch(self, observations: Any, action_masks: Any, histories: Any = None) -> Any:
        assert histories is not None
        self.shown += [history[-self.history :].copy() for history in histories]
        return super().act_batch(observations, action_masks, histories)

    def _choose(self, rows: Any, masks: Any) -> Any:
        wish = rows.astype(np.int64) @ np.arange(1, rows.shape[1] + 1)
        return np.array([np.flatnonzero(mask)[each % int(mask.sum())] for mask, each in zip(masks, wish, strict=True)])


class Checking(Reading):
    """Fails if it is shown anything but what the game that it is at has told its seat."""

    game: Game

    def act_batch(self, observations: Any, action_masks: Any, histories: Any = None) -> Any:
        expected = history_of(self.game.events, self.game.to_move, self.history)
        assert (histories[0][-self.history :] == expected).all()
        return super().act_batch(observations, action_masks, histories)


def test_evaluations_show_it_whatever_the_batch(trained: Path) -> None:
    results = [evaluate(str(trained), Reading(), BRIEF, deals=60, seed=2, batch=batch) for batch in (7, 64)]
    assert len({(result.win_rate, result.mean_length) for result in results}) == 1
    assert results[0].mean_length > 5


def test_evaluations_show_each_agent_as_much_as_it_reads(reader: PolicyAgent) -> None:
    """The games are played again, and what was shown is compared with the events told there."""
    agent, recorder = Reading(), Recorder(10)
    evaluate(agent, reader, replace(BRIEF, players=3), deals=4, seed=1, batch=1, recorder=recorder)
    replays = recorder.replays()
    expected = []
    for number, replay in enumerate(replays):
        game = replay.game.start()
        for action in replay.game.history:
            if game.to_move == number % 3:
                expected.append(history_of(game.events, game.to_move, 5))
            game.step(action)
    found = [any((shown == each).all() for shown in agent.shown) for each in expected]
    assert len(found) > 50
    assert all(found)


def test_the_clock_of_tournaments_lets_histories_pass(reader: PolicyAgent) -> None:
    clocked = _Clocked(reader)
    assert clocked.history == 6
    assert evaluate(clocked, "greedy", DUEL, deals=2).deals == 2  # type: ignore[arg-type]


def test_people_play_against_it(reader: PolicyAgent) -> None:
    lines: list[str] = []
    answers = iter(["1"] * 300)
    table = Table(Setup.against(["reader"], DUEL, match=False, seed=5), [None, reader])
    PlainText(table, read=lambda _: next(answers, None), write=lines.append).play_hand()
    assert table.series.standing.hands == 1


def test_at_a_table_it_is_asked_with_what_its_seat_was_told(trained: Path) -> None:
    table = Table(Setup.against([str(trained)], DUEL, adviser=str(trained), seed=4))
    table.sit(str(table.seats[0].invitation), "Ann", 0.0)
    asked = 0
    while not table.game.over and asked < 8:
        question = table.question()
        if question is None:
            table.series.step(table.game.legal_actions()[0])
            continue
        (told,) = question.history
        assert (told == history_of(table.game.events, 1, 6)).all()
        assert question.choose() in table.game.legal_actions()
        table.series.step(question.choose())
        asked += 1
    assert asked > 2


def test_it_can_advise(reader: PolicyAgent) -> None:
    game = Game("duel", seed=2)
    told = history_for(reader, game.events, game.to_move)
    hints = ask_hints(reader, game.observe(game.to_move, "uint8"), game.action_mask(), *told)
    assert sum(hints.shares.values()) == pytest.approx(1, abs=1e-4)
    assert hints.value is not None


def test_one_game_and_many_show_opponents_the_same() -> None:
    """Played with equal seeds and by the same rule, environments go the same way."""
    rules = replace(DUEL, players=3)
    one, many = (Reading() for _ in range(2))
    env = gymnasium.make("uno_env/Uno-v0", rules=rules, opponents=[one], seat=1).unwrapped
    vector = gymnasium.make_vec(
        "uno_env/Uno-v0", num_envs=1, rules=rules, opponents=[many], seat=1, autoreset_mode="Disabled", history=2
    )
    observation, info = env.reset(seed=3)
    observations, _ = vector.reset(seed=[3])
    over = False
    while not over:
        assert (observation == observations["observation"][0]).all()
        action = int(np.flatnonzero(info["action_mask"])[-1])
        observation, _, terminated, truncated, info = env.step(action)
        observations, *_ = vector.step(np.array([action]))
        over = terminated or truncated
    assert len(one.shown) > 10
    assert np.array(one.shown).tolist() == np.array(many.shown).tolist()


def test_gymnasium_shows_it_what_its_seat_was_told() -> None:
    agent = Checking()
    env = gymnasium.make("uno_env/Uno-v0", rules="house", players=4, opponents=[agent], seat=0).unwrapped
    agent.game = env.game
    _, info = env.reset(seed=8)
    over = False
    while not over:
        _, _, terminated, truncated, info = env.step(int(np.flatnonzero(info["action_mask"])[0]))
        over = terminated or truncated
    assert len(agent.shown) > 10


def test_who_shows_no_events_is_told_so_in_a_sentence(reader: PolicyAgent, trained: Path) -> None:
    observations, masks, histories = some_events(DUEL, 9)
    name = str(trained)
    with pytest.raises(ValueError, match=r"reads the last 6 events of the game, and they are not shown to it here"):
        reader.act_batch(observations, masks)
    with pytest.raises(ValueError, match="reads the last 6 events of the game, and 2 are shown to it here"):
        reader.probabilities(observations, masks, histories[:, :2])
    with pytest.raises(ValueError, match=r"histories must be uint8 \[50, K, 28\], not float64 of shape \[50, 9, 28\]"):
        reader.logits_and_value(observations, histories.astype(float))
    for option in ("value", "prior", "rollout"):
        with pytest.raises(ValueError, match="it reads past events, which a search has not"):
            agents.load(f"search:flat?{option}={name}")


def test_a_tree_of_observations_has_no_events(tmp_path: Path) -> None:
    path = run("ppo", tmp_path, rules=SOLVED.to_dict(), total_timesteps=1, **READING) / "policy.safetensors"
    with pytest.raises(ValueError, match="reads past events, and information states have observations alone"):
        exploitability(agents.load(path), SOLVED)


def test_a_response_must_be_shown_what_its_opponent_reads(trained: Path, tmp_path: Path) -> None:
    config = tmp_path / "response.yaml"
    config.write_text(f"algorithm: response\nopponent: {trained}\nrules: duel\nfolder: {tmp_path}")
    with pytest.raises(ValueError, match=r"opponent=.* is not allowed with history=0: it reads 6 past events"):
        prepare_training(config, {})
    sizes = {
        "num_envs": "8", "num_steps": "8", "total_timesteps": "64", "eval_every": "0", "history": "7", "hidden": "[8]",
    }  # fmt: skip
    assert load_policy(prepare_training(config, sizes)() / "policy.safetensors")[1].history == 7


def test_a_league_meets_past_selves_that_read() -> None:
    with new("ppo", league_share=0.5, league_scripted=(), league_every=500, **READING) as learner:
        for _ in range(3):
            figures = learner.iterate(0.0)
    assert any(name.startswith("league/win_rate_vs_self-") for name in figures)


def test_its_games_can_be_replayed(tmp_path: Path) -> None:
    changes = {"eval_every": 4 * 24 * 16, "eval_deals": 4, "eval_against": ("greedy",)}
    folder = run("ppo", tmp_path, rules="duel", **changes, **READING)
    assert list((folder / "games").iterdir())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("history: -1", "history=-1 is not allowed: choose a whole number from 0 to 256"),
        ("event_width: 0", "event_width=0 is not allowed"),
    ],
)
def test_bad_configs_are_refused(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "bad.yaml"
    file.write_text(text)
    with pytest.raises(ValueError, match=message):
        prepare_training(file, {"folder": str(tmp_path)})
