"""GUIDE.md 7: illegal actions. Switch: ``illegal_action``."""

from typing import Any

import numpy as np
import pytest

from tests.helpers.chance import looks_uniform
from tests.helpers.table import Table
from uno_env import BatchedGames, IllegalActionError, Rules
from uno_env import actions as catalogue
from uno_env.core.record import END_NAMES


def _in_phase(phase: str, **changes: Any) -> Table:
    """A table of three players in a phase; seat 0 began."""
    pile = "y9 g9 b9 y8"
    if phase == "play":
        return Table("r1 b2 b3", None, None, pile=pile, **changes)
    if phase == "drawn":
        return Table("b1 b2 b3", None, None, pile=f"r5 {pile}", **changes).go("0 draw")
    if phase == "catch":
        return Table("r1 g2", None, None, pile=pile, late_call=False, **changes).go("0 r1")
    if phase == "challenge":
        return Table("w+4 g2 g3", None, None, pile=pile, **changes).go("0 w+4:b")
    if phase == "first_colour":
        return Table("r1 g2 g3", None, None, first="w", pile=pile, **changes)
    if phase == "swap":
        return Table("r7 g2 g3", "y1 y2 y3", "b1 b2 b3", pile=pile, seven_zero=True, **changes).go("0 r7")
    if phase == "jump_in":
        return Table("r5 g2 g3", "y1 y2 y3", "r5 b2 b3", pile=pile, jump_in=True, **changes).go("0 r5")
    return Table("r+2 g2 g3", "y+2 y2 y3", "b1 b2 b3", pile=pile, stacking="same", **changes).go("0 r+2")


PHASES = ["play", "drawn", "catch", "challenge", "first_colour", "swap", "jump_in", "stack"]


@pytest.mark.parametrize("phase", PHASES)
def test_7_raise_every_illegal_action_is_refused_and_the_state_is_unchanged(phase: str) -> None:
    table = _in_phase(phase)
    assert table.phase == phase
    state, history, legal = table.game.record.tobytes(), table.game.history.copy(), table.game.legal_actions()
    for action in set(range(catalogue.NUM_ACTIONS)) - set(legal):
        with pytest.raises(IllegalActionError, match="is illegal now: legal are"):
            table.game.step(action)
    assert (table.game.record.tobytes(), table.game.history) == (state, history)
    assert table.game.legal_actions() == legal


def test_7_raise_the_error_names_the_action_and_what_is_legal() -> None:
    with pytest.raises(IllegalActionError, match=r"action 'b2' \(41\) is illegal now: legal are r1, draw$"):
        Table("r1 b2 b3", None, None).game.step("b2")


@pytest.mark.parametrize("phase", PHASES)
def test_7_terminate_the_hand_ends_and_who_acted_gets_minus_one(phase: str) -> None:
    table = _in_phase(phase, illegal_action="terminate")
    game, seat = table.game, table.to_move
    game.step("colour:r" if phase == "swap" else "swap1")
    table.check()
    assert (game.over, game.end, game.winner, game.to_move) == (True, "illegal", None, -1)
    assert game.rewards() == [-1.0 if other == seat else 0.0 for other in range(3)]
    assert game.points == [0, 0, 0]


def test_7_terminate_legal_actions_are_not_affected() -> None:
    assert Table("r1", "b1", illegal_action="terminate").go("0 r1").game.end == "went_out"


@pytest.mark.parametrize("illegal_action", ["raise", "penalty", "terminate"])
@pytest.mark.parametrize("action", [-1, catalogue.NUM_ACTIONS, 10**6])
def test_7_a_number_that_is_no_action_is_always_refused(action: int, illegal_action: str) -> None:
    batch = BatchedGames(1, Rules.preset("duel", illegal_action=illegal_action), seed=0)
    batch.reset()
    before = batch.games.tobytes()
    with pytest.raises(IllegalActionError):
        batch.step(np.array([action]))
    assert batch.games.tobytes() == before


def _punished(phase: str, **changes: Any) -> tuple[Table, int, list[int]]:
    """A table after an illegal action in a phase, who did it, and the sizes before."""
    table = _in_phase(phase, illegal_action="penalty", **changes)
    assert table.phase == phase
    seat, sizes = table.to_move, table.sizes
    table.go(f"{seat} {'catch' if phase != 'catch' else 'accept'}")
    return table, seat, sizes


@pytest.mark.parametrize("phase", PHASES)
def test_7_penalty_who_acted_illegally_draws_two(phase: str) -> None:
    table, seat, sizes = _punished(phase)
    more = {"challenge": 4, "stack": 2}.get(phase, 0)
    if phase != "swap":
        sizes[seat] += 2 + more
        assert table.sizes == sizes
    assert (table.game.over, table.game.events[-1].legal) == (False, False)


@pytest.mark.parametrize(("phase", "follows"), [("play", 1), ("drawn", 1), ("challenge", 2), ("stack", 2)])
def test_7_penalty_the_turn_passes(phase: str, follows: int) -> None:
    table, _, _ = _punished(phase)
    assert (table.to_move, table.phase, table.game.record.drawn, table.game.record.penalty) == (follows, "play", -1, 0)


