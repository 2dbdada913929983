"""Exact solving: values are those found by hand, and what was stopped goes on."""

import errno
import json
import math
import os
import random

import numpy as np
import pytest

from tests.uno_env.extensive_form.test_game_tree import MIXED
from train.cli.main import main
from train.evaluation.exact import solver as module
from train.evaluation.exact.measure import measure
from train.evaluation.exact.saved_tables import checked_curve
from train.evaluation.exact.solver import POLICY, SOLUTION, SOLVER, Solver, load_solution, solve
from uno_env import Rules
from uno_env.extensive_form.game_tree import grow
from uno_env.extensive_form.position import ExtensiveForm

TINY = Rules.preset("mini", deck="r1 r2 r3 b4", hand_size=1, dealer="fixed", dealer_seat=1, max_decisions=6)
TINY_TEXT = "mini,deck=r1 r2 r3 b4,hand_size=1,dealer=fixed,dealer_seat=1"


def test_the_value_is_that_found_by_hand(tmp_path) -> None:
    """As in tests/adapters/test_open_spiel.py: seat 0, which begins, has 1/4."""
    solution = solve(TINY, tmp_path, iterations=20)
    assert solution.values == pytest.approx([0.25, -0.25], abs=1e-3)
    assert solution.curve[-1][1] < 1e-3


def test_mini_is_solved_to_a_hundred_thousandth() -> None:
    tree = grow(Rules.preset("mini"))
    solver = Solver(tree)
    for _ in range(40):
        solver.iterate()
    measured = solver.measure()
    assert measured.exploitability <= 1e-5
    assert measured.values == pytest.approx([0, 0], abs=1e-4), "the dealer is random, so the seats are alike"


def test_three_players_come_to_answers_that_gain_little() -> None:
    """There is no promise for three players; in so small a game it holds."""
    solver = Solver(grow(TINY.replace(players=3, deck="r1 r2 r3 b4 b1", max_decisions=6)))
    before = measure(solver.tree, module.uniform_policy(solver.tree)).nash_conv
    for _ in range(200):
        solver.iterate()
    assert before > 0.02
    assert solver.measure().nash_conv < 1e-3


def test_the_exploitability_falls() -> None:
    solver = Solver(grow(MIXED))
    for _ in range(3):
        solver.iterate()
    early = solver.measure().exploitability
    for _ in range(60):
        solver.iterate()
    assert solver.measure().exploitability < min(early / 5, 0.001)
    assert [number for number, _ in solver.curve] == [3, 63]


def test_a_solver_that_was_stopped_goes_on_as_if_it_had_not_been(tmp_path) -> None:
    tree = grow(MIXED)
    straight, stopped = Solver(tree), Solver(tree)
    for _ in range(10):
        straight.iterate()
    for _ in range(4):
        stopped.iterate()
    stopped.measure()
    module.take_turn(stopped._states, stopped._ends, stopped._tables)  # interrupted in the middle of an iteration
    stopped.save(tmp_path)
    resumed = Solver.load(tmp_path, tree)
    assert (resumed.iterations, resumed.curve) == (4, stopped.curve)
    for _ in range(6):
        resumed.iterate()
    one, other = straight.solution(), resumed.solution()
    assert one.values == other.values
    assert (one.policy == other.policy).all()


def test_ctrl_c_saves(tmp_path) -> None:
    def interrupt(done: int) -> None:
        if done == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt, match="Saved after 3 iterations"):
        solve(TINY, tmp_path, progress=interrupt)
    with np.load(tmp_path / SOLVER) as saved:
        assert (saved["turns"].tolist(), saved["curve"].size) == ([6], 0)
    assert solve(TINY, tmp_path, iterations=20).curve[-1][0] == 20


def test_ctrl_c_while_it_is_measured_loses_no_measurement(tmp_path, monkeypatch) -> None:
    """The target is met after 20 iterations, and the run ends there, however often it was stopped."""
    measure = Solver.measure
    straight = solve(TINY, tmp_path / "straight", iterations=100, target=0.01)
    assert straight.curve[-1][0] == 20

    def interrupt(solver: Solver) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Solver, "measure", interrupt)
    for _ in range(2):
        with pytest.raises(KeyboardInterrupt, match="Saved after 20 iterations"):
            solve(TINY, tmp_path / "stopped", iterations=100, target=0.01)
    monkeypatch.setattr(Solver, "measure", measure)
    stopped = solve(TINY, tmp_path / "stopped", iterations=100, target=0.01)
    assert (stopped.iterations, stopped.curve, stopped.values) == (20, straight.curve, straight.values)
    assert (stopped.policy == straight.policy).all()


