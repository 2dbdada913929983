"""tools/cli/completion.py: what the shells themselves complete with its scripts."""

import contextlib
import shutil
import subprocess
from pathlib import Path

import pytest

from tools.cli.completion import PROGRAM

pytestmark = pytest.mark.adapters
pytest.importorskip("shtab")

TYPED = {
    "uno tr": {"train"},
    "uno benchmark ch": {"chat"},
    "uno benchmark run --js": {"--json"},
    "uno train ppo_": {"ppo_classic-2p", "ppo_duel-2p", "ppo_house-4p"},
    "uno train ppo_duel-2p --league-sh": {"--league-share"},
    "uno evaluate zoo:d": {"zoo:duel-2p"},
    "uno evaluate zoo:duel-2p --against gree": {"greedy"},
    "uno evaluate greedy --rules du": {"duel"},
    "uno rules jump": {"jump_in"},
    "uno replay a_ga": {"a_game.json"},
}
"""What is typed, and what is offered, perhaps with more."""

BASH = """
source "$1"
function=$(complete -p uno | sed 's/.*-F \\([^ ]*\\).*/\\1/')
while IFS= read -r line; do
  read -ra COMP_WORDS <<< "$line"
  COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) COMPREPLY=()
  $function uno "${COMP_WORDS[COMP_CWORD]}" ""
  echo "${COMPREPLY[*]}"
done
"""
FISH = 'source $argv[1]; while read line; echo (complete -C "$line" | string split -f1 \\t); end'


@pytest.fixture(scope="module")
def scripts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The script of each shell."""
    folder = tmp_path_factory.mktemp("scripts")
    for shell in ("bash", "zsh", "fish"):
        with (folder / shell).open("w") as file, contextlib.redirect_stdout(file):
            assert PROGRAM.main([shell]) == 0
    return {file.name: file for file in folder.iterdir()}


PROGRAMS = {"bash": ["bash", "--norc", "-c", BASH, "bash"], "fish": ["fish", "-c", FISH]}


@pytest.mark.parametrize("shell", PROGRAMS)
def test_what_is_typed_is_completed(shell: str, scripts: dict[str, Path], tmp_path: Path) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"there is no {shell}")
    (tmp_path / "a_game.json").write_text("")
    run = subprocess.run(
        [*PROGRAMS[shell], str(scripts[shell])],
        cwd=tmp_path,
        input="\n".join(TYPED) + "\n",
        capture_output=True,
        text=True,
    )
    assert run.stderr == ""
    offered = dict(zip(TYPED, map(str.split, run.stdout.splitlines()), strict=True))
    for line, words in TYPED.items():
        assert words <= set(offered[line]), (line, offered[line])
        beginning = line.rpartition(" ")[2]
        assert all(word.startswith(beginning) for word in offered[line]) or shell == "fish", (line, offered[line])


def test_zsh_reads_its_script(scripts: dict[str, Path]) -> None:
    text = scripts["zsh"].read_text()
    assert text.startswith("#compdef uno\n")
    assert "zoo:duel-2p" in text
    assert "ppo_duel-2p" in text
    if shutil.which("zsh") is not None:
        assert subprocess.run(["zsh", "-n", str(scripts["zsh"])], capture_output=True).stderr == b""
