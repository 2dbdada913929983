"""train/evaluation/duplicate.py: duplicate deals, every seat in turn, intervals over deals."""

import math

import numpy as np
import pytest

import agents
from tests.helpers.playing import Lowest
from tests.helpers.records import begin
from train.evaluation.duplicate import Played, agent_scores, duplicate_deals, evaluate, play_deals
from train.evaluation.estimate import Estimate
from uno_env import BatchedGames, Game, Rules
from uno_env.core.record import END_NAMES
from uno_env.core.rng import stream
from uno_env.core.rules.deal import deal_hand

FOUR = Rules.preset("classic", players=4)
DUEL = Rules.preset("duel")


class Last:
    """The legal play with the highest id; draws only when it must."""

    name = "last"

    def act_batch(self, observations, masks):
        plays = masks[:, :112]
        highest = 111 - plays[:, ::-1].argmax(axis=1)
        return np.where(plays.any(axis=1), highest, masks.argmax(axis=1))


class Recorder(Lowest):
    """Keeps the masks it is given."""

    obs_dtype = "uint8"

    def __init__(self):
        self.seen = []

    def act_batch(self, observations, masks):
        assert observations.dtype == np.uint8
        self.seen.append(masks)
        return super().act_batch(observations, masks)


class Cheat(Lowest):
    name = "cheat"

    def act_batch(self, observations, masks):
        return np.zeros(len(masks), np.int64) - 1


def test_a_deal_is_dealt_alike_for_every_seat():
    starts, seating = duplicate_deals(50, 4, seed=3)
    batch = BatchedGames(200, FOUR)
    batch.reset()
    batch.deal(np.arange(200), starts)
    games = batch.games.reshape(50, 4)
    for name in games.dtype.names:
        assert (games[name] == games[name][:, :1]).all(), name
    assert len({games["pile"][deal, 0].tobytes() for deal in range(50)}) == 50
    assert (seating.reshape(50, 4, 4) == 1 - np.eye(4)).all()


def test_the_same_actions_lead_to_the_same_game_from_every_seat():
    starts, seating = duplicate_deals(100, 4, seed=0)
    played = play_deals(seating, [Lowest(), Lowest()], starts, FOUR)
    for column in (played.winner, played.points, played.length, played.end, played.starter):
        by_deal = column.reshape(100, 4, -1)
        assert (by_deal == by_deal[:, :1]).all()


@pytest.mark.thorough
@pytest.mark.parametrize("players", [2, 3, 4, 10])
def test_an_agent_against_itself_reaches_exactly_par(players):
    result = evaluate(Last(), Last(), Rules.preset("classic", players=players), deals=60)
    assert result.players == players
    assert result.games == 60 * players
    assert result.win_rate == pytest.approx(1 / players, abs=1e-12)
    assert result.par == 1 / players
    assert result.standard_error == pytest.approx(0, abs=1e-12)
    assert (result.low, result.high) == pytest.approx((1 / players, 1 / players), abs=0.04)


def test_two_agents_share_what_there_is_to_win():
    forth, back = (evaluate(*pair, DUEL, deals=300) for pair in ((Lowest(), Last()), (Last(), Lowest())))
    assert forth.win_rate + back.win_rate == pytest.approx(1, abs=1e-12)
    assert forth.standard_error == pytest.approx(back.standard_error)


def test_truncated_hands_count_as_par():
    result = evaluate(Lowest(), Last(), Rules.preset("classic", players=4, max_decisions=3), deals=20)
    assert result.truncated == 1
    assert result.win_rate == 0.25
    assert result.starter_win_rate == 0


def test_scores_by_hand():
    seating = np.array([[0, 1], [1, 0], [0, 1], [1, 0]])
    zeros = np.zeros(4, np.int32)
    played = Played(np.array([0, 0, -1, 1]), np.zeros((4, 2)), zeros, zeros, zeros, zeros)
    assert agent_scores(played, seating).tolist() == [1, 0, 0.5, 1]
    assert agent_scores(played, seating, agent=1).tolist() == [0, 1, 0.5, 0]


