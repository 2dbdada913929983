"""Names of agents at the table, and one line on each, as phrases that a browser can say in another language."""

import re
from collections.abc import Sequence

from agents import spoken_names
from uno_env.common.phrases import Phrase
from uno_table.table.sentences import TABLE_SENTENCES

_say = TABLE_SENTENCES.phrase


def short_name(spec: str) -> str:
    """The name of an agent, see :func:`agents.spoken_names.short_name`. A name that somebody else gave, such as that of
    a folder, is the same in all languages.
    """
    name = spoken_names.short_name(spec)
    key = "agent." + re.sub(r"-\d+p$", "", spec.partition("?")[0].replace(":", "."))
    return _say(key) if TABLE_SENTENCES.texts.get(key) == name else name


def seat_names(specs: Sequence[str | None]) -> list[str]:
    """The first names of seats: agents have the name of their spec, with a number if several are the same."""
    names = [_say("seat", number=seat) if spec is None else short_name(spec) for seat, spec in enumerate(specs, 1)]
    return spoken_names.seat_names(names, lambda name, number: _say("agent.numbered", name=name, number=number))


def about(spec: str) -> Phrase:
    """One line on what an agent is: that of its name, else that of its kind."""
    body = spec.partition("?")[0]
    keys = [f"agent.{each}.about" for each in (body, body.partition(":")[0])]
    return _say(next((key for key in keys if key in TABLE_SENTENCES.texts), "agent.policy.about"))
