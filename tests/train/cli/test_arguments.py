"""train/cli/arguments.py: arguments of a command from the fields of a dataclass."""

from dataclasses import dataclass, field
from typing import Annotated, ClassVar, Literal

import pytest
from msgspec import Meta

from train.cli.arguments import Changes, Command, add_arguments, read_options
from train.cli.errors import UserError
from train.cli.program import Parser
from train.common.options import Agent, Seed
from uno_env import Rules


@dataclass(frozen=True)
class Plan:
    """What is to be done."""

    agent: Agent
    """who plays, 100 % of the time"""
    rules: Rules
    decisions: Annotated[int, Meta(ge=1)] = field(default=10, metadata={"option": "budget"})
    """how long"""
    colours: tuple[Literal["red", "blue"], ...] = ("red",)
    """with which colours."""
    even: Annotated[int, Meta(multiple_of=2, description="an even number")] | None = None
    """how many pairs"""


@dataclass(frozen=True, kw_only=True)
class Do(Command):
    """Do it."""

    positional: ClassVar = ("agent",)
    exclusive: ClassVar = (("even", "loud"),)

    plan: Plan
    loud: bool = False
    """whether to shout"""
    seed: Seed = 0
    """decides all"""
    changes: Changes
    """any key can be changed"""


def parser() -> Parser:
    made = Parser(prog="uno do")
    add_arguments(made, Do)
    return made


def read(line: str) -> Do:
    values, rest = parser().parse_known_args(line.split())
    return read_options(Do, values, rest, command_line=line)


def test_defaults_are_those_of_the_fields() -> None:
    assert read("greedy") == Do(plan=Plan("greedy", Rules.preset("duel")), changes={}, command_line="greedy")


def test_fields_of_the_plan_and_of_the_command() -> None:
    line = "greedy --budget 5e6 --colours red blue --rules classic --players 3 --loud --seed 18446744073709551615 --x=1"
    done = read(line)
    assert done.plan == Plan("greedy", Rules.preset("classic", players=3), 5_000_000, ("red", "blue"))
    assert (done.loud, done.seed, done.changes) == (True, 2**64 - 1, {"x": "1"})


def test_help_is_the_docstrings_with_defaults() -> None:
    text = " ".join(parser().format_help().split())
    for part in ("What is to be done.", "who plays, 100 % of the time", "--budget N how long (default 10)",
                 "with which colours (default red)", "--loud whether to shout", "Any key can be changed: --key value.",
                 "else duel)"):  # fmt: skip
        assert part in text


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("", "the following arguments are required: AGENT"),
        ("greedy --budget 0", "'0' is not allowed: choose a whole number, 1 or more"),
        ("greedy --budget 1.5", "'1.5' is not allowed: choose a whole number"),
        ("greedy --budget nan", "'nan' is not allowed"),
        ("greedy --budget 1e999", "'1e999' is not allowed"),
        ("greedy --even 3", "'3' is not allowed: choose an even number"),
        ("greedy --seed 18446744073709551616", "choose a whole number from 0 to 18446744073709551615"),
        ("greedy --colours green", "'green'"),
        ("greedy --even 2 --loud", "not allowed with"),
    ],
)
def test_what_is_not_allowed_is_said_in_a_sentence(line: str, sentence: str) -> None:
    with pytest.raises(UserError) as error:
        read(line)
    assert sentence in str(error.value)
    assert str(error.value).endswith("(see uno do --help)")
