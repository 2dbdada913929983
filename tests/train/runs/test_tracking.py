"""train/runs/tracking.py: all figures of a run reach a service that fails now and then, in their order, and its end."""

import json
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from train.runs import tracking


class Shaky:
    """A service that fails at every second call; it keeps what reached it."""

    def __init__(self) -> None:
        self.calls = 0
        self.kept: list[Any] = []

    def _call(self, *said: Any) -> None:
        self.calls += 1
        if self.calls % 2:
            raise OSError("503 Service Unavailable")
        self.kept.append(said)

    def begin(self, name: str, identifier: str | None, config: Mapping[str, Any], changeable: Sequence[str]) -> str:
        self._call("begin", name, identifier, config)
        return "its-id"

    def log(self, figures: Mapping[str, float], decisions: int) -> None:
        self._call(decisions, figures)

    def finish(self, end: str) -> None:
        self._call("end", end)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(tracking, "AFTER_FAILURE", 0.0)
    made = tmp_path / "run"
    made.mkdir()
    return made


def lines(*decisions: int) -> str:
    return "".join(json.dumps({"decisions": each, "seconds": 0.5, "loss": each / 10}) + "\n" for each in decisions)


def sent(service: Any, folder: Path, monkeypatch: pytest.MonkeyPatch, place: int = 0) -> None:
    """Send the run of a folder, which has ended, to a service."""
    monkeypatch.setattr(tracking, "SERVICES", {"mlflow": lambda: service})
    given = {"library": "mlflow", "folder": str(folder), "sent": place, "config": {"seed": 3}, "changeable": ()}
    ended = threading.Event()
    ended.set()
    tracking.send(given, ended, ["failed"])


def test_what_could_not_be_sent_is_sent_later_once_and_told_once(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "metrics.jsonl").write_text(lines(10, 20, 30))
    service = Shaky()
    sent(service, folder, monkeypatch)
    assert service.kept == [
        ("begin", "run", None, {"seed": 3}),
        *((each, {"loss": each / 10}) for each in (10, 20, 30)),
        ("end", "failed"),
    ]
    said = capsys.readouterr().out
    assert said.count("\n") == 1
    assert "figures could not be sent (OSError: 503 Service Unavailable): they are in metrics.jsonl" in said


def test_a_run_that_goes_on_goes_on_there_and_sends_what_is_new(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = lines(10, 20)
    (folder / "metrics.jsonl").write_text(before + lines(30))
    (folder / "mlflow_id.txt").write_text("its-id\n")
    service = Shaky()
    sent(service, folder, monkeypatch, len(before))
    assert service.kept[:2] == [("begin", "run", "its-id", {"seed": 3}), (30, {"loss": 3.0})]
    assert (folder / "mlflow_id.txt").read_text() == "its-id"


def test_a_line_that_is_being_written_is_waited_for(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file, (start, rest) = folder / "metrics.jsonl", (lines(20)[:9], lines(20)[9:])
    file.write_text(lines(10) + start)
    assert [line["decisions"] for line, _ in tracking.lines_from(file, 0)] == [10]
    (_, place) = list(tracking.lines_from(file, 0))[-1]
    with file.open("a") as more:
        more.write(rest)
    assert [line["decisions"] for line, _ in tracking.lines_from(file, place)] == [20]
