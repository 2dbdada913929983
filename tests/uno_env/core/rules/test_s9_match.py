"""GUIDE.md 9.2 and 3.2: matches, hands played to a score. Switches: ``scoring``, ``target``."""

import itertools
import random
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import uno_env
from tests.helpers.playing import lively_action
from tests.helpers.records import mark_legal, put
from uno_env import BatchedGames, Game, Rules
from uno_env.cards import count_cards, parse_cards
from uno_env.core.record import END_NAMES, MAX_HANDS
from uno_env.events import player_name
from uno_env.invariants import find_faults
from uno_env.observation import LAYOUT

SCORINGS = ("hand", "winner_takes", "lowest", "elimination")
SHORT: dict[str, Any] = {"hand_size": 3, "uno_call": "automatic", "target": 80}


def _match(scoring: str, players: int = 4, seed: int = 0, **changes: Any) -> Game:
    return Game(Rules(**{**SHORT, "players": players, "scoring": scoring, **changes}), seed=seed, match=True)


def _hands(game: Game, seed: int = 0) -> Iterator[Game]:
    """The match right after each hand, the last one too."""
    chance, hands = random.Random(seed), 0
    while not game.over:
        game.step(lively_action(game, chance))
        assert find_faults(game.record, game.rules) == []
        if game.over or game.hands_played > hands:
            hands = game.hands_played
            yield game


def _out(game: Game) -> set[int]:
    return {seat for seat in range(game.players) if int(game.record.out) >> seat & 1}


def _before_last_card(game: Game, seat: int, hands: dict[int, str], scores: list[int], played: int = 1) -> Game:
    """The match with these scores after ``played`` hands; ``seat`` holds r1 alone and is to lay it on a red 9."""
    record = game._array[0]
    record.hands_played, record.scores[: game.players] = played, scores
    record.seats["hand"][:], record.seats["hand_size"][:], record.discards[:], record.called = 0, 0, 0, 0
    for owner, cards in {**hands, seat: "r1"}.items():
        record.seats["hand"][owner] = count_cards(parse_cards(cards))
        record.seats["hand_size"][owner] = len(cards.split())
    record.top, record.colour = 9, 0
    record.discards[9] = 1
    rest = np.array(game.rules.deck_counts) - record.seats["hand"].sum(axis=0) - record.discards
    pile = np.repeat(np.arange(len(rest)), rest)
    record.pile[: len(pile)], record.pile_next, record.pile_end = pile, 0, len(pile)
    record.phase, record.turn, record.to_move, record.penalty, record.asked = 0, seat, seat, 0, 0
    assert find_faults(record, game.rules) == []
    mark_legal(game)
    return game


def _won(game: Game, seat: int, hands: dict[int, str], scores: list[int]) -> Game:
    """The match with these scores once ``seat`` has gone out, when the others held these hands."""
    _before_last_card(game, seat, hands, scores).step("r1")
    return game


@pytest.mark.parametrize("scoring", SCORINGS)
@pytest.mark.parametrize("players", [2, 3, 10])
def test_9_every_match_comes_to_its_end(scoring: str, players: int) -> None:
    game = _match(scoring, players, seed=players)
    *_, game = _hands(game, players)
    assert (game.over, game.end) == (True, "went_out")
    assert game.winner in range(players)
    assert game.legal_actions() == []


def test_9_hand_the_first_out_has_won_the_match() -> None:
    (game,) = _hands(_match("hand"))
    assert (game.hands_played, game.winner, game.scores) == (1, game.hand_winner, [0] * 4)


@pytest.mark.parametrize("seed", range(5))
def test_9_winner_takes_the_first_to_reach_the_target_wins(seed: int) -> None:
    total = [0] * 4
    for game in _hands(_match("winner_takes", seed=seed), seed):
        points = [0] * 4
        points[game.hand_winner] = game.points[game.hand_winner]
        assert game.points == points
        total = [before + more for before, more in zip(total, points, strict=True)]
        assert game.scores == total
        assert game.over == (max(total) >= 80)
    assert game.winner == int(np.argmax(total))


@pytest.mark.parametrize("seed", range(5))
def test_9_lowest_once_someone_reaches_the_target_the_lowest_total_wins(seed: int) -> None:
    total = [0] * 4
    for game in _hands(_match("lowest", seed=seed), seed):
        assert game.points[game.hand_winner] == 0
        total = [before + more for before, more in zip(total, game.points, strict=True)]
        assert game.scores == total
        if max(total) < 80:
            assert (game.over, _out(game)) == (False, set())
    assert game.scores[game.winner] == min(game.scores)
    assert max(game.scores) >= 80


