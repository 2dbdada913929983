"""symmetry=True: every environment shows and takes what CanonicalForm makes by hand of a plain one."""

import functools
import random
import zlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import uno_env
from tests.helpers.marks import pairs
from tests.helpers.playing import positions
from tests.helpers.positions import any_rules
from tests.helpers.symmetry import a_renaming
from uno_env import Game, Rules
from uno_env.actions import NUM_ACTIONS
from uno_env.envs.gym_env import UnoEnv
from uno_env.envs.vector_env import UnoVectorEnv
from uno_env.symmetry import CanonicalForm

RULES = [*any_rules(2, seed=8), Rules.preset("duel"), Rules.preset("house", players=5)]
FORMS = [
    {"obs_dtype": "uint8"},
    {"obs_dtype": "uint8", "history": 4, "mask_in_observation": True},
    {"encoding": "planes", "mask_in_observation": True},
]


@functools.cache
def canonical_form(history: int = 0) -> CanonicalForm:
    return CanonicalForm(history=history)


def shown(env_form: dict[str, Any], rows: Any, masks: Any, events: Any) -> tuple[Any, Any, Any]:
    """The canonical rows, masks and events of what plain environments show, by hand; and the forms."""
    history = env_form.get("history", 0)
    canonical = canonical_form(history)
    forms = canonical.forms(rows, events)
    whole = canonical.rows(rows, forms, events)
    return (whole[:, : rows.shape[1]], whole[:, rows.shape[1] :]), canonical.masks(masks, forms), forms


def choice(observation: Any, mask: Any) -> int:
    """What an agent does that acts by what it is shown alone: any legal action, the same for the same."""
    parts = observation if isinstance(observation, dict) else {"observation": observation}
    digest = zlib.crc32(b"".join(np.ascontiguousarray(parts[name]).tobytes() for name in sorted(parts)))
    legal = np.flatnonzero(mask)
    return int(legal[digest % len(legal)])


def by_hand(form: dict[str, Any], game: Game, seat: int, mask: Any) -> tuple[Any, Any, int]:
    """The observation and the mask of a seat in canonical form, and the form, without the environments' own code."""
    history = form.get("history", 0)
    row = game.observe(seat, "uint8")[None]
    events = uno_env.history.history_of(game.shown_to(seat).events, seat, history)[None] if history else None
    (rows, past), legal, forms = shown(form, row, mask.astype(np.uint8)[None], events)
    plain = uno_env.encodings.ObservationForm(
        game.rules, form.get("obs_dtype", "float32"), form.get("encoding", "vector")
    )
    parts = {"observation": plain.of(np.ascontiguousarray(rows))[0]}
    if form.get("mask_in_observation"):
        parts["action_mask"] = legal[0].astype(np.int8)
    if history:
        parts["history"] = past.reshape(history, -1)
    return parts if len(parts) > 1 else parts["observation"], legal[0], int(forms[0])


def real(form: int, action: int) -> int:
    return int(canonical_form().real_actions(np.array([form]), np.array([action]))[0])


def same(mine: Any, theirs: Any) -> None:
    np.testing.assert_equal(mine, theirs)


@pytest.mark.parametrize(("rules", "form"), pairs(RULES, FORMS))
def test_gymnasium_shows_the_symmetric_form(rules: Rules, form: dict[str, Any]) -> None:
    options: dict[str, Any] = {"rules": rules, "opponents": "highest-points", **form}
    env, plain = UnoEnv(symmetry=True, **options), UnoEnv(**options)
    for seed in range(2):
        observation, info = env.reset(seed=seed)
        plain.reset(seed=seed)
        over = False
        while not over:
            expected, mask, number = by_hand(form, plain.game, plain.seat, plain.action_masks())
            same(observation, expected)
            assert env.observation_space.contains(observation)
            same(info["action_mask"], mask)
            same(env.action_masks(), mask)
            action = choice(observation, mask)
            observation, *result, info = env.step(action)
            _, *expected_result, told = plain.step(real(number, action))
            assert result == expected_result
            over = result[1] or result[2]
            assert {**info, "action_mask": 0} == {**told, "action_mask": 0}
        assert not info["action_mask"].any()
        assert env.game.to_json() == plain.game.to_json()


@pytest.mark.parametrize(("rules", "form"), pairs(RULES, FORMS))
def test_pettingzoo_shows_the_symmetric_form(rules: Rules, form: dict[str, Any]) -> None:
    form = {"mask_in_observation": False, **form}
    env, plain = uno_env.raw_env(rules, symmetry=True, **form), uno_env.raw_env(rules, **form)
    for each in (env, plain):
        each.reset(seed=5)
    for _ in range(50):
        if env.game.over:
            break
        for seat, agent in enumerate(env.possible_agents):
            if seat % 3 and agent != env.agent_selection:
                continue
            own = plain._mask_of(seat)
            expected, mask, number = by_hand(form, plain.game, seat, own)
            same(env.observe(agent), expected)
            assert env.observation_space(agent).contains(env.observe(agent))
            if not form["mask_in_observation"]:
                same(env.infos[agent]["action_mask"], mask)
            if agent == env.agent_selection:
                action, meant = choice(expected, mask), number
        env.step(action)
        plain.step(real(meant, action))
        assert (env.rewards, env.agent_selection) == (plain.rewards, plain.agent_selection)
    assert env.game.to_json() == plain.game.to_json()


