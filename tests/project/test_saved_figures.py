"""tests/project/saved_figures.py: what cannot be saved is refused in one sentence."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.project.saved_figures import save

TEXTS = ("{}", "[]", "nothing", '{"ladder": {}}', '{"command": "x", "ladder": {}}',
         '{"command": "x", "search": {}}', '{"command": "x", "algorithms": {"track": "duel-2p"}}')  # fmt: skip


@pytest.mark.parametrize("text", TEXTS)
def test_files_that_hold_no_benchmark(tmp_path: Path, text: str) -> None:
    (tmp_path / "file.json").write_text(text)
    with pytest.raises(ValueError, match="holds no ladder and no benchmark of searches or algorithms"):
        save(tmp_path / "file.json", tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["file.json"]


def test_from_the_command_line() -> None:
    done = subprocess.run([sys.executable, "-m", "tests.project.saved_figures"], capture_output=True, text=True)
    assert done.returncode == 1
    assert "usage: python -m tests.project.saved_figures FILE" in done.stderr