def test_9_elimination_whoever_reaches_the_target_is_out_and_the_rest_play_on() -> None:
    game = _match("elimination", players=10, seed=3)
    seen = []
    for _ in _hands(game, 3):
        out = _out(game)
        assert out == {seat for seat in range(10) if game.scores[seat] >= 80}
        seen.append(len(out))
        if not game.over:
            assert [game.record.seats["hand_size"][seat] > 0 for seat in range(10)] == [
                seat not in out for seat in range(10)
            ]
            assert int(game.record.dealer) not in out
    assert seen == sorted(seen)
    assert (seen[-1], _out(game)) == (9, set(range(10)) - {game.winner})
    assert len(set(seen)) > 2, "one after the other"


def test_9_elimination_who_is_out_is_never_asked_and_gets_no_points() -> None:
    game, chance = _match("elimination", players=5, seed=2), random.Random(2)
    while not game.over:
        assert game.to_move not in _out(game)
        assert int(game.record.turn) not in _out(game)
        out, scores, hands = _out(game), game.scores, game.hands_played
        game.step(lively_action(game, chance))
        if game.hands_played > hands:
            assert all(game.scores[seat] == scores[seat] for seat in out)


def test_9_elimination_the_winner_of_the_last_hand_is_in() -> None:
    """Whoever goes out has no points in that hand, so someone is always left."""
    for seed in range(10):
        *_, game = _hands(_match("elimination", 3, seed, target=1), seed)
        assert (game.hands_played, game.winner, len(_out(game))) == (1, game.hand_winner, 2)


class TestTies:
    """At a tie another hand is played among the tied."""

    def test_9_lowest_the_tied_play_on_and_the_others_are_out(self) -> None:
        game = _won(_match("lowest", 4), 0, {1: "r2", 2: "w w", 3: "g9"}, [7, 5, 10, 0])
        assert game.scores == [7, 7, 110, 9]
        assert (game.over, _out(game)) == (False, {2, 3})
        *_, game = _hands(game)
        assert (game.over, game.winner in (0, 1)) == (True, True)
        assert _out(game) == {0, 1, 2, 3} - {game.winner}

    def test_9_lowest_a_second_tie_is_played_on_too(self) -> None:
        game = _won(_match("lowest", 4), 0, {1: "r2", 2: "w w", 3: "g9"}, [7, 5, 10, 0])
        game = _won(game, 0, {1: "r0"}, [7, 7, 110, 9])
        assert (game.scores[:2], game.over, _out(game)) == ([7, 7], False, {2, 3})

    def test_9_lowest_who_is_out_does_not_come_back(self) -> None:
        """Seat 3 has less than the tied in the end, but was above them before."""
        game = _won(_match("lowest", 4), 0, {1: "r2", 2: "w w", 3: "g9"}, [7, 5, 10, 0])
        game = _won(game, 0, {1: "w w"}, [7, 7, 110, 9])
        assert (game.over, game.winner) == (True, 0)
        game = _won(_match("lowest", 3), 0, {1: "r2", 2: "w w"}, [7, 5, 0])
        game = _won(game, 1, {0: "g9"}, [70, 70, 100])
        assert (game.winner, game.scores) == (1, [79, 70, 100])

    def test_9_lowest_without_a_tie_the_match_is_over(self) -> None:
        game = _won(_match("lowest", 3), 0, {1: "r2", 2: "w w"}, [8, 5, 0])
        assert (game.over, game.winner, game.scores) == (True, 1, [8, 7, 100])

    def test_9_winner_takes_only_the_winner_gets_points_so_nobody_ties(self) -> None:
        game = _won(_match("winner_takes", 3), 0, {1: "r2", 2: "w w"}, [0, 79, 79])
        assert (game.over, game.winner, game.scores) == (True, 0, [102, 79, 79])


@pytest.mark.parametrize("scoring", ["winner_takes", "elimination"])
def test_3_2_the_deal_passes_to_the_left(scoring: str) -> None:
    game = _match(scoring, 4, seed=1)
    dealer = int(game.record.dealer)
    for _ in _hands(game, 1):
        if game.over:
            break
        dealer = next(seat % 4 for seat in itertools.count(dealer + 1) if seat % 4 not in _out(game))
        assert int(game.record.dealer) == dealer