def test_the_interval_is_over_deals():
    starts, seating = duplicate_deals(40, 2, seed=9)
    played = play_deals(seating, [Lowest(), Last()], starts, DUEL)
    result = evaluate(Lowest(), Last(), DUEL, deals=40, seed=9)
    worth = [{0: 1, 1: 0, -1: 0.5}, {0: 0, 1: 1, -1: 0.5}]  # by the agent's seat and the winner
    scores = [(worth[0][played.winner[2 * deal]] + worth[1][played.winner[2 * deal + 1]]) / 2 for deal in range(40)]
    mean = sum(scores) / 40
    error = math.sqrt(sum((score - mean) ** 2 for score in scores) / 39 / 40)
    assert result.win_rate == pytest.approx(mean)
    assert result.standard_error == pytest.approx(error)
    assert (result.low, result.high) == pytest.approx((mean - 1.96 * error, mean + 1.96 * error), abs=0.02)
    assert result.estimate == Estimate.of(np.array(scores)).share()


@pytest.mark.thorough
@pytest.mark.parametrize("threads", [1, 2])
def test_agents_without_chance_play_alike_in_every_batch(threads):
    starts, seating = duplicate_deals(60, 4, seed=1)
    whole = play_deals(seating, [Lowest(), Last()], starts, FOUR, threads=threads)
    for batch in (1, 7, 100):
        parts = play_deals(seating, [Lowest(), Last()], starts, FOUR, batch=batch)
        for name in ("winner", "points", "length", "end", "starter"):
            assert (getattr(whole, name) == getattr(parts, name)).all(), (name, batch)


@pytest.mark.parametrize("rules", [DUEL, FOUR])
def test_games_are_those_that_game_plays(rules):
    starts, seating = duplicate_deals(10, rules.players, seed=5)
    pair = [Lowest(), Last()]
    played = play_deals(seating, pair, starts, rules, batch=6)
    for number, start in enumerate(starts):
        game = Game(rules)
        game._array["rng"] = start
        deal_hand(game.record, rules.record)
        begin(game)
        assert game.to_move == played.starter[number]
        while not game.over:
            agent = pair[seating[number, game.to_move]]
            row, mask = game.observe(game.to_move, "uint8"), game.action_mask()
            game.step(int(agent.act_batch(row[None], mask[None])[0]))
        assert game.winner == played.winner[number]
        assert game.end == END_NAMES[played.end[number]]
        assert len(game.history) == played.length[number]
        assert game.points == played.points[number].tolist()


def test_named_agents_repeat_from_the_seed_alone():
    first, again = (evaluate("random", "greedy", DUEL, deals=50, seed=4) for _ in range(2))
    other = evaluate("random", "greedy", DUEL, deals=50, seed=5)
    same = ("win_rate", "standard_error", "decisions", "starter_win_rate", "mean_length")
    assert all(getattr(first, name) == getattr(again, name) for name in same)
    assert first.decisions != other.decisions
    assert (first.agent, first.opponent) == ("random", "greedy")


def test_an_agent_acts_for_its_own_seats_only():
    recorder = Recorder()
    starts, seating = duplicate_deals(30, 2, seed=2)
    played = play_deals(seating, [recorder, Last()], starts, DUEL)
    decisions = sum(map(len, recorder.seen))
    assert 0 < decisions < played.length.sum()
    assert all(masks.any(axis=1).all() for masks in recorder.seen)


