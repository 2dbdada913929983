"""tools/mutants: which mistakes are made in a source, and which of them the tests of a small project notice."""

import ast
import json
import subprocess
from pathlib import Path

import pytest

from tools.mutants.__main__ import main
from tools.mutants.mistakes import mistakes

SOURCE = '''"""A word, 3 words."""

def steps(number: int = 2) -> int:
    """Counts down; 1 by 1."""
    if not number <= 0 and other.flag is not None:
        table[number] = -number // 2  # a / b
        raise ValueError(f"{number + 1}")
    return number << 1 if True else helper(number, key=0.5)
'''
CHANGED = {
    "number: int = 3", "if not (not number", "if number <= 0 and other", "not number < 0", "not number <= 1",
    "<= 0 or other", "flag is None", "pass  # a", "-number * 2", "= number // 2", "-number // 3", "        pass\n",
    "number >> 1", "<< 2", "1 if not (True) else", "if False else", "key=1.5",
}  # fmt: skip


def test_a_mistake_changes_what_runs_and_nothing_else() -> None:
    data = SOURCE.encode()
    sources = [(data[: each.start] + each.text.encode() + data[each.end :]).decode() for each in mistakes(SOURCE)]
    for piece in CHANGED:
        assert sum(piece in source and piece not in SOURCE for source in sources) == 1, piece
    assert len(sources) == len(CHANGED)
    for source in sources:
        assert ast.dump(ast.parse(source)) != ast.dump(ast.parse(SOURCE))


def test_what_no_sound_test_notices_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root, folder = tmp_path / "project", tmp_path / "mutants"
    for file, text in {
        ".gitignore": "__pycache__/",
        "uno_env/__init__.py": "",
        "uno_env/rules/__init__.py": "",
        "uno_env/rules/count.py": "def count(n):\n    k = 0\n    for _ in range(n):\n        k += 1\n    return k\n\n\n"
        "def unseen():\n    return 7\n",
        "tests/uno_env/rules/test_count.py": "from uno_env.rules.count import count\n\n\n"
        "def test_three():\n    assert count(3) == 3\n",
        "tests/uno_env/test_game.py": "def test_broken():\n    assert False\n",
    }.items():
        (root / file).parent.mkdir(parents=True, exist_ok=True)
        (root / file).write_text(text)
    for line in (["init", "-q"], ["add", "."], ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "a"]):
        subprocess.run(["git", *line], cwd=root, check=True)
    assert main([str(folder), "all"], root) == 0
    said = capsys.readouterr().out
    assert "all noticed 3 of 4 mistakes" in said
    assert said.endswith("-    return 7\n+    return 8\n")
    outcomes = [json.loads(line) for line in (folder / "all.jsonl").read_text().splitlines()]
    assert {outcome["by"] for outcome in outcomes} == {"", "tests/uno_env/rules/test_count.py::test_three"}
    assert main([str(folder), "all"], root) == 0
    assert capsys.readouterr().out == said[said.index("all noticed") :], "what is saved is not tried again"
    assert subprocess.run(["git", "status", "-s"], cwd=folder / "tree", capture_output=True).stdout == b""
