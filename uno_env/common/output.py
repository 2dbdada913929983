"""Text for terminals that cannot show all characters, text from elsewhere, and an output that takes no text any more:
:func:`replace_unprintable`, :func:`one_line`, :func:`discard_output`.
"""

import codecs
import io
import os
import sys
import unicodedata

_ERRORS = "uno_env.plain"
_STRICTER = ("strict", "surrogateescape", "backslashreplace")
"""Error handlers that Python chooses itself; any other was asked for by the user."""
_PLAIN = {
    "–": "-", "—": "-", "−": "-", "±": "+-", "×": "x", "≤": "<=", "≥": ">=", "≈": "~", "→": "->", "←": "<-",
    "“": '"', "”": '"', "„": '"', "‘": "'", "’": "'", "·": "-", "•": "*", "●": "*", "■": "#", "▶": ">", "▲": "^",
    "▼": "v", "✓": "v", "✗": "x",
}  # fmt: skip
"""The substitute for a character where it is missing. For all others, see :func:`_plain`."""


def replace_unprintable() -> None:
    """From here on, let the standard output and the standard error replace what their encoding lacks.

    A console in latin-1 or cp932 has no en dash, and no encoding has a lone surrogate. Printing such a character raises
    UnicodeEncodeError otherwise, after hours of work perhaps. "–" becomes "-", "é" becomes "e", and a character that
    nothing is like becomes "?". What the encoding has is printed as it is. An error handler that the user asked for
    (``PYTHONIOENCODING=latin-1:ignore``) stays.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and stream.errors in _STRICTER:
            stream.reconfigure(errors=_ERRORS)


def discard_output() -> None:
    """From here on, let what is printed go nowhere: the reader of the standard output has gone, or its disk is full."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def one_line(text: str, longest: int = 80) -> str:
    """A text from a file or a server as a part of one line. Characters that control a terminal or the direction of
    writing become "?", and what is longer than ``longest`` characters is cut.
    """
    shown = "".join(each if each.isprintable() else "?" for each in text[: longest + 1])
    return shown if len(shown) <= longest else f"{shown[: longest - 3]}..."


def _replaced(error: UnicodeError) -> tuple[str, int]:
    """A codec's error handler: the text that stands for what could not be encoded, and where to go on."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return "".join(map(_plain, error.object[error.start : error.end])), error.end


def _plain(character: str) -> str:
    """ASCII that looks like a character, or "?"."""
    alike = unicodedata.normalize("NFKD", character).encode("ascii", "ignore").decode()
    return _PLAIN.get(character) or alike or "?"


codecs.register_error(_ERRORS, _replaced)
