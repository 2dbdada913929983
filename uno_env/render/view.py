"""The facts that one seat, or a spectator, sees of a game: what every rendering is made of.

A seat's view is read from its observation and from nothing else but public facts, so a rendering of it cannot show
what the observation hides (GUIDE.md 12).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from uno_env.cards import NUM_KINDS, colour_of, is_wild, symbol_of
from uno_env.core.arrays import Bytes
from uno_env.core.observe.layout import LAYOUT
from uno_env.core.record import MAX_SEATS, PHASE_NAMES
from uno_env.events import Event, events_seen_by
from uno_env.rules import Rules

if TYPE_CHECKING:
    from uno_env.game import Game


@dataclass(frozen=True)
class View:
    """A view of a game. Seats are absolute, cards are kinds, ``None`` is no seat, card or colour.

    Of a game in which somebody else is asked what only certain cards allow, it is what
    :meth:`uno_env.Game.shown_to` says.
    """

    observer: int | None
    """The seat that looks; None for a spectator, who sees every hand."""
    rules: Rules
    top: int
    colour: int | None
    """Active colour, 0 to 3."""
    clockwise: bool
    draw_pile: int
    """Number of cards in the draw pile."""
    discards: int
    """Number of cards in the discard pile, the top card included."""
    hand_sizes: list[int]
    phase: str
    turn: int
    to_move: int | None
    """The seat that decides; None when the hand is over, or the card on top has yet to act."""
    dealer: int
    last_player: int | None
    """The seat that laid the top card."""
    out: list[int]
    """Seats that are out of the match."""
    called: list[int]
    """Seats with a valid UNO call."""
    penalty: int
    """Cards that the player asked would have to draw."""
    hands: dict[int, list[int]]
    """Hands in full sight, ascending: the observer's own, or every one for a spectator."""
    known: dict[int, list[int]]
    """Cards that the observer knows others to hold, by seat; only seats of which some are known."""
    drawn: int | None
    """The card just drawn that may be played, if the observer may see it."""
    legal: list[int]
    """Ids of what the player to move may do, if that is the observer, or for a spectator."""
    events: list[Event]
    winner: int | None
    end: str
    points: list[int]
    scores: list[int] | None
    """Points of the match so far; None without a match, or where no points are counted."""
    names: tuple[str, ...] | None = None
    """The seats' names; None: ``player_0`` and so on, and cards by their short texts."""

    @property
    def over(self) -> bool:
        """Whether the hand is over."""
        return self.phase == "over"


def view_of(game: "Game", seat: int | None = None, names: Sequence[str] | None = None) -> View:
    """Return the view of ``seat``; with ``seat=None``, that of a spectator, who may look into every hand.

    With ``names`` of the seats it is told in the words of people, without them in those of programs. Raises ValueError
    if there is no such seat.
    """
    called = None if names is None else tuple(names)
    if seat is not None:
        return replace(_seen_by(game.shown_to(seat), seat), names=called)
    return replace(
        _seen_by(game, max(game.to_move, 0)),  # nothing is kept from who decides
        observer=None,
        hands={seat: game.hand(seat) for seat in range(game.players)},
        known={},
        drawn=int(game.record.drawn) if game.phase == "drawn" else None,
        legal=game.legal_actions(),
        to_move=None if game.over else game.to_move,
        events=list(game.events),
        names=called,
    )


def _seen_by(game: "Game", observer: int) -> View:
    row = game.observe(observer, "uint8")
    seen = view_of_row(row, game.rules, observer, events_seen_by(game.events, observer))
    return replace(
        seen,
        legal=game.legal_actions() if seen.to_move == observer else [],
        winner=game.winner,
        end=game.end,
        points=game.points,
        scores=game.scores if game.match and game.rules.scoring != "hand" else None,
    )


def view_of_row(row: Bytes, rules: Rules, observer: int = 0, events: Sequence[Event] = ()) -> View:
    """Return the view that an observation, uint8 [D], gives of a hand in progress; it has no legal actions.

    The observation is of the seat ``observer``; ``events`` are what that seat saw happen.
    """
    seats = [(observer + place) % rules.players for place in range(rules.players)]
    colour, drawn_symbol = _marked(row, "colour"), _marked(row, "drawn_symbol")
    return View(
        observer=observer,
        rules=rules,
        top=_card(_marked(row, "symbol") or 0, colour),
        colour=colour,
        clockwise=bool(_number(row, "clockwise")),
        draw_pile=_number(row, "draw_pile"),
        discards=int(_section(row, "discards").sum()),
        hand_sizes=_by_seat(row, "hand_sizes", seats),
        phase=PHASE_NAMES[_section(row, "phase").argmax()],
        turn=seats[int(_section(row, "turn").argmax())],
        to_move=_seat(row, "to_move", seats),
        dealer=seats[int(_section(row, "dealer").argmax())],
        last_player=_seat(row, "last_player", seats),
        out=[seat for seat, out in enumerate(_by_seat(row, "out", seats)) if out],
        called=[seat for seat, called in enumerate(_by_seat(row, "called", seats)) if called],
        penalty=_number(row, "penalty"),
        hands={observer: _kinds(_section(row, "hand"))},
        known=_known(row, seats),
        drawn=None if drawn_symbol is None else _card(drawn_symbol, _marked(row, "drawn_colour")),
        legal=[],
        events=list(events),
        winner=None,
        end="running",
        points=[0] * rules.players,
        scores=None,
    )


def _section(row: Bytes, name: str) -> Bytes:
    return row[LAYOUT[name].columns]


def _number(row: Bytes, name: str) -> int:
    return int(_section(row, name)[0])


def _marked(row: Bytes, name: str) -> int | None:
    """Return the place of the 1 in a one-hot section, or None if there is none."""
    places = np.flatnonzero(_section(row, name))
    return int(places[0]) if len(places) else None


def _seat(row: Bytes, name: str, seats: list[int]) -> int | None:
    place = _marked(row, name)
    return None if place is None else seats[place]


def _by_seat(row: Bytes, name: str, seats: list[int]) -> list[int]:
    """A section with a column for each place, in the order of absolute seats."""
    numbers = [0] * len(seats)
    for place, seat in enumerate(seats):
        numbers[seat] = int(_section(row, name)[place])
    return numbers


def _card(symbol: int, colour: int | None) -> int:
    """The kind with a symbol; ``colour`` counts for coloured kinds only."""
    return next(
        kind for kind in range(NUM_KINDS) if symbol_of(kind) == symbol and (is_wild(kind) or colour_of(kind) == colour)
    )


def _kinds(counts: Bytes) -> list[int]:
    return [int(kind) for kind in np.repeat(np.arange(NUM_KINDS), counts)]


def _known(row: Bytes, seats: list[int]) -> dict[int, list[int]]:
    counts = _section(row, "known").reshape(MAX_SEATS - 1, NUM_KINDS)
    known = {seats[place]: _kinds(counts[place - 1]) for place in range(1, len(seats))}
    return {seat: kinds for seat, kinds in known.items() if kinds}
