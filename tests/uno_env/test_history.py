"""The option ``history=K``: the last public events as tokens, compiled in a batch and written from a game's events."""

import random
from typing import Any

import numpy as np
import pytest

from tests.helpers.marks import thorough
from tests.helpers.playing import lively_action
from tests.helpers.random_rules import random_flip_rules, random_no_mercy_rules, random_rules
from tests.helpers.records import begin, put
from uno_env import BatchedGames, Game, Rules, raw_env
from uno_env import actions as catalogue
from uno_env.core.record import MAX_SEATS
from uno_env.events import events_seen_by
from uno_env.history import EVENT_SIZE, HISTORY_LAYOUT, LONGEST, history_of, history_space

TABLES = [
    *(
        drawn(random.Random(seed), illegal_action="raise")
        for drawn, number in ((random_rules, 12), (random_no_mercy_rules, 2), (random_flip_rules, 4))
        for seed in range(number)
    ),
    *map(Rules.preset, ("rlcard", "house", "guide_001")),
]
CLASSIC_TABLES = [number for number, rules in enumerate(TABLES) if rules.edition == "classic"]
OTHER_TABLES = [number for number, rules in enumerate(TABLES) if rules.edition != "classic"]


def column(tokens: Any, name: str) -> list[int]:
    """A column of one number, event by event."""
    return [int(value) for value in tokens[:, HISTORY_LAYOUT[name].start]]


def by_place(token: Any, name: str, players: int) -> list[int]:
    """A run of columns by place, of one event."""
    return [int(value) for value in token[HISTORY_LAYOUT[name].columns][:players]]


def follow(batch: BatchedGames, steps: int, chance: random.Random) -> list[Game]:
    """Play a batch and single games side by side; fail where their histories differ. The games that were played."""
    games = [_like(batch, index) for index in range(batch.num_games)]
    played, length = list(games), batch.history.shape[1]
    for _ in range(steps):
        for index, game in enumerate(games):
            expected = history_of(game.events, game.to_move, length)
            assert batch.history[index].tolist() == expected.tolist()
        actions = [lively_action(game, chance) for game in games]
        _, _, _, _, done = batch.step(actions)
        for index, (game, action) in enumerate(zip(list(games), actions, strict=True)):
            game.step(action)
            if done[index]:
                games[index] = _like(batch, index)
                played.append(games[index])
    return played


def _like(batch: BatchedGames, index: int) -> Game:
    """A game in the state of one of a batch's that was just dealt."""
    game = Game(batch.rules, match=bool(batch._record.match))
    put(game, batch, index)
    begin(game)
    return game


@pytest.mark.parametrize("length", [1, 7])
@pytest.mark.parametrize("number", [*CLASSIC_TABLES, *thorough(*OTHER_TABLES)])
def test_a_batch_writes_what_the_events_of_a_game_tell(number: int, length: int) -> None:
    batch = BatchedGames(3, TABLES[number], seed=number, history=length)
    batch.reset()
    follow(batch, 150, random.Random(number))


def test_the_history_of_a_match_goes_on_over_its_hands() -> None:
    batch = BatchedGames(2, Rules.preset("mini", scoring="winner_takes", target=20), seed=1, history=5, match=True)
    batch.reset()
    games = follow(batch, 200, random.Random(2))
    assert any(game.hands_played > 1 for game in games)


def test_what_stands_where() -> None:
    """Seat 2 could jump in with its red Draw Two and lets it go: to the others it is as if nobody had been asked."""
    deck = "r+2 b1 r+2 r5 b2 g3 r9 y1 y2 y3 y4"
    rules = Rules(players=3, hand_size=2, jump_in=True, uno_call="automatic", first_card="number", deck=deck)
    game = Game(rules, deck=deck, dealer=2)
    game.step("r+2")
    assert (game.phase, game.to_move) == ("jump_in", 2)
    game.step("pass")
    assert game.to_move == 2
    red, draw_two = 0, 12
    dealt = {"phase": 0, "action": 0, "legal": 1, "top": 1 + 9, "colour": 1 + red}
    played = {"phase": 1, "action": 1 + draw_two, "legal": 1, "top": 1 + draw_two, "colour": 1 + red}
    let_go = {**played, "phase": 7, "action": 1 + catalogue.PASS}
    told = {
        0: [
            {**dealt, "seat": 3, "turn": 3, "taken": [0, 0, 0], "hand_sizes": [2, 2, 2]},
            {**played, "seat": 1, "turn": 1, "taken": [0, 2, 0], "hand_sizes": [1, 4, 2]},
        ],
        2: [
            {**dealt, "seat": 1, "turn": 1, "taken": [0, 0, 0], "hand_sizes": [2, 2, 2]},
            {**played, "seat": 2, "turn": 2, "taken": [0, 0, 0], "hand_sizes": [2, 1, 2]},
            {**let_go, "seat": 1, "turn": 2, "taken": [0, 0, 2], "hand_sizes": [2, 1, 4]},
        ],
    }
    for observer, expected in told.items():
        tokens = history_of(game.events, observer, 4)
        assert not tokens[: 4 - len(expected)].any()
        shown = tokens[4 - len(expected) :].tolist()
        assert [_named(token, 3) for token in shown] == [{**each, "laid_at_once": 0} for each in expected]
    assert [event.taken for event in events_seen_by(game.events, 1)] == [(0, 0, 0), (0, 2, 0)]
    assert [event.taken for event in events_seen_by(game.events, None)] == [(0, 0, 0), (0, 0, 0), (0, 2, 0)]


