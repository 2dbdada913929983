"""Options in specs, ``name?option=value&option=value``: each kind of agent has a dataclass of those that it takes."""

from dataclasses import dataclass, fields
from typing import Annotated, TypeVar

from msgspec import Meta

from uno_env.common.errors import NotAllowedError
from uno_env.common.spelling import did_you_mean, unknown_name
from uno_env.common.validation import convert

_T = TypeVar("_T")

Flag = Annotated[int, Meta(ge=0, le=1)]
Count = Annotated[int, Meta(ge=1, le=10_000_000)]
Amount = Annotated[float, Meta(ge=0, lt=1e9)]


@dataclass(frozen=True)
class NoOptions:
    """Options of agents that take none."""


def split_options(spec: str) -> tuple[str, dict[str, str]]:
    """The name of a spec, and its options as texts. Raises ValueError if one is given twice or without a value."""
    name, _, rest = spec.partition("?")
    options: dict[str, str] = {}
    for part in filter(None, rest.split("&")):
        option, equals, value = part.partition("=")
        if not equals:
            text = f"{spec!r} has the option {part!r} without a value: write option=value"
            raise NotAllowedError(text, "option_value", agent=spec, option=part)
        if option in options:
            text = f"{spec!r} gives the option {option!r} twice"
            raise NotAllowedError(text, "option_twice", agent=spec, option=option)
        options[option] = value
    return name, options


def parse_options(spec: str, kind: type[_T]) -> _T:
    """The options of a spec as a dataclass. Raises ValueError if one is unknown, twice there or not allowed."""
    allowed = [field.name for field in fields(kind)]  # type: ignore[arg-type]
    options = split_options(spec)[1]
    for option in options:
        if option not in allowed:
            listed = f"options are {', '.join(allowed)}" if allowed else "it takes none"
            text = f"agent {spec!r} has no option {option!r}{did_you_mean(option, allowed)}: {listed}"
            raise unknown_name(text, "option", option, allowed, agent=spec, option=option)
    try:
        return convert(options, kind, strict=False)
    except ValueError as error:
        raise NotAllowedError(str(error), "option_value_of", agent=spec, why=str(error)) from None
