"""Gymnasium's view of one game: the library's own checks, and what the learner's seat is told and gets."""

import random
import warnings
from collections.abc import Iterator
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env

import agents
import uno_env
from tests.helpers.playing import Lowest, lively_action
from tests.helpers.random_rules import random_rules
from tests.helpers.twins import twin
from uno_env import END_NAMES, IllegalActionError, Rules
from uno_env.actions import DRAW, parse
from uno_env.envs.single_agent_options import MAX_ILLEGAL_ACTIONS
from uno_env.render.frames import frame

SHORT = Rules.preset("duel", hand_size=2, max_decisions=40)
TABLES: list[dict[str, Any]] = [
    {},
    {"rules": "classic", "players": 4, "obs_dtype": "uint8"},
    {"rules": "house", "opponents": "greedy", "illegal_action": "random"},
    {"rules": "guide_001", "match": True, "reward": "points", "mask_in_observation": True},
    {"rules": "rlcard", "encoding": "rlcard"},
    {"encoding": "planes", "obs_dtype": "uint8", "history": 5},
    {"rules": random_rules(random.Random(5), players=5, illegal_action="raise"), "illegal_action": "terminate"},
]


def make(**arguments: Any) -> Any:
    return gymnasium.make("uno_env/Uno-v0", **arguments).unwrapped


def legal(info: dict[str, Any]) -> int:
    return int(info["action_mask"].argmax())


def episodes(env: Any, number: int, agent: Any = None) -> Iterator[tuple[float, bool, bool, dict[str, Any]]]:
    """Total reward, ends and last info of episodes in which ``agent``, or the lowest legal action, plays the seat."""
    player = agent or Lowest()
    for seed in range(number):
        obs, info = env.reset(seed=seed)
        total, terminated, truncated = 0.0, False, False
        while not (terminated or truncated):
            action = int(player.act_batch(obs[None], info["action_mask"][None])[0])
            obs, reward, terminated, truncated, info = env.step(action)
            total += reward
        yield total, terminated, truncated, info


@pytest.mark.parametrize("arguments", TABLES, ids=str)
def test_gymnasiums_own_checks_pass_without_a_warning(arguments: dict[str, Any]) -> None:
    env = gymnasium.make("uno_env/Uno-v0", **arguments)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(env.unwrapped)


def test_equal_seeds_give_equal_courses_the_opponents_chance_included() -> None:
    def course(env: Any, seed: int) -> list[Any]:
        obs, info = env.reset(seed=seed)
        told = [obs.tobytes(), env.seat]
        for _ in range(60):
            obs, reward, terminated, truncated, info = env.step(legal(info))
            told += [obs.tobytes(), reward, terminated, truncated, info["action_mask"].tobytes()]
            if terminated or truncated:
                obs, info = env.reset()
                told += [obs.tobytes(), env.seat]
        return told

    first, second = (make(rules=SHORT, opponents=["random"]) for _ in range(2))
    assert course(first, 4) == course(second, 4) == course(first, 4)
    assert course(first, 4) != course(first, 5)


def test_without_a_seed_chance_is_fresh() -> None:
    assert len({make().reset()[0].tobytes() for _ in range(5)}) == 5


def test_without_a_fixed_seat_the_learner_goes_round_the_table() -> None:
    env = make(rules=Rules(players=3))
    seats = set()
    for seed in range(20):
        env.reset(seed=seed)
        seats.add(env.seat)
    assert seats == {0, 1, 2}
    for _ in range(4):
        before = env.seat
        env.reset()
        assert env.seat == (before + 1) % 3


@pytest.mark.parametrize("seat", [0, 2])
def test_a_fixed_seat_stays(seat: int) -> None:
    env = make(rules=Rules(players=3), seat=seat)
    for seed in (1, 2, None, None):
        env.reset(seed=seed)
        assert env.seat == env.game.to_move == seat


