"""Programs of commands, such as ``uno``: :class:`Program`.

A command is a dataclass (:class:`train.cli.arguments.Command`), whose fields are its arguments. A mistake of the user
ends in one sentence on the standard error and exit code 2, Ctrl-C in one line and 130. Only what a user gives is
guarded like that: any other error is a bug, and keeps its traceback. A command's own module, and what it needs, is
imported when it is the one that is asked for.
"""

import argparse
import errno
import gc
import importlib
import io
import os
import re
import shlex
import signal
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn

from train.cli.errors import UserError, user_input
from train.common.interrupts import once_a_second

if TYPE_CHECKING:
    from train.cli.arguments import Command

OK, USER_ERROR, INTERRUPTED = 0, 2, 130

Commands = Mapping[str, "tuple[str | Commands, str]"]
"""By name: the class of a command as ``module:Name``, or the commands below it; and what it does."""


@dataclass(frozen=True)
class Program:
    """A program with commands.

    Args:
        name: what it is called on the command line, such as ``uno``.
        commands: its commands; or, for a program that does one thing, the class of that one, as ``module:Name``.
    """

    name: str
    description: str
    commands: Commands | str

    def main(self, argv: Sequence[str] | None = None) -> int:
        """Run one command, by default that of the command line, and return its exit code."""
        arguments = list(sys.argv[1:] if argv is None else argv)
        if not arguments and not isinstance(self.commands, str):
            arguments = ["--help"]
        if arguments[:1] == ["help"]:
            arguments = [*arguments[1:], "--help"]
        _open_closed_streams()
        try:
            if arguments[-1:] != ["--help"]:  # the list of commands is ASCII, and need not wait for an import
                _prepare_output()
            if arguments == ["--version"]:
                from train.common.versions import versions

                found = sorted(versions().items(), key=lambda named: named[0] != "uno-env")
                print(", ".join(f"{name} {version}" for name, version in found), flush=True)
                return OK
            command = self.parse(arguments)
            if argv is None and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
                signal.signal(signal.SIGINT, once_a_second(signal.default_int_handler))
            run(command)
            sys.stdout.flush()
            if argv is None:
                _end_soon()
            return OK
        except (UserError, ValueError) as error:
            if not isinstance(error, UserError):
                from uno_env.player import PlayerError  # what it needs takes a second to import

                if not isinstance(error, PlayerError):
                    raise
            from uno_env.common.plain_text import printable

            print(f"{self.name}: {printable(str(error))}", file=sys.stderr)
            return USER_ERROR
        except KeyboardInterrupt as interrupt:
            if argv is None:
                signal.signal(signal.SIGINT, signal.SIG_IGN)  # a launcher's second one would kill it at its end
            _end_soon()
            print(f"\n{str(interrupt) or 'Interrupted.'}", file=sys.stderr)
            return INTERRUPTED
        except BrokenPipeError:  # whoever read the output has gone (`uno replay game.json | head`)
            _discard_output()
            return OK
        except OSError as error:
            if error.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EIO):
                raise
            if error.filename is None:
                _discard_output()
            file = error.filename or "the output"
            print(f"{self.name}: {file} cannot be written ({error.strerror})", file=sys.stderr)
            return USER_ERROR

    def parse(self, arguments: Sequence[str]) -> "Command":
        """The command that a command line asks for. Raises UserError if its arguments are not allowed."""
        parser = self.parser()
        values, rest = parser.parse_known_args(arguments)
        if rest and not values.takes_rest:
            from uno_env.common.spelling import did_you_mean

            if rest[0].removeprefix("--") in values.kind.positional:
                raise UserError(f"{rest[0]} is not allowed: give it by its place, as {values.prog} --help shows")
            meant = did_you_mean(rest[0], values.known)
            raise UserError(f"unknown argument {rest[0]!r}{meant}: see {values.prog} --help")
        named = next(iter(arguments[len(values.prog.split()) - len(self.name.split()) :]), "")
        if named in rest and named.startswith("--") and "=" not in named and values.kind.positional:
            raise UserError(
                f"{named} stands before the config that it changes: write {values.prog} CONFIG {named} VALUE"
            )
        from train.cli.arguments import read_options

        with user_input():
            line = shlex.join([*self.name.split(), *arguments])
            return read_options(values.kind, values, rest, command_line=line)

    def parser(self) -> "Parser":
        """The parser of the program; those of its commands have their arguments once they are asked for."""
        if isinstance(self.commands, str):
            return Parser(prog=self.name, target=self.commands)
        parser = Parser(prog=self.name, description=self.description)
        parser.add_argument("--version", action="store_true", help="print the versions that results depend on, and end")
        _add_commands(parser, self.commands, "commands", "COMMAND")
        return parser


