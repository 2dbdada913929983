"""Exact solving: trees are those of the game, values those found by hand, and what was stopped goes on."""

import gzip
import json
import random

import numpy as np
import pytest

import agents
from agents.policy.policy_agent import PolicyAgent
from tests.agents.positions import a_card, some_weights
from train.cli.main import main
from uno_env import Rules
from uno_env import actions as catalogue
from uno_env.actions import DRAW
from uno_env.extensive_form.position import ExtensiveForm

pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel is not installed: pip install -c constraints.txt '.[bench]'")
pytestmark = pytest.mark.adapters

import uno_env.extensive_form.open_spiel_game  # noqa: E402, F401 (registers the game)
from train.evaluation.exploitability import (  # noqa: E402
    POLICY,
    SOLUTION,
    SOLVER,
    Solver,
    agent_probabilities,
    exploitability,
    load_solution,
    measure,
    solve,
)
from uno_env.extensive_form.game_tree import grow  # noqa: E402

TINY = Rules.preset("mini", deck="r1 r2 r3 b4", hand_size=1, dealer="fixed", dealer_seat=1, max_decisions=6)
MIXED = Rules.preset("mini", deck="r1 r2 b1 b2 w", hand_size=1, voluntary_draw=True, max_decisions=3)
TINY_TEXT = "mini,deck=r1 r2 r3 b4,hand_size=1,dealer=fixed,dealer_seat=1"


def uniform(tree) -> np.ndarray:
    return tree.masks / tree.masks.sum(axis=1, keepdims=True)


def test_a_tree_is_worth_what_the_game_is() -> None:
    game = pyspiel.load_game("python_uno(rules=mini,deck=r1 r2 b1 b2 w,hand_size=1,voluntary_draw=1,max_decisions=3)")
    tree = grow(MIXED)
    measured = measure(tree, tree.table(uniform(tree)))
    root, policy = game.new_initial_state(), pyspiel.UniformRandomPolicy(game)
    assert measured.values == pytest.approx(pyspiel.expected_returns(root, policy, -1, True))
    assert measured.nash_conv == pytest.approx(pyspiel.nash_conv(game, policy))
    assert measured.exploitability == pytest.approx(pyspiel.exploitability(game, policy))
    assert measured.exploitability > 0.1


def test_actions_lead_where_their_names_say() -> None:
    """OpenSpiel sorts the ids of actions at a node, and leaves its branches as they were."""
    tree = grow(MIXED)
    actions = {number: action for action, number in tree.ids.items()}
    waiting, seen = [tree.game.new_initial_state()], 0
    while waiting:
        state = waiting.pop()
        if not state.is_terminal() and not state.is_chance_node():
            for number in state.legal_actions():
                assert state.action_to_string(number) == catalogue.name(actions[number])
                seen += 1
        waiting += [state.child(number) for number in state.legal_actions()]
    assert seen > 500


def test_tables_come_back() -> None:
    tree = grow(MIXED)
    assert len(tree.ids) == len(set(tree.ids.values())) > 4
    assert (tree.probabilities(tree.table(uniform(tree))) == uniform(tree)).all()
    assert set(tree.table(uniform(tree))) == set(
        pyspiel.CFRPlusSolver(tree.game).tabular_average_policy().policy_table()
    )


def test_the_value_is_that_found_by_hand(tmp_path) -> None:
    """As in tests/adapters/test_open_spiel.py: seat 0, which begins, has 1/4."""
    solution = solve(TINY, tmp_path, iterations=20)
    assert solution.values == pytest.approx([0.25, -0.25], abs=1e-3)
    assert solution.curve[-1][1] < 1e-3


def test_the_exploitability_falls() -> None:
    solver = Solver(grow(MIXED))
    for _ in range(3):
        solver.iterate()
    early = solver.measure().exploitability
    for _ in range(60):
        solver.iterate()
    assert solver.measure().exploitability < min(early / 5, 0.002)
    assert [number for number, _ in solver.curve] == [3, 63]


def test_a_solver_that_was_stopped_goes_on_as_if_it_had_not_been(tmp_path) -> None:
    tree = grow(MIXED)
    straight, stopped = Solver(tree), Solver(tree)
    for _ in range(10):
        straight.iterate()
    for _ in range(4):
        stopped.iterate()
    stopped.measure()
    stopped.save(tmp_path)
    resumed = Solver.load(tmp_path, tree)
    assert (resumed.iterations, resumed.curve) == (4, stopped.curve)
    for _ in range(6):
        resumed.iterate()
    one, other = straight.solution(), resumed.solution()
    assert (one.values, one.policy) == (other.values, other.policy)


