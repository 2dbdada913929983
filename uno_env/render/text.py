"""A game as a table of text, at most :data:`WIDTH` columns wide.

Colours are always written as letters or words (``g7``, ``green``); escape codes for a terminal only come on top.
"""

import os
import re
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from uno_env import actions as catalogue
from uno_env.editions.edition import NO_COLOUR, Edition
from uno_env.events import player_name
from uno_env.render.sentences import called, describe, seat_after, situation
from uno_env.render.view import View, view_of

if TYPE_CHECKING:
    from uno_env.game import Game

WIDTH = 100
"""Most columns of a line."""

LAST_EVENTS = 8
"""Events that are shown, the newest last."""

_COLOUR_CODES = (("31", "33", "32", "34"), ("95", "36", "38;5;208", "35"))
"""Escape codes of the colours of each side."""
_WILD_CODE = "1"
_CODES = re.compile("\033\\[[0-9;]*m")


def uses_colour() -> bool:
    """Return whether the standard output shows colours (and NO_COLOR does not forbid them)."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR")


def ansi(
    game: "Game", seat: int | None = None, colour: bool = False, legal: bool = True, events: int = LAST_EVENTS
) -> str:
    """The table as text. Raises ValueError if there is no such seat.

    Args:
        game: the game.
        seat: who looks: only what that seat may know is shown, which is its own hand, the sizes of the others and the
            cards of theirs it has seen (GUIDE.md 12). None: a spectator, who sees every hand.
        colour: whether to add ANSI escape codes; the text is complete without.
        legal: whether to list what the player to move may do.
        events: how many of the last events to tell, 0 or more.

    Returns:
        Lines of at most :data:`WIDTH` columns, without a final line break.
    """
    view = view_of(game, seat)
    pen = _Pen(view.edition, colour, view.side)
    blocks = [_table(view, pen), _players(view), _hands(view, pen)]
    blocks += [_legal(view, pen) if legal else [], _events(view, pen, events) if events else []]
    return "\n\n".join("\n".join(block) for block in blocks if block)


class _Pen:
    """Writes cards and colours of an edition, with escape codes or without."""

    def __init__(self, edition: Edition, colour: bool, side: int = 0) -> None:
        self.edition, self.colour, self.side = edition, colour, side

    def card(self, kind: int) -> str:
        """Short text of a kind."""
        face = self.edition.faces_on(self.side)[kind]
        return self._paint(
            self.edition.texts[kind], _WILD_CODE if face.colour == NO_COLOUR else self._code(face.colour)
        )

    def cards(self, kinds: Sequence[int]) -> list[str]:
        """Short texts, with a gap before each new colour."""
        words = []
        for place, kind in enumerate(kinds):
            gap = place and self._colour_of(kind) != self._colour_of(kinds[place - 1])
            words.append(("  " if gap else "") + self.card(kind))
        return words

    def colour_name(self, colour: int) -> str:
        """Name of a colour."""
        return self._paint(self.edition.colours_on(self.side)[colour], self._code(colour))

    def action(self, action: int) -> str:
        """Id and short text of an action."""
        of = catalogue.catalogue(self.edition)
        text, colour = of.texts[action], of.colours[action]
        if action < of.first.play_pair:
            text = self.card(of.kinds[action]) if colour == NO_COLOUR else self._paint(text, self._code(colour))
        return f"{action}={text}"

    def _colour_of(self, kind: int) -> int:
        return self.edition.faces_on(self.side)[kind].colour

    def _code(self, colour: int) -> str:
        return _COLOUR_CODES[self.side][colour]

    def _paint(self, text: str, code: str) -> str:
        return f"\033[{code}m{text}\033[0m" if self.colour else text


def _table(view: View, pen: _Pen) -> list[str]:
    active = "not yet declared" if view.colour is None else pen.colour_name(view.colour)
    return [
        f"Top card {pen.card(view.top)} ({view.edition.names[view.top]}), active colour {active}.",
        f"Draw pile {view.draw_pile}, discard pile {view.discards}.",
        f"Order of play {_order(view)}.",
        *_sides(view),
        situation(view, pen.card),
    ]


def _sides(view: View) -> list[str]:
    """The part that only cards with two sides have."""
    if view.edition.sides == 1:
        return []
    lines = [f"The {('light', 'dark')[view.side]} side counts."]
    if view.next_back:
        lines[0] += f" The next card of the draw pile shows {view.next_back}."
    if view.last_face:
        lines[0] += f" Its last card is {view.last_face} on this side."
    return lines


def _order(view: View) -> str:
    """Seats from the player on turn around the table, in the direction of play."""
    playing = view.rules.players - len(view.out)
    names = " -> ".join(str(seat_after(view, place)) for place in range(playing + 1))
    return f"{names}, {'clockwise' if view.clockwise else 'counter-clockwise'}"


def _players(view: View) -> list[str]:
    """A line for each seat; ``>`` marks the player who decides."""
    lines = []
    for seat, held in enumerate(view.hand_sizes):
        marks = {
            "deals": seat == view.dealer,
            "on turn": seat == view.turn and seat != view.to_move and not view.over,
            "laid the top card": seat == view.last_player,
            "UNO called": seat in view.called,
            "out of the hand": seat in view.put_out,
            "out of the match": seat in view.out and seat not in view.put_out,
            f"score {view.scores[seat] if view.scores else 0}": view.scores is not None,
        }
        notes = ", ".join(text for text, holds in marks.items() if holds)
        cards = f"{held:3} card{' ' if held == 1 else 's'}"
        lines.append(f"{'>' if seat == view.to_move else ' '} {called(view, seat):15} {cards}  {notes}".rstrip())
    return lines


def _hands(view: View, pen: _Pen) -> list[str]:
    lines = []
    for seat, kinds in sorted(view.hands.items()):
        lines += _flow(f"Hand of {player_name(seat)}:", pen.cards(view.in_order(kinds)), " ")
    for seat, faces in sorted(view.backs.items()):
        lines += _flow(f"Backs of {player_name(seat)}:", faces, " ")
    for seat, kinds in sorted(view.known.items()):
        lines += _flow(f"Seen in the hand of {player_name(seat)}:", pen.cards(kinds), " ")
    return lines


def _legal(view: View, pen: _Pen) -> list[str]:
    if not view.legal:
        return []
    return _flow(f"{called(view, view.to_move)} may:", [pen.action(action) for action in view.legal], "  ")


def _events(view: View, pen: _Pen, most: int) -> list[str]:
    first = max(len(view.events) - most, 0)
    lines = ["What happened last:"]
    for number, event in enumerate(view.events[first:], first):
        lines += _flow(f"{number:4}.", describe(event, pen.card).split(), " ")
    return lines


def _flow(heading: str, words: Sequence[str], gap: str) -> list[str]:
    """Words behind a heading, broken into lines that go on under the first word."""
    lines, indent = [heading], " " * len(heading)
    for word in words:
        piece = gap + word if lines[-1] not in (heading, indent) else " " + word.lstrip()
        if _length(lines[-1]) + _length(piece) > WIDTH:
            lines.append(indent)
            piece = " " + word.lstrip()
        lines[-1] += piece
    return lines


def _length(text: str) -> int:
    return len(_CODES.sub("", text))
