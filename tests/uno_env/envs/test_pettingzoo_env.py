"""The PettingZoo environment: the library's own checks, and what the contract says beyond them."""

import contextlib
import io
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pettingzoo
import pytest
from pettingzoo.test import api_test, render_test, seed_test
from pettingzoo.utils.conversions import turn_based_aec_to_parallel

import uno_env
from tests.helpers.marks import thorough
from tests.helpers.playing import lively_action
from tests.helpers.random_rules import random_rules
from tests.helpers.records import true_row
from uno_env import END_NAMES, IllegalActionError, Rules
from uno_env.actions import DRAW, parse
from uno_env.events import player_name
from uno_env.invariants import find_faults
from uno_env.observation import OBSERVATION_SIZE, SCALES

MAKERS = [uno_env.env, uno_env.raw_env]
TABLES: list[tuple[str | Rules, int]] = [
    *((rules, players) for rules in ("duel", "classic") for players in (2, 4, 10)),
    *(("house", 3), ("edition_2018", 4), ("guide_001", 5), ("guide_003", 2), ("h2o", 6), ("rlcard", 2)),
    *((random_rules(random.Random(players), players=players), players) for players in (2, 5, 10)),
]
CHECKED = [*TABLES[:1], *TABLES[4:7], TABLES[-2], *thorough(*TABLES[1:4], *TABLES[7:-2], TABLES[-1])]
"""Tables for PettingZoo's own checks, of which each takes a quarter of a second."""


def _id(value: Any) -> str:
    return "by chance" if isinstance(value, Rules) else getattr(value, "__name__", str(value))


def play_to_end(env: Any, seed: int = 0) -> None:
    """Random play until the hand is over; nobody has left yet."""
    chance = random.Random(seed)
    while not env.unwrapped.game.over:
        env.step(lively_action(env.unwrapped.game, chance))


def snapshot(env: Any) -> tuple[Any, ...]:
    """All that a refused call must leave alone."""
    raw = env.unwrapped
    return (
        raw.game.to_json(),
        raw.state().tobytes(),
        raw.agent_selection,
        list(raw.agents),
        dict(raw.rewards),
        dict(raw._cumulative_rewards),
        dict(raw.terminations),
        dict(raw.truncations),
        {agent: dict(info) for agent, info in raw.infos.items()},
    )


def refused(env: Any, action: Any) -> str:
    """The text with which an action is refused; fails if that changes anything."""
    before = snapshot(env)
    with pytest.raises(ValueError) as caught:
        env.step(action)
    assert snapshot(env) == before
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.filterwarnings("ignore:Observation:UserWarning")  # the check would rather see a Box than a Dict
@pytest.mark.parametrize(("rules", "players"), CHECKED, ids=_id)
@pytest.mark.parametrize("make", MAKERS)
def test_pettingzoos_check_of_the_interface_passes(make: Callable[..., Any], rules: str | Rules, players: int) -> None:
    with contextlib.redirect_stdout(io.StringIO()):
        api_test(make(rules, players), num_cycles=300)


@pytest.mark.parametrize(("rules", "players"), CHECKED, ids=_id)
def test_pettingzoos_check_of_seeds_passes(rules: str | Rules, players: int) -> None:
    seed_test(lambda: uno_env.env(rules, players), num_cycles=100)


@pytest.mark.thorough
@pytest.mark.parametrize(("rules", "players"), TABLES, ids=_id)
@pytest.mark.parametrize("make", MAKERS)
def test_pettingzoos_check_of_rendering_passes(make: Callable[..., Any], rules: str | Rules, players: int) -> None:
    with contextlib.redirect_stdout(io.StringIO()):
        render_test(lambda render_mode: make(rules, players, render_mode))


@pytest.mark.thorough
@pytest.mark.filterwarnings("ignore:Observation:UserWarning")
@pytest.mark.parametrize("reward", ["outcome", "points"])
@pytest.mark.parametrize("scoring", ["winner_takes", "lowest", "elimination"])
def test_pettingzoos_checks_pass_for_matches(scoring: str, reward: str) -> None:
    rules = Rules(players=4, hand_size=3, target=40, scoring=scoring)
    with contextlib.redirect_stdout(io.StringIO()):
        api_test(uno_env.env(rules, match=True, reward=reward), num_cycles=1_000)
    seed_test(lambda: uno_env.env(rules, match=True, reward=reward), num_cycles=300)


