"""The sentences of the table, as phrases that a browser can say in another language: :data:`TABLE_SENTENCES`.

Those with which it refuses something are raised: :func:`refusal`. What the packages below refuse has a code, by which
the table says it: :func:`said_by`. What is said to a seat of what happened is kept: :class:`SeatSentences`.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from uno_env.common.errors import NotAllowedError
from uno_env.common.phrases import Catalogue, Phrase
from uno_env.common.validation import short_repr
from uno_env.editions.edition import Edition
from uno_env.events import Event
from uno_env.render.sentences import Sentences

STRINGS = Path(__file__).parents[1] / "strings"
"""The texts of the table and its pages, one file a language."""
TABLE_SENTENCES = Catalogue(STRINGS / "en.json")
"""The English of all of them; sentences on the game are those of :mod:`uno_env.render.sentences`."""
_say = TABLE_SENTENCES.phrase

MOST_EVENTS = 60
"""Past events that are sent to a seat, for a person who comes late or comes back."""
_MOST_KEPT = 4 * MOST_EVENTS

SENTENCES_OF_OTHERS = ("why",)
"""Facts of a refusal that are told as they are; other texts are quoted."""


class RefusedError(ValueError):
    """Something at the table is not allowed. The message is one sentence, and the table stays as it was."""


def refusal(key: str, /, **arguments: Any) -> RefusedError:
    """The error whose message is the sentence ``refused.KEY``."""
    return RefusedError(_say(f"refused.{key}", **arguments))


def said_by(error: Exception) -> str:
    """The message of an error on one line: a phrase if it was raised with one, or if it has a code for which the table
    has a sentence (:class:`uno_env.common.errors.NotAllowedError`).
    """
    said = error.args[0] if error.args else ""
    if isinstance(said, Phrase):
        return said
    text = " ".join(str(error).split())
    if not isinstance(error, NotAllowedError):
        return text
    key = f"refused.{error.code}" + ("_meant" if "meant" in error.facts else "")
    return Phrase(text, key, **_words_of(error.facts)) if key in TABLE_SENTENCES.texts else text


def value_word(name: str, value: bool | str) -> Phrase:
    """The words for a value of a switch. Raises KeyError if the switch has no such value."""
    if isinstance(value, bool):
        return _say("on" if value else "off")
    return _say(f"rule.{name}.{value}")


def _words_of(facts: Mapping[str, Any]) -> dict[str, Any]:
    """The facts of a refusal in words for people: ``field`` as the argument ``rule``, and ``value`` as its value."""
    words = {name: _word(name, fact) for name, fact in facts.items()}
    if "field" in facts:
        field, value = facts["field"], facts["value"]
        words |= {"rule": _say(f"rule.{field}"), "value": _value(field, value)}
        del words["field"]
    return words


def _word(name: str, fact: Any) -> Any:
    return short_repr(fact) if isinstance(fact, str) and name not in SENTENCES_OF_OTHERS else fact


def _value(field: str, value: Any) -> Any:
    if isinstance(value, bool) or (isinstance(value, str) and f"rule.{field}.{value}" in TABLE_SENTENCES.texts):
        return value_word(field, value)
    return value if isinstance(value, int) else short_repr(value)


class SeatSentences(Sentences):
    """Sentences that call a seat "you". A seat is sent the same events again and again: they are kept."""

    def __init__(self, names: Sequence[str], seat: int, edition: Edition) -> None:
        super().__init__(names, seat, edition)
        self._kept: dict[Event, Phrase] = {}

    def event(self, event: Event) -> Phrase:
        """An event as a sentence."""
        kept = self._kept.get(event)
        if kept is None:
            if len(self._kept) >= _MOST_KEPT:
                self._kept.clear()
            kept = self._kept[event] = super().event(event)
        return kept
