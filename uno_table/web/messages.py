"""Check a browser's messages: :func:`parse_message` for its socket, :func:`request_fields` for other requests."""

from dataclasses import make_dataclass
from typing import Any

from uno_env.common.files import parse_json
from uno_env.common.validation import convert

LONGEST_MESSAGE = 4_096
"""Characters of a message through a socket."""

MESSAGES: dict[str, dict[str, Any]] = {
    "hello": {"token": str},
    "move": {"action": str, "ticket": str},
    "go_on": {},
    "undo": {},
    "hints": {"on": bool},
}
"""The fields of each type of message."""

REQUESTS: dict[str, dict[str, Any]] = {
    "rules": {"rules": dict[str, Any], "players": int},
    "sit": {"invitation": str, "name": str},
}
"""The fields of each request."""

_FORMS = {kind: make_dataclass(kind, fields.items()) for kind, fields in {**MESSAGES, **REQUESTS}.items()}


class BadMessageError(ValueError):
    """A message that is none of :data:`MESSAGES`."""


def request_fields(kind: str, values: Any) -> dict[str, Any]:
    """The fields of one of :data:`REQUESTS`. Raises ValueError if a field is missing, unknown or of another type."""
    return {**vars(convert(values, _FORMS[kind]))}


def parse_message(text: object) -> dict[str, Any]:
    """A message with its ``type`` and that type's fields, nothing else. Raises BadMessageError if it is none."""
    if not isinstance(text, str) or len(text) > LONGEST_MESSAGE:
        raise BadMessageError(f"a message is a text of at most {LONGEST_MESSAGE} characters")
    try:
        message = parse_json(text)
    except ValueError:
        raise BadMessageError("this message is not JSON") from None
    kind = message.pop("type", None) if isinstance(message, dict) else None
    if not isinstance(kind, str) or kind not in MESSAGES:
        raise BadMessageError("there is no such type of message")
    try:
        return {"type": kind, **vars(convert(message, _FORMS[kind]))}
    except ValueError as error:
        raise BadMessageError(f"a message of type {kind}: {error}") from None
