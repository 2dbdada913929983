"""A hand's review: costs for the seat's own choices alone, luck as the meter adds it up, the game left as it is."""

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import agents
from train.common import progress
from train.evaluation.luck.meter import LuckMeter
from train.evaluation.luck.values import values_for
from uno_env import Game
from uno_env.core.packed_games import rows_of
from uno_env.render.page import Advice
from uno_table.commands import ReplayCommand
from uno_table.hands import measuring
from uno_table.hands.measuring import choices_in_hand, measure_choices


def measure_hand(game: Game, seat: int, hand: int) -> Advice:
    *_, last = measure_choices(game, seat, hand)
    return last.advice


def played(rules: str, seed: int, **options: bool) -> Game:
    game, player = Game(rules, seed=seed, **options), agents.load("random-play", seed)
    while not game.over and game.hands_played < 2:
        game.step(player.act(game.observe(game.to_move, "uint8"), game.action_mask()))
    return game


@pytest.mark.thorough
@pytest.mark.usefixtures("few_draws")
def test_costs_and_luck_of_a_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measuring, "BUDGET", 300)
    game = played("duel", 5)
    before, found = game.to_json(), [measure_hand(game, seat, 0) for seat in range(2)]
    assert game.to_json() == before
    past, meter = game.start(), LuckMeter(values_for(game.rules), game.rules, 1)
    for number, action in enumerate(game.history):
        for seat, advice in enumerate(found):
            note = advice.notes[number]
            assert (note is not None) == (past.to_move == seat and len(past.legal_actions()) > 1)
            if note is not None:
                assert list(note.costs) == past.legal_actions()
                assert min(lost for lost, _ in note.costs.values()) <= 0
        meter.add(rows_of(past._array.copy()), np.zeros(1, np.int64), np.array([action]))
        past.step(action)
    deal = [advice.luck - luck for advice, luck in zip(found, meter.luck[0], strict=True)]
    assert sum(deal) == pytest.approx(0, abs=1e-6)
    assert abs(deal[0]) < 0.5
    told = [sum(note.luck for note in advice.notes if note is not None) for advice in found]
    assert np.isfinite(told).all()


def test_luck_is_left_out_where_nothing_knows_the_rules_and_only_one_hand_is_measured(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(measuring, "BUDGET", 50)
    game = played("house", 1, match=True)
    advice = measure_hand(game, 0, 1)
    assert advice.luck is None
    assert len(advice.notes) == len(game.history)
    past = game.start()
    for action, note in zip(game.history, advice.notes, strict=True):
        assert note is None or past.hands_played == 1
        past.step(action)
    assert any(note is not None for note in advice.notes)


@pytest.mark.thorough
@pytest.mark.usefixtures("few_draws")
def test_the_command_counts_choices(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    shown: list[Any] = []

    @contextlib.contextmanager
    def bar(title: str, total: int) -> Iterator[Callable[[int], None]]:
        shown.append((title, total))
        yield shown.append

    monkeypatch.setattr(measuring, "BUDGET", 50)
    monkeypatch.setattr(progress, "progress_bar", bar)
    game = played("duel", 5)
    file = tmp_path / "game.json"
    file.write_text(game.to_json())
    ReplayCommand(file=file, costs=True, html=tmp_path / "page.html").run()
    choices = [len(choices_in_hand(game, seat, 0)) for seat in range(2)]
    assert min(choices) > 1
    assert shown[0] == ("choices", sum(choices))
    assert sorted(set(shown[1:])) == list(range(1, sum(choices) + 1))
    assert shown[1:] == sorted(shown[1:])
