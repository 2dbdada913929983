"""The JSON document of a saved game: its format, and :func:`read_document`."""

import json
from typing import Any

FORMAT = "uno-game"
FORMAT_VERSION = 3


def write_document(values: dict[str, Any]) -> str:
    """The text of a saved game with the fields ``rules``, ``match``, ``start``, ``actions`` and ``state``."""
    return json.dumps({"format": FORMAT, "version": FORMAT_VERSION, **values})


def read_document(text: str) -> dict[str, Any]:
    """The fields of a saved game; the types of their values are checked, their contents are not.

    Raises:
        ValueError: the text is no saved game, or of another version.
    """
    try:
        saved = json.loads(text)
    except (ValueError, RecursionError):
        raise ValueError("this is no saved game: it is not JSON") from None
    if not isinstance(saved, dict) or saved.get("format") != FORMAT:
        raise ValueError(f"this is no saved game: it lacks format={FORMAT!r}")
    if saved.get("version") != FORMAT_VERSION:
        raise ValueError(
            f"the saved game has version {saved.get('version')!r}, and this program reads {FORMAT_VERSION}"
        )
    for name, kind in {"rules": dict, "match": bool, "start": dict, "actions": list, "state": dict}.items():
        if not isinstance(saved.get(name), kind):
            raise ValueError(f"the saved game lacks {name!r}")
    return saved
