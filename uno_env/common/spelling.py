"""Names that were probably meant: :func:`did_you_mean`."""

import difflib
from collections.abc import Iterable


def did_you_mean(name: object, names: Iterable[str]) -> str:
    """`` (did you mean 'x'?)`` with the name most like a wrong one, or nothing if none is like it."""
    close = difflib.get_close_matches(str(name), list(names), 1)
    return f" (did you mean {close[0]!r}?)" if close else ""