def from_pettingzoo(rules: Rules, seat: int, seed: int, opponents: list[Any], match: bool, reward: str) -> list[Any]:
    """What PettingZoo's environment tells the seat: observations before its decisions, and in the end its rewards."""
    env = uno_env.raw_env(rules, match=match, reward=reward)
    env.reset(seed=seed)
    told, earned = [], 0.0
    ended_by_another = False
    while not env.game.over:
        place = (env.game.to_move - seat) % rules.players
        seen = env.observe(env.agent_selection)
        player = opponents[place - 1] if place else Lowest()
        if place == 0:
            told.append(seen["observation"].tobytes())
        ended_by_another = place != 0
        env.step(int(player.act_batch(seen["observation"][None], seen["action_mask"][None])[0]))
        earned += env.rewards[env.possible_agents[seat]]
    agent = env.possible_agents[seat]
    told.append(env.observe(agent)["observation"].tobytes())
    return [told, pytest.approx(earned), env.terminations[agent], env.truncations[agent], ended_by_another]


@pytest.mark.parametrize(
    ("rules", "match", "reward"),
    [
        (SHORT, False, "outcome"),
        (Rules(players=3, hand_size=3), False, "outcome"),
        (Rules(players=3, hand_size=2, target=60), True, "points"),
        (Rules(players=4, hand_size=2, target=60, scoring="elimination"), True, "outcome"),
    ],
    ids=["duel", "three", "points", "elimination"],
)
def test_a_seat_is_told_and_gets_what_pettingzoo_gives_it(rules: Rules, match: bool, reward: str) -> None:
    """Whoever ends the hand, the same seed gives the same course and the same reward."""
    ended_by_another = 0
    for seed in range(12):
        seat = seed % rules.players
        theirs = [agents.load("greedy", seed=place) for place in range(rules.players - 1)]
        *expected, by_another = from_pettingzoo(rules, seat, seed, theirs, match, reward)
        if len(expected[0]) == 1:  # over before the seat decided anything: such hands are not seen
            continue
        env = make(
            rules=rules,
            seat=seat,
            opponents=[Reseeded(place) for place in range(rules.players - 1)],
            match=match,
            reward=reward,
        )
        obs, info = env.reset(seed=seed)
        told, earned, terminated, truncated = [obs.tobytes()], 0.0, False, False
        while not (terminated or truncated):
            obs, gained, terminated, truncated, info = env.step(legal(info))
            told.append(obs.tobytes())
            earned += gained
        assert [told, earned, terminated, truncated] == expected
        ended_by_another += by_another
    assert ended_by_another >= 2


@pytest.mark.parametrize("encoding", ["vector", "planes", "rlcard"])
@pytest.mark.parametrize("obs_dtype", ["float32", "uint8"])
def test_observations_have_the_forms_of_pettingzoos(encoding: str, obs_dtype: str) -> None:
    options = {"obs_dtype": obs_dtype, "encoding": encoding, "history": 6}
    env = make(rules="classic", seat=1, mask_in_observation=True, **options)
    theirs = uno_env.raw_env("classic", **options)
    assert env.observation_space == theirs.observation_space("player_1")
    obs, info = env.reset(seed=4)
    for _ in range(15):
        theirs.game = env.game
        expected = theirs.observe("player_1")
        assert obs.keys() == expected.keys()
        assert all(np.array_equal(obs[part], expected[part]) for part in expected)
        obs, _, _, _, info = env.step(legal(info))


def test_a_part_alone_of_an_observation_is_an_array() -> None:
    assert make(encoding="planes").reset()[0].ndim == 3
    assert make(history=2).reset()[0].keys() == {"observation", "history"}
    assert make(mask_in_observation=True).reset()[0].keys() == {"observation", "action_mask"}


class Reseeded:
    """``greedy`` with the chance of a seed of its own, whatever the environment's is."""

    def __init__(self, seed: int) -> None:
        self.agent, self.seed = agents.load("greedy"), seed

    def reset(self, seed: int) -> None:
        self.agent.reset(self.seed)

    def act_batch(self, observations: Any, masks: Any) -> Any:
        return self.agent.act_batch(observations, masks)


@pytest.mark.parametrize("players", [2, 4])
def test_ends_are_told(players: int) -> None:
    env = make(rules=Rules(players=players, hand_size=2, max_decisions=60), opponents=["random-play"])
    won = lost = cut = 0
    for total, terminated, truncated, info in episodes(env, 60, agents.load("greedy")):
        game = env.game
        assert terminated != truncated == (game.end == "max_decisions")
        assert total == pytest.approx(game.rewards()[env.seat])
        assert info["is_success"] == (game.winner == env.seat) == (info["winner"] == 0)
        assert (info["winner"] == -1) == truncated
        assert game.winner in (None, (env.seat + info["winner"]) % players)
        assert (info["points"], END_NAMES[info["end"]]) == (game.points[env.seat], game.end)
        assert not info["action_mask"].any()
        won, lost, cut = won + info["is_success"], lost + (info["winner"] > 0), cut + truncated
    assert won > 5
    assert lost > 5


