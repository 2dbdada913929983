"""Errors for values that are not allowed, with a sentence and with facts: :class:`NotAllowedError`."""

from typing import Any


class NotAllowedError(ValueError):
    """A value that is not allowed. The message is a sentence in English; code and facts say the same to programs.

    Args:
        sentence: the message.
        code: names what is wrong, such as ``"deck_too_small"``; the same code has the same facts.
        facts: the values that the sentence names.
    """

    def __init__(self, sentence: str, code: str = "", /, **facts: Any) -> None:
        super().__init__(sentence)
        self.code, self.facts = code, facts
