"""The facts that one seat, or a spectator, sees of a game: what every rendering is made of.

A seat's view is read from its observation and from nothing else but public facts, so a rendering of it cannot show
what the observation hides (RULES.md 12).
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from uno_env.cards import COLOURS, FIRST_WILD, NUM_KINDS, RANKS_PER_COLOUR
from uno_env.core.layout import LAYOUT
from uno_env.core.record import MAX_SEATS, PHASE_NAMES
from uno_env.events import Event
from uno_env.game import Game
from uno_env.rules import Rules

_Row = npt.NDArray[np.uint8]


@dataclass(frozen=True)
class View:
    """What is seen of a game; seats are absolute, cards are kinds, ``None`` is no seat, card or colour."""

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
    dealer: int
    last_player: int | None
    """Who laid the top card."""
    called: list[int]
    """Seats whose UNO call stands."""
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

    @property
    def over(self) -> bool:
        """Whether the hand is over."""
        return self.phase == "over"


def view_of(game: Game, seat: int | None = None) -> View:
    """What ``seat`` sees of a game; a spectator's view of everything for ``seat=None``.

    Raises:
        ValueError: there is no such seat.
    """
    observer = 0 if seat is None else seat
    row = game.observe(observer, "uint8")
    seats = [(observer + place) % game.players for place in range(game.players)]
    public_drawn = _one(row, "drawn_symbol")
    to_move = _seat(row, "to_move", seats)
    return View(
        observer=seat,
        rules=game.rules,
        top=_card(_one(row, "symbol"), _one(row, "colour")),
        colour=_one(row, "colour"),
        clockwise=bool(_section(row, "clockwise")[0]),
        draw_pile=int(_section(row, "draw_pile")[0]),
        discards=int(_section(row, "discards").sum()),
        hand_sizes=_by_seat(_section(row, "hand_sizes"), seats),
        phase=PHASE_NAMES[_section(row, "phase").argmax()],
        turn=seats[int(_section(row, "turn").argmax())],
        to_move=to_move,
        dealer=seats[int(_section(row, "dealer").argmax())],
        last_player=_seat(row, "last_player", seats),
        called=[seat for seat, called in enumerate(_by_seat(_section(row, "called"), seats)) if called],
        penalty=int(_section(row, "penalty")[0]),
        hands={other: game.hand(other) for other in seats} if seat is None else {seat: _kinds(_section(row, "hand"))},
        known={} if seat is None else _known(row, seats),
        drawn=_spectators_drawn(game)
        if seat is None
        else None
        if public_drawn is None
        else _card(public_drawn, _one(row, "drawn_colour")),
        legal=game.legal_actions() if to_move is not None and seat in (None, to_move) else [],
        events=game.events,
        winner=game.winner,
        end=game.end,
        points=game.points,
    )
