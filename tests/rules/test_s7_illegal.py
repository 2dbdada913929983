"""RULES.md 7: illegal actions."""

import numpy as np
import pytest

from tests.table import Table
from uno_env import BatchedGames, IllegalActionError, Rules
from uno_env import actions as catalogue


def _phases(**changes: object) -> list[Table]:
    """A table in each phase, three players, seat 0 on turn."""
    return [
        Table("r1 b2 b3", None, None, **changes),
        Table("b1 b2 b3", None, None, pile="r5", **changes).go("0 draw"),
        Table("r1 g2", None, None, **changes).go("0 r1"),
        Table("w+4 g2 g3", None, None, **changes).go("0 w+4:b"),
        Table("r1 g2 g3", None, None, first="w", **changes),
    ]


PHASES = ["play", "drawn", "catch", "challenge", "first_colour"]


@pytest.mark.parametrize("place", range(5), ids=PHASES)
def test_7_raise_every_illegal_action_is_refused_and_the_state_is_unchanged(place: int) -> None:
    table = _phases()[place]
    assert table.phase == PHASES[place]
    state, history, legal = table.game.record.tobytes(), table.game.history.copy(), table.game.legal_actions()
    for action in set(range(catalogue.NUM_ACTIONS)) - set(legal):
        with pytest.raises(IllegalActionError, match="is illegal now: legal are"):
            table.game.step(action)
    assert (table.game.record.tobytes(), table.game.history) == (state, history)
    assert table.game.legal_actions() == legal


def test_7_raise_the_error_names_the_action_and_what_is_legal() -> None:
    with pytest.raises(IllegalActionError, match=r"action 'b2' \(41\) is illegal now: legal are r1, draw$"):
        Table("r1 b2 b3", None, None).game.step("b2")


@pytest.mark.parametrize("place", range(5), ids=PHASES)
def test_7_terminate_the_hand_ends_and_who_acted_gets_minus_one(place: int) -> None:
    table = _phases(illegal_action="terminate")[place]
    game, seat = table.game, table.to_move
    game.step("swap1")
    table.check()
    assert (game.over, game.end, game.winner, game.to_move) == (True, "illegal", None, -1)
    assert game.rewards() == [-1.0 if other == seat else 0.0 for other in range(3)]
    assert game.points == [0, 0, 0]


def test_7_terminate_legal_actions_are_not_affected() -> None:
    assert Table("r1", "b1", illegal_action="terminate").go("0 r1").game.end == "went_out"


def test_7_terminate_in_a_batch_only_that_game_ends() -> None:
    batch = BatchedGames(3, Rules.preset("duel", illegal_action="terminate"), seed=0)
    batch.reset()
    actions = batch.sample_actions().copy()
    actions[1] = catalogue.parse("accept")
    seat = batch.games["to_move"][1]
    *_, reward, done = batch.step(actions)
    assert done.tolist() == [0, 1, 0]
    assert reward.tolist() == [[0, 0], [-1, 0] if seat == 0 else [0, -1], [0, 0]]
    assert batch.end_name(1) == "illegal"


@pytest.mark.parametrize("action", [-1, catalogue.NUM_ACTIONS, 10**6])
def test_7_terminate_in_a_batch_a_number_that_is_no_action_ends_the_game_too(action: int) -> None:
    batch = BatchedGames(1, Rules.preset("duel", illegal_action="terminate"), seed=0)
    batch.reset()
    *_, done = batch.step(np.array([action]))
    assert (done[0], batch.end_name(0)) == (1, "illegal")


def test_7_penalty_is_refused_as_not_built() -> None:
    with pytest.raises(ValueError, match="illegal_action='penalty' is a rule that is not built yet"):
        Rules(illegal_action="penalty")
