"""tools/environment_speed.py: ours and the peers are measured in the same turns, and the figures hang together."""

import json

import pytest

from tools import environment_speed
from tools.environment_speed import PeersPlan
from tools.speed import engine
from tools.speed.plot import draw_speed
from uno_env.observation import OBSERVATION_SIZE

pytestmark = pytest.mark.adapters

FIND_COMPILED = """
import os, pathlib
found = pathlib.Path(os.environ["UNO_ENV_CACHE_DIR"], "compiled")
print(0.5 if found.exists() else 8.0)
found.touch()
"""
QUICK = {
    "GAMES": 64,
    "PLAYOUTS": 5,
    "MEMORY_GAMES": 4096,
    "CURVE_GAMES": (64, 4096),
    "CURVE_PLAYERS": (3,),
    "_START": FIND_COMPILED,
}


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in QUICK.items():
        for module in (environment_speed, engine):
            monkeypatch.setattr(module, name, value, raising=hasattr(module, name))


def test_the_figures_hang_together(capsys: pytest.CaptureFixture[str]) -> None:
    measured = json.loads(json.dumps(environment_speed.measure(PeersPlan(repeats=3, seconds=0.0))))
    assert set(measured["speeds"]) == set(environment_speed.RUNNERS)
    lines = [(line["ours"], line["peer"]) for line in measured["ratios"]]
    assert lines == [line[:2] for line in environment_speed.LINES]
    for line in measured["ratios"]:
        pairs = zip(*(measured["speeds"][line[side]]["turns"] for side in ("ours", "peer")), strict=True)
        assert line["ratio"] == sorted(ours / theirs for ours, theirs in pairs)[1]
    assert measured["start"] == {"cold": 8.0, "warm": 0.5}
    assert measured["memory"]["all"] > measured["memory"]["record"] + OBSERVATION_SIZE
    assert [row["games"] for row in measured["curves"]["games"]] == [64, 4096]
    assert [row["players"] for row in measured["curves"]["players"]] == [3]

    environment_speed.show(measured)
    assert "RLCard" in capsys.readouterr().out
    assert len(draw_speed(measured["curves"]).axes) == 3


def test_a_peer_that_is_missing_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(environment_speed.importlib.util, "find_spec", lambda name: None)
    assert environment_speed.peer_turns(0) == {}
    ratios = environment_speed._ratios({name: [1.0] for name in engine.RUNNERS})
    assert [line["peer"] for line in ratios] == ["many"]


CURVES = {
    "games": [
        {"games": 64, "decisions_per_second": 6e6, "bytes_per_game": 1400},
        {"games": 1, "decisions_per_second": 1.2e5, "bytes_per_game": 2100},
    ],
    "players": [{"players": 2, "decisions_per_second": 1.4e7}, {"players": 10, "decisions_per_second": 7.3e6}],
}


def test_speeds_are_written_at_their_points() -> None:
    figure = draw_speed(CURVES)
    written = {text.get_text() for axes in figure.axes for text in axes.texts}
    assert written >= {"120 k", "6 M", "2.1 k", "1.4 k", "14 M", "7.3 M"}
    assert [axes.get_xlabel() for axes in draw_speed({"players": CURVES["players"]}).axes] == ["players"]
