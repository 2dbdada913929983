"""Public objects that are interrupted at any moment: as before the call, as after it, or to be reset.

An interrupt is an exception raised before one instruction of our Python in a call. What is left of the object must play
on as a twin that was not called, or as one whose call was not interrupted, or say that it must be reset; once it is
reset, it must be as a new one.
"""

import contextlib
import copy
import faulthandler
import os
import random
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable
from typing import Any, NamedTuple

import gymnasium
import numpy as np
import pytest

import agents
import uno_env
from tests.helpers.interrupts import Stop, at_instruction
from uno_env import BatchedGames, Game, Rules
from uno_env.core.jit.threads import Threads, _Task
from uno_env.envs.gym_env import UnoEnv
from uno_env.envs.sb3 import UnoVecEnv
from uno_env.envs.vector_env import UnoVectorEnv
from uno_env.player import Player

N = 6
"""Games of what plays many."""
CALLS_ON = 3
"""Calls by which twins are compared."""
SHORT = Rules(players=3, hand_size=3)

needs_signals = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this system has no interval timers")


class Lowest(Player):
    """A player written in Python, with a state of its own that follows from its seed."""

    name = "lowest"

    def __init__(self) -> None:
        self.turn = 0

    def reset(self, seed: int) -> None:
        self.turn = seed % 7

    def act_batch(self, observations: Any, action_masks: Any, histories: Any = None) -> Any:
        self.turn += 1
        last = action_masks.shape[1] - 1 - action_masks[:, ::-1].argmax(axis=1)
        return last if self.turn % 2 else action_masks.argmax(axis=1)


class Subject(NamedTuple):
    """A kind of object; all functions are deterministic, given the object."""

    make: Callable[[], Any]
    """A new one, not yet reset."""
    reset: Callable[[Any, int], Any]
    """Begins anew from a seed."""
    shown: Callable[[Any], Any]
    """What can be read of it."""
    calls: dict[str, Callable[[Any, int], Any]]
    """Calls that change it, "play" among them; the number makes calls differ."""


def plain(value: Any) -> Any:
    """A value as what compares by its contents."""
    if isinstance(value, np.ndarray):
        return [plain(each) for each in value] if value.dtype == object else (value.shape, value.tobytes())
    if isinstance(value, dict):
        return {str(name): plain(each) for name, each in value.items()}
    return [plain(each) for each in value] if isinstance(value, list | tuple) else value


def chosen(masks: Any, number: int) -> Any:
    """A legal action in each row, another for each number."""
    ids = np.arange(masks.shape[1])
    return np.where(masks != 0, (ids * 31 + number * 17) % 101 + 1, 0).argmax(axis=1)


def _play_game(game: Game, number: int) -> Any:
    return game.deal(number) if game.over else game.step(int(chosen(game.action_mask()[None], number)[0]))


def _shown_game(game: Game) -> Any:
    again = Game.from_json(game.to_json())
    assert (again.history, again.events, again.legal_actions()) == (game.history, game.events, game.legal_actions())
    return game.to_json(), game.history, game.events, game.legal_actions(), game.observe(0).tobytes()


def _play_raw(env: Any, number: int) -> Any:
    if not env.agents:
        return env.reset()
    done = env.terminations[env.agent_selection] or env.truncations[env.agent_selection]
    return env.step(None if done else int(chosen(env._shown_mask_of(env.game.to_move)[None], number)[0]))


def _shown_raw(env: Any) -> Any:
    books = [env.agents, env.rewards, env.terminations, env.truncations, env.infos, env.agent_selection]
    return plain(env.last()) if env.agents else (), plain(books), env.state().tobytes(), env.game.to_json()


def _play_gym(env: UnoEnv, number: int) -> Any:
    if env.game.over:
        return plain(env.reset())
    return plain(env.step(number * 7 % 130 if number % 3 == 0 else int(chosen(env.action_masks()[None], number)[0])))


def _shown_batch(batch: BatchedGames) -> Any:
    state = batch.get_state()
    read = [batch._mask, batch._seat, batch._obs, batch.history]
    return plain(state["games"][["rng", "to_move", "decisions"]].tolist()), plain(state["random"]), plain(read)


def _shown_learners(games: Any) -> Any:
    state = games.get_state()
    told = [plain(state[name]) for name in ("seats", "mask", "over", "reward")]
    return told, plain(games.observe()), plain(state["games"][["rng", "to_move", "decisions"]].tolist())


def _reset_sb3(env: UnoVecEnv, seed: int) -> Any:
    env.seed(seed)
    return plain(env.reset())


ROWS = BatchedGames(4, "duel", seed=5, obs_dtype="uint8")
SHOWN = [np.array(array) for array in ROWS.reset()[:2]]


def _ask(agent: Any, number: int) -> Any:
    return plain(agent.act_batch(*(np.roll(rows, number, axis=0)[: 1 + number % 4] for rows in SHOWN)))


