"""BatchedGames: many games are so many single games."""

import re
from typing import Any

import numpy as np
import pytest
from numba.core import types

from tests.helpers.chance import looks_uniform
from tests.helpers.records import as_in_batch, mark_legal, put
from uno_env import BatchedGames, Game, IllegalActionError, Rules
from uno_env import actions as catalogue
from uno_env.cards import DECKS, WILD_DRAW_FOUR
from uno_env.core.jit.njit import INTERPRETED
from uno_env.core.loops import kernels
from uno_env.core.loops.batch import find_refused
from uno_env.core.loops.learner_batch import act_listed, deal_listed
from uno_env.core.observe.layout import OBSERVATION_SIZE, SCALES
from uno_env.core.packed_games import records, row_bytes, whole
from uno_env.core.record import END_NAMES, GAME, SEAT, records_of
from uno_env.core.record_type import Record
from uno_env.core.rules.deal import deal_hand
from uno_env.editions.classic import CLASSIC
from uno_env.envs.vector_env import UnoVectorEnv

MANY_DRAW_FOURS = (*DECKS["classic"][:WILD_DRAW_FOUR], 20, 0, 0, 0, 0)
RULES = {
    "duel": Rules.preset("duel"),
    "classic": Rules(),
    "ten": Rules(players=10, hand_size=3),
    "challenges": Rules(players=3, hand_size=3, deck=MANY_DRAW_FOURS),
    "short": Rules.preset("duel", players=3, hand_size=1),
    "swaps": Rules.preset("house", players=4, hand_size=2),
    "truncated": Rules.preset("duel", players=3, max_decisions=25),
}


def _single(batch: BatchedGames, index: int) -> Game:
    """A game in the state of a game of the batch."""
    game = Game(batch.rules)
    put(game, batch, index)
    mark_legal(game)
    return game


def _facts(record: Record) -> dict[str, Any]:
    """Everything that is so in a single hand, without what earlier ones left in unused places."""
    in_use = {"pile": slice(record.pile_next, record.pile_end), "known": slice(None if record.knows else 0)}
    seats = {name: record["seats"][name].tolist() for name in SEAT.names or ()}
    return seats | {
        name: record[name][in_use[name]].tolist() if name in in_use else record[name].tolist()
        for name in record.dtype.names or ()
        if name not in ("scores", "seats")
    }


@pytest.mark.parametrize("obs_dtype", ["float32", "uint8"])
@pytest.mark.parametrize("rules", RULES.values(), ids=RULES)
def test_a_batch_is_so_many_single_games(rules: Rules, obs_dtype: str) -> None:
    batch = BatchedGames(5, rules, seed=3, obs_dtype=obs_dtype)
    obs, mask, seat = batch.reset()
    singles, hands = [_single(batch, index) for index in range(5)], 0
    for _ in range(400):
        actions = batch.sample_actions().copy()
        obs, mask, seat, reward, done = batch.step(actions)
        for index, game in enumerate(singles):
            game.step(int(actions[index]))
            assert done[index] == game.over
            assert reward[index].tolist() == game.rewards()
            if game.over:
                hands += 1
                winner = -1 if game.winner is None else game.winner
                assert (batch.winner[index], END_NAMES[batch.end[index]]) == (winner, game.end)
                assert batch.length[index] == game.record.decisions
                assert batch.points[index].tolist() == game.points
                deal_hand(game.record, rules.record)
                mark_legal(game)
            assert as_in_batch(game, batch) == batch.games[index].tobytes()
            assert seat[index] == game.to_move
            assert (mask[index] == game.action_mask()).all()
            assert (obs[index] == game.observe(game.to_move, obs_dtype)).all()
    assert hands > 5 or rules not in (RULES["short"], RULES["truncated"])


@pytest.mark.parametrize("rules", RULES.values(), ids=RULES)
@pytest.mark.parametrize("seed", range(10))
def test_nothing_of_an_earlier_hand_is_left_after_the_deal(rules: Rules, seed: int) -> None:
    new = np.zeros(1, GAME)
    used = whole(records(np.ones((1, row_bytes(rules.record)), np.uint8), rules.record))
    used["seats"][:, rules.players :] = np.zeros(1, SEAT)  # nobody ever sits there
    new["rng"] = used["rng"] = seed
    deal_hand(new[0], rules.record)
    deal_hand(used[0], rules.record)
    assert _facts(used[0]) == _facts(new[0])


def _course(num_games: int, threads: int, steps: int = 150) -> list[bytes]:
    """What becomes of the first five games, and what is seen of them."""
    batch = BatchedGames(num_games, "classic", seed=5, threads=threads, history=6)
    seen = list(batch.reset())
    course = []
    for _ in range(steps):
        seen = [*batch.step(batch.sample_actions()), batch.history]
        course.append(batch.games[:5].tobytes() + b"".join(array[:5].tobytes() for array in seen))
    return course


@pytest.mark.parametrize(("num_games", "threads"), [(5, 2), (5, 3), (5, 8), (64, 1), (64, 3)])
def test_games_do_not_depend_on_threads_or_on_the_size_of_the_batch(num_games: int, threads: int) -> None:
    assert _course(num_games, threads) == _course(5, 1)


