"""What public objects hand out cannot change what compiled code trusts, and no object is used by two threads at
once."""

import contextlib
import copy
import inspect
import pickle
import sys
import threading
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pytest

import agents
import uno_env
from tests.fuzz.subjects import SUBJECTS
from tests.fuzz.values import Values
from uno_env import BatchedGames, Game, Rules
from uno_env.envs.gym_env import UnoEnv
from uno_env.envs.single_agent_games import LearnerGames
from uno_env.envs.single_agent_options import SingleAgentOptions
from uno_env.envs.vector_env import UnoVectorEnv
from uno_env.extensive_form.position import ExtensiveForm

HARMLESS = {
    ("BatchedGames", "sample_actions"): "a buffer that the next call fills anew; a step copies what it is given",
    ("Position", "form"): "room to work in, which each call fills before it reads it",
}
"""Writable arrays that an object hands out of its own, and why a caller may write to them."""
RANDOM = ("np_random", "weights", "card", "network")
"""Attributes that are of others: NumPy's generators; a policy's own numbers, which no compiled code reads as
indices."""


def _arrays(value: Any, seen: set[int], private: bool) -> Iterator[Any]:
    """The arrays that can be reached from a value; through private attributes too, if asked for."""
    if id(value) in seen:
        return
    seen.add(id(value))
    if isinstance(value, np.ndarray | np.void):
        yield value
    elif isinstance(value, Mapping):
        for each in value.values():
            yield from _arrays(each, seen, private)
    elif isinstance(value, list | tuple | set):
        for each in value:
            yield from _arrays(each, seen, private)
    elif type(value).__module__.split(".")[0] in ("uno_env", "agents", "tests"):
        for name, each in _attributes(value):
            if private or not name.startswith("_"):
                yield from _arrays(each, seen, private)


def _attributes(value: Any) -> Iterator[tuple[str, Any]]:
    own = vars(value) if hasattr(value, "__dict__") else {name: getattr(value, name) for name in value.__slots__}
    yield from own.items()
    for name, _ in inspect.getmembers(type(value), lambda member: isinstance(member, property)):
        with contextlib.suppress(Exception):
            yield name, getattr(value, name)


def _writable_memory(subject: Any, name: str, own: list[Any]) -> bool:
    """Whether an attribute, or what a method without arguments returns, is writable memory of the object's own."""
    given = getattr(subject, name)
    with contextlib.suppress(ValueError, TypeError, RuntimeError, NotImplementedError):
        given = given() if callable(given) else given
    writable = [array for array in _arrays(given, set(), private=False) if array.flags.writeable]
    return any(np.shares_memory(_bytes(array), _bytes(mine)) for array in writable for mine in own)


def _bytes(array: Any) -> Any:
    return array if isinstance(array, np.ndarray) else array.base


@pytest.mark.parametrize("name", [name for name in SUBJECTS if name not in agents.scripted.dispatch.STRATEGIES])
def test_no_writable_memory_of_its_own_is_handed_out(name: str) -> None:
    subject = SUBJECTS[name](Values(5))
    own = list(_arrays(subject, set(), private=True))
    names = [each for each in dir(subject) if not each.startswith("_") and each not in RANDOM]
    found = []
    for each in names:
        if each.startswith(("render", "close", "env", "unwrapped", "get_", "set_")):
            continue
        if (type(subject).__name__, each) not in HARMLESS and _writable_memory(subject, each, own):
            found.append(each)
    assert found == []


def test_a_caller_cannot_write_to_records() -> None:
    game, rules = Game("house", seed=3), Rules.preset("duel")
    for record in (game.record, rules.record, copy.deepcopy(rules).record, pickle.loads(pickle.dumps(rules)).record):
        with pytest.raises(ValueError, match="read-only"):
            record[0] = 9
        with pytest.raises(ValueError, match="read-only"):
            record["deck" if "deck" in record.dtype.names else "pile"][0] = 99
    rules.array_for(match=False)["players"] = 99
    assert rules.record.players == 2, "an array is the caller's own"


def test_a_caller_cannot_add_moves_to_a_position() -> None:
    root = ExtensiveForm(Rules.preset("duel", hand_size=2)).root
    root.chance_moves().append((999, 1.0))
    with pytest.raises(ValueError, match="999 is not a move of chance here"):
        root.move(999)
    position = root
    while position.is_chance:
        position = position.move(position.chance_moves()[0][0])
    illegal = next(action for action in range(100) if action not in position.legal_actions())
    position.legal_actions().append(illegal)
    with pytest.raises(ValueError, match=f"{illegal} is not an action that is legal here"):
        position.move(illegal)


def test_a_step_goes_by_the_actions_that_were_checked() -> None:
    """Another thread may write to the caller's array meanwhile: what is done are copies."""
    batch = BatchedGames(2, "duel")
    batch.reset()
    given = batch.sample_actions().copy()
    check = batch._refusal

    def overwrite(mask: Any, actions: Any) -> Any:
        refused = check(mask, actions)
        given[:] = 10**9
        return refused

    batch._refusal = overwrite  # type: ignore[method-assign]
    assert batch.step(given)[0].shape[0] == 2


