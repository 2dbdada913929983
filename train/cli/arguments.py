"""The arguments of a command, made from a dataclass: :func:`add_arguments` and :func:`read_options`.

Each field is an argument ``--its-name``. Its type says what is allowed, its attribute docstring is the help text, and
its default is the default. A field that is a dataclass itself (a plan of a benchmark) stands for all of its fields.
Class variables of a command say the rest:

``positional``: fields that are given by their position, without ``--name``.
``exclusive``: groups of fields of which only one may be given.
``preset``: the rules if neither ``--rules`` nor a saved policy says which.

Where the command line calls a field by another name, ``option`` in the field's metadata is that name.
"""

import argparse
import ast
import dataclasses
import inspect
import math
import textwrap
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import Annotated, Any, ClassVar, Literal, NamedTuple, TypeVar, Union, get_args, get_origin, get_type_hints

from msgspec import Meta

from train.common.options import Agent, File, Folder, Players, Seed, Workers
from train.common.suite import named_rules
from train.common.versions import versions
from uno_env.common.validation import describe
from uno_env.rules import Rules

_T = TypeVar("_T")

Changes = Mapping[str, str]
"""Type of a field that takes all ``--key value`` which the command does not know: changes of a config."""


class Measured(NamedTuple):
    """The result of a command that measures. The program writes the values to ``--json`` before it prints them:
    whatever goes wrong with the terminal, hours of work are kept.
    """

    values: Mapping[str, Any]
    """Plain values for JSON."""
    show: Callable[[], object]
    """Prints them."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Command:
    """A command: its fields are its arguments."""

    positional: ClassVar[tuple[str, ...]] = ()
    exclusive: ClassVar[tuple[tuple[str, ...], ...]] = ()
    preset: ClassVar[str] = "duel"
    needs: ClassVar[tuple[str, ...]] = ()
    """Libraries of extras that are missed before the work begins, rather than in the middle."""

    command_line: str = ""
    """The command as it was typed; no argument."""

    def run(self) -> Measured | None:
        """Do what the command is for, and return what was measured, if it measures."""
        raise NotImplementedError

    @classmethod
    def more_help(cls, arguments: Sequence[str]) -> str:
        """Text of ``--help`` after the arguments; ``arguments`` are those of the command line."""
        return ""

    def origin(self) -> dict[str, Any]:
        """The origin of measurements: the command and the versions."""
        return {"command": self.command_line, "versions": versions()}


@dataclasses.dataclass(frozen=True, kw_only=True)
class Measuring(Command):
    """A command that measures: :meth:`run` returns what it measured, and does not print it."""

    json: File | None = None
    """write the results as JSON"""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Saving(Command):
    """A command that can be stopped, and resumes from a folder."""

    save: Folder | None = None
    """save the results in this folder, and resume from it"""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Parallel(Command):
    """A command whose work is shared by processes."""

    workers: Workers = 0
    """processes, 0: one for each core; the result does not depend on them"""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Seeded(Command):
    """A command whose chance is decided by a seed."""

    seed: Seed = 0
    """seed of the deals and of all randomness"""


@dataclasses.dataclass(frozen=True, kw_only=True)
class RulesOptions:
    """The rules that a user means."""

    rules: Annotated[str, Meta(title="PRESET")] | None = None
    """a preset, and the fields that differ: duel, or classic,draw=until_playable (default: {preset})"""
    players: Players | None = None
    """number of players (default: that of the rules)"""


# --- from fields to arguments -----------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class _Argument:
    """A field as an argument."""

    field: str
    called: str
    hint: Any
    default: Any
    help: str

    @property
    def type(self) -> Any:
        """Type of one value, ``Annotated`` if its limits are."""
        hint = self.hint
        if get_origin(hint) in (Union, types.UnionType):
            hint = next(part for part in get_args(hint) if part is not types.NoneType)
        return get_args(hint)[0] if get_origin(hint) is tuple else hint

    @property
    def many(self) -> bool:
        """True if it takes several values."""
        return any(get_origin(part) is tuple for part in (self.hint, *get_args(self.hint)))

    def settings(self) -> dict[str, Any]:
        """Keyword arguments for argparse."""
        if self.hint is bool:
            return {"action": "store_true", "help": self.help}
        kind, meta = _parts(self.type)
        settings: dict[str, Any] = {"help": self._help_with_default()}
        if get_origin(kind) is Literal:
            settings["choices"] = get_args(kind)
        else:
            settings["type"] = _converter(self.type) if kind in (int, float) else kind
        if (meta is not None and meta.title) or "choices" not in settings:
            settings["metavar"] = (meta and meta.title) or {int: "N", float: "X"}.get(kind, self.called.upper())
        return settings

    def _help_with_default(self) -> str:
        if "(default" in self.help or self.default in (None, (), dataclasses.MISSING, ""):
            return self.help
        default = " ".join(map(str, self.default)) if isinstance(self.default, tuple) else self.default
        return f"{self.help} (default {default})".lstrip()


def add_arguments(parser: argparse.ArgumentParser, kind: type[Command]) -> None:
    """Add the arguments of a command, and what it does: the docstring of its plan, or its own."""
    groups = {
        field: group
        for fields in kind.exclusive
        for group in [parser.add_mutually_exclusive_group()]
        for field in fields
    }
    arguments = list(_arguments(kind))
    agent_fields = [argument.field for argument in arguments if argument.type == Agent]
    preset = f"the rules of the first saved policy, else {kind.preset}" if agent_fields else kind.preset
    for argument in arguments:
        if argument.hint == Changes:
            parser.epilog = f"{argument.help[0].upper()}{argument.help[1:]}: --key value."
            continue
        settings = argument.settings()
        settings["help"] = settings["help"].format(preset=preset).replace("%", "%%")
        required = argument.default is dataclasses.MISSING
        if argument.field in kind.positional:
            count = ("+" if required else "*") if argument.many else None if required else "?"
            parser.add_argument(argument.field, nargs=count, **settings)
            continue
        if argument.many:
            settings |= {"nargs": "+", "action": "extend"}
        name = f"--{argument.called.replace('_', '-')}"
        groups.get(argument.field, parser).add_argument(name, dest=argument.field, required=required, **settings)
    parser.description = inspect.getdoc(_hints(kind).get("plan", kind))
    parser.set_defaults(
        preset=kind.preset,
        agent_fields=agent_fields,
        takes_rest=any(argument.hint == Changes for argument in arguments),
        known=[f"--{argument.called.replace('_', '-')}" for argument in arguments],
    )


def read_options(kind: type[_T], values: argparse.Namespace, rest: Sequence[str], **given: Any) -> _T:
    """An instance of a command, from what was parsed. Raises ValueError if a value is not allowed."""
    made = dict(given)
    for field, hint in _hints(kind).items():
        if hint is Rules:
            specs = [spec for name in values.agent_fields for spec in _listed(getattr(values, name))]
            made[field] = make_rules(values.rules, values.players, specs, values.preset)
        elif hint == Changes:
            made[field] = overrides(rest)
        elif dataclasses.is_dataclass(hint):
            made[field] = read_options(hint, values, rest)  # type: ignore[arg-type]
        elif field not in made and (value := getattr(values, field, None)) is not None:
            made[field] = tuple(value) if isinstance(value, list) else value
    return kind(**made)


def _arguments(kind: type) -> Iterator[_Argument]:
    """Yield the arguments of a dataclass and of the dataclasses in its fields. Changes of a config are one argument."""
    texts = help_of(kind)
    fields = {field.name: field for field in dataclasses.fields(kind)}
    for name, hint in _hints(kind).items():
        if hint is Rules:
            yield from _arguments(RulesOptions)
        elif dataclasses.is_dataclass(hint):
            yield from _arguments(hint)  # type: ignore[arg-type]
        elif name != "command_line":
            called = fields[name].metadata.get("option", name)
            yield _Argument(name, called, hint, fields[name].default, texts.get(name, ""))


def _hints(kind: type) -> dict[str, Any]:
    hints = get_type_hints(kind, include_extras=True)
    return {field.name: hints[field.name] for field in dataclasses.fields(kind)}


@cache
def help_of(kind: type) -> dict[str, str]:
    """The attribute docstrings of a dataclass's fields, in one line each."""
    texts: dict[str, str] = {}
    for each in reversed([base for base in kind.__mro__ if dataclasses.is_dataclass(base)]):
        (body,) = ast.parse(textwrap.dedent(inspect.getsource(each))).body
        assert isinstance(body, ast.ClassDef)
        for statement, following in zip(body.body, body.body[1:], strict=False):
            match statement, following:
                case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(text))):
                    texts[name] = " ".join(text.split()).removesuffix(".")
    return texts