def test_reset_deals_other_hands_and_with_a_seed_begins_that_one() -> None:
    batch, other = BatchedGames(3, seed=1), BatchedGames(3, seed=2)
    batch.reset()
    first = batch.games.copy()
    batch.reset()
    assert (batch.games["pile"] != first["pile"]).any(axis=1).all()
    batch.reset(seed=1)
    assert batch.games.tobytes() == first.tobytes()
    other.reset()
    assert batch.games.tobytes() != other.games.tobytes()
    batch.reset(seed=2)
    assert batch.games.tobytes() == other.games.tobytes()


def test_what_is_returned_are_the_batchs_own_buffers() -> None:
    batch = BatchedGames(2)
    first, second = batch.reset(), batch.step(batch.sample_actions())
    assert all(one is other for one, other in zip(first, second, strict=False))
    shapes = [(array.dtype.name, array.shape[0], array.ndim) for array in second]
    assert shapes == [("float32", 2, 2), ("uint8", 2, 2), ("int8", 2, 1), ("float32", 2, 2), ("bool", 2, 1)]


def test_sampled_actions_are_legal_and_uniform() -> None:
    batch = BatchedGames(6_000, "classic", seed=4)
    batch.reset()
    _, mask, _ = batch.deal(np.arange(6_000), np.full(6_000, 77, np.uint64))
    legal = np.flatnonzero(mask[0])
    assert len(legal) > 2
    sampled = batch.sample_actions().copy()
    assert set(sampled.tolist()) == set(legal.tolist())
    assert looks_uniform([int((sampled == action).sum()) for action in legal])
    assert (sampled != batch.sample_actions()).any()


@pytest.mark.parametrize("action", [-1, catalogue.NUM_ACTIONS, 10**12, catalogue.CATCH])
def test_an_illegal_action_is_refused_and_no_game_is_stepped(action: int) -> None:
    batch = BatchedGames(3, seed=1)
    batch.reset()
    state, actions = batch.get_state(), batch.sample_actions().copy()
    actions[1] = action
    legal = ", ".join(_single(batch, 1).legal_names())
    with pytest.raises(
        IllegalActionError, match=re.escape(f"action {action} is illegal in game 1 of the batch: legal are {legal}")
    ):
        batch.step(actions)
    assert batch.games.tobytes() == state["games"].tobytes()


@pytest.mark.parametrize(
    "actions",
    [
        [1.0, 2.0],
        [True, False],
        [112],
        [112, 112, 112],
        [[112, 112]],
        112,
        ["r5", "r5"],
        [None, None],
        None,
        np.zeros(2),
    ],
)
def test_actions_of_another_type_or_shape_are_refused(actions: Any) -> None:
    batch = BatchedGames(2, seed=1)
    batch.reset()
    before = batch.games.tobytes()
    with pytest.raises(ValueError, match="actions must be 2 integers, not "):
        batch.step(actions)
    assert batch.games.tobytes() == before


@pytest.mark.parametrize("kind", [list, tuple, np.int8, np.uint8, np.int32, np.uint64])
def test_integers_of_every_kind_are_actions(kind: Any) -> None:
    batch = BatchedGames(2, "duel", seed=1)
    batch.reset()
    actions = np.full(2, catalogue.DRAW)
    batch.step(kind(actions.tolist()) if kind in (list, tuple) else actions.astype(kind))
    assert batch.games["decisions"].tolist() == [1, 1]


def test_a_batch_that_is_not_dealt_has_no_step_and_no_state() -> None:
    with pytest.raises(ValueError, match=r"the games are not dealt yet: call reset\(\) before step"):
        BatchedGames(2).step([112, 112])
    with pytest.raises(ValueError, match=r"the games are not dealt yet: call reset\(\) before get_state"):
        BatchedGames(2).get_state()


@pytest.mark.parametrize("number", [2**31, 2**63])
@pytest.mark.parametrize("make", [BatchedGames, lambda number: UnoVectorEnv(number, "duel")])
def test_more_games_than_memory_holds_are_refused_in_a_sentence(make: Any, number: int) -> None:
    with pytest.raises(ValueError, match=rf"^num_games={number} is not allowed: it takes [\d,]+ GB of memory, and "):
        make(number)


def test_deal_leaves_the_other_games_alone_and_reproduces() -> None:
    batch = BatchedGames(6, "classic", seed=1)
    batch.reset()
    for _ in range(10):
        batch.step(batch.sample_actions())
    before = batch.games.copy()
    obs, mask, seat = batch.deal(np.array([4, 1]), np.array([9, 9], np.uint64))
    assert (batch.games[[0, 2, 3, 5]] == before[[0, 2, 3, 5]]).all()
    assert _facts(batch.games[1]) == _facts(batch.games[4]) != _facts(before[1])
    for index in range(6):
        game = _single(batch, index)
        assert (obs[index] == game.observe(game.to_move)).all()
        assert (mask[index] == game.action_mask()).all()
        assert seat[index] == game.to_move
    other = BatchedGames(1, "classic", seed=2)
    other.reset()
    other.deal(np.array([0]), np.array([9], np.uint64))
    assert _facts(other.games[0]) == _facts(batch.games[1])


