"""``python -m tools.cli.completion``: a script that completes ``uno`` with the Tab key, for bash, zsh and fish."""

import argparse
import contextlib
import dataclasses
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal

from train.cli.arguments import Command, help_of
from train.cli.errors import UserError, user_input
from train.cli.main import UNO
from train.cli.program import Parser, Program


@dataclass(frozen=True, kw_only=True)
class Completion(Command):
    """Print a script that completes commands, options, agents, configs, rules and files of `uno` with the Tab key.

    For bash, save it as ~/.local/share/bash-completion/completions/uno. For zsh, save it as _uno in a folder of $fpath.
    For fish, save it as ~/.config/fish/completions/uno.fish.
    """

    positional: ClassVar = ("shell",)
    needs: ClassVar = ("shtab",)

    shell: Literal["bash", "zsh", "fish"]
    """the shell"""

    def run(self) -> None:
        with user_input():
            print(script(UNO.parser(), self.shell))


def script(parser: Parser, shell: str) -> str:
    """The script that a shell reads, with the names of agents, configs, presets and rules of today."""
    import shtab

    import agents
    from train.runs.config import shipped_configs
    from uno_env import guide
    from uno_env.rules import PRESETS

    names = {  # by what the help calls the value
        "AGENT": [name for name in agents.names() if ":" not in name or name.startswith("zoo:")],
        "CONFIG": list(shipped_configs()),
        "RULE": list(guide.pages()),
        "PRESET": list(PRESETS),
    }
    for each in _parsers(parser):
        with contextlib.suppress(UserError):  # what needs a library that is not there has no options to complete
            each.add_own_arguments()
            _add_config_keys(each)
        for action in each._actions:
            if (complete := _completer(action, names)) is not None:
                action.complete = complete  # type: ignore[attr-defined]
    return shtab.complete(parser, shell)


def _parsers(parser: Parser) -> Iterable[Parser]:
    """The parsers of all commands, one after the other."""
    below = [action.choices for action in parser._actions if isinstance(action.choices, dict)]
    for each in (parser for choices in below for parser in choices.values()):
        yield from _parsers(each)
        yield each


def _add_config_keys(parser: Parser) -> None:
    """The keys of ppo's configs as options, where a command takes changes of a config."""
    if not parser.get_default("takes_rest"):
        return
    from train.algorithms.ppo import PPOConfig

    texts, own = help_of(PPOConfig), {option for action in parser._actions for option in action.option_strings}
    for field in dataclasses.fields(PPOConfig):
        name = f"--{field.name.replace('_', '-')}"
        if name not in own:
            parser.add_argument(name, help=texts.get(field.name, "").partition(".")[0].replace("%", "%%"))


def _completer(action: argparse.Action, names: dict[str, list[str]]) -> dict[str, Any] | None:
    """The completion of an argument's values for shtab; None: nothing, or its choices."""
    import shtab

    metavar = action.metavar if isinstance(action.metavar, str) else ""
    if metavar in names:
        return _names_and_files(f"_uno_{metavar.lower()}", names[metavar], metavar in ("AGENT", "CONFIG"))
    if action.type is Path:
        return shtab.DIRECTORY if metavar == "FOLDER" else shtab.FILE
    return None


def _names_and_files(function: str, names: list[str], files: bool) -> dict[str, Any]:
    """A function of each shell that gives names, and perhaps files."""
    words = " ".join(names)
    bash = f'compgen -W "{words}" -- "$1"' + ("; _shtab_compgen_files $1" if files else "")
    zsh = f"_alternative 'names:name:compadd -- {words}'" + (" 'files:file:_files'" if files else "")
    fish = f"printf '%s\\n' {words}" + ("; __fish_complete_path (commandline -ct)" if files else "")
    return {
        "bash": function, "zsh": function, "fish": f"({function})",
        "preamble": {
            # bash takes "zoo:duel-2p" for three words otherwise
            "bash": f"COMP_WORDBREAKS=${{COMP_WORDBREAKS//:}}\n{function}() {{ {bash}; }}",
            "zsh": f"{function}() {{ {zsh} }}",
            "fish": f"function {function}; {fish}; end",
        },
    }  # fmt: skip


PROGRAM = Program("python -m tools.cli.completion", "Completion of the command uno.", "tools.cli.completion:Completion")

if __name__ == "__main__":
    sys.exit(PROGRAM.main())
