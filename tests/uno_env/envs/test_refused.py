"""What the doors to the game refuse: each argument is named in one sentence, and a refused reset changes nothing."""

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import uno_env
from uno_env import BatchedGames, DeviceGames, Game, raw_env
from uno_env.envs.gym_env import UnoEnv
from uno_env.envs.sb3 import UnoVecEnv
from uno_env.envs.vector_env import UnoVectorEnv
from uno_env.history import LONGEST
from uno_env.text import TextEnv

DOORS: dict[str, Callable[..., Any]] = {
    "game": Game,
    "batch": lambda **given: BatchedGames(**{"num_games": 2, **given}),
    "device": lambda **given: DeviceGames(**{"num_games": 2, "device": "cpu", **given}),
    "aec": uno_env.env,
    "raw": raw_env,
    "gym": UnoEnv,
    "vector": lambda **given: UnoVectorEnv(**{"num_envs": 2, **given}),
    "sb3": lambda **given: UnoVecEnv(**{"num_envs": 2, **given}),
    "text": TextEnv,
}
ALL = " ".join(door for door in DOORS if door != "text")
LEARNERS, AECS, BATCHES = "gym vector sb3", "aec raw", "batch device"
ENVIRONMENTS = f"{BATCHES} {AECS} {LEARNERS}"
SEEDED = f"game {BATCHES} sb3"
FLAGS = {"match": ALL, "copy": "batch", "mask_in_observation": f"{AECS} {LEARNERS}", "symmetry": f"{AECS} {LEARNERS}"}
ARGUMENTS: list[tuple[str, dict[str, Any], str]] = [
    (f"{ALL} text", {"rules": "clasic"}, "unknown preset 'clasic' (did you mean 'classic'?)"),
    (ALL, {"rules": 3}, "rules=3 is not allowed"),
    *((f"{ALL} text", {"players": number}, f"players={number} is not allowed: choose a whole number from 2 to 10")
      for number in (1, 11, True)),
    *((SEEDED, {"seed": seed}, f"seed={seed!r} is not allowed: choose a whole number from 0 to 2**64 - 1")
      for seed in (-1, 2**64, 0.0, True, None, "one")),
    *((doors, {name: value}, f"{name}={value!r} is not allowed: choose False or True")
      for name, doors in FLAGS.items() for value in (None, 0, 1, 2.5, "no", [], {}, np.inf, 10**30)),
    (ENVIRONMENTS, {"obs_dtype": "int8"}, "obs_dtype='int8' is not allowed: choose 'float32' or 'uint8'"),
    (ENVIRONMENTS, {"encoding": "image"}, "encoding='image' is not allowed: choose 'vector', 'planes' or 'rlcard'"),
    (ENVIRONMENTS, {"encoding": None}, "encoding=None is not allowed"),
    (ENVIRONMENTS, {"rules": "h2o", "encoding": "rlcard"},
     "encoding='rlcard' is not allowed: it has no place for wd1, wd2 of the deck"),
    *((ENVIRONMENTS, {"history": length}, f"history={length!r} is not allowed")
      for length in (-1, 1.5, True, "4", None, LONGEST + 1, 10**12)),
    (ENVIRONMENTS, {"rules": "duel", "match": True, "reward": "points"},
     "reward='points' is not allowed with scoring='hand'"),
    (ENVIRONMENTS, {"rules": "classic", "match": True, "reward": "score"}, "reward='score' is not allowed"),
    (BATCHES, {"num_games": 0}, "num_games=0 is not allowed: choose a whole number, 1 or more"),
    (BATCHES, {"num_games": 2.0}, "num_games=2.0 is not allowed"),
    *(("batch", {"threads": number}, f"threads={number} is not allowed: choose a whole number from 1 to 1024")
      for number in (0, 10**8)),
    ("device", {"device": "gpu"}, "device='gpu' is not allowed: choose 'cuda', a GPU such as 'cuda:1', or 'cpu'"),
    ("device", {"device": "meta"}, "device='meta' is not allowed"),
    ("device", {"device": 7.5}, "device='7.5' is not allowed"),
    (AECS, {"render_mode": "png"},
     "render_mode='png' is not allowed: choose None, 'ansi', 'human', 'rgb_array', 'svg'"),
    (AECS, {"render_seat": 4}, "render_seat=4 is not allowed: choose 'to_move', 'all', or a seat from 0 to 3"),
    (AECS, {"render_seat": "me"}, "render_seat='me' is not allowed"),
    ("vector", {"num_envs": 0}, "num_games=0 is not allowed"),
    *(("sb3", {"num_envs": number}, f"num_envs={number!r} is not allowed") for number in (2.0, True, 0, "2")),
    ("vector", {"autoreset_mode": "Never"},
     "autoreset_mode='Never' is not allowed: choose 'NextStep', 'SameStep', 'Disabled'"),
    *((LEARNERS, {"seat": seat}, f"seat={seat} is no seat of 2 players") for seat in (2, True)),
    (f"{LEARNERS} text", {"opponents": "gready"}, "unknown agent 'gready'"),
    (LEARNERS, {"opponents": []}, "is not allowed: list 1 for 2 players"),
    (LEARNERS, {"opponents": ["greedy"] * 2}, "list 1 for 2 players"),
    (LEARNERS, {"rules": "classic", "opponents": ["greedy"] * 2}, "list 1 or 3 for 4 players"),
    (LEARNERS, {"opponents": [None]}, "None is no agent"),
    (LEARNERS, {"opponents": 3}, "3 is no agent"),
    ("sb3", {"opponents": [["greedy"], ["gready"]]}, "unknown agent 'gready'"),
    ("sb3", {"opponents": [["greedy"]] * 3}, "num_games=0"),
    ("text", {"seat": 2}, "seat=2 is not allowed: choose a whole number from 0 to 1"),
    ("text", {"rethinks": -1}, "rethinks=-1 is not allowed: choose a whole number, 0 or more"),
    (LEARNERS, {"illegal_action": "forgive"}, "illegal_action='forgive' is not allowed: choose 'penalty', 'random'"),
    (LEARNERS, {"illegal_reward": float("nan")}, "illegal_reward=nan is not allowed"),
    (LEARNERS, {"illegal_reward": "-1"}, "illegal_reward='-1' is not allowed"),
]  # fmt: skip
"""Names of doors, what each of them is given, and a part of the sentence that each answers."""