def changed(array: np.ndarray, place: object, value: object) -> np.ndarray:
    new = array.copy()
    new[place] = value
    return new


def test_a_curve_goes_on_by_any_number_of_iterations() -> None:
    assert checked_curve([[0, 0.5], [3, 0.25], [4, 0.1]], 4) == [(0, 0.5), (3, 0.25), (4, 0.1)]


@pytest.mark.parametrize(
    ("name", "damage"),
    [
        ("turns", lambda turns: np.array([-1])),
        ("turns", lambda turns: turns + 2),
        ("turns", lambda turns: turns * 10**12),
        ("turns", lambda turns: np.array([np.nan])),
        ("turns", lambda turns: np.array(80)),
        ("turns", lambda turns: np.array([40, 40])),
        ("turns", lambda turns: np.array(["80"])),
        ("regrets", lambda regrets: changed(regrets, slice(None), np.nan)),
        ("regrets", lambda regrets: changed(regrets, slice(None), np.inf)),
        ("regrets", lambda regrets: changed(regrets, slice(None), -1)),
        ("average", lambda average: changed(average, slice(None), np.nan)),
        ("average", lambda average: average * 2),
        ("average", lambda average: -average),
        ("policy", lambda policy: changed(policy, slice(None), np.nan)),
        ("policy", lambda policy: policy / 2),
        ("policy", lambda policy: changed(policy, slice(None), 1.0)),
        ("curve", lambda curve: None),
        ("curve", lambda curve: curve.ravel()),
        ("curve", lambda curve: curve[:, :1]),
        ("curve", lambda curve: curve[None]),
        ("curve", lambda curve: curve + np.array([0.5, 0])),
        ("curve", lambda curve: curve + np.array([1, 0])),
        ("curve", lambda curve: curve[::-1]),
        ("curve", lambda curve: curve.repeat(2, axis=0)),
        ("curve", lambda curve: curve * np.nan),
        ("curve", lambda curve: curve - np.array([0, 1])),
        ("curve", lambda curve: curve.astype(np.float32)),
        ("curve", lambda curve: np.array(3.0)),
    ],
)
def test_a_saved_solver_is_checked_by_its_values(tmp_path, name, damage) -> None:
    solve(MIXED, tmp_path, iterations=40, target=-1)
    with np.load(tmp_path / SOLVER) as file:
        saved = dict(file)
    saved[name] = damage(saved[name])
    if saved[name] is None:
        del saved[name]
    np.savez(tmp_path / SOLVER, **saved)
    before = (tmp_path / SOLVER).read_bytes()
    with pytest.raises(ValueError, match=rf"{SOLVER}. is damaged: ") as refused:
        solve(MIXED, tmp_path, iterations=60)
    assert "\n" not in str(refused.value)
    assert len(str(refused.value)) < 400
    assert (tmp_path / SOLVER).read_bytes() == before


@pytest.mark.parametrize("turns", range(1, 8))
@pytest.mark.parametrize("rules", [MIXED, TINY, TINY.replace(players=3, deck="r1 r2 r3 b4 b1", max_decisions=6)])
def test_a_solver_that_was_stopped_anywhere_is_sound(tmp_path, rules, turns) -> None:
    solver = Solver(grow(rules))
    for _ in range(turns):
        module.take_turn(solver._states, solver._ends, solver._tables)
    solver.save(tmp_path)
    assert Solver.load(tmp_path, solver.tree).iterations == turns // rules.players


@pytest.mark.parametrize(
    "change",
    [
        {"iterations": -1}, {"iterations": "20"}, {"iterations": 10**400}, {"values": [0.1]}, {"values": None},
        {"values": [0.1, math.nan]}, {"curve": 3}, {"curve": [[20]]}, {"curve": [[math.nan, 0]]}, {"more": 1},
        {"curve": [[900, 0.1]]}, {"rules": None}, {"rules": {"players": 99}}, {"rules": {}, "values": []}, {"nodes": 0},
    ],
)  # fmt: skip
def test_a_saved_solution_is_checked_by_its_values(tmp_path, change) -> None:
    solve(TINY, tmp_path, iterations=20)
    saved = json.loads((tmp_path / SOLUTION).read_text())
    (tmp_path / SOLUTION).write_text(json.dumps(saved | change))
    with pytest.raises(ValueError, match=f"{SOLUTION}. is damaged: "):
        load_solution(tmp_path)
    for key in saved:
        if key not in ("format", "version"):
            (tmp_path / SOLUTION).write_text(json.dumps({name: saved[name] for name in saved if name != key}))
            with pytest.raises(ValueError, match=f"{key} is missing"):
                load_solution(tmp_path)