def test_3_2_high_card_each_hand_the_players_draw_before_every_hand() -> None:
    dealers = []
    for seed in range(40):
        game = _match("winner_takes", 3, seed=seed, dealer="high_card_each_hand", target=1_000)
        dealers += [(int(game.record.dealer), int(next(_hands(game, seed)).record.dealer))]
    assert {(later - first) % 3 for first, later in dealers} == {0, 1, 2}


def test_3_2_high_card_each_hand_who_is_out_does_not_draw_and_all_others_deal() -> None:
    dealers, out = set(), set()
    for seed in range(8):
        game = _match("elimination", players=4, seed=seed, dealer="high_card_each_hand")
        for _ in _hands(game, seed):
            out |= _out(game)
            if not game.over:
                assert int(game.record.dealer) not in _out(game)
                dealers.add(int(game.record.dealer))
    assert dealers == out == {0, 1, 2, 3}


def test_3_2_the_deal_passes_whatever_the_dealer_rule_says() -> None:
    game = _match("winner_takes", 3, dealer="fixed", dealer_seat=1)
    assert int(game.record.dealer) == 1
    assert int(next(_hands(game)).record.dealer) == 2


def test_9_a_new_hand_begins_with_all_cards_and_nothing_of_the_old_one() -> None:
    game = next(_hands(_match("winner_takes", 3, seed=4), 4))
    record = game.record
    assert game.hands_played == 1
    assert record.decisions == record.called == record.asked == record.penalty == record.knows == 0
    assert not record.seats["drew_on"].any()
    assert int(record.direction) in (1, -1)
    assert record.seats["hand_size"][:3].sum() + record.discards.sum() + record.pile_end - record.pile_next == 108


def test_9_a_truncated_hand_counts_for_nobody_and_the_next_is_dealt() -> None:
    game = _match("winner_takes", 3, max_decisions=2)
    before = int(game.record.dealer)
    for _ in range(2):
        game.step("draw" if "draw" in game.legal_names() else game.legal_names()[-1])
    assert (game.over, game.hands_played, game.scores, game.points) == (False, 1, [0] * 3, [0] * 3)
    assert (game.hand_end, game.hand_winner, int(game.record.dealer)) == ("max_decisions", None, (before + 1) % 3)


def test_9_hand_a_truncated_hand_is_played_again() -> None:
    game = _match("hand", 3, max_decisions=1)
    game.step("draw")
    assert (game.over, game.hands_played, game.hand_end) == (False, 1, "max_decisions")


def test_9_a_match_of_a_thousand_hands_is_truncated() -> None:
    game = _match("winner_takes", 3, max_decisions=1)
    game._array[0].hands_played = MAX_HANDS - 1
    game.step("draw")
    assert (game.over, game.end, game.winner, game.hands_played) == (True, "too_many_hands", None, MAX_HANDS)
    assert game.rewards() == [0.0] * 3
    assert find_faults(game.record, game.rules) == []


def test_7_terminate_ends_the_match() -> None:
    game = _match("winner_takes", 3, illegal_action="terminate")
    seat = game.to_move
    game.step("swap9")
    assert (game.over, game.end, game.hand_end, game.winner) == (True, "illegal", "illegal", None)
    assert game.rewards() == [-1.0 if other == seat else 0.0 for other in range(3)]


def test_9_the_match_is_for_its_winner_not_that_of_the_last_hand() -> None:
    game = _won(_match("lowest", 3), 0, {1: "r2", 2: "w w"}, [8, 5, 0])
    assert (game.winner, game.hand_winner, game.rewards()) == (1, 0, [-0.5, 1.0, -0.5])


def test_12_scores_are_in_the_observation_of_each_seat() -> None:
    game = _won(_match("winner_takes", 3, target=1_000), 0, {1: "r2", 2: "w w"}, [300, 7, 999])
    assert game.scores == [402, 7, 999]
    for seat in range(3):
        seen = game.observe(seat, "uint8")[LAYOUT["scores"].columns].astype(int).reshape(-1, 2)
        assert (4 * seen[:, 0] + seen[:, 1]).tolist() == [game.scores[(seat + place) % 3] for place in range(3)] + [
            0
        ] * 7
    game = _won(_match("elimination", 3), 0, {1: "r2", 2: "w w"}, [0, 0, 0])
    assert [game.observe(seat, "uint8")[LAYOUT["out"].columns][:3].tolist() for seat in (0, 1)] == [
        [0, 0, 1],
        [0, 1, 0],
    ]