@pytest.mark.parametrize("answers", [{"stacking": "same"}, {"stacking": "off", "deflect": True}])
@pytest.mark.parametrize(("draw_two_turn", "follows"), [("lost", 2), ("kept", 1)])
def test_7_penalty_an_illegal_answer_accepts_and_the_turn_is_lost_or_kept(
    draw_two_turn: str, follows: int, answers: dict[str, Any]
) -> None:
    changes = {"illegal_action": "penalty", "draw_two_turn": draw_two_turn, **answers}
    table = Table("r+2 g2 g3", "r+2 rs y3", None, **changes).go("0 r+2, 1 catch")
    assert (table.sizes, table.phase, table.to_move, table.game.record.penalty) == ([2, 7, 3], "play", follows, 0)


def test_7_penalty_the_card_is_taken_back() -> None:
    table = Table("r1 b2 b3", None, None, pile="y9 g9", illegal_action="penalty").go("0 b2")
    assert (table.hand(0), table.top) == ("r1 y9 g9 b2 b3", "r9")
    table = Table("b1 b2 b3", None, None, pile="r5 y9 g9", illegal_action="penalty").go("0 draw, 0 b2")
    assert (table.hand(0), table.to_move) == ("r5 y9 g9 b1 b2 b3", 1)


def test_7_penalty_in_a_window_the_others_are_still_asked() -> None:
    table, seat, _ = _punished("catch")
    assert (table.phase, table.to_move) == ("catch", 3 - seat)
    assert table.go(f"{table.to_move} catch").sizes[0] == 3


def test_7_penalty_a_culprit_punished_in_the_window_is_not_caught_as_well() -> None:
    for seed in range(20):
        table = Table("r1 g2", None, None, illegal_action="penalty", seed=seed).go("0 r1")
        while table.to_move != 0:
            table.go(f"{table.to_move} pass")
        assert table.phase == "catch"
        table.go("0 accept")
        assert (table.phase, table.to_move, table.sizes) == ("play", 1, [3, 2, 2])


def test_7_penalty_a_chance_to_jump_in_is_gone() -> None:
    table, seat, _ = _punished("jump_in")
    assert (seat, table.phase, table.to_move, table.top) == (2, "play", 1, "r5")


@pytest.mark.parametrize("phase", ["first_colour", "swap"])
def test_7_penalty_what_had_to_be_chosen_is_drawn_at_random(phase: str) -> None:
    counts = [0] * (4 if phase == "first_colour" else 3)
    for seed in range(600):
        table = _in_phase(phase, illegal_action="penalty")
        table.game._array[0].rng = np.uint64(seed * 0x9E37_79B9)
        table.go("0 catch")
        assert (table.to_move, table.phase) == (1, "play")
        counts[table.game.record.colour if phase == "first_colour" else table.sizes.index(4)] += 1
    assert looks_uniform(counts if phase == "first_colour" else counts[1:])
    assert phase == "first_colour" or counts[0] == 0, "nobody swaps with themselves"


def test_7_penalty_a_call_lapses_with_the_cards() -> None:
    table = Table("r1 g2", None, None, illegal_action="penalty").go("0 call, 0 g2")
    assert (table.called, table.sizes) == (set(), [4, 2, 2])


def test_7_penalty_with_nothing_to_draw_the_turn_passes_all_the_same() -> None:
    table = Table("r1 b2", "y1 y2", only=True, illegal_action="penalty").go("0 b2")
    assert (table.sizes, table.to_move) == ([2, 2], 1)


def test_7_penalty_legal_actions_are_not_affected() -> None:
    assert Table("r1 r2 r3", None, illegal_action="penalty").go("0 r1").sizes == [2, 3]


def test_7_penalty_it_counts_towards_max_decisions() -> None:
    assert Table("r1 b2", None, illegal_action="penalty", max_decisions=1).go("0 b2").game.end == "max_decisions"


@pytest.mark.parametrize("illegal_action", ["terminate", "penalty"])
def test_7_in_a_batch_only_that_game_ends_or_is_punished(illegal_action: str) -> None:
    batch = BatchedGames(3, Rules.preset("duel", illegal_action=illegal_action), seed=0)
    batch.reset()
    actions = batch.sample_actions().copy()
    actions[1] = catalogue.parse("accept")
    seat = batch.games["to_move"][1]
    *_, reward, done = batch.step(actions)
    if illegal_action == "terminate":
        assert done.tolist() == [0, 1, 0]
        assert reward.tolist() == [[0, 0], [-1, 0] if seat == 0 else [0, -1], [0, 0]]
        assert END_NAMES[batch.end[1]] == "illegal"
    else:
        assert not done.any()
        assert not reward.any()
        assert (batch.games["seats"]["hand_size"][1][seat], batch.games["to_move"][1]) == (9, 1 - seat)