def test_make_gives_the_wrapped_environment() -> None:
    env = pettingzoo.make("aec", "uno_env/uno-v0", rules=Rules(players=3))
    assert str(env) == str(uno_env.env()) == "uno_v0"
    assert env.unwrapped.rules == Rules(players=3)
    with pytest.raises(AttributeError, match="before reset"):
        _ = env.agent_selection
    with pytest.raises(AssertionError, match="before"):
        env.step(DRAW)


@pytest.mark.parametrize("rules", ["duel", "classic", "house"])
def test_observations_and_masks_of_every_agent(rules: str) -> None:
    env = uno_env.raw_env(rules, players=4)
    env.reset(seed=3)
    chance = random.Random(3)
    while not env.game.over:
        assert env.agent_selection == player_name(env.game.to_move)
        for seat, agent in enumerate(env.possible_agents):
            seen = env.observe(agent)
            legal = env.game.legal_actions() if seat == env.game.to_move else []
            assert np.flatnonzero(seen["action_mask"]).tolist() == legal
            assert np.array_equal(seen["observation"], env.game.observe(seat))
            assert env.infos[agent] == {"points": 0, "winner": -1, "end": 0}
            assert env.rewards[agent] == 0
        env.step(lively_action(env.game, chance))
    assert not any(env.observe(agent)["action_mask"].any() for agent in env.possible_agents)


def test_public_arrays_are_copies() -> None:
    env = uno_env.env("duel")
    env.reset(seed=0)
    agent = env.agent_selection
    before = snapshot(env)
    first, state = env.observe(agent), env.state()
    kept = {name: array.copy() for name, array in first.items()}
    for array in (*first.values(), state):
        array[:] = 7
    assert snapshot(env) == before
    again = env.observe(agent)
    assert all(np.array_equal(again[name], array) for name, array in kept.items())


def test_rewards_reach_every_seat_when_the_hand_ends() -> None:
    env = uno_env.env("classic", players=4)
    env.reset(seed=11)
    play_to_end(env, seed=11)
    game = env.unwrapped.game
    winner = player_name(game.winner)
    assert env.rewards == pytest.approx({agent: 1.0 if agent == winner else -1 / 3 for agent in env.possible_agents})
    assert set(env.terminations.values()) == {True}
    assert set(env.truncations.values()) == {False}
    received = {}
    for agent in env.agent_iter():
        _, received[agent], terminated, _, info = env.last()
        assert terminated
        seat = env.possible_agents.index(agent)
        assert info == {"points": game.points[seat], "winner": game.winner, "end": END_NAMES.index("went_out")}
        env.step(None)
    assert received == pytest.approx({agent: 1.0 if agent == winner else -1 / 3 for agent in env.possible_agents})
    assert env.agents == []
    assert game.points[game.winner] > 0


@pytest.mark.parametrize("make", MAKERS)
def test_an_illegal_action_is_refused(make: Callable[..., Any]) -> None:
    """GUIDE.md 7, ``raise``."""
    env = make("duel")
    env.reset(seed=0)
    illegal = int(np.flatnonzero(env.observe(env.agent_selection)["action_mask"] == 0)[0])
    assert "is illegal now: legal are" in refused(env, illegal)
    with pytest.raises(IllegalActionError):
        env.step(illegal)
    env.step(env.unwrapped.game.legal_actions()[0])


def test_an_illegal_action_ends_the_hand() -> None:
    """GUIDE.md 7, ``terminate``."""
    env = uno_env.env(Rules(players=3, illegal_action="terminate"))
    env.reset(seed=0)
    offender = env.agent_selection
    env.step(parse("challenge"))
    assert set(env.terminations.values()) == {True}
    assert set(env.truncations.values()) == {False}
    assert env.rewards == {agent: -1.0 if agent == offender else 0.0 for agent in env.possible_agents}
    assert END_NAMES[env.infos[offender]["end"]] == "illegal"
    assert env.infos[offender]["winner"] == -1


@pytest.mark.parametrize("match", [False, True])
def test_infos_have_the_same_keys_and_whole_numbers_at_every_step(match: bool) -> None:
    env = uno_env.env(Rules(players=3, hand_size=2, target=60), match=match)
    env.reset(seed=1)
    keys = {"points", "winner", "end", *(["score", "match_winner"] if match else [])}
    chance, running, over = random.Random(1), 0, False
    while True:
        for info in env.infos.values():
            assert set(info) == keys
            assert {type(value) for value in info.values()} == {int}
            running += info["end"] == 0
            assert (info["end"] == 0) <= (info["winner"] == -1 and info["points"] == 0)
        if over:
            break
        env.step(lively_action(env.unwrapped.game, chance))
        over = env.unwrapped.game.over
    assert running > 10