def test_a_state_can_be_kept_and_gone_on_from() -> None:
    batch, other = BatchedGames(4, RULES["challenges"], seed=1), BatchedGames(4, RULES["challenges"], seed=2)
    batch.reset()
    for _ in range(30):
        batch.step(batch.sample_actions())
    state = batch.get_state()
    views = [array.tobytes() for array in other.set_state(state)]
    for _ in range(60):
        step = batch.step(batch.sample_actions())
        again = other.step(other.sample_actions())
        assert [array.tobytes() for array in step] == [array.tobytes() for array in again]
    assert [array.tobytes() for array in batch.set_state(state)] == views


@pytest.mark.parametrize("begin_again", ["reset", "set_state"])
def test_nothing_is_told_of_the_hands_before_a_reset_or_a_state(begin_again: str) -> None:
    batch = BatchedGames(4, "classic", seed=1)
    batch.reset()
    state = batch.get_state()
    while not (batch.hand_done.any() and batch.points.any()):
        *_, reward, done = batch.step(batch.sample_actions())
    assert reward.any()
    batch.reset() if begin_again == "reset" else batch.set_state(state)
    told = reward, done, batch.hand_done, batch.winner, batch.end, batch.length, batch.points, batch.scores
    assert not any(array.any() for array in told)


@pytest.mark.parametrize("name", ["games", "random"])
def test_a_state_that_does_not_fit_is_refused(name: str) -> None:
    batch = BatchedGames(4)
    batch.reset()
    before, state = batch.games.tobytes(), batch.get_state()
    for wrong in (
        {**state, name: state[name][:3]},
        {**state, name: np.zeros(4)},
        {key: state[key] for key in state if key != name},
    ):
        with pytest.raises(ValueError, match=f"the state does not fit: its '{name}' are not 4 of the form used here"):
            batch.set_state(wrong)
    assert batch.games.tobytes() == before


@pytest.mark.skipif(INTERPRETED, reason="records are wider uncompiled")
def test_the_documented_memory_of_a_game() -> None:
    text = " ".join((BatchedGames.__doc__ or "").split())
    seen = f"{OBSERVATION_SIZE} of its observation as integers and {catalogue.NUM_ACTIONS} of its mask"
    assert f"{BatchedGames(1, 'duel').games.itemsize:,} bytes of state, {seen}" in text
    assert BatchedGames(1, "duel", players=3).games.itemsize == BatchedGames(1, "duel").games.itemsize + 64
    assert f"``float32`` observations take {4 * OBSERVATION_SIZE:,} on top" in text


@pytest.mark.skipif(INTERPRETED, reason="nothing is compiled")
def test_one_kernel_deals_and_steps_observations_of_all_forms(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each kernel with the whole game in it takes seconds to compile."""
    for other in ("DEAL_CHOSEN", "VIEW", "STEP_LANES"):
        monkeypatch.delattr(kernels, other)
    forms: list[dict[str, Any]] = [{"obs_dtype": "float32"}, {"obs_dtype": "uint8"}, {"encoding": "planes"}]
    for form in forms:
        batch = BatchedGames(2, "duel", **form)
        batch.reset()
        batch.step(batch.sample_actions())
    signatures = {tuple(map(str, signature)) for signature in kernels.step_batch.signatures}
    first_edition = [each for each in signatures if f"{records_of(CLASSIC).rules.names[-1]}[" in each[1]]
    assert len(first_edition) == 1


@pytest.mark.skipif(INTERPRETED, reason="nothing is compiled")
def test_a_step_of_few_games_takes_no_longer_for_the_rules_that_it_is_handed() -> None:
    """At each call NumPy writes down the fields of a record, which takes longer than all else in such a step."""
    batch, table = BatchedGames(2, "duel"), UnoVectorEnv(2, "duel")
    batch.reset()
    batch.step(batch.sample_actions())
    table.reset()
    table.step(table.action_masks().argmax(axis=1))
    for called in (kernels.step_batch, kernels.sample_legal, find_refused, act_listed, deal_listed):
        assert called.signatures
        assert [each for each in called.signatures if any(isinstance(kind, types.Record) for kind in each)] == []


def test_a_game_dealt_twice_in_one_call_shows_no_cards_that_were_known_before() -> None:
    batch = BatchedGames(40, Rules(players=3, seven_zero=True))
    batch.reset()
    while not batch.games["knows"].any():
        batch.step(batch.sample_actions())
    game = int(np.flatnonzero(batch.games["knows"])[0])
    obs, _, _ = batch.deal([game, game], np.array([1, 2], np.uint64))
    assert np.array_equal(obs[game], batch._rows[game] * SCALES)
    other = BatchedGames(40, batch.rules)
    other.reset()
    assert np.array_equal(obs[game], other.deal([game], np.array([2], np.uint64))[0][game])