@pytest.mark.parametrize(
    ("scoring", "points", "rewards"),
    [("winner_takes", [102, 0, 0], [102 / 80, -51 / 80, -51 / 80]), ("lowest", [0, 2, 100], [0, -2 / 80, -100 / 80]),
     ("elimination", [0, 2, 100], [0, -2 / 80, -100 / 80])],
)  # fmt: skip
def test_9_reward_points_pays_after_each_hand(scoring: str, points: list[int], rewards: list[float]) -> None:
    env = uno_env.raw_env(Rules(**{**SHORT, "players": 3, "scoring": scoring}), match=True, reward="points")
    env.reset(seed=0)
    _before_last_card(env.game, 0, {1: "r2", 2: "w w"}, [0, 0, 0], played=0)
    env.agent_selection = "player_0"
    env.step(1)
    assert env.game.points == points
    assert list(env.rewards.values()) == pytest.approx(rewards)


@pytest.mark.parametrize("scoring", SCORINGS)
@pytest.mark.parametrize("players", [2, 4, 10])
def test_9_in_pettingzoo_a_match_is_played_to_its_end(scoring: str, players: int) -> None:
    env = uno_env.env(Rules(**{**SHORT, "players": players, "scoring": scoring}), match=True)
    env.reset(seed=1)
    game, chance, hands, total = env.unwrapped.game, random.Random(1), 0, [0] * players
    while not game.over:
        env.step(lively_action(game, chance))
        infos = [env.infos[player_name(seat)] for seat in range(players)]
        if game.over or game.hands_played > hands:
            hands = game.hands_played
            total = [before + info["points"] for before, info in zip(total, infos, strict=True)]
            assert [info["score"] for info in infos] == total == game.scores
            assert {END_NAMES[info["end"]] for info in infos} == {"went_out"}
            assert {info["winner"] for info in infos} == {game.hand_winner}
        else:
            assert {(info["points"], info["winner"], info["end"]) for info in infos} == {(0, -1, 0)}
            assert [info["score"] for info in infos] == total
        if not game.over:
            assert set(env.rewards.values()) == {0}
            assert not any(env.terminations.values())
            assert {info["match_winner"] for info in infos} == {-1}
    winner = player_name(game.winner)
    assert all(info["match_winner"] == game.winner for info in infos)
    assert env.rewards == pytest.approx(
        {agent: 1.0 if agent == winner else -1 / (players - 1) for agent in env.possible_agents}
    )
    assert set(env.terminations.values()) == {True}
    assert set(env.truncations.values()) == {False}


@pytest.mark.parametrize("reward", ["outcome", "points"])
@pytest.mark.parametrize("scoring", ["winner_takes", "lowest", "elimination"])
def test_9_a_batch_of_matches_is_so_many_matches(scoring: str, reward: str) -> None:
    rules = Rules(**{**SHORT, "players": 3, "scoring": scoring, "voluntary_draw": False})
    batch = BatchedGames(4, rules, seed=6, match=True, reward=reward)
    batch.reset()
    games = [Game(rules, match=True) for _ in range(4)]
    for index, game in enumerate(games):
        put(game, batch, index)
        mark_legal(game)
    matches = hands = 0
    for _ in range(600):
        actions = batch.sample_actions().copy()
        played = [game.hands_played for game in games]
        obs, mask, seat, rewards, done = batch.step(actions)
        for index, game in enumerate(games):
            game.step(int(actions[index]))
            ended = game.over or game.hands_played > played[index]
            assert (bool(batch.hand_done[index]), bool(done[index])) == (ended, game.over)
            if ended:
                hands += 1
                assert batch.points[index].tolist() == game.points
                assert batch.scores[index].tolist() == game.scores
                assert END_NAMES[batch.end[index]] == game.hand_end
                assert batch.winner[index] == (game.winner if game.over else game.hand_winner)
                if reward == "outcome":
                    assert rewards[index].tolist() == game.rewards()
                else:
                    share = np.array(game.points) / 80
                    others = (share.sum() - share) / 2
                    assert rewards[index] == pytest.approx(share - others if scoring == "winner_takes" else -share)
            else:
                assert not rewards[index].any()
            if game.over:
                matches += 1
                put(game, batch, index)
                mark_legal(game)
            assert np.array_equal(mask[index], game.action_mask())
            assert (seat[index], obs[index].tolist()) == (game.to_move, game.observe(game.to_move).tolist())
    assert matches >= 4 < hands