def _acts(subject: Any, name: str) -> None:
    """One call of what only one thread at a time may do."""
    game = Game("duel")
    if name == "act_batch":
        subject.act_batch(game.observe(game.to_move, "uint8")[None], game.action_mask()[None])
    elif name == "step":
        subject.step(int(subject.action_mask().argmax() if isinstance(subject, Game) else 0))
    else:
        getattr(subject, name)()


CASES = [
    (lambda: Game("duel"), "step deal clone playouts to_json"),
    (lambda: uno_env.raw_env("duel"), "step reset state"),
    (lambda: UnoEnv("duel"), "step reset"),
    (lambda: BatchedGames(2, "duel"), "step reset sample_actions get_state"),
    (lambda: UnoVectorEnv(2, "duel"), "step reset"),
    (lambda: LearnerGames(2, SingleAgentOptions("duel", ["greedy"])), "step reset deal"),
    (lambda: agents.load("greedy", 1), "act_batch"),
    (lambda: agents.load("zoo:duel-2p", 1), "act_batch"),
    (lambda: agents.load("search:flat?num_determinizations=2", 1), "act_batch"),
]


@pytest.mark.parametrize(("make", "names"), CASES)
def test_a_call_during_another_one_is_refused(make: Any, names: str) -> None:
    subject = make()
    mark = object()  # as the local variable of a call that runs
    subject._calls.append(mark)
    twins = copy.copy(subject), copy.deepcopy(subject), pickle.loads(pickle.dumps(subject))
    for name in names.split():
        if name == "playouts":
            with pytest.raises(RuntimeError, match="during another call"):
                subject.playouts(1)
            continue
        with pytest.raises(RuntimeError, match=rf"\.{name}\(\) was called during another call"):
            _acts(subject, name)
    subject._calls.remove(mark)
    for each in (subject, *twins):
        for name in ("reset", *names.split()):
            if name in ("step", "playouts") or not hasattr(each, name) or isinstance(each, agents.Agent | LearnerGames):
                continue
            _acts(each, name)
    if names == "act_batch":
        for each in (subject, *twins):
            _acts(each, "act_batch")


@pytest.fixture
def _many_switches() -> Iterator[None]:
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def _together(work: Any, threads: int = 4) -> list[Exception]:
    """Errors other than refusals that threads meet which do the same work; it was done once before, and compiled."""
    errors: list[Exception] = []

    def call() -> None:
        for _ in range(400):
            try:
                work()
            except (RuntimeError, ValueError):  # another call is under way; or it has made the action illegal
                pass
            except Exception as error:
                errors.append(error)

    running = [threading.Thread(target=call) for _ in range(threads)]
    for each in running:
        each.start()
    for each in running:
        each.join()
    return errors


@pytest.mark.usefixtures("_many_switches")
def test_a_game_that_two_threads_step_stays_one_game() -> None:
    game = Game("house", seed=8, players=4, match=True)

    def work() -> None:
        game.observe(game.to_move % 4)
        game.step((game.legal_actions() or [0])[0])

    for _ in range(400):
        game.step(game.legal_actions()[0])
    assert _together(work) == []
    again = Game.from_json(game.to_json())
    assert (again.history, again.events) == (game.history, game.events)


@pytest.mark.usefixtures("_many_switches")
def test_what_a_seat_observes_is_its_own_whatever_other_threads_ask() -> None:
    """A row that two calls share would show one seat the other's hand."""
    game = Game("duel", seed=8)
    expected = [game.observe(seat, dtype).tobytes() for dtype in ("uint8", "float32") for seat in (0, 1)]
    wrong = []

    def watch(place: int) -> None:
        for _ in range(3_000):
            if game.observe(place % 2, "uint8" if place < 2 else "float32").tobytes() != expected[place]:
                wrong.append(place)

    watching = [threading.Thread(target=watch, args=(place,)) for place in range(4)]
    for each in watching:
        each.start()
    for each in watching:
        each.join()
    assert wrong == []


@pytest.mark.usefixtures("_many_switches")
def test_an_environment_that_two_threads_step_stays_consistent() -> None:
    env = uno_env.raw_env("duel", match=True)
    env.reset(seed=4)

    def work() -> None:
        if not env.agents or env.terminations[env.agent_selection] or env.truncations[env.agent_selection]:
            env.reset()
        env.step((env.game.legal_actions() or [0])[0])

    for _ in range(400):
        work()
    assert _together(work) == []
    assert env.agent_selection == f"player_{env.game.to_move}" or env.game.over
    assert Game.from_json(env.game.to_json()).history == env.game.history


@pytest.mark.usefixtures("_many_switches")
def test_a_batch_that_two_threads_step_stays_possible() -> None:
    batch = BatchedGames(2_000, "house", players=4, seed=1, threads=2)
    batch.reset()
    assert _together(lambda: batch.step(batch.sample_actions()), threads=2) == []
    batch.set_state(batch.get_state())  # which checks them
