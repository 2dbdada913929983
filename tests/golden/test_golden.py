"""Golden games come out as they are written, and no rule lacks one."""

from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.golden.transcript import deal, golden_files, moves, play, read
from uno_env import PRESETS, Rules
from uno_env.core.record import ALL_PHASE_NAMES, END_NAMES, FLAGS, NUMBERS, SWITCHES
from uno_env.invariants import find_faults


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


class _Seen(NamedTuple):
    """What occurs in the golden games."""

    rules: list[Rules]
    presets: set[str]
    scorings_of_matches: set[str]
    phases: set[str]
    ends: set[str]
    punished_in: set[str]


@cache
def _seen() -> _Seen:
    seen = _Seen([], set(), set(), set(), set(), set())
    for path in golden_files():
        header, lines = read(path)
        game = deal(header)
        seen.rules.append(game.rules)
        seen.presets.add(header["preset"])
        seen.scorings_of_matches.update({game.rules.scoring} if game.match else ())
        for text in moves(lines):
            seen.phases.add(game.phase)
            seen.punished_in.update({game.phase} if text not in game.legal_names() else ())
            game.step(text)
        seen.phases.add(game.phase)
        seen.ends.add(game.end)
    return seen


_VALUES: dict[str, tuple[object, ...]] = {**SWITCHES, **FLAGS}


@pytest.mark.parametrize(("switch", "value"), [(switch, value) for switch in _VALUES for value in _VALUES[switch]])
def test_every_value_of_a_switch_has_a_golden_game(switch: str, value: object) -> None:
    assert value in {getattr(each, switch) for each in _seen().rules}


@pytest.mark.parametrize("field", [*(name for name in NUMBERS if name != "players"), "deck", "reflexes"])
def test_every_other_field_has_a_golden_game_with_a_value_of_its_own(field: str) -> None:
    assert {getattr(each, field) for each in _seen().rules} - {getattr(Rules(), field)}


@pytest.mark.parametrize("players", [2, 3, 4, 5, 6, 10])
def test_tables_small_and_large_have_a_golden_game(players: int) -> None:
    assert players in {each.players for each in _seen().rules}


def test_every_preset_has_a_golden_game() -> None:
    assert set(PRESETS) <= _seen().presets


def test_every_scoring_has_a_golden_match() -> None:
    assert set(SWITCHES["scoring"]) == _seen().scorings_of_matches


def test_every_phase_has_a_golden_game() -> None:
    assert set(ALL_PHASE_NAMES) == _seen().phases


def test_an_illegal_action_in_every_phase_has_a_golden_game() -> None:
    assert set(ALL_PHASE_NAMES) - {"over"} == _seen().punished_in


def test_every_end_has_a_golden_game() -> None:
    """But for a match of a thousand hands, which ``test_s9_match.py`` looks at."""
    assert set(END_NAMES) - {"running", "too_many_hands"} == _seen().ends
