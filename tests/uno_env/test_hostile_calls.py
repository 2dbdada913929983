"""What comes from outside is checked before compiled code goes by it; buffers are not the caller's to write to."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from uno_env import BatchedGames, Rules
from uno_env.actions import NUM_ACTIONS
from uno_env.core.record import OVER
from uno_env.encodings import ENCODINGS, ObservationForm
from uno_env.envs.single_agent_games import LearnerGames
from uno_env.envs.single_agent_options import SingleAgentOptions
from uno_env.envs.vector_env import UnoVectorEnv
from uno_env.extensive_form.position import ExtensiveForm
from uno_env.observation import OBSERVATION_SIZE
from uno_env.sb3 import UnoVecEnv

ANY_ERROR = (ValueError, TypeError)

Corrupt = Callable[[dict[str, Any]], None]


def _set(name: str, value: Any) -> Corrupt:
    def corrupt(state: dict[str, Any]) -> None:
        state[name][0] = value

    return corrupt


def _set_field(name: str, value: int) -> Corrupt:
    def corrupt(state: dict[str, Any]) -> None:
        state["games"][name][0] = value

    return corrupt


def _random_bytes(state: dict[str, Any]) -> None:
    games = state["games"]
    games.view(np.uint8)[:] = np.random.default_rng(1).integers(0, 256, games.view(np.uint8).shape, np.uint8)


def _drop(state: dict[str, Any]) -> None:
    del state["games"]


def _as_list(state: dict[str, Any]) -> None:
    state["games"] = state["games"].tolist()


def _nobody_in(state: dict[str, Any]) -> None:
    """A state in which the search for the next player would never end."""
    games = state["games"]
    games["out"][0], games["hands_played"][0] = 0b1111, 1
    games["discards"][0] += games["seats"]["hand"][0, :4].sum(axis=0, dtype=np.int8)
    games["seats"]["hand"][0], games["seats"]["hand_size"][0] = 0, 0


GAMES: dict[str, Corrupt] = {
    "random bytes": _random_bytes,
    "no games": _drop,
    "a list": _as_list,
    "a seat": _set_field("turn", 100),
    "a player to move": _set_field("to_move", -5),
    "a phase": _set_field("phase", 77),
    "the end of the draw pile": _set_field("pile_end", 20_000),
    "over": _set_field("phase", OVER),
    "known cards": _set_field("knows", 1),
    "a hand of a match": _set_field("hands_played", 3),
    "nobody in": _nobody_in,
    "events seen": _set("told", -(2**40)),
    "more events seen": _set("told", 2**63 - 1),
    "events": _set("history", 255),
}


@pytest.mark.parametrize("corrupt", GAMES.values(), ids=GAMES.keys())
def test_a_batch_refuses_impossible_states(corrupt: Corrupt) -> None:
    batch = BatchedGames(3, Rules.preset("duel", players=4), seed=1, history=2)
    batch.reset()
    before, state = batch.get_state(), batch.get_state()
    corrupt(state)
    with pytest.raises(ValueError, match="state"):
        batch.set_state(state)
    assert all((array == batch.get_state()[name]).all() for name, array in before.items())


@pytest.mark.parametrize("match", [False, True])
@pytest.mark.parametrize("rules", ["duel", "house", "rlcard"])
def test_a_batch_takes_its_own_states(rules: str, match: bool) -> None:
    batch = BatchedGames(64, rules, players=2, seed=1, match=match, history=2)
    batch.reset()
    for _ in range(100):
        batch.step(batch.sample_actions())
        batch.set_state(batch.get_state())


def test_a_state_of_games_that_were_not_dealt_is_refused() -> None:
    batch = BatchedGames(2)
    batch.reset()
    state = batch.get_state()
    state["games"] = np.zeros_like(state["games"])
    with pytest.raises(ValueError, match="game 0 of the state is impossible"):
        batch.set_state(state)


def _learners(num_games: int = 3, **options: Any) -> LearnerGames:
    games = LearnerGames(num_games, SingleAgentOptions("duel", ["greedy"], **options))
    games.reset(1)
    return games


LEARNERS = {
    **{name: corrupt for name, corrupt in GAMES.items() if name != "nobody in"},
    "the learner's seat": _set("seats", 9),
    "not its turn": _set("seats", 1),
    "over without an end": _set("over", 2),
    "an end": _set("results", 99),
    "illegal actions": _set("mistakes", -1),
}


@pytest.mark.parametrize("corrupt", LEARNERS.values(), ids=LEARNERS.keys())
def test_learners_games_refuse_impossible_states(corrupt: Corrupt) -> None:
    games = _learners(history=2, seat=0)
    before, state = games.get_state(), games.get_state()
    corrupt(state)
    with pytest.raises(ValueError, match="state"):
        games.set_state(state)
    assert all((array == games.get_state()[name]).all() for name, array in before.items())


def test_masks_and_rows_in_a_state_are_not_believed() -> None:
    games, other = _learners(), _learners()
    state = games.get_state()
    state["mask"][:], state["rows"][:], state["known"][:] = 1, 255, 77
    other.set_state(state)
    assert (other.mask == games.mask).all()
    assert (other.rows == games.rows).all()
    for _ in range(40):
        for each in (games, other):
            each.step(np.arange(3), each.mask.argmax(axis=1))
            each.deal(np.flatnonzero(each.over))
        assert (other.rows == games.rows).all()


def test_games_that_are_over_go_on_from_their_state() -> None:
    games, other = _learners(illegal_action="penalty"), _learners(illegal_action="penalty")
    while not games.over.any():
        games.step(np.arange(3), games.mask.argmax(axis=1))
    other.set_state(games.get_state())
    assert (other.rows == games.rows).all()
    assert (other.mask == games.mask).all()
    assert not games.mask[games.over != 0].any()


CALLS: dict[str, Callable[[LearnerGames], Any]] = {
    "seed": lambda games: games.reset(1.5),  # type: ignore[arg-type]
    "seeds": lambda games: games.reset(np.array([1, 2])),
    "reset of no game": lambda games: games.reset(1, np.array([7])),
    "reset twice": lambda games: games.reset(1, np.array([1, 1])),
    "deal of no game": lambda games: games.deal(np.array([-1])),
    "deal by mask": lambda games: games.deal(np.array([True, False, True])),
    "step of no game": lambda games: games.step(np.array([3]), np.array([0])),
    "step twice": lambda games: games.step(np.array([0, 0]), np.array([0, 0])),
    "fewer actions": lambda games: games.step(np.arange(3), np.array([0])),
    "fractions": lambda games: games.step(np.arange(3), np.array([0.5, 0.5, 0.5])),
    "booleans": lambda games: games.step(np.arange(3), np.array([True, True, True])),
    "overflow": lambda games: games.step(np.arange(3), np.array([2**64 - 1] * 3, np.uint64)),
    "what no game sees": lambda games: games.observe(np.array([5])),
    "ends of no game": lambda games: games.ends(np.array([5])),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS.keys())
def test_learners_games_check_what_they_are_given(call: Callable[[LearnerGames], Any]) -> None:
    games = _learners()
    before = games.get_state()
    with pytest.raises(ValueError):
        call(games)
    assert all((array == games.get_state()[name]).all() for name, array in before.items())


def test_games_that_are_over_or_not_dealt_are_not_stepped() -> None:
    games = LearnerGames(2, SingleAgentOptions("duel", ["greedy"], illegal_action="terminate"))
    with pytest.raises(ValueError, match="game 0 is over: deal it before step"):
        games.step(np.arange(2), np.array([0, 0]))
    games.reset(1)
    games.step(np.arange(2), games.mask.argmin(axis=1))
    assert games.over.all()
    with pytest.raises(ValueError, match="game 0 is over: deal it before step"):
        games.step(np.arange(2), np.array([0, 0]))


def _refused(games: LearnerGames) -> None:
    with pytest.raises(ValueError, match=r"is not allowed|must be"):
        games.check_step(np.arange(3), np.full(3, -1))


CHANGES: dict[str, Callable[[LearnerGames], Any]] = {
    "never checked": lambda games: None,
    "refused": _refused,
    "stepped": lambda games: games.step_checked(),
    "stepped otherwise": lambda games: games.step(np.arange(3), games.mask.argmax(axis=1)),
    "dealt": lambda games: games.deal(np.array([0])),
    "reset": lambda games: games.reset(5, np.array([0])),
    "set": lambda games: games.set_state(games.get_state()),
}


@pytest.mark.parametrize("name", CHANGES)
def test_only_the_step_that_was_just_checked_is_done_without_a_check(name: str) -> None:
    games, twin = _learners(), _learners()
    if name != "never checked":
        actions = games.mask.argmax(axis=1)
        games.check_step(np.arange(3), actions)
        actions[:] = 10**6  # what was checked stays as it is
    CHANGES[name](games)
    before = games.get_state()
    with pytest.raises(ValueError, match=r"^no step was checked since the games changed: call check_step\(\) before"):
        games.step_checked()
    assert all((array == games.get_state()[name]).all() for name, array in before.items())
    if name == "stepped":
        twin.step(np.arange(3), twin.mask.argmax(axis=1))
        assert all((array == twin.get_state()[name]).all() for name, array in before.items())


class Failing:
    """An opponent that fails in its fifth call."""

    calls = 0

    def act_batch(self, observations: Any, action_masks: Any) -> Any:
        self.calls += 1
        return action_masks.argmax(axis=1) + (1000 if self.calls == 5 else 0)


def _step_often(env: UnoVecEnv) -> None:
    for _ in range(5):
        env.step(env.action_masks().argmax(axis=1))


def test_sb3s_environment_says_that_it_must_be_reset_after_an_opponent_failed() -> None:
    env = UnoVecEnv(4, "duel", [[Failing()], ["greedy"]], seed=3)
    env.reset()
    with pytest.raises(ValueError, match="chose an action that is not legal"):
        _step_often(env)
    with pytest.raises(ValueError, match=r"^step\(\) was interrupted: call reset\(\) before step\(\)$"):
        env.step(env.action_masks().argmax(axis=1))
    assert env.reset().shape[0] == 4
    env.step(env.action_masks().argmax(axis=1))


def test_games_in_which_an_opponent_failed_have_to_be_dealt_again() -> None:
    """Their learners would otherwise act where an opponent is to move, by a mask of before."""
    env = UnoVectorEnv(4, "house", [Failing()], players=2)
    env.reset(seed=1)

    def play() -> None:
        for _ in range(99):
            env.step(env.action_masks().argmax(axis=1))

    with pytest.raises(ValueError, match="chose an action that is not legal"):
        play()
    assert env.games.over.any()
    games = env.games._games
    assert (games["to_move"] == env.seats)[env.games.over == 0].all()
    play()


def _written(array: Any) -> None:
    array[...] = 1


def test_buffers_cannot_be_written_to() -> None:
    batch = BatchedGames(2, "duel", history=2)
    arrays = [*batch.reset(), *batch.step(batch.sample_actions()), batch.history, batch.winner, batch.scores]
    games = _learners()
    for array in [*arrays, games.rows, games.mask, games.seats, games.over]:
        with pytest.raises(ValueError, match="read-only"):
            _written(array)
    with pytest.raises(ValueError, match="read-only"):
        batch.games["turn"] = 9


def test_opponents_cannot_write_to_what_they_are_shown() -> None:
    class Writer:
        def act_batch(self, observations: Any, action_masks: Any) -> Any:
            action_masks[:] = 1
            return np.full(len(action_masks), NUM_ACTIONS - 1)

    with pytest.raises(ValueError, match="read-only"):
        UnoVectorEnv(4, "duel", [Writer()]).reset(seed=1)


@pytest.mark.parametrize(
    ("indices", "seeds", "sentence"),
    [
        *(([index], [1], None) for index in (0.5, True, "0", 2**70)),
        *(([index], [1], "choose whole numbers from 0 to 1") for index in (2, -1)),
        ([0, 1], [5], "are not two lists alike"),
        *(([0], [seed], None) for seed in (-1, 0.5, True, 2**64)),
    ],
)
def test_a_batch_deals_only_games_that_there_are_from_whole_numbers(
    indices: list[Any], seeds: list[Any], sentence: str | None
) -> None:
    batch = BatchedGames(2, "duel")
    batch.reset()
    before = batch.games.tobytes()
    with pytest.raises(ANY_ERROR, match=sentence):
        batch.deal(np.array(indices), np.array(seeds))
    assert batch.games.tobytes() == before


def test_an_sb3_environment_takes_whole_actions_alone() -> None:
    env = UnoVecEnv(2, "duel", illegal_action="penalty")
    env.reset()
    for actions in ([0.7, 0.2], [True, False], [0], [0, 2**64 - 1], [0, 132], [-1, 0], None, [None, None]):
        with pytest.raises(ANY_ERROR):
            env.step(actions)  # type: ignore[arg-type]


def test_an_sb3_environment_of_which_one_table_is_refused_stays_as_it_was() -> None:
    env = UnoVecEnv(4, "duel", opponents=[["random-play"], ["greedy"]])
    env.reset()
    earlier = env.get_state()
    for _ in range(3):
        env.step(env.action_masks().argmax(axis=1))
    before = env.get_state()
    broken = {**earlier[1], "seats": earlier[1]["seats"] + 9}
    with pytest.raises(ValueError, match="which are not there"):
        env.set_state([earlier[0], broken])
    for then, now in zip(before, env.get_state(), strict=True):
        assert all((then[name] == now[name]).all() for name in then)


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("obs_dtype", ["float32", "uint8"])
@pytest.mark.parametrize(
    "rows",
    [
        np.zeros((2, 10), np.uint8),
        np.zeros(OBSERVATION_SIZE, np.uint8),
        np.zeros((2, OBSERVATION_SIZE), np.float32),
        np.zeros((2, OBSERVATION_SIZE), bool),
        [[0]],
    ],
)
def test_observations_are_made_of_whole_rows(encoding: str, obs_dtype: str, rows: Any) -> None:
    form = ObservationForm(Rules.preset("rlcard"), obs_dtype, encoding)
    with pytest.raises(ValueError, match="rows must be uint8 of shape"):
        form.of(rows)
    with pytest.raises(ValueError, match="rows must be uint8 of shape"):
        form.buffer(rows)


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_rows_that_lie_apart_or_are_read_only_are_observed_alike(encoding: str) -> None:
    form = ObservationForm(Rules.preset("rlcard"), "float32", encoding)
    rows = np.random.default_rng(1).integers(0, 2, (6, OBSERVATION_SIZE), np.uint8)
    expected = form.of(rows[::2].copy())
    assert (form.of(rows[::2]) == expected).all()
    frozen = rows[::2].copy()
    frozen.flags.writeable = False
    assert (form.of(frozen) == expected).all()
    assert (form.of(np.asfortranarray(rows[::2])) == expected).all()
    assert form.of(rows[:0]).shape == (0, *form.shape)


@pytest.mark.parametrize("move", [-1, NUM_ACTIONS, 67, 10**6, 0.5, True, None, "r5"])
def test_positions_move_only_as_they_may(move: Any) -> None:
    form = ExtensiveForm(Rules.preset("duel", hand_size=1))
    position = form.root
    while position.is_chance:
        with pytest.raises(ValueError, match="is not a move of chance here"):
            position.move(move)
        position = position.move(position.chance_moves()[-1][0])
    with pytest.raises(ValueError, match="is not an action that is legal here"):
        position.move(move)
    illegal = set(range(NUM_ACTIONS)) - set(position.legal_actions())
    with pytest.raises(ValueError, match="is not an action that is legal here"):
        position.move(min(illegal))
    with pytest.raises(ValueError, match="seat=7 is not allowed"):
        position.observe(7)