def test_probabilities_that_are_none_are_refused(tmp_path) -> None:
    solution = solve(TINY, tmp_path, iterations=20)
    for wrong in (np.nan, 2.0, -1.0, 0.0):
        policy = changed(solution.policy, -1, wrong) if wrong else solution.policy * 0
        module.save_arrays(tmp_path / POLICY, TINY, {"policy": policy})
        with pytest.raises(ValueError, match=f"{POLICY}. is damaged: "):
            load_solution(tmp_path)


def test_long_work_is_saved_now_and_then(tmp_path, monkeypatch) -> None:
    """Whoever kills the process loses a minute at most."""
    seen: list[bool] = []
    monkeypatch.setattr(module, "SAVE_EVERY", -1)
    monkeypatch.setattr(module, "save_solution", None)
    monkeypatch.setattr(Solver, "solution", None)  # as if it were killed before it has any
    with pytest.raises(TypeError):
        solve(
            TINY, tmp_path, iterations=100, target=-1, progress=lambda done: seen.append((tmp_path / SOLVER).exists())
        )
    assert seen.index(True) == 20
    assert Solver.load(tmp_path, grow(TINY)).iterations == 100


def test_a_solution_comes_back_and_plays(tmp_path) -> None:
    solution = solve(MIXED, tmp_path, iterations=20)
    loaded = load_solution(tmp_path)
    assert (loaded.tree.rules, loaded.values, loaded.curve) == (MIXED, solution.values, solution.curve)
    assert (loaded.policy == solution.policy).all()
    chance, position = random.Random(1), ExtensiveForm(MIXED).root
    while not position.over:
        moves = dict(position.chance_moves()) if position.is_chance else loaded.probabilities(position)
        assert sum(moves.values()) == pytest.approx(1)
        assert position.is_chance or [*moves] == position.legal_actions()
        position = position.move(chance.choices([*moves], [*moves.values()])[0])
    with pytest.raises(ValueError, match="no seat"):
        loaded.probabilities(position)


def test_what_cannot_be_read_is_named(tmp_path) -> None:
    solve(TINY, tmp_path, iterations=2)
    with pytest.raises(ValueError, match="other rules"):
        solve(MIXED, tmp_path, iterations=2)
    whole = (tmp_path / POLICY).read_bytes()
    for damaged in (whole[:-20], b"", b"{}", whole[:200]):
        (tmp_path / POLICY).write_bytes(damaged)
        with pytest.raises(ValueError, match=f"{POLICY}. is damaged: it is not whole"):
            load_solution(tmp_path)
    (tmp_path / SOLVER).write_text("{")
    with pytest.raises(ValueError, match=SOLVER):
        solve(TINY, tmp_path)
    np.savez(tmp_path / SOLVER, key=module.tree_key(TINY), policy=np.ones(3))
    with pytest.raises(ValueError, match="no 'policy' of the tree's size"):
        solve(TINY, tmp_path)
    for text, sentence in ((json.dumps({"format": "uno-solution", "version": 99}), "version 2"), ("{", "is damaged")):
        (tmp_path / SOLUTION).write_text(text)
        with pytest.raises(ValueError, match=sentence):
            load_solution(tmp_path)


def test_uno_solve_solves_saves_and_measures(tmp_path, capsys) -> None:
    folder, file = tmp_path / "solved", tmp_path / "measured.json"
    assert main(["solve", "--rules", TINY_TEXT, "--folder", str(folder), "--iterations", "20"]) == 0
    assert "value for seat 0: +0.25" in capsys.readouterr().out
    assert main(["exploitability", "random", "greedy", "--rules", TINY_TEXT, "--json", str(file)]) == 0
    assert "random: exploitability" in capsys.readouterr().out
    assert [each["agent"] for each in json.loads(file.read_text())["exploitabilities"]] == ["random", "greedy"]
    assert main(["solve", "--rules", TINY_TEXT, "--folder", str(folder), "--target", "-1"]) == 2
    assert "'-1' is not allowed: choose a number, 0 or more" in capsys.readouterr().err
    for command in (["solve", "--folder", str(folder)], ["exploitability", "random"]):
        assert main([*command, "--rules", "rlcard"]) == 2
        assert "dialect='rlcard'" in capsys.readouterr().err
        assert main([*command, "--rules", "classic"]) == 2
        assert "deals, too many for a tree" in capsys.readouterr().err


def test_a_full_disk_is_one_sentence_that_names_the_file(tmp_path, capsys, monkeypatch) -> None:
    def full(*_) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    assert main(["solve", "--rules", TINY_TEXT, "--folder", str(tmp_path), "--iterations", "2"]) == 2
    assert capsys.readouterr().err.splitlines()[-1] == f"uno: {tmp_path / 'solver.npz'}: No space left on device"
