"""A learner of another library, trained for a moment and measured."""

from pathlib import Path

import pytest

from tools.docs import foreign_programs
from tools.docs.foreign_programs import Stopwatch, main
from tools.docs.saved_curves import read_curves


def verify_program_trains(name: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fail unless one of the tool's programs learns from some decisions, and its curve of one point is saved."""
    monkeypatch.setattr(foreign_programs, "FIGURES", folder / "curves.json")
    monkeypatch.setattr(foreign_programs, "Stopwatch", lambda save: Stopwatch(save, 0.2, 1, 4))
    assert main([name]) == 0
    (point,) = read_curves(folder / "curves.json")[name].points
    assert point.decisions > 0
