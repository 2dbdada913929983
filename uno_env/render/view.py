"""The facts that one seat, or a spectator, sees of a game: what every rendering is made of.

A seat's view is read from its observation and from nothing else but public facts, so a rendering of it cannot show
what the observation hides (GUIDE.md 12).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from uno_env.core.arrays import Bytes
from uno_env.core.observe.layout import Section, layout_of
from uno_env.core.record import MAX_SEATS, phases_of
from uno_env.editions import edition_for
from uno_env.editions.edition import NO_COLOUR, Edition
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
    """Seats that do not play."""
    put_out: list[int]
    """Those of them that mercy has put out of this hand (GUIDE.md 13.5); the others are out of the match."""
    called: list[int]
    """Seats with a valid UNO call."""
    penalty: int
    """Cards that the player asked would have to draw."""
    demands: int
    """Cards that the draw card demands which began or last raised the penalty; 0 where all coloured ones demand as
    many.
    """
    hands: dict[int, list[int]]
    """Hands in full sight, ascending: the observer's own, or every one for a spectator."""
    known: dict[int, list[int]]
    """Cards that the observer knows others to hold, by seat; only seats of which some are known."""
    drawn: int | None
    """The card just drawn that may be played, if the observer may see it."""
    legal: list[int]
    """Ids of the legal actions of the player to move, if that is the observer, or for a spectator."""
    events: list[Event]
    winner: int | None
    end: str
    points: list[int]
    scores: list[int] | None
    """Points of the match so far; None without a match, or where no points are counted."""
    side: int = 0
    """The side in force: 0, or 1 for the dark one (GUIDE.md 14)."""
    backs: dict[int, list[str]] = field(default_factory=dict)
    """With two sides: the other faces that are seen of the cards in others' hands, by seat."""
    next_back: str = ""
    """With two sides: the other face of the draw pile's next card."""
    last_face: str = ""
    """With two sides: the face in force of the draw pile's last card, if it was seen."""
    names: tuple[str, ...] | None = None
    """The seats' names; None: ``player_0`` and so on, and cards by their short texts."""

    @property
    def edition(self) -> Edition:
        """The edition of the cards and actions."""
        return edition_for(self.rules)

    def shown(self, kind: int) -> str:
        """Text of a card as it lies (:meth:`uno_env.editions.edition.Edition.shown`)."""
        return self.edition.shown(kind, self.side)

    @property
    def colours(self) -> tuple[str, ...]:
        """Names of the colours that count now."""
        return self.edition.colours_on(self.side)

    @property
    def draws_colour(self) -> bool:
        """True if the top card makes a player draw until a colour comes (GUIDE.md 14.2)."""
        return self.edition.faces_on(self.side)[self.top].effect == "draw_colour"

    def in_order(self, kinds: Sequence[int]) -> list[int]:
        """Cards in the order in which a hand is held: by kind; with two sides, by the face in force."""
        if self.edition.sides == 1:
            return list(kinds)
        faces, order = self.edition.faces_on(self.side), self.edition.designs[self.side]
        return sorted(kinds, key=lambda kind: (order.index(faces[kind].text), kind))

    def unknown_backs(self, seat: int) -> list[str]:
        """The other faces that are seen of a seat's cards, without those of its cards that are known."""
        seen = list(self.backs.get(seat, ()))
        for kind in self.known.get(seat, ()):
            if seen:
                seen.remove(self.edition.faces_on(1 - self.side)[kind].text)
        return seen

    @property
    def over(self) -> bool:
        """True if the hand is over."""
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
        backs={},
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
        put_out=[seat for seat in seen.out if int(game.record.put_out) >> seat & 1],
        legal=game.legal_actions() if seen.to_move == observer else [],
        winner=game.winner,
        end=game.end,
        points=game.points,
        scores=game.scores if game.match and game.rules.scoring != "hand" else None,
    )


def view_of_row(row: Bytes, rules: Rules, observer: int = 0, events: Sequence[Event] = ()) -> View:
    """Return the view that an observation, uint8 [D], gives of a hand in progress; it has no legal actions.

    The observation is of the seat ``observer``; ``events`` are what that seat saw happen. It does not tell who is out
    of the hand and who of the match: with mercy all who do not play count as ``put_out``.
    """
    return _Row(row, rules, observer).view(events)