def test_agents_at_mixed_tables_win_what_there_is_to_win():
    starts = np.arange(1, 41, dtype=np.uint64)
    seating = np.array([[0, 1, 2, 1]] * 40)
    players = [Lowest(), Last(), agents.load("greedy")]
    played = play_deals(seating, players, starts, FOUR)
    alone = [(played.winner[:, None] == np.arange(4)).sum(axis=0)[seat] for seat in range(4)]
    assert sum(alone) + (played.winner < 0).sum() == 40
    assert agent_scores(played, seating, 2).sum() == alone[2] + (played.winner < 0).sum() / 4


def test_the_starter_is_who_decides_first():
    rules = DUEL.replace(dealer="fixed", dealer_seat=0)
    starts, seating = duplicate_deals(20, 2, seed=0)
    assert (play_deals(seating, [Lowest(), Lowest()], starts, rules, batch=3).starter == 1).all()


def test_policies_are_not_measured_on_the_hands_they_were_trained_on():
    starts, _ = duplicate_deals(1000, 2, seed=0)
    trained_on = {int(stream(np.uint64(0), np.uint64(index))) for index in range(1000)}
    assert not trained_on & set(starts[::2].tolist())
    assert len(set(starts[::2].tolist())) == 1000


def test_progress_counts_finished_games():
    seen = []
    evaluate(Lowest(), Last(), DUEL, deals=50, batch=16, progress=seen.append)
    assert seen == sorted(seen)
    assert seen[-1] == 100


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"deals": 1}, "deals=1 is not allowed: choose a whole number, 2 or more"),
        ({"deals": 2.5}, "deals=2.5 is not allowed"),
        ({"batch": 0}, "batch=0 is not allowed"),
        ({"seed": -1}, "seed=-1 is not allowed"),
        ({"agent": "gredy"}, "unknown agent 'gredy'"),
        ({"rules": "due"}, "unknown preset 'due'"),
        ({"agent": Cheat()}, "agent 'cheat' chose an action that is not legal"),
    ],
)
def test_an_evaluation_that_cannot_be_is_refused(changes, message):
    with pytest.raises(ValueError, match=message):
        evaluate(**{"agent": Lowest(), "opponent": Last(), "rules": DUEL, "deals": 10, **changes})


def test_tables_that_do_not_fit():
    starts = np.arange(3, dtype=np.uint64)
    with pytest.raises(ValueError, match="no tables of 2 players"):
        play_deals(np.zeros((3, 4), int), [Lowest()], starts, DUEL)
    with pytest.raises(ValueError, match="names agents 0 to 1, and there are 1"):
        play_deals(np.array([[0, 1]] * 3), [Lowest()], starts, DUEL)


def test_the_strong_beat_the_weak():
    result = evaluate("random-play", "random", "duel", deals=500)
    assert result.low > 0.8
    assert result.decisions_per_second > 0
    assert result.mean_length == pytest.approx(result.decisions / result.games)
    assert evaluate("random-play", "random-play", "duel", deals=2000).low < 0.5


@pytest.mark.parametrize("scoring", ["winner_takes", "elimination"])
def test_a_match_is_the_one_that_a_batch_of_its_own_plays(scoring):
    rules = Rules.preset("classic", players=3, scoring=scoring, target=100)
    starts = np.arange(20, dtype=np.uint64) * 977 + 5
    played = play_deals(np.zeros((20, 3), np.int8), [Last()], starts, rules, batch=8, match=True)
    assert played.hands.min() >= 1
    assert played.hands.max() > 1
    for number, start in enumerate(starts):
        batch = BatchedGames(1, rules, match=True)
        batch.reset()
        _, mask, _ = batch.deal(np.zeros(1, np.int64), start[None])
        hands, decisions, done = 0, 0, np.zeros(1, bool)
        while not done[0]:
            _, mask, _, _, done = batch.step(Last().act_batch(None, mask))
            hands, decisions = hands + int(batch.hand_done[0]), decisions + 1
        assert (played.hands[number], played.length[number]) == (hands, decisions)
        assert played.winner[number] == batch.winner[0]
        assert played.points[number].tolist() == batch.scores[0].tolist()