def test_a_match_is_one_episode_with_points_on_the_way() -> None:
    rules = Rules(players=3, hand_size=3, target=60)
    env = make(rules=rules, match=True, reward="points", opponents=["random-play"])
    hands = 0
    for total, terminated, _, info in episodes(env, 10):
        assert terminated
        assert info["score"] == env.game.scores[env.seat]
        scores = env.game.scores
        others = sum(scores) - scores[env.seat]
        assert total == pytest.approx((scores[env.seat] - others / 2) / 60)
        hands += env.game.hands_played
    assert hands > 10


def wrong(info: dict[str, Any]) -> int:
    return int(info["action_mask"].argmin())


def test_an_illegal_action_costs_reward_and_nothing_is_played() -> None:
    env = make(rules="duel", illegal_action="penalty", illegal_reward=-0.25)
    obs, info = env.reset(seed=1)
    before = env.game.to_json()
    for _ in range(3):
        again, reward, terminated, truncated, told = env.step(wrong(info))
        assert (reward, terminated, truncated) == (-0.25, False, False)
        assert np.array_equal(again, obs)
        assert np.array_equal(told["action_mask"], info["action_mask"])
    assert env.game.to_json() == before
    assert env.step(legal(info))[1] in (0, 1, -1)


def test_a_policy_that_insists_on_an_illegal_action_is_cut_off() -> None:
    env = make(rules="duel", illegal_action="penalty")
    _, info = env.reset(seed=1)
    for _ in range(MAX_ILLEGAL_ACTIONS - 1):
        assert env.step(wrong(info))[2:4] == (False, False)
    _, reward, terminated, truncated, last = env.step(wrong(info))
    assert (reward, terminated, truncated) == (-1, False, True)
    assert (END_NAMES[last["end"]], last["is_success"], last["winner"]) == ("illegal", False, -1)
    assert not last["action_mask"].any()
    with pytest.raises(ResetNeeded):
        env.step(legal(info))


def test_a_legal_action_may_be_played_instead() -> None:
    played = set()
    for seed in range(30):
        env = make(rules="duel", seat=0, illegal_action="random", illegal_reward=-0.5)
        _, info = env.reset(seed=3)
        env.np_random = np.random.default_rng(seed)
        choices, before = env.game.legal_actions(), len(env.game.history)
        assert env.step(wrong(info))[1] == -0.5
        played.add(env.game.history[before])
        assert env.game.history[before] in choices
    assert played == set(choices)


def test_an_illegal_action_may_be_refused() -> None:
    for arguments in ({"illegal_action": "raise"}, {"illegal_action": "rules"}):
        env = make(rules="duel", **arguments)
        _, info = env.reset(seed=1)
        before = env.game.to_json()
        with pytest.raises(IllegalActionError, match="is illegal now: legal are"):
            env.step(wrong(info))
        assert env.game.to_json() == before
        env.step(legal(info))


def test_the_rules_of_the_table_may_end_the_hand() -> None:
    env = make(rules=Rules(illegal_action="terminate"), illegal_action="rules")
    _, info = env.reset(seed=1)
    _, reward, terminated, truncated, last = env.step(wrong(info))
    assert (reward, terminated, truncated, END_NAMES[last["end"]]) == (-1, True, False, "illegal")


@pytest.mark.parametrize("match", [False, True])
def test_by_default_an_illegal_action_loses_so_that_returns_stay_between_1_and_minus_1(match: bool) -> None:
    """GUIDE.md 7, ``terminate``; the rules in the observation are those that were asked for."""
    env, strict = make(rules="classic", match=match), make(rules="classic", match=match, illegal_action="raise")
    for seed in range(20):
        (obs, info), (other, _) = env.reset(seed=seed), strict.reset(seed=seed)
        assert obs.tobytes() == other.tobytes()
        obs, *_, info = env.step(legal(info))
        assert obs.tobytes() == strict.step(strict.game.legal_actions()[0])[0].tobytes()
        before = env.game.to_json()
        _, reward, terminated, truncated, info = env.step(wrong(info))
        assert (reward, terminated, truncated) == (-1, True, False)
        assert not info["action_mask"].any()
        assert (info["is_success"], info["winner"], info["points"]) == (False, -1, 0)
        assert END_NAMES[info["end"]] == "illegal"
        assert env.game.to_json() == before
        with pytest.raises(ResetNeeded):
            env.step(wrong(info))


