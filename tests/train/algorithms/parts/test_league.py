"""The league: who joins and goes, who is met, whose choices are stored, what is counted, and that runs repeat."""

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import agents
from tests.helpers.saved_runs import assert_equal
from train.algorithms.parts import backends, kernels
from train.algorithms.parts.league import PRIOR, WINDOW, League, Member
from train.algorithms.parts.opponents import WinRecord
from train.algorithms.parts.past_self import PastSelf
from train.algorithms.parts.rollout import Rollout
from train.algorithms.ppo import PPO, PPOConfig
from train.networks.policy_network import Network, NetworkPlayer
from uno_env import BatchedGames, Rules

pytestmark = pytest.mark.adapters

ITERATION = 24 * 16
SMALL: dict[str, Any] = {
    "name": "small", "threads": 1, "precision": "float32", "num_envs": 24, "num_steps": 16, "hidden": (16, 8),
    "minibatch_size": 100, "total_timesteps": 6 * ITERATION, "eval_every": 0, "league_share": 0.5,
    "league_scripted": ("greedy",),
    "league_size": 2, "league_every": ITERATION,
    "rules": {"preset": "duel", "deck": "r1 r2 r3 g1 g2 g3 b1 b2 b3 w w r+2 g+2 b+2", "hand_size": 2},
}  # fmt: skip


@pytest.fixture(autouse=True)
def small_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backends, "GROUP", 12)


def new(**changes: Any) -> PPO:
    return PPO(PPOConfig(**{**SMALL, "total_timesteps": 10**6, **changes}))


def a_league(**changes: Any) -> League:
    return League(**{"named": ["tuned", "greedy"], "every": 100, "size": 2, "hardness": 2.0, **changes})


def a_network(seed: int = 0) -> Network:
    torch.manual_seed(seed)
    return Network(Rules.preset("duel"), (8,))


def test_past_selves_join_by_the_clock_and_the_one_beaten_most_goes() -> None:
    league, network = a_league(), a_network()
    for decisions in (0, 99, 100, 150):
        league.admit(network, decisions)
    assert [member.name for member in league.members] == ["tuned", "greedy", "self-0", "self-100"]
    league.members[0].add_record(2, WinRecord(2000, 1999))  # named agents stay, however weak
    league.members[2].add_record(2, WinRecord(500, 100))
    league.members[3].add_record(2, WinRecord(500, 101))
    league.admit(network, 200)
    assert [member.name for member in league.members] == ["tuned", "greedy", "self-0", "self-200"]
    league.members[2].add_record(2, WinRecord(500, -100))
    league.admit(network, 300)
    league.admit(network, 400)
    assert [member.name for member in league.members] == ["tuned", "greedy", "self-300", "self-400"]
    assert len({member.number for member in league.members}) == 4


def test_the_oldest_of_equals_goes() -> None:
    league, network = a_league(size=3), a_network()
    for decisions in (0, 100, 200, 300):
        league.admit(network, decisions)
    assert [member.name for member in league.past_selves] == ["self-100", "self-200", "self-300"]


def test_no_past_selves_if_there_is_no_room() -> None:
    league = a_league(size=0)
    league.admit(a_network(), 0)
    assert league.past_selves == []


def test_a_past_self_stays_as_it_was() -> None:
    league, network = a_league(), a_network()
    league.admit(network, 0)
    with torch.no_grad():
        network.policy.bias += 1
    past = league.past_selves[0].network
    assert past is not None
    assert (past.weights()["policy.bias"] == network.weights()["policy.bias"] - 1).all()


def test_a_past_self_takes_any_mark_in_a_mask_for_legal() -> None:
    """A number above 1 made its compiled list of legal actions longer than there was room for."""
    games = BatchedGames(5, "duel", obs_dtype="uint8")
    obs, mask, _ = games.reset()
    chosen = []
    for marks in (mask, mask * np.uint8(200), mask.astype(bool)):
        player = PastSelf(a_network())
        player.reset(4)
        chosen.append(player.act_batch(obs, marks).tolist())
    assert chosen[0] == chosen[1] == chosen[2]


