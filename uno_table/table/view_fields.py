"""The fields of what a seat is sent of its table (:func:`uno_table.table.seat_view.seat_view`), for JSON.

Cards and actions are texts (``"r5"``), seats are numbers. ``table.js`` and the table in the terminal read these fields;
tests/uno_table/table/test_view_fields.py compares them.
"""

from typing import TypedDict


class ActionView(TypedDict):
    """An action that lays a card."""

    action: str
    name: str


class MoveView(ActionView):
    """An action that lays no card, as a button."""

    share: float | None
    """The adviser's probability of it, 0 to 1; None if it does not say."""


class CardView(TypedDict):
    """A card of the seat's own hand."""

    card: str
    name: str
    actions: list[ActionView]
    """The ways to lay it now."""
    mistakes: list[ActionView]
    """The ways to lay it although it does not match, where the rules punish that."""
    drawn: bool
    """True if it was just drawn."""
    share: float | None
    """The adviser's probability of laying it, 0 to 1; None if it does not say."""


class KnownCardView(TypedDict):
    """A card in somebody else's hand that the seat knows."""

    card: str
    name: str


class TurnedView(TypedDict):
    """The event that turned everything over, and its card."""

    event: int
    """Index of the event, counted like ``firstEvent``."""
    card: str | None
    """The card that was laid and did it; None if it cannot be told."""


class PlayerView(TypedDict):
    """A player, as everybody sees them, except for ``known`` and ``backs``: these are the cards that the seat itself
    knows of them, and the other faces that it sees of the rest.
    """

    seat: int
    name: str
    face: bool
    """True if the server has a face of that name."""
    kind: str
    """``"person"`` or ``"agent"``."""
    about: str
    """A line on an agent; empty for a person."""
    away: bool
    """True if it is a person who is not connected."""
    failed: bool
    """True if it is an agent that could not say what to do."""
    cards: int
    known: list[KnownCardView]
    backs: list[KnownCardView]
    """Empty where cards have one side, or other faces are not seen."""
    called: bool
    out: bool
    """True if they do not play: out of the match, or put out of this hand."""
    putOut: bool
    """True if mercy has put them out of this hand."""
    dealer: bool
    laidTop: bool
    """True if the card on top is theirs."""
    score: int
    won: int
    """Hands."""
    matches: int
    """Matches won."""


class HandsMovedView(TypedDict):
    """Hands that changed owners."""

    event: int
    """Index of the event, counted like ``firstEvent``."""
    pairs: list[list[int]]
    """From whom to whom each hand went; empty if they were shuffled."""


class ResultView(TypedDict):
    """The result of the hand, and of the match if it has ended."""

    text: str
    match: str
    """A sentence on the match; empty if it goes on."""
    counted: bool
    """True if the rules count points."""
    points: list[int] | None
    """Points of this hand by seat; None if nobody got any."""
    why: str
    gameOver: bool
    youWon: bool


class ClockView(TypedDict):
    """The time of who decides."""

    deadline: float
    """On the clock of who drives the table, in seconds."""
    seconds: float
    """The whole time."""


class ClockLeft(TypedDict):
    """The same as the browser gets it."""

    left: float
    """Seconds from now on."""
    seconds: float


class HintView(ActionView):
    """An action that the adviser considers."""

    share: float


class HintsView(TypedDict):
    """The adviser's choice for the decision now."""

    by: str
    compiling: bool
    """True if it does not think yet, since its program is being compiled."""
    actions: list[HintView]
    """Most probable first; empty as long as it thinks."""
    value: float | None
    """The reward that it expects, −1 to 1; None if it does not say."""


class InvitationView(TypedDict):
    """The link to a seat that nobody has taken."""

    seat: int
    invitation: str


class TableView(TypedDict):
    """All that a seat is sent."""

    you: int
    rules: str
    level: str
    epoch: int
    ticket: str
    players: list[PlayerView]
    waiting: list[int]
    top: str
    topName: str
    colour: str | None
    side: str
    """``"light"`` or ``"dark"``, the side in force; empty where cards have one side."""
    nextBack: KnownCardView | None
    """The other face of the draw pile's next card."""
    lastFace: KnownCardView | None
    """The face in force of the draw pile's last card, if the seat has seen it."""
    clockwise: bool
    drawPile: int
    discards: int
    penalty: int
    deciding: int | None
    situation: str
    hand: list[CardView]
    moves: list[MoveView]
    events: list[str]
    firstEvent: int
    """Index of the first of these events in the game."""
    handsMoved: HandsMovedView | None
    turned: TurnedView | None
    result: ResultView | None
    clock: ClockView | None
    canUndo: bool
    canHint: bool
    hints: HintsView | None
    invitations: list[InvitationView]