def test_a_finished_hand_takes_no_action() -> None:
    env = uno_env.raw_env("duel")
    assert refused_before_reset(env) == "no hand is being played: call reset() to deal one"
    env.reset(seed=0)
    play_to_end(env)
    assert refused(env, DRAW) == f"the hand is over: step player_0 with None, not {DRAW}"
    env.step(None)
    assert refused(env, DRAW) == f"the hand is over: step player_1 with None, not {DRAW}"
    env.step(None)
    assert env.agents == []
    assert refused(env, None) == "no hand is being played: call reset() to deal one"
    env.reset()
    assert env.agents == ["player_0", "player_1"]


def refused_before_reset(env: Any) -> str:
    with pytest.raises(ValueError) as caught:
        env.step(DRAW)
    return str(caught.value)


def test_the_wrapped_environment_ignores_steps_after_everyone_left() -> None:
    env = uno_env.env("duel")
    env.reset(seed=0)
    play_to_end(env)
    for _ in range(2):
        env.step(None)
    env.step(DRAW)
    assert env.agents == []


def test_reset_in_the_middle_of_leaving() -> None:
    env = uno_env.env("classic", players=3)
    env.reset(seed=0)
    play_to_end(env)
    env.step(None)
    env.reset(seed=1)
    assert env.agents == env.possible_agents
    assert set(env.terminations.values()) == {False}
    assert env.agent_selection == player_name(env.unwrapped.game.to_move)
    play_to_end(env)
    left = [agent for agent in env.agent_iter() if env.step(None) is None]
    assert left == env.possible_agents


def deals(seed: int | None, first_hand: int, hands: int = 3) -> list[str]:
    """The deals of some hands after one seeded reset, where play differs by ``first_hand``."""
    env = uno_env.env("duel")
    env.reset(seed=seed)
    dealt = [env.unwrapped.game.to_json()]
    for _ in range(hands):
        for _ in range(first_hand):
            env.step(DRAW if DRAW in env.unwrapped.game.legal_actions() else env.unwrapped.game.legal_actions()[0])
        env.reset()
        dealt.append(env.unwrapped.game.to_json())
    return dealt


def test_hands_go_on_from_the_first_seed_whatever_is_played() -> None:
    assert deals(7, first_hand=0) == deals(7, first_hand=3)
    assert len(set(deals(7, first_hand=0))) == 4
    assert deals(7, first_hand=0)[1] != deals(8, first_hand=0)[1]
    assert not set(deals(None, 0)) & set(deals(None, 0))


def test_an_unknown_agent() -> None:
    env = uno_env.env("duel")
    env.reset(seed=0)
    with pytest.raises(ValueError, match="'player_2' is no agent: there are player_0, player_1"):
        env.observe("player_2")


@pytest.mark.parametrize(("rules", "players"), [("classic", 2), ("classic", 5), ("house", 3)])
def test_the_state_holds_everything(rules: str, players: int) -> None:
    env = uno_env.env(rules, players=players)
    env.reset(seed=4)
    chance = random.Random(4)
    states = set()
    while not env.unwrapped.game.over:
        game, state = env.unwrapped.game, env.state()
        assert env.unwrapped.state_space.contains(state)
        rows, pile, bluffed = np.split(state, [players * OBSERVATION_SIZE, len(state) - 1])
        assert np.array_equal(rows.reshape(players, -1), [true_row(game, seat) * SCALES for seat in range(players)])
        cards = (np.rint(pile * 58).astype(int) - 1).tolist()
        record = game.record
        assert cards[: record.pile_end - record.pile_next] == record.pile[record.pile_next : record.pile_end].tolist()
        assert set(cards[record.pile_end - record.pile_next :]) <= {-1}
        assert bluffed == record.bluffed
        assert find_faults(record, game.rules) == []
        states.add(state.tobytes())
        env.step(lively_action(game, chance))
    assert len(states) == len(env.unwrapped.game.history)