def _named(token: list[int], players: int) -> dict[str, Any]:
    return {
        name: token[run.start] if run.width == 1 else token[run.columns][:players]
        for name, run in HISTORY_LAYOUT.items()
    }


def test_illegal_actions_are_told() -> None:
    rules = Rules.preset("duel", illegal_action="penalty")
    batch = BatchedGames(1, rules, seed=1, history=2)
    _, mask, seat = batch.reset()
    action, offender = int(mask[0].argmin()), int(seat[0])
    batch.step([action])
    token = batch.history[0, -1:]
    assert column(token, "seat") == [1 + (offender - int(seat[0])) % 2]
    assert column(token, "action") == [1 + action]
    assert column(token, "legal") == [0]
    assert sum(by_place(token[0], "taken", 2)) == 2


def test_new_deals_begin_a_history_and_the_other_games_keep_theirs() -> None:
    batch = BatchedGames(4, "classic", seed=4, history=6)
    batch.reset()
    for _ in range(8):
        batch.step(batch.sample_actions())
    before = batch.history.copy()
    batch.deal(np.array([2]), np.array([5], np.uint64))
    assert np.array_equal(batch.history[[0, 1, 3]], before[[0, 1, 3]])
    assert column(batch.history[2], "phase") == [0] * 6
    assert np.count_nonzero(column(batch.history[2], "seat")) == 1


def test_a_state_keeps_the_history() -> None:
    batch, other = (BatchedGames(5, "house", seed=seed, history=9) for seed in (1, 2))
    batch.reset()
    for _ in range(50):
        batch.step(batch.sample_actions())
    state = batch.get_state()
    other.set_state(state)
    for _ in range(30):
        assert np.array_equal(batch.history, other.history)
        batch.step(batch.sample_actions())
        other.step(other.sample_actions())
    without = BatchedGames(5, "house")
    without.reset()
    with pytest.raises(ValueError, match="the state does not fit: its 'history'"):
        other.set_state(without.get_state())


def test_pettingzoo_gives_the_tokens_to_every_agent() -> None:
    env = raw_env("house", history=4)
    chance = random.Random(3)
    env.reset(seed=3)
    while not env.game.over:
        for seat, agent in enumerate(env.agents):
            seen = env.observe(agent)
            assert env.observation_space(agent).contains(seen)
            assert np.array_equal(seen["history"], history_of(env.game.shown_to(seat).events, seat, 4))
        env.step(lively_action(env.game, chance))
    assert env.observe("player_0")["history"][-1].any()


def test_without_the_option_nothing_is_kept() -> None:
    batch = BatchedGames(2, "duel")
    batch.reset()
    assert batch.history is None
    assert set(batch.get_state()) == {"games", "random"}
    assert set(raw_env("duel").observation_space("player_0").spaces) == {"observation", "action_mask"}


@pytest.mark.parametrize("length", [0, LONGEST + 1])
def test_a_space_of_no_history_or_of_one_too_long_is_refused(length: int) -> None:
    with pytest.raises(ValueError, match=f"length={length} is not allowed"):
        history_space(length)


def test_the_space_holds_every_token() -> None:
    space = history_space(3)
    assert space.shape == (3, EVENT_SIZE)
    assert int(space.high[0, HISTORY_LAYOUT["action"].start]) == catalogue.NUM_ACTIONS
    assert space.high[0, HISTORY_LAYOUT["seat"].start] == space.high[0, HISTORY_LAYOUT["turn"].start] == MAX_SEATS