@pytest.mark.parametrize("players", [2, 4])
def test_win_rates_are_those_of_the_rewards_with_a_few_hands_at_par(players: int) -> None:
    member = Member(0, "x")
    assert member.win_rate(players) == pytest.approx(1 / players)
    won, nobody, lost = 30, 10, 60
    member.add_record(players, WinRecord(100, won - lost / (players - 1)))
    wins = won + nobody / players + PRIOR / players
    assert member.win_rate(players) == pytest.approx(wins / (100 + PRIOR))
    assert member.win_rate(players + 1) == pytest.approx(1 / (players + 1)), "each number of players has its own"


def test_win_rates_forget() -> None:
    member = Member(0, "x")
    member.add_record(2, WinRecord(10 * WINDOW, 10 * WINDOW))
    assert member.win_rate(2) > 0.98
    for _ in range(6 * 10):
        member.add_record(2, WinRecord(WINDOW // 10, -WINDOW // 10))
    assert member.win_rate(2) < 0.03


def test_harder_members_are_met_more_often() -> None:
    league = a_league()
    league.admit(a_network(), 0)
    for member, reward in zip(league.members, (0.8, 0.0, -0.5), strict=True):
        member.add_record(2, WinRecord(WINDOW, reward * WINDOW))
    lost = [1 - member.win_rate(2) for member in league.members]
    assert league.probabilities(2) == pytest.approx(np.square(lost) / np.square(lost).sum())
    assert a_league(hardness=0.0).probabilities(2) == pytest.approx([0.5, 0.5])
    league.members[0].records[2] = WinRecord(1e12, 1e12)
    assert league.probabilities(2)[0] == pytest.approx(0)


def next_of(rollout: Rollout) -> int:
    """The opponent in the hands that begin next in a rollout of one group."""
    return int(rollout._opponents.meetings.following[0])


@pytest.mark.thorough
def test_each_group_meets_whom_the_chances_say() -> None:
    met: Counter[str] = Counter()
    with new(num_envs=48, league_every=10**9, league_size=1) as learner:
        assert learner.games.league is not None
        learner.games.begin_iteration(learner.decisions, learner.trainer.rng)
        learner.games.league.members[1].add_record(2, WinRecord(1000, 700))
        for _ in range(50):
            learner.games.begin_iteration(learner.decisions, learner.trainer.rng)
            for rollout in learner.games.rollouts:
                met[next(each.name for each in learner.games.league.members if each.number == next_of(rollout))] += 1
        chances = learner.games.league.probabilities(2)
    assert met["greedy"] / met.total() == pytest.approx(chances[0], abs=4 * 0.5 / met.total() ** 0.5)
    assert met["greedy"] + met["self-0"] == met.total() == 200


def test_a_past_self_draws_by_the_probabilities_of_its_network() -> None:
    network = a_network()
    with torch.no_grad():
        network.policy.weight.normal_(std=2.0)
    games = BatchedGames(50, "duel", seed=3, obs_dtype="uint8")
    games.reset()
    obs, mask, _, _, _ = games.step(games.sample_actions())
    row = int(mask.sum(axis=1).argmax())
    rows, masks = np.repeat(obs[row][None], 20_000, axis=0), np.repeat(mask[row][None], 20_000, axis=0)
    player, again = PastSelf(network), PastSelf(network)
    player.reset(7)
    again.reset(7)
    chosen = player.act_batch(rows, masks)
    assert (chosen == again.act_batch(rows, masks)).all()
    shares = np.bincount(chosen, minlength=masks.shape[1]) / len(chosen)
    assert np.abs(shares - NetworkPlayer(network).probabilities(rows[:1], masks[:1])[0]).max() < 0.015
    assert (shares > 0).sum() > 1


@pytest.mark.parametrize(("players", "learners"), [(2, 1), (4, 1), (4, 3)])
def test_only_learners_choices_are_stored_with_their_rewards(
    players: int, learners: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And no hand changes its opponent, and all hands are counted for the one that played them."""
    stored: dict[int, tuple[int, int]] = {}
    last: dict[tuple[int, int], int] = {}
    due: dict[int, float] = {}
    counted: dict[int, list[float]] = {}
    asked: dict[int, set[int]] = {}
    with new(players=players, league_learners=learners, num_envs=12, num_steps=100) as learner:
        (rollout,) = learner.games.rollouts
        decide, step = rollout._decide, rollout.games.step

        def noting_choices(number: int) -> slice:
            for game in range(6):
                asked.setdefault(game, set()).add(int(rollout._opponents.meetings.opponent[game]))
            rows, decided, seats = decide(number), rollout._decided, rollout.games.seen[2]
            for game in np.flatnonzero(decided.decider == kernels.LEARNER).tolist():
                stored[int(decided.row[game])] = (game, int(seats[game]))
                last[game, int(seats[game])] = int(decided.row[game])
            return rows

        def noting_step(actions: Any) -> Any:
            result = step(actions)
            for game in np.flatnonzero(result[4]).tolist():
                due.update({last.pop((game, seat)): float(result[3][game, seat])
                            for seat in range(players) if (game, seat) in last})  # fmt: skip
                if game < 6:
                    (opponent,) = asked.pop(game)
                    seats = [(game + place) % players for place in range(learners)]
                    counted.setdefault(opponent, []).append(float(np.mean(result[3][game, seats])))
            return result

        monkeypatch.setattr(rollout, "_decide", noting_choices)
        monkeypatch.setattr(rollout.games, "step", noting_step)
        found: dict[int, WinRecord] = {}
        for _ in range(3):  # greedy is met, then the first self, then greedy
            for each in (stored, last, due):
                each.clear()
            learner.games.begin_iteration(learner.decisions, learner.trainer.rng)
            rollout.set_opponents({number: lambda: agents.load("greedy") for number in (0, 1)}, len(found) % 2)
            played = rollout.collect(100, learner.games.evaluate)
            for number, record in rollout.records.items():
                found.setdefault(number, WinRecord()).add(record)
            assert len(stored) == played.choices
            for game, seat in stored.values():
                assert game >= 6 or (seat - game) % players < learners
            assert {seat for game, seat in stored.values() if game >= 6} == set(range(players))
            assert len(due) > 10
            for row, reward in due.items():
                assert rollout.buffer.next_index[row] == kernels.ENDED
                assert float(rollout.buffer.reward[row]) == reward
    assert {number: (len(rewards), pytest.approx(sum(rewards))) for number, rewards in counted.items()} == {
        number: (record.hands, record.reward) for number, record in found.items()
    }
    assert len(counted) == 2


def test_a_hand_whose_opponent_has_gone_is_not_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    def greedy() -> agents.Agent:
        return agents.load("greedy")

    finished: list[int] = []
    with new(num_envs=12, league_share=1.0, num_steps=60) as learner:
        (rollout,) = learner.games.rollouts
        step = rollout.games.step

        def noting_step(actions: Any) -> Any:
            result = step(actions)
            finished.extend(np.flatnonzero(result[4]).tolist())
            return result

        monkeypatch.setattr(rollout.games, "step", noting_step)
        rollout.set_opponents({5: greedy}, 5)
        rollout.collect(60, learner.games.evaluate)
        assert rollout.records[5].hands == len(finished) > 12
        finished.clear()
        rollout.set_opponents({6: greedy}, 6)
        rollout.collect(60, learner.games.evaluate)
        assert rollout.records.keys() == {6}
        assert rollout.records[6].hands == len(finished) - len(set(finished)) > 0


def test_without_a_share_it_is_plain_self_play(tmp_path: Path) -> None:
    plain = {"league_share": 0.0}
    with new(**plain) as learner, new(**plain, league_size=1, league_scripted=(), league_every=1) as other:
        assert not any(rollout._opponents.meetings.has_opponent.any() for rollout in learner.games.rollouts)
        for each in (learner, other):
            figures = [each.iterate(part) for part in (0.0, 0.5)]
            assert not any(tag.startswith("league") for line in figures for tag in line)
        assert_equal(learner.network.weights(), other.network.weights())
        arrays, values = learner.get_state()
    assert "league" not in values
    assert not any("league" in name or "opponent" in name for name in arrays)


def test_figures_are_win_rates_by_name() -> None:
    with new(num_steps=64, league_hardness=0.0, league_every=1_000) as learner:
        figures: dict[str, float] = {}
        for part in range(6):
            figures |= learner.iterate(part / 6)
        assert learner.games.league is not None
        rates = {tag: value for tag, value in figures.items() if tag.startswith("league/")}
        assert len(rates) > 2
        for member in learner.games.league.members:
            if member.records:
                assert rates[f"league/win_rate_vs_{member.name}"] == member.win_rate(2)


def test_a_rollout_of_a_league_is_one_against_opponents() -> None:
    with new() as learner:
        assert [
            np.flatnonzero(rollout._opponents.meetings.has_opponent).tolist() for rollout in learner.games.rollouts
        ] == 2 * [list(range(6))]
