"""The command ``uno``: which commands there are, and how they end.

A mistake of the user ends in one sentence on the standard error and exit code 2, Ctrl-C in one line and 130. Only
what a user gives is guarded like that: any other error is a bug, and keeps its traceback. A command's own module, and
what it needs, is imported when it is the one that is asked for.
"""

import argparse
import gc
import importlib
import os
import re
import shlex
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

from train.cli.errors import UserError, user_input

if TYPE_CHECKING:
    from train.cli.arguments import Command

OK, USER_ERROR, INTERRUPTED = 0, 2, 130

BENCHMARKS = {
    "speed": ("benchmarks:Speed", "speed of the environments, beside RLCard's and OpenSpiel's"),
    "training": ("benchmarks:TrainingSpeed", "training speed of PPO, beside SB3's MaskablePPO"),
    "algorithms": ("benchmarks:Algorithms", "algorithms, trained with the same budget and measured on one ladder"),
    "scores": ("benchmarks:Scores", "algorithms, compared by saved scores"),
    "agents": ("benchmarks:Ladder", "all agents against the same opponents on four tracks: the ladder"),
    "rules": ("benchmarks:AllRules", "an agent under every preset, with 2 to 10 players, and under random rules"),
    "rlcard": ("benchmarks:RLCard", "win rates under the preset rlcard and in RLCard's own environment"),
    "ablate": ("benchmarks:Ablation", "what each idea in the agent tuned is worth"),
    "exploit": ("benchmarks:Exploit", "how much a best response wins against an agent"),
    "search": ("benchmarks:Search", "how much a network helps the searches"),
}
ZOO = {
    "add": ("policies:Add", "measure a run's policy, and write its file and its model card"),
    "cards": ("policies:Cards", "write the model cards of all shipped policies anew, from their files"),
}
COMMANDS: Mapping[str, tuple[str | Mapping[str, tuple[str, str]], str]] = {
    "train": ("training:Train", "train a policy on a config, or resume a run"),
    "train-rlcard": ("training:TrainRLCard", "train RLCard's own DMC or NFSP in RLCard's environment, as an opponent"),
    "evaluate": ("evaluating:Evaluate", "measure how often an agent wins"),
    "tournament": ("evaluating:Tournament", "let agents play each other, and rate them"),
    "play": ("playing:Play", "play against agents, in the terminal or in the browser"),
    "replay": ("playing:Replay", "show a saved game, decision by decision"),
    "plot": ("evaluating:Plot", "draw learning curves, cross tables and speeds, as PNG and SVG"),
    "benchmark": (BENCHMARKS, "measure speed, strength, algorithms and exploitability"),
    "study": ("studying:Ask", "answer questions about the game by simulation"),
    "tune": ("training:Tune", "search for weights of the agent tuned, with CMA-ES"),
    "demo": ("training:Demo", "train on configs/demo.yaml, evaluate, plot, and show how to play against the result"),
    "solve": ("solving:Solve", "solve tiny rules with OpenSpiel's CFR+"),
    "exploitability": ("solving:Exploitability", "measure how far agents are from an equilibrium of tiny rules"),
    "export": ("policies:Export", "write a saved policy as an ONNX file, and check that it plays the same"),
    "zoo": (ZOO, "measure a run's policy, describe it, and ship it as zoo:NAME"),
    "warm-up": ("warming:WarmUp", "compile what is commonly needed, for container images and continuous integration"),
    "agents": ("lists:Agents", "list the agents"),
    "rules": ("lists:RulePages", "show what a rule says, or list the rules"),
    "completion": ("completion:Completion", "print a script for tab completion in bash, zsh or fish"),
}
"""Class of each command in this package, or commands below it; and what it does."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; its exit code."""
    arguments = list(sys.argv[1:] if argv is None else argv) or ["--help"]
    if arguments[0] == "help":
        arguments = [*arguments[1:], "--help"]
    try:
        if arguments == ["--version"]:
            print_versions()
            return OK
        command = parse_arguments(arguments)
        if argv is None:
            from uno_env.core.jit.notice import NOTICE

            NOTICE.always = True
        run(command)
        return OK
    except UserError as error:
        print(f"uno: {error}", file=sys.stderr)
        return USER_ERROR
    except ValueError as error:
        from uno_env.player import PlayerError  # what it needs takes a second to import

        if not isinstance(error, PlayerError):
            raise
        print(f"uno: {error}", file=sys.stderr)
        return USER_ERROR
    except KeyboardInterrupt as interrupt:
        gc.freeze()  # Python would look through all objects at its end: most of the second that an end took
        print(f"\n{str(interrupt) or 'Interrupted.'}", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        # Whoever read the output has gone (`uno replay game.json | head`): what is left has nowhere to go.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return OK


def print_versions() -> None:
    """Print the versions that results depend on, in one line."""
    from train.common.versions import versions

    print(", ".join(f"{name} {version}" for name, version in sorted(versions().items(), key=_ours_first)))


def _ours_first(named: tuple[str, str]) -> bool:
    return named[0] != "uno-env"


def run(command: "Command") -> None:
    """Run a command, and write what it measured to ``--json`` if that is given."""
    from uno_env.common.files import verify_writable, write_json

    file = getattr(command, "json", None)
    with user_input():
        for library in command.needs:
            importlib.import_module(library)
        if file is not None:
            verify_writable(file)
    measured = command.run()
    if file is not None and measured is not None:
        with user_input():
            write_json(file, {**command.origin(), **measured})


def parse_arguments(arguments: Sequence[str]) -> "Command":
    """The command that a command line asks for.

    Raises:
        UserError: its arguments are not allowed.
    """
    parser = command_parser()
    values, rest = parser.parse_known_args(arguments)
    if rest and not values.takes_rest:
        from uno_env.common.spelling import did_you_mean

        meant = did_you_mean(rest[0], values.known)
        raise UserError(f"unknown argument {rest[0]!r}{meant}: see {values.prog} --help")
    named = next(iter(arguments[len(values.prog.split()) - 1 :]), "")
    if named in rest and named.startswith("--") and "=" not in named and values.kind.positional:
        raise UserError(f"{named} stands before the config that it changes: write {values.prog} CONFIG {named} VALUE")
    from train.cli.arguments import read_options

    with user_input():
        return read_options(values.kind, values, rest, command_line=shlex.join(["uno", *arguments]))


def command_parser() -> "Parser":
    """The parser of ``uno``; those of the commands have their arguments once they are asked for."""
    parser = Parser(prog="uno", description="The UNO card game for multi-agent reinforcement learning.")
    parser.add_argument("--version", action="store_true", help="print the versions that results depend on, and end")
    _add_commands(parser, COMMANDS, "commands", "COMMAND")
    return parser


def _add_commands(parser: "Parser", commands: Mapping[str, Any], title: str, metavar: str) -> None:
    kinds = parser.add_subparsers(title=title, metavar=metavar, required=True)
    for name, (target, text) in commands.items():
        if isinstance(target, str):
            kinds.add_parser(name, help=text, target=target)
        else:
            group = kinds.add_parser(name, help=text, description=f"{text[0].upper()}{text[1:]}.")
            _add_commands(group, target, "what to do", "WHAT")


class Parser(argparse.ArgumentParser):
    """Says what is wrong in one sentence, without the usage; a command's arguments are added when it is asked for."""

    def __init__(self, target: str | None = None, **options: Any) -> None:
        super().__init__(**options, allow_abbrev=False)
        self.target = target

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """As argparse's; the namespace has the command's class as ``kind``."""
        self.add_own_arguments()
        self._words = [word for word in args or () if not word.startswith("-")]
        return super().parse_known_args(args, namespace)

    def format_help(self) -> str:
        """As argparse's, and what the command says besides."""
        kind = self.get_default("kind")
        return super().format_help() + ("" if kind is None else kind.more_help(self._words))

    def actions(self) -> list[argparse.Action]:
        """Its arguments, and what its commands stand in."""
        return list(self._actions)

    def add_own_arguments(self) -> None:
        """Add the arguments of its command, if it has one and they are not there yet."""
        if self.target is None:
            return
        from train.cli.arguments import add_arguments

        module, _, name = self.target.partition(":")
        with user_input():
            from uno_env.common.own_packages import verify_not_hidden

            verify_not_hidden("agents")
            kind = getattr(importlib.import_module(f"train.cli.{module}"), name)
        self.target = None
        add_arguments(self, kind)
        self.set_defaults(kind=kind, prog=self.prog)

    def error(self, message: str) -> NoReturn:
        from uno_env.common.spelling import did_you_mean

        wrong = re.search(r"invalid choice: '([^']*)' \(choose from (.+)\)", message)
        meant = did_you_mean(wrong[1], re.findall(r"[\w-]+", wrong[2])) if wrong else ""
        raise UserError(f"{message}{meant} (see {self.prog} --help)")
