"""A replay as one web page that needs nothing else, no network and no other file: :func:`replay_page`.

The page holds what happened as data, and a program of its own that shows it. Texts of a replay can come from strangers:
they enter the page as data and are shown as text, and the page's own policy lets no other program run.
"""

import base64
import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from importlib import resources
from typing import TYPE_CHECKING, Any

from uno_env import actions as catalogue
from uno_env.cards import CARD_NAMES, CARD_TEXTS, COLOURS
from uno_env.render.card_art import BACK, figure
from uno_env.render.drawing import Drawing
from uno_env.render.replay_frames import hand_frames, player_names, replay_frames
from uno_env.render.svg import elements, symbol

if TYPE_CHECKING:
    from uno_env.replay import Note, Replay

_SCRIPTS = ("replay.js", "curve.js")


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
    replay: "Replay", seat: int | None = None, advice: Advice | None = None, only_hand: int | None = None
) -> str:
    """A replay as an HTML document.

    It is shown from ``seat`` at first, or with all hands, and with an adviser's opinions. With ``only_hand`` it holds
    nothing but this hand, counted from 0, and of it what ``seat`` may know. Raises ValueError if there is no such seat.
    """
    if seat is not None:
        replay.game.observe(seat)
    notes = [None] * len(replay.game.history) if advice is None else advice.notes
    own_only = seat is not None and only_hand is not None
    if seat is not None and only_hand is not None:
        frames = hand_frames(replay, notes, seat, only_hand)
    else:
        frames = replay_frames(replay, notes)
    style, template = shared_style() + _file("replay.css"), _file("replay.html")
    script = "\n".join(map(_file, _SCRIPTS))
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    facts = {
        **_facts(replay),
        "luck": advice and advice.luck,
        "adviser": advice and advice.name,
        "view": seat,
        "sealed": own_only,
        "frames": frames,
    }
    parts = {
        "title": escape(_title(replay)),
        "script_hash": f"sha256-{digest}",
        "style": style,
        "script": script,
        "symbols": "\n".join(map(symbol, [*CARD_TEXTS, BACK])) + "\n" + "\n".join(map(_figure, range(len(COLOURS)))),
        "data": _embedded(facts),
        "transcript": escape("\n".join(line for frame in frames for line in frame["said"])),
    }
    return re.sub(r"\{\{(\w+)\}\}", lambda match: parts[match[1]], template)


def shared_style() -> str:
    """The style sheet of whatever shows the game in a browser: colours, fonts, buttons, the felt, tags."""
    return _file("look.css")


def _file(name: str) -> str:
    return resources.files("uno_env.render").joinpath("replay_pages", name).read_text(encoding="utf-8")


def _title(replay: "Replay") -> str:
    return replay.title or f"A game of {replay.game.players} players"


def _facts(replay: "Replay") -> dict[str, Any]:
    """The facts that stay the same during a game."""
    return {
        "title": _title(replay),
        "names": player_names(replay),
        "cards": dict(zip(CARD_TEXTS, CARD_NAMES, strict=True)) | {BACK: "a card face down"},
        "actions": dict(zip(catalogue.ACTION_TEXTS, catalogue.ACTION_NAMES, strict=True)),
        "colours": COLOURS,
    }


def _figure(colour: int) -> str:
    """A colour's figure as a symbol in the colour of the text around it."""
    drawing = Drawing(24, 24, (figure(colour, 12, 12, 9, "currentColor"),))
    return f'<symbol id="colour-{colour}" viewBox="0 0 24 24">{elements(drawing)}</symbol>'


def _embedded(values: Any) -> str:
    """JSON that cannot end the element around it."""
    text = json.dumps(values, separators=(",", ":"), allow_nan=False)
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")
