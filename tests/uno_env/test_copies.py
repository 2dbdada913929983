"""uno_env/common/copies.py: copies of everything that plays go on as the original would, and one thread uses it."""

import copy
import multiprocessing
import pickle
import sys
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import agents
import uno_env
from agents.policy.policy_file import load_policy
from agents.zoo.shipped import shipped_file
from uno_env import BatchedGames, Game, Rules
from uno_env.actions import DRAW, PASS
from uno_env.envs.gym_env import UnoEnv
from uno_env.envs.single_agent_games import LearnerGames
from uno_env.envs.single_agent_options import SingleAgentOptions
from uno_env.envs.vector_env import UnoVectorEnv
from uno_env.extensive_form.position import ExtensiveForm, Position

STEPS = 30


def _cloudpickled(value: Any) -> Any:
    cloudpickle = pytest.importorskip("cloudpickle")
    return pickle.loads(cloudpickle.dumps(value))


WAYS: dict[str, Callable[[Any], Any]] = {
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": lambda value: pickle.loads(pickle.dumps(value)),
    "cloudpickle": _cloudpickled,
}


def _play_batch(batch: BatchedGames) -> list[Any]:
    course: list[Any] = []
    for _ in range(STEPS):
        course += [array.copy() for array in batch.step(batch.sample_actions())]
        course += [batch.games.tobytes(), batch.points.copy(), batch.winner.copy(), batch.hand_done.copy()]
        course += [] if batch.history is None else [batch.history.copy()]
    return course


def _play_vector(env: UnoVectorEnv) -> list[Any]:
    course: list[Any] = []
    for _ in range(STEPS):
        obs, rewards, ended, cut, infos = env.step(env.action_masks().argmax(axis=1))
        course += [obs, rewards, ended, cut, infos["action_mask"], env.seats]
    return [*course, env.reset()[0]]


def _play_sb3(env: Any) -> list[Any]:
    course: list[Any] = []
    for _ in range(STEPS):
        obs, rewards, dones, _ = env.step(env.action_masks().argmax(axis=1))
        course += [obs, rewards, dones]
    return [*course, env.reset()]


def _play_gym(env: UnoEnv) -> list[Any]:
    course: list[Any] = []
    for _ in range(STEPS):
        obs, reward, ended, cut, info = env.step(int(env.action_masks().argmax()))
        course += [obs, reward, ended, cut, info["action_mask"]]
        if ended or cut:
            course.append(env.reset()[0])
    return course


def _play_aec(env: Any) -> list[Any]:
    course: list[Any] = []
    for _ in range(STEPS):
        seen, reward, ended, cut, _ = env.last()
        course += [seen["observation"], reward, ended]
        if ended or cut:
            env.reset()
        else:
            env.step(int(seen["action_mask"].argmax()))
    return course


def _play_game(game: Game) -> list[Any]:
    course: list[Any] = []
    while not game.over and len(course) < STEPS:
        game.step(game.legal_actions()[-1])
        course.append(game.record.tobytes())
    return [*course, game.events]


def _choose(agent: Any) -> list[Any]:
    batch = BatchedGames(6, "duel", seed=9, obs_dtype="uint8")
    obs, mask, _ = batch.reset()
    return [agent.act_batch(obs, mask) for _ in range(3)]


def _onnx(spec: str) -> Any:
    """An agent that plays by a network from an ONNX file, which is gone by then."""
    pytest.importorskip("onnxruntime")
    pytest.importorskip("onnx")
    pytest.importorskip("torch")
    from agents.policy.onnx_export import export_onnx

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "net.onnx"
        export_onnx(file, *load_policy(shipped_file("duel-2p")))
        return agents.load(spec.format(file=file), 3)


def _batch(**arguments: Any) -> BatchedGames:
    batch = BatchedGames(7, "house", players=3, seed=5, **arguments)
    batch.reset()
    return batch


def _sb3() -> Any:
    pytest.importorskip("stable_baselines3")
    from uno_env.sb3 import UnoVecEnv

    env = UnoVecEnv(6, "house", opponents=[["mixed"], ["random-play"]], players=2, seed=3)
    env.reset()
    return env


def _reset(env: Any) -> Any:
    env.reset(seed=4)
    return env


MAKERS: dict[str, tuple[Callable[[], Any], Callable[[Any], list[Any]]]] = {
    "batch": (_batch, _play_batch),
    "batch, 3 threads": (lambda: _batch(threads=3), _play_batch),
    "batch, uint8": (lambda: _batch(obs_dtype="uint8"), _play_batch),
    "batch, planes, history": (lambda: _batch(encoding="planes", history=3), _play_batch),
    "batch, match": (lambda: _batch(match=True, reward="points"), _play_batch),
    "vector": (lambda: _reset(UnoVectorEnv(5, "duel", ["mixed"], history=2)), _play_vector),
    "vector, penalty": (lambda: _reset(UnoVectorEnv(5, "house", ["greedy", "random"], players=3)), _play_vector),
    "sb3": (_sb3, _play_sb3),
    "gymnasium": (lambda: _reset(UnoEnv("duel", ["mixed"])), _play_gym),
    "pettingzoo": (lambda: _reset(uno_env.raw_env("house", players=3)), _play_aec),
    "pettingzoo, wrapped": (lambda: _reset(uno_env.env("duel")), _play_aec),
    "game": (lambda: Game("house", seed=3), _play_game),
    "random": (lambda: agents.load("random", 3), _choose),
    "tuned": (lambda: agents.load("tuned", 3), _choose),
    "policy": (lambda: agents.load("zoo:duel-2p?sample=1", 3), _choose),
    "search": (lambda: agents.load("search:flat?num_determinizations=4", 3), _choose),
    "onnx": (lambda: _onnx("{file}?sample=1"), _choose),
    "onnx in a search": (lambda: _onnx("search:flat?num_determinizations=2&prior={file}"), _choose),
    "tree": (lambda: agents.load("search:ismcts?sims=20", 3), _choose),
}


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(_same(one[key], other[key]) for key in one)
    return bool(np.array_equal(one, other)) if isinstance(one, np.ndarray) else one == other