def of_vector(options: dict[str, Any]) -> tuple[Any, Callable[[Any], Any]]:
    env = UnoVectorEnv(8, autoreset_mode="SameStep", **options)
    env.reset(seed=4)
    return env, lambda actions: env.step(actions)[:3]


def of_sb3(options: dict[str, Any]) -> tuple[Any, Callable[[Any], Any]]:
    pytest.importorskip("stable_baselines3")
    from uno_env.sb3 import UnoVecEnv

    lists = [["highest-points"], ["greedy"]]
    env = UnoVecEnv(8, **{**options, "opponents": lists}, seed=4)
    env.reset()
    return env, lambda actions: env.step(actions)[:3]


@pytest.mark.parametrize("make", [of_vector, of_sb3])
@pytest.mark.parametrize(("rules", "form"), pairs(RULES[1:], FORMS))
def test_many_games_are_shown_in_the_symmetric_form(
    make: Callable[[Any], Any], rules: Rules, form: dict[str, Any]
) -> None:
    options = {"rules": rules, "opponents": "highest-points", **form}
    env, step = make({**options, "symmetry": True})
    plain, step_plain = make({**options, "encoding": "vector", "obs_dtype": "uint8", "mask_in_observation": True})
    tables = env.tables if make is of_sb3 else [env.games]
    plain_tables = plain.tables if make is of_sb3 else [plain.games]
    for _ in range(40):
        observations = env.observe() if make is of_sb3 else env.games.observe()
        seen = [games.observe() for games in plain_tables]
        rows, masks = (np.concatenate([each[name] for each in seen]) for name in ("observation", "action_mask"))
        events = np.concatenate([each["history"] for each in seen]) if "history" in form else None
        (canonical, past), legal, forms = shown(form, rows, masks.view(np.uint8), events)
        same(env.action_masks(), legal)
        parts = observations if isinstance(observations, dict) else {"observation": observations}
        if form.get("encoding") != "planes":
            same(parts["observation"], canonical)
        if "history" in form:
            same(parts["history"].reshape(8, -1), past)
        if form.get("mask_in_observation"):
            same(parts["action_mask"], legal)
        actions = np.array([choice(row, mask) for row, mask in zip(canonical, legal, strict=True)])
        same(step(actions)[1:], step_plain(canonical_form().real_actions(forms, actions))[1:])
    for mine, theirs in zip(tables, plain_tables, strict=True):
        same(mine.get_state(), theirs.get_state())


@pytest.mark.parametrize("rules", RULES, ids=range(len(RULES)))
def test_other_names_of_colours_and_seats_change_nothing_that_is_seen(rules: Rules) -> None:
    chance = random.Random(2)
    zoo, gym = uno_env.raw_env(rules, symmetry=True, history=3), UnoEnv(rules, symmetry=True, history=3)
    for each in (zoo, gym):
        each.reset(seed=1)
    for number, game in enumerate(positions(Game(rules, seed=6), 6)):
        if game.over or number > 60:
            break
        told = []
        for twin in (game, a_renaming(rules, chance).game(game)):
            zoo.game = gym.game = twin
            gym.seat = twin.to_move
            told.append((zoo.observe(f"player_{twin.to_move}"), gym._observe(), gym.action_masks()))
        same(*told)


@pytest.mark.parametrize("mode", ["terminate", "penalty", "random", "raise"])
def test_an_illegal_action_is_one_that_the_mask_does_not_mark(mode: str) -> None:
    env = UnoEnv("house", players=4, symmetry=True, illegal_action=mode)
    plain = UnoEnv("house", players=4, illegal_action=mode)
    for seed in range(20):
        _, info = env.reset(seed=seed)
        plain.reset(seed=seed)
        wrong = int(np.flatnonzero(info["action_mask"] == 0)[seed])
        if mode == "raise":
            before = env.game.to_json()
            with pytest.raises(uno_env.IllegalActionError):
                env.step(wrong)
            assert env.game.to_json() == before
            continue
        _, _, number = by_hand({}, plain.game, plain.seat, plain.action_masks())
        assert env.step(wrong)[1:4] == plain.step(real(number, wrong))[1:4]
        assert env.game.to_json() == plain.game.to_json()


def test_what_is_no_action_is_refused() -> None:
    env = UnoVectorEnv(3, symmetry=True)
    env.reset(seed=0)
    for actions in ([0, 0, NUM_ACTIONS], [-1, 0, 0]):
        before = env.games.get_state()
        with pytest.raises(ValueError, match="actions"):
            env.step(np.array(actions))
        same(env.games.get_state(), before)