class _Row:
    """An observation, uint8 [D], that can be read by the names of its sections."""

    def __init__(self, row: Bytes, rules: Rules, observer: int) -> None:
        self._row, self._rules, self._observer = row, rules, observer
        self._edition = edition_for(rules)
        self._sections: dict[str, Section] = layout_of(self._edition)
        self._seats = [(observer + place) % rules.players for place in range(rules.players)]

    def view(self, events: Sequence[Event]) -> View:
        """The view."""
        colour = self._marked("colour")
        penalty = self._section("penalty").tolist()
        out = [seat for seat, out in enumerate(self._by_seat("out")) if out]
        return View(
            observer=self._observer,
            rules=self._rules,
            top=self._top(colour),
            colour=colour,
            clockwise=bool(self._section("clockwise")[0]),
            draw_pile=int(self._section("draw_pile")[0]),
            discards=int(self._section("discards").sum()),
            hand_sizes=self._by_seat("hand_sizes"),
            phase=phases_of(self._edition)[self._section("phase").argmax()],
            turn=self._seats[int(self._section("turn").argmax())],
            to_move=self._seat("to_move"),
            dealer=self._seats[int(self._section("dealer").argmax())],
            last_player=self._seat("last_player"),
            out=out,
            put_out=out if self._rules.mercy else [],
            called=[seat for seat, called in enumerate(self._by_seat("called")) if called],
            penalty=penalty[0],
            demands=sum(penalty[1:]),
            hands={self._observer: _kinds(self._section("hand"))},
            known=self._known(),
            drawn=self._drawn(),
            legal=[],
            events=list(events),
            winner=None,
            end="running",
            points=[0] * self._rules.players,
            scores=None,
            **(self._of_sides() if self._edition.sides > 1 else {}),
        )

    def _of_sides(self) -> dict[str, Any]:
        """The part that only cards with two sides have."""
        side = int(self._section("side")[0])
        fronts, backs = self._edition.designs[side], self._edition.designs[1 - side]
        counts = self._section("backs").reshape(MAX_SEATS - 1, -1)[:, : len(backs)]
        shown = {
            self._seats[place]: [backs[back] for back in _kinds(counts[place - 1])]
            for place in range(1, len(self._seats))
            if counts[place - 1].any()
        }
        following, last = self._marked("next_back"), self._marked("last_face")
        return {
            "side": side,
            "backs": shown,
            "next_back": "" if following is None else backs[following],
            "last_face": "" if last is None else fronts[last],
        }

    def _top(self, colour: int | None) -> int:
        """The top card."""
        if self._edition.sides > 1:
            return self._marked("top_card") or 0
        return self._card(self._marked("symbol") or 0, colour)

    def _drawn(self) -> int | None:
        """The card just drawn."""
        if self._edition.sides > 1:
            return self._marked("drawn_card")
        symbol = self._marked("drawn_symbol")
        return None if symbol is None else self._card(symbol, self._marked("drawn_colour"))

    def _section(self, name: str) -> Bytes:
        return self._row[self._sections[name].columns]

    def _marked(self, name: str) -> int | None:
        """Return the place of the 1 in a one-hot section, or None if there is none."""
        places = np.flatnonzero(self._section(name))
        return int(places[0]) if len(places) else None

    def _seat(self, name: str) -> int | None:
        place = self._marked(name)
        return None if place is None else self._seats[place]

    def _by_seat(self, name: str) -> list[int]:
        """A section with a column for each place, in the order of absolute seats."""
        numbers = [0] * len(self._seats)
        for place, seat in enumerate(self._seats):
            numbers[seat] = int(self._section(name)[place])
        return numbers

    def _card(self, symbol: int, colour: int | None) -> int:
        """The kind with a symbol; ``colour`` counts for coloured kinds only."""
        wanted = self._edition.symbols[symbol]
        return next(
            kind
            for kind, face in enumerate(self._edition.kinds)
            if face.symbol == wanted and face.colour in (NO_COLOUR, colour)
        )

    def _known(self) -> dict[int, list[int]]:
        counts = self._section("known").reshape(MAX_SEATS - 1, len(self._edition.kinds))
        known = {self._seats[place]: _kinds(counts[place - 1]) for place in range(1, len(self._seats))}
        return {seat: kinds for seat, kinds in known.items() if kinds}


def _kinds(counts: Bytes) -> list[int]:
    return [int(kind) for kind in np.repeat(np.arange(len(counts)), counts)]