SUBJECTS = {
    "Game": Subject(
        lambda: Game(SHORT.replace(target=20), match=True), lambda game, seed: game.deal(seed), _shown_game,
        {"play": _play_game,
         "deal": lambda game, number: game.deal(number, deck="r5 g5 y7", dealer=1),
         "playouts": lambda game, number: game.playouts(3, number).tobytes()},
    ),
    "raw_env": Subject(
        lambda: uno_env.raw_env(rules=SHORT.replace(target=20), match=True, history=3, symmetry=True),
        lambda env, seed: env.reset(seed=seed), _shown_raw, {"play": _play_raw},
    ),
    "UnoEnv": Subject(
        lambda: UnoEnv(rules=SHORT, opponents=[Lowest(), "greedy"], illegal_action="random"),
        lambda env, seed: plain(env.reset(seed=seed)),
        lambda env: (env.action_masks().tobytes(), env.seat, env.game.to_json()),
        {"play": _play_gym, "reset": lambda env, number: plain(env.reset())},
    ),
    "BatchedGames": Subject(
        lambda: BatchedGames(N, rules="house", players=3, threads=2, history=3),
        lambda batch, seed: plain(batch.reset(seed)), _shown_batch,
        {"play": lambda batch, number: plain(batch.step(chosen(batch._mask, number))),
         "deal": lambda batch, number: plain(batch.deal(np.array([0, 2]), np.array([number, 9], np.uint64))),
         "reset": lambda batch, number: plain(batch.reset()),
         "sample_actions": lambda batch, number: plain(batch.sample_actions()),
         "set_state": lambda batch, number: plain(batch.set_state(batch.get_state()))},
    ),
    "UnoVecEnv": Subject(
        lambda: UnoVecEnv(N, SHORT.replace(players=2), opponents=[["greedy"], [Lowest()]], history=2, symmetry=True),
        _reset_sb3, lambda env: (env.action_masks().tobytes(), [_shown_learners(games) for games in env.tables]),
        {"play": lambda env, number: plain(env.step(chosen(env.action_masks(), number))),
         "reset": lambda env, number: plain(env.reset()),
         "set_state": lambda env, number: env.set_state(env.get_state())},
    ),
    "a search": Subject(
        lambda: agents.load("search:ismcts?sims=4"), lambda agent, seed: agent.reset(seed), lambda agent: agent.name,
        {"play": _ask},
    ),
}  # fmt: skip


def outcome(call: Callable[[], Any]) -> Any:
    """What a call gives, or that it asks for a reset."""
    try:
        return call()
    except (ValueError, gymnasium.error.ResetNeeded) as error:
        if "was interrupted: call reset() " in str(error):
            return "must be reset"
        raise


def plays_on(subject: Subject, thing: Any) -> list[Any]:
    """What an object shows and does from now on."""
    told = list[Any]()
    for number in range(11, 11 + CALLS_ON):
        told.append(plain(outcome(lambda: subject.shown(thing))))
        told.append(plain(outcome(lambda number=number: subject.calls["play"](thing, number))))  # type: ignore[misc]
    return told


def _begun(subject: Subject, calls: int) -> Any:
    thing = subject.make()
    subject.reset(thing, 3)
    for number in range(calls):
        subject.calls["play"](thing, number)
    return thing


@pytest.mark.thorough
@pytest.mark.parametrize(("name", "call"), [(name, call) for name, each in SUBJECTS.items() for call in each.calls])
def test_what_is_interrupted_is_as_before_or_after_or_must_be_reset(name: str, call: str) -> None:
    subject, rng, found = SUBJECTS[name], random.Random(f"{name} {call}"), Counter[str]()
    for _ in range(12):
        thing, number = _begun(subject, rng.choice((0, 1, 5))), rng.randrange(50)
        before, after, rehearsed = (copy.deepcopy(thing) for _ in range(3))
        subject.calls[call](after, number)
        with at_instruction(0) as count:
            subject.calls[call](rehearsed, number)
        with contextlib.suppress(Stop), at_instruction(1 + rng.randrange(count[0])):
            subject.calls[call](thing, number)
        told = plays_on(subject, thing)
        if "must be reset" in told:
            found["must be reset"] += 1
        elif told == plays_on(subject, before):
            found["as before"] += 1
        else:
            assert told == plays_on(subject, after), "it plays on neither as before the call nor as after it"
            found["as after"] += 1
        subject.reset(thing, 77)
        new = subject.make()
        subject.reset(new, 77)
        assert plays_on(subject, thing) == plays_on(subject, new), "after a reset it is not as a new one"
    assert found["must be reset"] == 0 or name not in ("Game", "a search")