def test_render_shows_the_view_that_was_chosen(capsys: pytest.CaptureFixture[str]) -> None:
    env = uno_env.env("classic", render_mode="ansi")
    env.reset(seed=2)
    game = env.unwrapped.game
    assert env.render() == game.render(game.to_move)
    for seat in (3, "all"):
        env = uno_env.env("classic", render_mode="ansi", render_seat=seat)
        env.reset(seed=2)
        assert env.render() == game.render(None if seat == "all" else seat)
    env = uno_env.env("classic", render_mode="human", render_seat=1)
    env.reset(seed=2)
    assert capsys.readouterr().out == ""
    env.step(env.unwrapped.game.legal_actions()[0])
    assert capsys.readouterr().out == env.unwrapped.game.render(1) + "\n\n"
    assert env.render() is None


# --- flat observations ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("match", [False, True])
def test_without_the_mask_the_observation_is_a_box_and_the_mask_is_in_the_infos(match: bool) -> None:
    rules = Rules.preset("classic", players=3)
    flat, whole = uno_env.env(rules, match=match, mask_in_observation=False), uno_env.env(rules, match=match)
    flat.reset(seed=4)
    whole.reset(seed=4)
    chance = random.Random(4)
    for _ in range(300):
        for agent in flat.agents:
            seen, expected = flat.observe(agent), whole.observe(agent)
            assert flat.observation_space(agent).contains(seen)
            assert seen.tobytes() == expected["observation"].tobytes()
            assert flat.infos[agent]["action_mask"].dtype == np.int8
            assert np.array_equal(flat.infos[agent]["action_mask"], expected["action_mask"])
            assert flat.infos[agent].keys() - {"action_mask"} == whole.infos[agent].keys()
        if flat.unwrapped.game.over:
            break
        action = lively_action(flat.unwrapped.game, chance)
        flat.step(action)
        whole.step(action)
    assert flat.agents == whole.agents


def test_flat_observations_pass_the_checks_of_pettingzoo() -> None:
    with contextlib.redirect_stdout(io.StringIO()):
        api_test(uno_env.env("duel", mask_in_observation=False), num_cycles=200)


def test_pettingzoo_makes_a_parallel_environment_in_which_all_but_one_wait() -> None:
    games = turn_based_aec_to_parallel(uno_env.env("duel", mask_in_observation=False))
    observations, infos = games.reset(seed=1)
    earned = dict.fromkeys(games.agents, 0.0)
    while games.agents:
        assert set(observations) == {"player_0", "player_1"}
        marked = {agent: infos[agent]["action_mask"] for agent in games.agents}
        assert sum(mask.any() for mask in marked.values()) == 1
        actions = {agent: int(mask.argmax()) if mask.any() else None for agent, mask in marked.items()}
        observations, rewards, _, _, infos = games.step(actions)
        for agent, reward in rewards.items():
            earned[agent] += reward
    assert sorted(earned.values()) == [-1, 1]


@pytest.mark.thorough
@pytest.mark.filterwarnings("ignore:hands take more than 500 decisions")  # those of house do
@pytest.mark.parametrize("rules", ["duel", {"preset": "house", "players": 3, "max_decisions": 200}])
def test_the_parallel_environment_plays_the_action_of_the_agent_to_move(rules: Any) -> None:
    """The loop of PettingZoo's CleanRL tutorial: observations as one array, and an action of every agent."""
    parallel, one = (
        uno_env.parallel_env(rules, mask_in_observation=False),
        uno_env.env(rules, mask_in_observation=False),
    )
    chance = np.random.default_rng(1)
    for seed in range(3):
        observations, infos = parallel.reset(seed=seed)
        one.reset(seed=seed)
        total, over = dict.fromkeys(parallel.possible_agents, 0.0), False
        while not over:
            rows = np.stack([observations[agent] for agent in parallel.possible_agents])
            masks = np.stack([infos[agent]["action_mask"] for agent in parallel.possible_agents])
            assert rows.shape[0] == len(masks) == parallel.unwrapped.max_num_agents
            assert [agent for agent, mask in zip(parallel.possible_agents, masks, strict=True) if mask.any()] == [
                one.agent_selection
            ]
            allowed = masks.astype(bool) | ~masks.any(axis=1, keepdims=True)
            actions = [int(chance.choice(np.flatnonzero(row))) for row in allowed]
            mover = one.agent_selection
            one.step(actions[parallel.possible_agents.index(mover)])
            observations, rewards, terminated, truncated, infos = parallel.step(
                dict(zip(parallel.possible_agents, actions, strict=True))
            )
            total = {agent: total[agent] + rewards[agent] for agent in total}
            over = any(terminated.values()) or any(truncated.values())
            assert over == one.unwrapped.game.over
        assert total == {agent: one.rewards[agent] for agent in total}