def _parts(hint: Any) -> tuple[Any, Meta | None]:
    """The bare type and its limits."""
    if get_origin(hint) is Annotated:
        kind, meta, *_ = get_args(hint)
        return kind, meta
    return hint, None


def _converter(hint: Any) -> Callable[[str], Any]:
    """Return a type for argparse: a number within the limits of ``hint``. Whole numbers may be written 5e6."""
    kind, meta = _parts(hint)
    meta = meta or Meta()
    high = meta.le or (meta.extra or {}).get("le", math.inf)

    def convert(text: str) -> int | float:
        try:
            number: int | float = int(text) if kind is int and text.lstrip("+-").isdigit() else float(text)
        except ValueError:
            number = math.nan
        whole = kind is float or number % (meta.multiple_of or 1) == 0
        above = (meta.ge is None or number >= meta.ge) and (meta.gt is None or number > meta.gt)
        if whole and above and number <= high and math.isfinite(number):
            return kind(number)
        limits: dict[str, Any] = {"ge": meta.ge, "gt": meta.gt, "le": meta.le}
        words = meta.description or describe(Annotated[kind, Meta(**limits)])
        raise argparse.ArgumentTypeError(f"{text!r} is not allowed: choose {words}")

    return convert


# --- values with a language of their own ------------------------------------------------------------------------------