def test_the_rules_of_the_table_may_punish_an_illegal_action() -> None:
    env = make(rules=Rules(players=2, illegal_action="penalty"), illegal_action="rules", opponents=[Lowest()])
    env.reset(seed=2)
    held = env.game.record.seats["hand_size"][env.seat]
    env.step(parse("jump_in"))
    assert env.game.events[-1].seat != env.seat
    assert env.game.record.seats["hand_size"][env.seat] >= held + 2


def test_a_deck_that_leaves_the_learner_nothing_is_refused() -> None:
    env = make(rules=Rules.preset("duel", hand_size=1), seat=0, opponents=[Lowest()])
    with pytest.raises(ValueError, match="over before the learner has decided anything"):
        env.reset(seed=0, options={"deck": "g1 g2 g3", "dealer": 0})
    env.reset()
    assert env.game.to_move == 0


def test_an_opponent_that_acts_illegally_is_named() -> None:
    class Wrong:
        def __repr__(self) -> str:
            return "Wrong()"

        def act_batch(self, observations: Any, masks: Any) -> Any:
            return masks.argmin(axis=1)

    env = make(opponents=Wrong(), rules=Rules.preset("duel", dealer="fixed", dealer_seat=0), seat=0)
    with pytest.raises(ValueError, match=r"the opponent Wrong\(\) chose action \d+, which is not legal"):
        env.reset(seed=1)


def test_a_finished_episode_takes_no_action() -> None:
    env = make(rules=SHORT)
    with pytest.raises(ResetNeeded, match=r"call reset\(\)"):
        env.step(DRAW)
    list(episodes(env, 1))
    with pytest.raises(ResetNeeded, match=r"call reset\(\)"):
        env.step(DRAW)


def test_arrays_are_the_callers_own() -> None:
    env = make()
    obs, info = env.reset(seed=0)
    obs[:], info["action_mask"][:] = 7, 0
    assert env.action_masks().any()
    assert np.array_equal(env.step(DRAW)[0], env.game.observe(env.seat))


def test_nothing_hidden_is_told() -> None:
    """What the learner is told is the same in a twin of each state, whose hidden cards are others."""
    chance = np.random.default_rng(0)
    compared = 0
    for seed in range(6):
        env = make(rules="classic", opponents="random-play", render_mode="ansi", illegal_action="raise")
        _, info = env.reset(seed=seed)
        player, over = random.Random(seed), False
        while not over:
            other = twin(env.game, env.seat, chance)
            mine, env.game = env.game, other
            told = env.render(), env.action_masks().tobytes(), refusal(env, info)
            env.game = mine
            assert told == (env.render(), env.action_masks().tobytes(), refusal(env, info))
            compared += str(mine) != str(other)
            _, _, terminated, truncated, info = env.step(lively_action(env.game, player))
            over = terminated or truncated
            assert set(info) == {"action_mask", "is_success", "winner", "points", "end"}
            assert over or (info["is_success"], info["winner"], info["points"], info["end"]) == (False, -1, 0, 0)
    assert compared > 50


def refusal(env: Any, info: dict[str, Any]) -> str:
    with pytest.raises(IllegalActionError) as caught:
        env.step(wrong(info))
    return str(caught.value)


def test_render_shows_the_learners_view(capsys: pytest.CaptureFixture[str]) -> None:
    for mode in ("ansi", "svg", "rgb_array"):
        env = make(rules="classic", seat=2, render_mode=mode)
        env.reset(seed=2)
        assert np.array_equal(env.render(), frame(env.game, 2, mode))
    env = make(rules="classic", seat=2, render_mode="human")
    env.reset(seed=2)
    assert env.game.render(2) in capsys.readouterr().out
    env.step(env.game.legal_actions()[0])
    assert env.game.render(2) in capsys.readouterr().out
    assert env.render() is None
