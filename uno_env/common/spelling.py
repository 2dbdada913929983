"""Names that were probably meant: :func:`did_you_mean`, :func:`unknown_name`, :func:`names_arguments`."""

import difflib
from collections.abc import Callable, Iterable
from functools import wraps
from inspect import Parameter, signature
from typing import Any, TypeVar

from uno_env.common.errors import NotAllowedError

_Class = TypeVar("_Class", bound=type)
_NAMELESS = (Parameter.VAR_KEYWORD, Parameter.VAR_POSITIONAL)


def did_you_mean(name: object, names: Iterable[str]) -> str:
    """`` (did you mean 'x'?)`` with the name most like a wrong one, or nothing if none is like it."""
    close = _closest(name, names)
    return f" (did you mean {close!r}?)" if close else ""


def unknown_name(sentence: str, code: str, name: str, names: Iterable[str], **facts: str) -> NotAllowedError:
    """The error that refuses a wrong name. It has the fact ``meant`` if one of the names is like it."""
    close = _closest(name, names)
    return NotAllowedError(sentence, code, **facts, meant=close) if close else NotAllowedError(sentence, code, **facts)


def _closest(name: object, names: Iterable[str]) -> str | None:
    return next(iter(difflib.get_close_matches(str(name), list(names), 1)), None)


def names_arguments(cls: _Class) -> _Class:
    """Class decorator: the constructor refuses unknown arguments in a sentence. It raises TypeError, as Python does.
    The sentence names the argument that was probably meant.
    """
    build: Callable[..., None] = cls.__init__  # type: ignore[misc]
    parameters = signature(cls).parameters.values()
    names = [each.name for each in parameters if each.kind not in _NAMELESS]

    @wraps(build)
    def construct(self: Any, *arguments: Any, **named: Any) -> None:
        for name in named:
            if name not in names:
                raise TypeError(
                    f"{cls.__name__} has no argument {name!r}{did_you_mean(name, names)}: there are {', '.join(names)}"
                )
        build(self, *arguments, **named)

    cls.__init__ = construct  # type: ignore[misc]
    return cls
