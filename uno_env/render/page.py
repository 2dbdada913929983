"""A replay as one web page that needs nothing else, no network and no other file: :func:`replay_page`.

The page holds what happened as data, and a program of its own that shows it. Texts of a replay can come from strangers:
they enter the page as data and are shown as text, and the page's own policy lets no other program run.
"""

import base64
import hashlib
import json
import re
from collections.abc import Sequence
from html import escape
from importlib import resources
from typing import TYPE_CHECKING, Any

from uno_env import actions as catalogue
from uno_env.cards import CARD_NAMES, CARD_TEXTS, COLOURS
from uno_env.events import Event, events_seen_by, player_name
from uno_env.render.card_art import BACK, FILLS, INKS, figure
from uno_env.render.drawing import Drawing
from uno_env.render.sentences import describe, situation
from uno_env.render.svg import elements, symbol
from uno_env.render.view import View, view_of

if TYPE_CHECKING:
    from uno_env.game import Game
    from uno_env.replay import Note, Replay

_PRIVATE = ("words", "said", "to_move", "drawn", "known")
"""What a seat may see differently from a spectator, besides the hands and what may be done."""

_OUTSIDER = -1
"""Nobody's seat: an event that it is told of, everyone is."""


def replay_page(replay: "Replay", seat: int | None = None) -> str:
    """A replay as an HTML document.

    Args:
        replay: the game, and what is known of its players.
        seat: whose view is shown at first; None: all hands.

    Raises:
        ValueError: there is no such seat.
    """
    if seat is not None:
        replay.game.observe(seat)
    template = resources.files("uno_env.render").joinpath("replay.html").read_text(encoding="utf-8")
    script = template.partition("<script>")[2].partition("</script>")[0]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    frames = _frames(replay)
    parts = {
        "title": escape(_title(replay)),
        "script_hash": f"sha256-{digest}",
        "symbols": "\n".join(map(symbol, [*CARD_TEXTS, BACK])) + "\n" + "\n".join(map(_figure, range(len(COLOURS)))),
        "data": _embedded({**_facts(replay), "view": seat, "frames": frames}),
        "transcript": escape("\n".join(line for frame in frames for line in frame["said"])),
    }
    return re.sub(r"\{\{(\w+)\}\}", lambda match: parts[match[1]], template)


def _title(replay: "Replay") -> str:
    return replay.title or f"A game of {replay.game.players} players"


def _facts(replay: "Replay") -> dict[str, Any]:
    """What stays the same all game long."""
    return {
        "title": _title(replay),
        "seats": [player_name(seat) for seat in range(replay.game.players)],
        "names": list(replay.names),
        "cards": dict(zip(CARD_TEXTS, CARD_NAMES, strict=True)) | {BACK: "a card face down"},
        "actions": dict(zip(catalogue.ACTION_TEXTS, catalogue.ACTION_NAMES, strict=True)),
        "colours": [{"name": name, "fill": FILLS[at], "ink": INKS[at]} for at, name in enumerate(COLOURS)],
    }


def _frames(replay: "Replay") -> list[dict[str, Any]]:
    """The state before each decision, with the decision; and that at the end.

    A seat sees nothing of a decision of which it must not know that there was one: ``seen`` has None for it there.
    """
    shown = replay.game.start()
    seats = range(shown.players)
    told: dict[int | None, list[str]] = {observer: [] for observer in (None, *seats)}
    frames = []
    for action, note in zip([*replay.game.history, None], [*replay.notes, None], strict=True):
        frame = _state(view_of(shown), told[None])
        unseen = {seat for seat in seats if shown.shown_to(seat) is not shown}
        frame["seen"] = [None if seat in unseen else _own(frame, shown, seat, told[seat]) for seat in seats]
        frames.append({**frame, **_decision(action, note)})
        if action is not None:
            if not unseen:
                del shown.events[: _last_open(shown.events)]  # what is told goes on from what all know of
            now = {observer: _texts(events_seen_by(shown.events, observer)) for observer in {None, *seats} - unseen}
            told |= now
            shown.step(action)
    return frames


def _own(frame: dict[str, Any], shown: "Game", seat: int, told: list[str]) -> dict[str, Any]:
    """What a seat sees differently from a spectator."""
    own = _state(view_of(shown, seat), told)
    return {name: own[name] for name in _PRIVATE if own[name] != frame[name]}


def _last_open(events: Sequence[Event]) -> int:
    """Place of the last event that everyone is told of."""
    return max(place for place, event in enumerate(events) if event.is_seen_by(_OUTSIDER))


def _texts(events: Sequence[Event]) -> list[str]:
    return [describe(event) for event in events]


def _news(before: list[str], now: list[str]) -> list[str]:
    """What is told now and was not before; an event is told anew if more has come of it."""
    same = 0
    while same < min(len(before), len(now)) and before[same] == now[same]:
        same += 1
    return now[same:]


def _state(view: View, told: list[str]) -> dict[str, Any]:
    """A view as plain values; ``told`` is what its observer has been told already of its events."""
    return {
        "top": CARD_TEXTS[view.top],
        "colour": view.colour,
        "clockwise": view.clockwise,
        "pile": view.draw_pile,
        "discards": view.discards,
        "hands": [_cards(view.hands.get(seat, [])) for seat in range(view.rules.players)],
        "known": {str(seat): _cards(kinds) for seat, kinds in view.known.items()},
        "to_move": view.to_move,
        "dealer": view.dealer,
        "out": view.out,
        "called": view.called,
        "penalty": view.penalty,
        "drawn": None if view.drawn is None else CARD_TEXTS[view.drawn],
        "legal": [catalogue.name(action) for action in view.legal],
        "scores": view.scores,
        "over": view.over,
        "said": _news(told, _texts(view.events)),
        "words": situation(view, CARD_NAMES.__getitem__),
    }


def _cards(kinds: list[int]) -> list[str]:
    return [CARD_TEXTS[kind] for kind in kinds]


def _decision(action: int | None, note: "Note | None") -> dict[str, Any]:
    chosen = None if action is None else catalogue.name(action)
    if note is None:
        return {"chosen": chosen, "probabilities": None, "value": None}
    chances = {catalogue.name(each): round(chance, 4) for each, chance in note.probabilities.items()}
    return {"chosen": chosen, "probabilities": chances or None, "value": note.value}


def _figure(colour: int) -> str:
    """A colour's figure as a symbol that is painted in whatever is written around it."""
    drawing = Drawing(24, 24, (figure(colour, 12, 12, 9, "currentColor"),))
    return f'<symbol id="colour-{colour}" viewBox="0 0 24 24">{elements(drawing)}</symbol>'


def _embedded(values: Any) -> str:
    """JSON that cannot end the element it stands in."""
    text = json.dumps(values, separators=(",", ":"), allow_nan=False)
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")
