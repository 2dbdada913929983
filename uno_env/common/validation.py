"""Plain values from files, messages and command lines, checked against dataclasses: :func:`convert`.

What is allowed stands in the types of a dataclass's fields: ``Annotated[int, Meta(ge=1)]``, ``Literal["a", "b"]``,
``tuple[str, ...]``. msgspec checks; here its errors become one sentence for whoever gave the values.
"""

import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, TypeVar, get_args, get_type_hints

import msgspec
from msgspec import inspect

from uno_env.common.spelling import did_you_mean

_T = TypeVar("_T")
_type_info: Callable[[Any], inspect.Type] = cache(inspect.type_info)

LONGEST_VALUE = 80
"""Characters of a value in a sentence about it."""

UNSAID = 1e9
"""Bounds above this are named only in the message about a value that exceeds them."""

_WORDS = {
    inspect.StrType: "a text",
    inspect.BoolType: "true or false",
    inspect.NoneType: "null",
    inspect.DictType: "a mapping",
}


def convert(values: Any, kind: type[_T], strict: bool = True) -> _T:
    """Return plain values as a dataclass. Fields that are left out have their defaults.

    Texts of numbers are taken as numbers if not ``strict``. What the dataclass's own ``__post_init__`` refuses, is
    refused in its words. Raises ValueError if a key is unknown or missing, or a value is not allowed; one sentence
    names both.
    """
    info = _type_info(kind)
    _refuse_unknown_keys(values, info)
    try:
        return msgspec.convert(values, kind, strict=strict)
    except msgspec.ValidationError as error:
        own = error.__cause__  # of the dataclass's __post_init__, in its own words
        raise ValueError(str(own) if own else _sentence(str(error), values, info)) from None


def describe(kind: Any) -> str:
    """The values that a type allows, as words that fit behind "choose"."""
    return _describe(inspect.type_info(kind))


def _refuse_unknown_keys(values: Any, info: inspect.Type) -> None:
    if isinstance(info, inspect.VarTupleType | inspect.ListType) and isinstance(values, list | tuple):
        for value in values:
            _refuse_unknown_keys(value, info.item_type)
    elif isinstance(info, inspect.DataclassType) and isinstance(values, Mapping):
        fields = {field.encode_name: field.type for field in info.fields}
        for key, value in values.items():
            if key not in fields:
                raise ValueError(
                    f"unknown key {key!r}{did_you_mean(key, fields)}: there are {', '.join(fields) or 'none'}"
                )
            _refuse_unknown_keys(value, fields[key])


def _sentence(message: str, values: Any, info: inspect.Type) -> str:
    """msgspec's message in our words: the value, and what is allowed instead."""
    path = message.rpartition(" - at `$")[2].removesuffix("`") if " - at `" in message else ""
    name = ""
    for key, index in re.findall(r"\.(\w+)|\[(\d+)\]", path):
        if key and isinstance(info, inspect.DataclassType):
            owner, info = info.cls, next(field.type for field in info.fields if field.encode_name == key)
            values, name = values[key], f"{name}.{key}".lstrip(".")
            if isinstance(info, inspect.LiteralType):  # whose values msgspec sorts
                info = inspect.LiteralType(get_args(get_type_hints(owner)[key]))
        elif index and isinstance(info, inspect.VarTupleType) and isinstance(info.item_type, inspect.DataclassType):
            info, values, name = info.item_type, values[int(index)], f"{name}[{index}]"
        else:
            break
    missing = re.search(r"missing required field `(\w+)`", message)
    if missing and isinstance(info, inspect.DataclassType):
        wanted = next(field.type for field in info.fields if field.encode_name == missing[1])
        return f"{f'{name}.{missing[1]}'.lstrip('.')} is missing: give {_describe(wanted)}"
    allowed, most = _describe(info), re.search(r"<= ([\d.e+]+)", message)
    if most and most[1] not in allowed:
        allowed += f" and {float(most[1]):g} at most"
    return f"{name or 'the whole'}={short_repr(values)} is not allowed: choose {allowed}"


def short_repr(value: Any, longest: int = LONGEST_VALUE) -> str:
    """A value as it is written, cut where it is long: a hostile file must not fill the screen."""
    text = repr(value)
    return text if len(text) <= longest else f"{text[: longest - 3]}..."


def _describe(info: inspect.Type) -> str:
    if isinstance(info, inspect.Metadata):
        return _describe(info.type)
    if isinstance(info, inspect.UnionType):
        return " or ".join(map(_describe, info.types))
    if isinstance(info, inspect.VarTupleType | inspect.ListType):
        low, high = info.min_length, info.max_length
        if high == 0:
            return "an empty list"
        size = f" of {low or 0} to {high}" if high is not None else f" of {low} or more" if low else ""
        return f"a list{size}, each element {_describe(info.item_type)}"
    if isinstance(info, inspect.LiteralType):
        return f"one of {', '.join(map(repr, info.values))}"
    if isinstance(info, inspect.IntType | inspect.FloatType):
        return _describe_number(info)
    return _WORDS.get(type(info), "a mapping")


def _describe_number(info: inspect.IntType | inspect.FloatType) -> str:
    words, form = ("a whole number", "d") if isinstance(info, inspect.IntType) else ("a number", "g")
    if info.gt is not None:
        return f"{words} above {info.gt:{form}}"
    if info.ge is not None and info.ge == info.le:
        return f"one of {info.ge}"
    most = None if info.le is not None and info.le >= UNSAID else info.le
    low, high = (None if bound is None else format(bound, form) for bound in (info.ge, most))
    if low is not None and high is not None:
        return f"{words} from {low} to {high}"
    bound = f"{low} or more" if low is not None else f"{high} or less" if high is not None else ""
    return f"{words}, {bound}" if bound else words
