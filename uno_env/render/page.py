"""A replay as one web page that needs nothing else, no network and no other file: :func:`replay_page`.

The page holds what happened as data, and a program of its own that shows it. Texts of a replay can come from strangers:
they enter the page as data and are shown as text, and the page's own policy lets no other program run.
"""

import base64
import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from html import escape
from importlib import resources
from typing import TYPE_CHECKING, Any

from uno_env.cards import NUM_COLOURS
from uno_env.common.phrases import Phrase, plain_values
from uno_env.editions import edition_for
from uno_env.render.card_art import BACK, figure, texts_as_they_lie
from uno_env.render.drawing import Drawing
from uno_env.render.languages import STRINGS, Language
from uno_env.render.languages import languages as own_languages
from uno_env.render.replay_frames import Frame, hand_frames, is_nameless, player_names, replay_frames
from uno_env.render.sentences import CATALOGUE
from uno_env.render.svg import elements, symbol

if TYPE_CHECKING:
    from uno_env.replay import Note, Replay

_SHARED_SCRIPTS, _SCRIPTS = ("translate.js", "phrases.js"), ("replay.js", "curve.js")
_LINKS = re.compile(r"^(?:import|export) .*\n", re.MULTILINE)


@dataclass(frozen=True)
class Advice:
    """An adviser's opinion of a game."""

    name: str
    """The adviser's name."""
    notes: Sequence["Note | None"]
    """The adviser's note on each decision, from what the player could see; None where it was not asked."""
    luck: float | None = None
    """Win rate that the cards brought the seat in the hand; None: unknown."""


def replay_page(
    replay: "Replay",
    seat: int | None = None,
    advice: Advice | None = None,
    only_hand: int | None = None,
    languages: Sequence[Language] | None = None,
) -> str:
    """A replay as an HTML document, which speaks the language of the browser, or another one that a menu offers.

    Args:
        replay: a title or names that are phrases are said in each language, if ``languages`` has their texts.
        seat: whose view is shown at first; the page calls this player "you". None: all hands are shown.
        advice: an adviser's opinions, which are shown.
        only_hand: the page holds nothing but this hand, counted from 0, and of it what ``seat`` may know.
        languages: with the texts of :func:`uno_env.render.languages.languages` and those of the title and names that
            are phrases. None: the former alone, and title and names are in English.

    Raises ValueError if there is no such seat.
    """
    if seat is not None:
        replay.game.observe(seat)
    notes = [None] * len(replay.game.history) if advice is None else advice.notes
    if languages is None:
        replay = replace(replay, title=str(replay.title), names=tuple(map(str, replay.names)))
        advice = advice and replace(advice, name=str(advice.name))
    you = seat if seat is not None and is_nameless(replay, seat) else None
    title = replay.title or CATALOGUE.phrase("game_of", number=replay.game.players)
    own_only = seat is not None and only_hand is not None
    if seat is not None and only_hand is not None:
        frames = hand_frames(replay, notes, seat, only_hand)
    else:
        frames = replay_frames(replay, notes, you)
    edition = edition_for(replay.game.rules)
    colours = edition.all_colours
    style, template = shared_style() + _file("replay.css"), _file("replay.html")
    script, sentences = _script(), dict[str, int]()
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    facts = {
        "title": title,
        "names": player_names(replay),
        "you": you,
        "colours": colours,
        "sides": edition.sides,
        "luck": advice and advice.luck,
        "adviser": advice and advice.name,
        "view": seat,
        "sealed": own_only,
        "frames": [_numbered(frame, sentences) for frame in frames],
        "sentences": list(sentences),
    }
    facts["languages"] = _languages(facts, own_languages() if languages is None else languages)
    parts = {
        "title": escape(title),
        "no_script": in_all_languages("replay.no_script", own_languages()),
        "script_hash": f"sha256-{digest}",
        "style": style,
        "script": script,
        "symbols": "\n".join(
            [*map(_untitled, (*texts_as_they_lie(edition), BACK)), *map(_figure, range(len(colours)))]
        ),
        "data": _embedded(plain_values(facts)),
        "transcript": escape("\n".join(line for frame in frames for line in frame["said"])),
    }
    return re.sub(r"\{\{(\w+)\}\}", lambda match: parts[match[1]], template)


def shared_style() -> str:
    """The style sheet of whatever shows the game in a browser: colours, fonts, buttons, the felt, tags."""
    return _file("look.css")


def in_all_languages(key: str, languages: Sequence[Language]) -> str:
    """A text as paragraphs of HTML, one a language, for a page without a program that would choose among them."""
    return "\n".join(f'<p lang="{each.code}">{escape(each.texts[key])}</p>' for each in languages)


def _file(name: str) -> str:
    return resources.files("uno_env.render").joinpath("replay_pages", name).read_text(encoding="utf-8")


def _script() -> str:
    """The page's program. The modules that it shares with others are parts of it, without their imports and exports."""
    shared = [_LINKS.sub("", (STRINGS / name).read_text(encoding="utf-8")) for name in _SHARED_SCRIPTS]
    return "\n".join([*shared, *map(_file, _SCRIPTS)])


def _numbered(frame: Frame, sentences: dict[str, int]) -> Frame:
    """A frame with the numbers of its sentences. New ones are added, with the next number."""

    def number(text: str) -> int:
        return sentences.setdefault(text, len(sentences))

    told = {"said": lambda texts: list(map(number, texts)), "words": number}
    seen = [own and _numbered(own, sentences) for own in frame.get("seen", ())]
    numbered = {name: told[name](value) if name in told else value for name, value in frame.items()}
    return {**numbered, "seen": seen} if "seen" in frame else numbered


def _languages(facts: Any, languages: Sequence[Language]) -> list[dict[str, Any]]:
    """Languages with the texts that the page can need: its own, and those of other phrases."""
    keys = {*own_languages()[0].texts, *_keys([facts["title"], facts["adviser"], *facts["names"]])}
    return [
        {
            "code": each.code,
            "name": each.name,
            "draft": each.draft,
            "texts": {k: v for k, v in each.texts.items() if k in keys},
        }
        for each in languages
    ]


def _keys(value: Any) -> Iterator[str]:
    """The keys of the phrases that a value is made of."""
    if isinstance(value, Phrase):
        yield value.key
        yield from _keys(list(value.arguments.values()))
    elif isinstance(value, list):
        for each in value:
            yield from _keys(each)


def _untitled(card: str) -> str:
    """A card as a symbol. The page's program gives it a title where it is used, in the reader's language."""
    return symbol(card, has_title=False)


def _figure(colour: int) -> str:
    """A colour's figure as a symbol in the colour of the text around it."""
    drawing = Drawing(24, 24, (figure(colour % NUM_COLOURS, 12, 12, 9, "currentColor"),))
    return f'<symbol id="colour-{colour}" viewBox="0 0 24 24">{elements(drawing)}</symbol>'


def _embedded(values: Any) -> str:
    """JSON that cannot end the element around it."""
    text = json.dumps(values, separators=(",", ":"), allow_nan=False)
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")
