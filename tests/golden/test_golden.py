"""Golden games come out as they are written, and nothing that is built lacks one."""

from functools import cache
from pathlib import Path

import pytest

from tests.golden.transcript import deal, golden_files, moves, play, read
from uno_env import Rules
from uno_env.core.record import END_NAMES, FLAGS, PHASE_NAMES, SWITCHES
from uno_env.invariants import find_faults
from uno_env.rules import NOT_BUILT

PHASES_NOT_BUILT = {"swap": "seven_zero", "jump_in": "jump_in", "stack": "stacking"}
"""Phases of rules that are not built yet, with their switches."""


@pytest.mark.parametrize("path", golden_files(), ids=lambda path: path.stem)
def test_golden_game(path: Path) -> None:
    header, lines = read(path)
    for number, (written, played) in enumerate(zip(lines, play(deal(header), moves(lines)), strict=True), 1):
        assert played == written, f"line {number} of the game"


@pytest.mark.parametrize("path", golden_files(), ids=lambda path: path.stem)
def test_golden_game_is_sound_and_comes_to_its_end(path: Path) -> None:
    header, lines = read(path)
    game = deal(header)
    for text in moves(lines):
        assert find_faults(game.record, game.rules) == []
        game.step(text)
    assert find_faults(game.record, game.rules) == []
    assert game.over


@cache
def _played() -> tuple[list[Rules], set[str]]:
    """The rules of all golden games, and their phases and ends."""
    rules, seen = [], set()
    for path in golden_files():
        header, lines = read(path)
        game = deal(header)
        rules.append(game.rules)
        for text in moves(lines):
            seen.add(game.phase)
            game.step(text)
        seen |= {game.phase, game.end}
    return rules, seen


def _built_values() -> list[tuple[str, object]]:
    values = {**SWITCHES, **dict.fromkeys(FLAGS, (False, True))}
    return [(name, value) for name in values for value in values[name] if value not in NOT_BUILT.get(name, ())]


@pytest.mark.parametrize(("switch", "value"), _built_values())
def test_every_builtvalue_of_has_a_golden_game(switch: str, value: object) -> None:
    rules, _ = _played()
    assert value in {getattr(each, switch) for each in rules}


@pytest.mark.parametrize("players", [2, 3, 4, 5, 6, 10])
def test_tables_small_and_large_have_a_golden_game(players: int) -> None:
    rules, _ = _played()
    assert players in {each.players for each in rules}


@pytest.mark.parametrize("phase", [name for name in PHASE_NAMES if PHASES_NOT_BUILT.get(name) not in NOT_BUILT])
def test_every_built_phase_has_a_golden_game(phase: str) -> None:
    assert phase in _played()[1]


@pytest.mark.parametrize("end", [name for name in END_NAMES if name != "running"])
def test_every_end_has_a_golden_game(end: str) -> None:
    assert end in _played()[1]


def test_a_change_in_a_line_is_noticed(tmp_path: Path) -> None:
    header, lines = read(golden_files()[0])
    lines[3] = lines[3].replace("hands ", "hands 1")
    assert list(play(deal(header), moves(lines))) != lines
