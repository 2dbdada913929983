"""Public objects that are interrupted at any moment; ``python -m tests.interrupts.interrupting`` does it for longer."""

import contextlib
import faulthandler
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import agents
from tests.interrupts.interrupting import ROOT, WAYS, Stop, at_instruction, interrupt, outcome, plays_on
from tests.interrupts.subjects import SUBJECTS, Subject, plain
from uno_env import BatchedGames, Game
from uno_env.core.loops.threads import Threads
from uno_env.envs.vector_env import UnoVectorEnv

needs_signals = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this system has no interval timers")


@needs_signals
@pytest.mark.parametrize("way", ["instruction", "signal"])
@pytest.mark.parametrize("name", SUBJECTS)
def test_what_is_interrupted_is_as_before_or_after_or_must_be_reset(name: str, way: str) -> None:
    chance = random.Random(f"{name} {way}")
    end = time.monotonic() + 0.5
    interrupt(name, way, chance)
    while time.monotonic() < end:
        interrupt(name, way, chance)


@needs_signals
@pytest.mark.slow
@pytest.mark.parametrize("name", SUBJECTS)
def test_thousands_of_interrupts(name: str) -> None:
    """A thousand of each; fewer of a search with a policy's playouts, which would take half an hour."""
    chance = random.Random(name)
    end = time.monotonic() + 180
    for number in range(1000):
        interrupt(name, WAYS[number % 2], chance)
        if time.monotonic() > end:
            break


NAMES = ("Game", "raw_env", "UnoEnv", "BatchedGames, threads", "LearnerGames", "UnoVectorEnv, NextStep", "UnoVecEnv",
         "greedy", "search:ismcts?sims=4", "Position")  # fmt: skip


def test_what_another_thread_interrupts_is_as_before_or_after_or_must_be_reset() -> None:
    """In a process of its own: such an exception may come in code of any library, too."""
    line = [sys.executable, "-m", "tests.interrupts.interrupting", "--ways", "thread", "--minutes", "0.05"]
    done = subprocess.run(line, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    assert ", 0 wrong" in done.stdout


@pytest.mark.parametrize("name", NAMES)
def test_an_interrupt_at_every_instruction_of_a_call(name: str) -> None:
    """In one call of each kind; those of long ones are a sample of theirs."""
    subject, chance = SUBJECTS[name], random.Random(5)
    rehearsed = subject.make()
    with at_instruction(0, Stop) as count:
        subject.play(rehearsed, 4)
    for number in sorted(chance.sample(range(1, count[0] + 1), min(count[0], 60))):
        thing = subject.make()
        with contextlib.suppress(Stop), at_instruction(number, Stop):
            subject.play(thing, 4)
        told = outcome(lambda thing=thing: subject.play(thing, 4))  # type: ignore[misc]
        if told == "must be reset":
            assert subject.reset is not None
            subject.reset(thing, 77)
            outcome(lambda thing=thing: subject.play(thing, 4))  # type: ignore[misc]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning", "ignore:hands take:UserWarning")
def test_a_process_forked_while_another_thread_plays_is_not_locked(name: str) -> None:
    subject = SUBJECTS[name]
    thing, over = subject.make(), threading.Event()
    for number in range(8):
        subject.play(subject.make(), number)
    plays_on(subject, subject.make())  # Numba's own lock, under which it compiles, does not survive a fork

    def play() -> None:
        number = 0
        while not over.is_set():
            subject.play(thing, number)
            number += 1

    playing = threading.Thread(target=play)
    playing.start()
    try:
        codes = [_in_a_fork(lambda: _play_or_reset(subject, thing)) for _ in range(10)]
    finally:
        over.set()
        playing.join()
    assert codes == [0] * 10


def _play_or_reset(subject: Subject, thing: Any) -> None:
    """Play on, whatever is left of it."""
    if "must be reset" in plays_on(subject, thing):
        assert subject.reset is not None
        subject.reset(thing, 77)
        assert "must be reset" not in plays_on(subject, thing)


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


def _interrupted_while_it_stepped() -> UnoVectorEnv:
    """An environment that was interrupted after a step had begun; versions of Python have other instructions."""
    for number in range(50, 1_000, 50):
        env = UnoVectorEnv(4, "duel", ["greedy"])
        env.reset(seed=1)
        actions = env.action_masks().argmax(axis=1)
        with contextlib.suppress(Stop), at_instruction(number, Stop):
            env.step(actions)
        if env._unready:
            return env
    pytest.fail("no step was interrupted")


def test_an_interrupted_environment_says_so_and_only_a_full_reset_mends_it() -> None:
    env = _interrupted_while_it_stepped()
    for _ in range(2):
        with pytest.raises(ValueError, match=r"^step\(\) was interrupted: call reset\(\) before step\(\)$"):
            env.step(env.action_masks().argmax(axis=1))
        with pytest.raises(ValueError, match=r"^step\(\) was interrupted: call reset\(\) without reset_mask first$"):
            env.reset(options={"reset_mask": np.array([True, False, False, False])})
    new = UnoVectorEnv(4, "duel", ["greedy"])
    assert (env.reset(seed=7)[0] == new.reset(seed=7)[0]).all()


def test_a_reset_without_a_seed_after_an_interrupt_begins_a_batch_again() -> None:
    batch = BatchedGames(4, "duel", seed=3)
    first = batch.reset()[0].copy()
    batch.step(batch.sample_actions())
    batch._unready = "step() was interrupted"
    with pytest.raises(ValueError, match=r"^step\(\) was interrupted: call reset\(\) before deal\(\)$"):
        batch.deal(np.array([0]), np.array([1], np.uint64))
    assert (batch.reset()[0] == first).all()


def test_threads_finish_what_an_interrupted_call_has_left_to_them() -> None:
    team, done = Threads([(0, 1), (1, 2)]), []

    def work(first: int, _end: int) -> None:
        if first == 0:
            raise Stop
        time.sleep(0.3)
        done.append(first)

    team._has_work = True
    team._hand_over([_task(work)])
    team.each(lambda first, end: done.append(-first))
    assert done == [1, 0, -1] or done == [1, -1, 0]


def _task(work: Callable[[int, int], None]) -> Any:
    from uno_env.core.loops.threads import _Task

    return _Task(work, (1, 2))


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

    def stop(*_: Any) -> None:
        raise Stop

    before = signal.signal(signal.SIGALRM, stop)
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