def run(command: "Command") -> None:
    """Run a command. What it measured is written to ``--json``, if that is given, before it is printed."""
    from uno_env.common.files import verify_writable, write_json

    file = getattr(command, "json", None)
    with user_input():
        for library in command.needs:
            importlib.import_module(library)
        if file is not None:
            verify_writable(file)
    measured = command.run()
    if measured is None:
        return
    if file is not None:
        with user_input():
            write_json(file, {**command.origin(), **measured.values})
    measured.show()


def _end_soon() -> None:
    """Spare Python's look through all objects at its end, which takes up to a second."""
    gc.freeze()


def _open_closed_streams() -> None:
    """Open those of the standard streams that whoever started the program has closed (``uno agents >&-``)."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_RDWR), mode))


def _discard_output() -> None:
    from uno_env.common.output import discard_output  # half a second

    discard_output()


def _prepare_output() -> None:
    """Replace what cannot be printed, and write each line when it is printed, to files and other programs, too."""
    from uno_env.common.output import replace_unprintable  # half a second

    replace_unprintable()
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(line_buffering=True)


def _add_commands(parser: "Parser", commands: Mapping[str, Any], title: str, metavar: str) -> None:
    kinds = parser.add_subparsers(title=title, metavar=metavar, required=True)
    for name, (target, text) in commands.items():
        if isinstance(target, str):
            kinds.add_parser(name, help=text, target=target)
        else:
            group = kinds.add_parser(name, help=text, description=f"{text[0].upper()}{text[1:]}.")
            _add_commands(group, target, "what to do", "WHAT")


class Parser(argparse.ArgumentParser):
    """Names a fault in one sentence, without the usage; a command's arguments are added when it is called."""

    def __init__(self, target: str | None = None, **options: Any) -> None:
        super().__init__(**options, allow_abbrev=False)
        self.target = target

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Same as argparse's. The namespace has the command's class as ``kind``."""
        self.add_own_arguments()
        self._given = list(args or ())
        return super().parse_known_args(args, namespace)

    def format_help(self) -> str:
        """Same as argparse's, with the command's own text behind it."""
        kind = self.get_default("kind")
        return super().format_help() + ("" if kind is None else kind.more_help(self._given))

    def add_own_arguments(self) -> None:
        """Add the arguments of its command, if it has one and they are not there yet."""
        if self.target is None:
            return
        from train.cli.arguments import add_arguments

        _prepare_output()
        module, _, name = self.target.partition(":")
        with user_input():
            kind = getattr(importlib.import_module(module), name)
        self.target = None
        add_arguments(self, kind)
        self.set_defaults(kind=kind, prog=self.prog)

    def error(self, message: str) -> NoReturn:
        from uno_env.common.spelling import did_you_mean

        wrong = re.search(r"invalid choice: '([^']*)' \(choose from (.+)\)", message)
        meant = did_you_mean(wrong[1], re.findall(r"[\w-]+", wrong[2])) if wrong else ""
        raise UserError(f"{message}{meant} (see {self.prog} --help)")
