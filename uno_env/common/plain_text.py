"""Texts that somebody else wrote, as plain text on a terminal and on a page of Markdown or HTML."""

import html
import re

_SPECIAL = r"\\`*\[\]|~$"
"""Characters with a meaning in Markdown, wherever they stand; those of HTML become entities."""
_UNDERSCORE = r"(?<![^\W_])_|_(?![^\W_])"
"""An underscore that does not stand inside a word: there it means nothing."""


def printable(text: str) -> str:
    """A text in one line, without what does not belong on a screen: control characters, those that begin a terminal's
    commands, and marks that turn the direction of writing."""
    return " ".join("".join(char if char.isprintable() else " " for char in text).split())


def markdown(text: str) -> str:
    """Markdown that shows a text as it is, in one line: no tags, links, code or cells of tables come out of it."""
    return re.sub(rf"[{_SPECIAL}]|{_UNDERSCORE}", r"\\\g<0>", html.escape(printable(text), quote=False))


def code_span(text: str) -> str:
    """A text as code in Markdown, in one line; backticks become apostrophes."""
    return f"`{printable(text).replace('`', chr(39)).replace('|', chr(92) + '|')}`"


def without_marks(text: str) -> str:
    """A text of Markdown as a terminal shows it: without the marks of code and bold type, and of :func:`markdown`."""
    shown = re.sub(rf"\\([{_SPECIAL}_])|`|\*\*", lambda found: found[1] or "", text)
    return html.unescape(shown)
