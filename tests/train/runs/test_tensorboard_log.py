"""What TensorBoard is given: ratings, tables, pictures of games."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from train.algorithms.dmc import DMCConfig
from train.algorithms.ppo import PPOConfig
from train.evaluation.duplicate import Evaluation, evaluate
from train.runs.tensorboard_log import RATING, TensorBoardLog, elo_difference, evaluation_figures, strip, transcript
from uno_env import Game
from uno_env.replay import Replay


@pytest.fixture(scope="module")
def result() -> Evaluation:
    return evaluate("greedy", "random", "duel", deals=20)


@pytest.mark.parametrize(
    ("rate", "players", "elo"),
    [(0.5, 2, 0), (0.25, 4, 0), (0.1, 10, 0), (10 / 11, 2, 400), (1 / 11, 2, -400), (10 / 12, 3, 400)],
)
def test_elo_differences(result: Evaluation, rate: float, players: int, elo: float) -> None:
    assert elo_difference(replace(result, win_rate=rate, players=players)) == pytest.approx(elo)


def test_a_perfect_record_has_a_finite_rating(result: Evaluation) -> None:
    won, lost = (elo_difference(replace(result, win_rate=rate, games=100)) for rate in (1.0, 0.0))
    assert won == pytest.approx(-lost)
    assert 900 < won < 930, "half a game of 100"


def test_figures_of_an_evaluation(result: Evaluation) -> None:
    other = replace(result, opponent="greedy", win_rate=0.5)
    figures = evaluation_figures([result, other])
    assert figures["eval/win_rate_vs_random"] == result.win_rate
    assert (figures["interval/low_vs_random"], figures["interval/high_vs_random"]) == (result.low, result.high)
    assert figures[RATING] == pytest.approx(elo_difference(result) / 2)
    assert evaluation_figures([]) == {}


def test_a_strip_shows_four_moments() -> None:
    game = Game("duel", seed=2)
    deal = strip(Replay.of(game))
    assert deal.shape[1:] == (1600, 3)
    parts = np.split(deal, 4, axis=1)
    assert all(np.array_equal(part, parts[0]) for part in parts), "a game that has not begun"
    while not game.over:
        game.step(game.legal_actions()[0])
    parts = np.split(strip(Replay.of(game)), 4, axis=1)
    assert np.array_equal(parts[0], np.split(deal, 4, axis=1)[0])
    assert len({part.tobytes() for part in parts}) == 4


def test_a_game_is_told_in_words() -> None:
    game = Game("duel", seed=2)
    while not game.over:
        game.step(game.legal_actions()[0])
    lines = transcript(Replay.of(game, ["Zoo duel", "[x](http://y) <b>Ann</b>"])).splitlines()
    assert len(lines) == len(game.events) + 1
    assert lines[0].startswith("1. ")
    assert "wins the hand" in lines[-1]
    assert any("Zoo duel plays " in line for line in lines)
    assert r"\[x\]\(http://y\) \<b\>Ann\</b\>" in "".join(lines)
    assert not any("player_" in line for line in lines)


def test_the_tab_hparams_compares_runs_by_config_and_last_figures(tmp_path: Path) -> None:
    from tensorboard.backend.event_processing.data_provider import MultiplexerDataProvider
    from tensorboard.backend.event_processing.plugin_event_multiplexer import EventMultiplexer
    from tensorboard.context import RequestContext
    from tensorboard.plugins.base_plugin import TBContext
    from tensorboard.plugins.hparams import api_pb2, backend_context, list_session_groups

    for config, ratings in ((PPOConfig(name="one", rules={"preset": "duel"}), (1, 2)), (DMCConfig(name="two"), (3, 4))):
        with TensorBoardLog(tmp_path / config.name, config, 0) as log:
            for decisions, rating in enumerate(ratings):
                log.show_figures({RATING: rating}, decisions)
    multiplexer = EventMultiplexer().AddRunsFromDirectory(str(tmp_path))
    multiplexer.Reload()
    provider = MultiplexerDataProvider(multiplexer, str(tmp_path))
    context = backend_context.Context(TBContext(data_provider=provider))
    request = api_pb2.ListSessionGroupsRequest(start_index=0, slice_size=9, allowed_statuses=[0, 1, 2, 3])
    groups = list_session_groups.Handler(RequestContext(), context, "", request).run().session_groups
    shown = {group.hparams["name"].string_value: group for group in groups}
    assert {name: group.metric_values[0].value for name, group in shown.items()} == {"one": 2, "two": 4}
    assert shown["one"].hparams["clip_range"].number_value == PPOConfig().clip_range
    assert shown["one"].hparams["rules"].string_value == "{'preset': 'duel'}"
    assert shown["one"].hparams["players"].string_value == "None"
    assert "clip_range" not in shown["two"].hparams


def test_a_run_that_goes_on_keeps_the_figures_of_the_step_at_which_it_had_ended(tmp_path: Path) -> None:
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    for begun, steps in ((0, (10, 20, 30, 40)), (20, (30, 40))):  # the first was killed after its checkpoint at 20
        with TensorBoardLog(tmp_path, PPOConfig(), begun) as log:
            for step in steps:
                log.show_figures({RATING: begun}, step)
    shown = EventAccumulator(str(tmp_path), size_guidance={"scalars": 0}).Reload().Scalars(RATING)
    assert [(each.step, each.value) for each in shown] == [(10, 0), (20, 0), (30, 20), (40, 20)]