def _listed(value: Any) -> Sequence[str]:
    return [] if value is None else [value] if isinstance(value, str) else value


def make_rules(text: str | None, players: int | None, specs: Sequence[str], default: str) -> Rules:
    """The rules that a user means. Raises ValueError if there are no such rules or agents.

    Args:
        text: a preset or a solvable game of the suite, then fields: ``"duel"``, ``"classic,draw=until_playable"``; None
            for those of the first saved policy among ``specs``, the agents at the table, or the preset ``default``.
        players: number of players, if given.
    """
    import agents

    if text is None:
        cards = (agents.load(spec).card for spec in specs)
        trained = next((card.rules for card in cards if card is not None), None)
        return named_rules(default if trained is None else trained, players)
    preset, *changes = text.split(",")
    values: dict[str, Any] = {"preset": preset}
    for change in changes:
        field, equals, value = change.partition("=")
        if not equals:
            raise ValueError(f"--rules {text!r} is not allowed: write {change!r} as field=value")
        if (field := field.strip()) in values:
            raise ValueError(f"--rules {text!r} is not allowed: it names {field!r} twice")
        values[field] = _rule_value(field, value)
    if players is not None and values.get("players", players) != players:
        raise ValueError(
            f"--rules {text!r} is not allowed with {players} players: leave players out of it, or let --players agree"
        )
    return named_rules(values, players)


def _rule_value(field: str, text: str) -> Any:
    """Return the value of a rule as YAML reads it. Named values stay texts, since ``off`` is False in YAML."""
    import yaml

    from uno_env.core.record import ALL_SWITCHES

    if field in ALL_SWITCHES or field == "deck":
        return text
    try:
        return yaml.safe_load(text)
    except yaml.YAMLError:
        raise ValueError(f"--rules: {field}={text!r} is not allowed: it is no value") from None


def overrides(rest: Sequence[str]) -> dict[str, str]:
    """Keys and values of ``--key value`` or ``--key=value``. Raises ValueError if the words are something else."""
    values: dict[str, str] = {}
    words = iter(rest)
    for word in words:
        key, equals, value = word.removeprefix("--").partition("=")
        if not word.startswith("--") or not key:
            raise ValueError(f"unknown argument {word!r}: keys of the config are changed by --key value")
        if not equals:
            following = next(words, None)
            if following is None:
                raise ValueError(f"{word} needs a value: write {word} VALUE")
            value = following
        values[key.replace("-", "_")] = value
    return values