def test_ctrl_c_saves(tmp_path) -> None:
    def interrupt(done: int) -> None:
        if done == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt, match="Saved after 3 iterations"):
        solve(TINY, tmp_path, progress=interrupt)
    saved = json.loads((tmp_path / SOLVER).read_text())
    assert (saved["iterations"], saved["curve"]) == (3, [])
    assert solve(TINY, tmp_path, iterations=20).curve[-1][0] == 20


def test_a_solution_comes_back_and_plays(tmp_path) -> None:
    solution = solve(MIXED, tmp_path, iterations=20)
    loaded = load_solution(tmp_path)
    assert (loaded.rules, loaded.values, loaded.curve) == (MIXED, solution.values, solution.curve)
    chance, position = random.Random(1), ExtensiveForm(MIXED).root
    while not position.over:
        moves = dict(position.chance_moves()) if position.is_chance else loaded.probabilities(position)
        assert sum(moves.values()) == pytest.approx(1, abs=1e-4)
        assert position.is_chance or [*moves] == position.legal_actions()
        position = position.move(chance.choices([*moves], [*moves.values()])[0])
    with pytest.raises(ValueError, match="no seat"):
        loaded.probabilities(position)


def test_what_cannot_be_read_is_named(tmp_path) -> None:
    solve(TINY, tmp_path, iterations=2)
    with pytest.raises(ValueError, match="other rules"):
        solve(MIXED, tmp_path, iterations=2)
    whole = (tmp_path / POLICY).read_bytes()
    for damaged in (whole[:-20], b"", b"{}", gzip.compress(b"[1]")):
        (tmp_path / POLICY).write_bytes(damaged)
        with pytest.raises(ValueError, match=POLICY):
            load_solution(tmp_path)
    (tmp_path / SOLVER).write_text("{")
    with pytest.raises(ValueError, match=SOLVER):
        solve(TINY, tmp_path)
    (tmp_path / SOLUTION).write_text(json.dumps({"format": "uno-solution", "version": 99}))
    with pytest.raises(ValueError, match="version 1"):
        load_solution(tmp_path)


def test_too_large_a_tree_is_refused(monkeypatch) -> None:
    monkeypatch.setattr("uno_env.extensive_form.game_tree.MAX_NODES", 500)
    with pytest.raises(ValueError, match="more than 500 nodes"):
        grow(Rules.preset("mini"))


def test_agents_are_measured() -> None:
    tree = grow(MIXED)
    chances = agent_probabilities(agents.load("random"), tree)
    assert chances == pytest.approx(uniform(tree))
    careless = exploitability(agents.load("random"), MIXED)
    assert careless.nash_conv == pytest.approx(measure(tree, tree.table(uniform(tree))).nash_conv)
    assert sum(careless.values) == pytest.approx(0, abs=1e-9)
    assert all(best >= value - 1e-9 for best, value in zip(careless.best_responses, careless.values, strict=True))
    assert careless.exploitability > 0.1
    laid = agent_probabilities(agents.load("random-play"), tree)
    assert (laid[tree.masks[:, DRAW] > 0] > 0).any(axis=1).all()
    assert not laid[(tree.masks[:, :DRAW] > 0).any(axis=1), DRAW].any(), "it lays what it can"


def test_a_saved_policy_is_measured_as_it_plays() -> None:
    card, tree = a_card(MIXED), grow(MIXED)
    weights = some_weights(card)
    sharp, soft = (agent_probabilities(PolicyAgent("some", weights, card, sample=each), tree) for each in (False, True))
    assert set(np.unique(sharp)) == {0.0, 1.0}
    assert ((soft > 0) == (tree.masks > 0)).all()
    assert soft.sum(axis=1) == pytest.approx(1)
    assert (soft.argmax(axis=1) == sharp.argmax(axis=1)).all()


def test_commands(tmp_path, capsys) -> None:
    folder, file = tmp_path / "solved", tmp_path / "measured.json"
    assert main(["solve", "--rules", TINY_TEXT, "--folder", str(folder), "--iterations", "20"]) == 0
    assert "value for seat 0: +0.25" in capsys.readouterr().out
    assert main(["exploitability", "random", "greedy", "--rules", TINY_TEXT, "--json", str(file)]) == 0
    assert "random: exploitability" in capsys.readouterr().out
    assert [each["agent"] for each in json.loads(file.read_text())["exploitabilities"]] == ["random", "greedy"]
    assert main(["solve", "--rules", "rlcard", "--folder", str(folder)]) == 2
    assert "dialect='rlcard'" in capsys.readouterr().err


@pytest.mark.slow
def test_mini_is_solved_to_a_thousandth(tmp_path) -> None:
    solution = solve(Rules.preset("mini"), tmp_path, iterations=200, target=0.001)
    assert solution.curve[-1][1] <= 0.001
    assert solution.values == pytest.approx([0, 0], abs=0.001), "the dealer is random, so the seats are alike"