@pytest.mark.parametrize("name", SUBJECTS)
@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning", "ignore:hands take:UserWarning")
def test_a_process_forked_while_another_thread_plays_is_not_locked(name: str) -> None:
    subject, over = SUBJECTS[name], threading.Event()
    thing = _begun(subject, 8)
    plays_on(subject, _begun(subject, 0))  # Numba's own lock, under which it compiles, does not survive a fork

    def play() -> None:
        number = 0
        while not over.is_set():
            subject.calls["play"](thing, number)
            number += 1

    def play_or_reset() -> None:
        if outcome(lambda: subject.calls["play"](thing, 1)) == "must be reset":
            subject.reset(thing, 77)
            subject.calls["play"](thing, 1)

    playing = threading.Thread(target=play)
    playing.start()
    try:
        codes = [_in_a_fork(play_or_reset) for _ in range(3)]
    finally:
        over.set()
        playing.join()
    assert codes == [0] * 3


def _in_a_fork(work: Callable[[], Any]) -> int:
    child = os.fork()
    if child == 0:
        code = 1
        try:
            faulthandler.dump_traceback_later(60, exit=True)
            work()
            code = 0
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def test_an_interrupted_environment_says_so_and_only_a_full_reset_mends_it() -> None:
    env = UnoVectorEnv(4, "duel", ["greedy"])
    env.reset(seed=1)
    with contextlib.suppress(Stop), pytest.MonkeyPatch.context() as patch:
        patch.setattr(env.games, "take_rewards", _stop)
        env.step(env.action_masks().argmax(axis=1))
    for _ in range(2):
        with pytest.raises(ValueError, match=r"^step\(\) was interrupted: call reset\(\) before step\(\)$"):
            env.step(env.action_masks().argmax(axis=1))
        with pytest.raises(ValueError, match=r"^step\(\) was interrupted: call reset\(\) without reset_mask first$"):
            env.reset(options={"reset_mask": np.array([True, False, False, False])})
    new = UnoVectorEnv(4, "duel", ["greedy"])
    assert (env.reset(seed=7)[0] == new.reset(seed=7)[0]).all()


def _stop(*_: Any) -> None:
    raise Stop


def test_a_reset_without_a_seed_after_an_interrupt_begins_a_batch_again(monkeypatch: pytest.MonkeyPatch) -> None:
    batch = BatchedGames(4, "duel", seed=3)
    first = batch.reset()[0].copy()
    batch.step(batch.sample_actions())
    with contextlib.suppress(Stop), monkeypatch.context() as patch:
        patch.setattr(batch, "_stepped", _stop)
        batch.step(batch.sample_actions())
    with pytest.raises(ValueError, match=r"^step\(\) was interrupted: call reset\(\) before deal\(\)$"):
        batch.deal(np.array([0]), np.array([1], np.uint64))
    assert (batch.reset()[0] == first).all()


def test_threads_finish_what_an_interrupted_call_has_left_to_them() -> None:
    team, done = Threads([(0, 1), (1, 2)]), []
    stopped = threading.Event()

    def work(first: int, _end: int) -> None:
        if first == 0:
            raise Stop
        stopped.wait(60)
        done.append(first)

    team._has_work = True
    team._hand_over([_Task(work, (1, 2))])
    stopped.set()
    team.each(lambda first, end: done.append(-first))
    assert sorted(done) == [-1, 0, 1]
    assert done.index(1) < done.index(-1)


def _play_long(game: Game) -> Any:
    return game.playouts(10**8)


def _search_long(game: Game) -> Any:
    return agents.load("search:ismcts?sims=10000000&rollout=random").act(game.observe(game.to_move), game.action_mask())


@needs_signals
@pytest.mark.parametrize("work", [_play_long, _search_long])
def test_long_compiled_work_hears_an_interrupt(work: Callable[[Game], Any]) -> None:
    game = Game("classic")
    game.playouts(64)
    agents.load("search:ismcts?sims=4&rollout=random").act(game.observe(game.to_move), game.action_mask())
    before = signal.signal(signal.SIGALRM, _stop)
    begun = time.monotonic()
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        with pytest.raises(Stop):
            work(game)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert time.monotonic() - begun < 20


def test_searches_do_not_depend_on_how_they_are_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    game = Game("duel", seed=4)
    asked = game.observe(game.to_move), game.action_mask()

    def counts(size: int) -> Any:
        monkeypatch.setattr("agents.search.search_agents.SIMULATIONS_PER_CALL", size)
        agent: Any = agents.load("search:ismcts?sims=50", seed=3)
        agent.act(*asked)
        return plain([agent._tree.visits[:50], agent._tree.total[:50]])

    assert counts(7) == counts(1000)


def test_playouts_do_not_depend_on_how_they_are_cut() -> None:
    game = Game("duel", seed=4)
    assert (game.playouts(40, 9)[:3] == game.playouts(3, 9)).all()
