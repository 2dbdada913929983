"""What a browser may send through its socket: :func:`parse_message`."""

import json
from typing import Any

LONGEST_MESSAGE = 4_096
"""Characters."""

FIELDS: dict[str, dict[str, type]] = {
    "hello": {"token": str},
    "watch": {},
    "move": {"action": str, "ticket": str},
    "go_on": {},
    "undo": {},
    "hints": {"on": bool},
    "say": {"text": str},
    "stand_in": {"seat": int},
}
"""The fields of each type of message."""


class BadMessageError(ValueError):
    """A message that is none of :data:`FIELDS`."""


def parse_message(text: object) -> dict[str, Any]:
    """A message with its ``type`` and that type's fields, nothing else.

    Raises:
        BadMessageError: it is none.
    """
    if not isinstance(text, str) or len(text) > LONGEST_MESSAGE:
        raise BadMessageError(f"a message is a text of at most {LONGEST_MESSAGE} characters")
    try:
        message = json.loads(text)
    except (ValueError, RecursionError):
        raise BadMessageError("this message is not JSON") from None
    kind = message.get("type") if isinstance(message, dict) else None
    if not isinstance(kind, str) or kind not in FIELDS:
        raise BadMessageError("there is no such type of message")
    fields = FIELDS[kind]
    if set(message) != {"type", *fields}:
        raise BadMessageError(f"a message of type {kind} has the fields {', '.join(('type', *fields))}")
    for name, wanted in fields.items():
        if type(message[name]) is not wanted:
            raise BadMessageError(f"{name} of a message of type {kind} is of another type")
    return message