def _same_course(one: list[Any], other: list[Any]) -> bool:
    return len(one) == len(other) and all(map(_same, one, other))


@pytest.mark.thorough
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", MAKERS)
def test_a_copy_plays_as_the_original_and_apart_from_it(kind: str, way: str) -> None:
    make, play = MAKERS[kind]
    original, expected = make(), play(make())
    played_first = play(WAYS[way](original))
    twin = WAYS[way](original)
    assert _same_course(played_first, expected)
    assert _same_course(play(original), expected)
    assert _same_course(play(twin), expected)


@pytest.mark.parametrize("way", WAYS)
def test_copies_of_an_extensive_form_are_walked_as_it_is_and_share_no_room_with_it(way: str) -> None:
    """Its parts are views on each other, which a pickle took apart: positions were then silently others."""
    form = ExtensiveForm(Rules.preset("house", hand_size=2, draw="one"))
    copied = WAYS[way](form)
    assert copied.root.form is copied
    assert not any(
        np.shares_memory(getattr(form.room, name), getattr(copied.room, name)) for name in ("games", "cards", "mask")
    )
    assert _walk(copied.root) == _walk(form.root)


@pytest.mark.parametrize("way", WAYS)
def test_a_copied_position_goes_on_as_the_original(way: str) -> None:
    position = ExtensiveForm(Rules.preset("house", hand_size=2, draw="one")).root
    for _ in range(30):
        copied = WAYS[way](position)
        assert not copied.array.flags.writeable
        assert copied.information_state(0) == position.information_state(0)
        assert _walk(copied, 5) == _walk(position, 5)
        position = _moved(position)


def test_a_position_late_in_a_long_hand_can_be_pickled() -> None:
    """What happened is a chain, of which pickle could take no more than some 500 links."""
    position = ExtensiveForm(Rules.preset("duel", deck="r1 r2 b1 b2 g1 g2", hand_size=1, max_decisions=2_000)).root
    while not position.over:
        draws = [action for action in position.legal_actions() if action in (DRAW, PASS)]
        position = position.move(draws[0]) if draws else _moved(position)
    entries, copied = list(position.history()), list(pickle.loads(pickle.dumps(position)).history())
    assert len(entries) == len(copied) > 1_000
    assert all(one.event == other.event for one, other in zip(entries, copied, strict=True))
    assert not any(entry.hands.flags.writeable for entry in copied)


def _walk(position: Position, steps: int = 60) -> list[Any]:
    course: list[Any] = []
    while not position.over and len(course) < steps:
        position = _moved(position)
        course.append((position.seen, position.array.tobytes(), position.legal_actions(), position.chance_moves()))
    return course


def _moved(position: Position) -> Position:
    moves = [move for move, _ in position.chance_moves()] or position.legal_actions()
    return position.move(moves[len(position.seen[0]) % len(moves)])


@pytest.mark.parametrize("way", WAYS)
def test_a_copy_made_midway_goes_on(way: str) -> None:
    env = _reset(UnoVectorEnv(5, "classic", ["mixed", "random", "greedy"]))
    _play_vector(env)
    twin = WAYS[way](env)
    assert _same_course(_play_vector(twin), _play_vector(env))


def _step_in_child(batch: BatchedGames, answers: Any) -> None:
    answers.put([array.copy() for array in batch.step(batch.sample_actions())])


def test_a_batch_with_threads_works_after_a_fork() -> None:
    batch = _batch(threads=3)
    batch.step(batch.sample_actions())
    context = multiprocessing.get_context("fork")
    answers = context.Queue()
    child = context.Process(target=_step_in_child, args=(batch, answers))
    child.start()
    try:
        seen = answers.get(timeout=60)
    finally:
        child.kill()
        child.join(10)
    assert _same_course(seen, batch.step(batch.sample_actions()))


def _learner_games(opponent: Any) -> LearnerGames:
    return LearnerGames(4, SingleAgentOptions("duel", [opponent]))


def test_threads_that_walk_one_extensive_form_wait_for_each_other() -> None:
    """They worked in the same room: what one had put there, another one played on."""
    form = ExtensiveForm(Rules.preset("house", hand_size=3, draw="one"))
    expected, found, interval = _walk(form.root, 150), [], sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        threads = [threading.Thread(target=lambda: found.append(_walk(form.root, 150))) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert len(found) == 4
    assert all(course == expected for course in found)


def test_an_opponent_cannot_step_the_games_it_is_asked_in() -> None:
    class Meddler:
        games: LearnerGames | None = None

        def act_batch(self, observations: Any, action_masks: Any) -> Any:
            if self.games is not None:
                self.games.deal(np.arange(4))
            return action_masks.argmax(axis=1)

    opponent = Meddler()
    games = _learner_games(opponent)
    games.reset(1)
    opponent.games = games

    def play() -> None:
        for _ in range(9):
            games.step(np.arange(4), games.mask.argmax(axis=1))

    with pytest.raises(RuntimeError, match="during another call"):
        play()