@pytest.mark.parametrize(
    ("door", "given", "sentence"),
    [(door, given, sentence) for doors, given, sentence in ARGUMENTS for door in doors.split()],
)
def test_an_argument_that_is_not_allowed_is_named(door: str, given: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=f"^.*{re.escape(sentence)}.*$") as caught:
        DOORS[door](**given)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(("name", "door"), [(name, door) for name, doors in FLAGS.items() for door in doors.split()])
def test_a_flag_may_be_one_of_numpy(name: str, door: str) -> None:
    DOORS[door](**{name: np.True_, "rules": "classic"})


def everything(door: str, env: Any) -> Any:
    """All that a refused reset must leave alone."""
    if door == "vector":
        return env.games.rows.tobytes()
    game = env if door == "game" else env.unwrapped.game
    if door == "gym":
        return game.to_json(), env.seat
    if door == "game":
        return game.to_json()
    raw = env.unwrapped
    books = [raw.agents, raw.rewards, raw._cumulative_rewards, raw.terminations, raw.truncations, raw.infos]
    return game.to_json(), raw.state().tobytes(), raw.agent_selection, str(books)


def reset(door: str, env: Any, seed: Any = None, options: Any = None) -> None:
    """Begin a hand by a door."""
    if door == "game":
        env.deal(**({} if seed is None else {"seed": seed}), **(options or {}))
    else:
        env.reset(seed=seed, options=options)


DEALT = "game aec gym"
RESETS: list[tuple[str, dict[str, Any], str]] = [
    *((f"{DEALT} vector", {"seed": seed}, f"seed={seed!r} is not allowed") for seed in (-1, 2**64, "one", 1.5, True)),
    (DEALT, {"options": {"deck": "r0 b1 r0"}}, "the deck text has 2 of 'r0', and there are 1 in the deck"),
    (DEALT, {"options": {"deck": "w w w w w"}}, "the deck text has 5 of 'w', and there are 4 in the deck"),
    (DEALT, {"options": {"deck": "wsh"}}, "the deck text has 1 of 'wsh', and there are 0 in the deck"),
    (DEALT, {"options": {"deck": "r5 purple"}}, "'purple' is no card"),
    *((DEALT, {"options": {"deck": deck}}, "list kinds of cards from 0 to 57")
      for deck in ([0, 58], [0, True], ["r0"])),
    (DEALT, {"options": {"deck": 7}}, "deck=7 is not allowed"),
    (DEALT, {"options": {"deck": {"r0": 1}}}, "is not allowed"),
    *((DEALT, {"options": {"dealer": seat}}, f"dealer={seat!r} is not allowed: choose a seat from 0 to 1")
      for seat in (2, -1, True, "north")),
    ("aec gym", {"options": ["deck"]}, "options=['deck'] is not allowed"),
    ("vector", {"seed": [1]}, "1 seeds are not one for each of 2 games"),
    ("vector", {"seed": [1, "two"]}, "seed='two' is not allowed"),
    ("vector", {"options": {"reset_mask": [1, 0]}}, "reset_mask must be 2 booleans"),
    ("vector", {"options": {"reset_mask": np.zeros(2, bool)}}, "reset_mask must be 2 booleans, one of them True"),
    ("vector", {"options": {"deck": "r5"}}, "option 'deck' is not known to many games at once"),
    ("vector", {"options": 5}, "options=5 is not allowed"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("door", "given", "sentence"),
    [(door, given, sentence) for doors, given, sentence in RESETS for door in doors.split()],
)
def test_a_reset_that_is_refused_changes_nothing(door: str, given: dict[str, Any], sentence: str) -> None:
    env = DOORS[door](rules="duel")
    reset(door, env, seed=0)
    before = everything(door, env)
    with pytest.raises(ValueError, match=re.escape(sentence)):
        reset(door, env, **given)
    assert everything(door, env) == before
    if door != "game":
        env.reset()
        after = everything(door, env)
        env.reset(seed=0)
        env.reset()
        assert everything(door, env) == after
