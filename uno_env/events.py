"""The events of a game that the table saw: one :class:`Event` for each decision.

:mod:`uno_env.render.sentences` puts them into words.
"""

from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

from uno_env import actions as catalogue
from uno_env.common.validation import short_repr
from uno_env.core.loops import single_game as log
from uno_env.core.observe.unseen import LETS_GO, is_asked_unseen
from uno_env.core.record import ALL_PHASE_NAMES
from uno_env.editions import EDITIONS, edition_for
from uno_env.editions.classic import CLASSIC
from uno_env.editions.edition import Edition
from uno_env.rules import Rules

LETTING_GO = {ALL_PHASE_NAMES[phase]: text for phase, text in LETS_GO.items()}
"""By phase, the text of the action that lets a chance go; only the player asked may know of it."""


class Event(NamedTuple):
    """A deal or a decision, and the facts right after it, all of them open to whom :meth:`is_seen_by` says."""

    seat: int
    """The seat that decided; the dealer, for the deal."""
    turn: int
    """The seat on turn; the dealer, for the deal."""
    phase: str
    """Phase of the decision; ``"deal"`` for the deal, which is the first event of a hand."""
    action: int | None
    """The action's id; None for the deal."""
    legal: bool
    """False for an illegal action, which ended the hand or was punished."""
    top: int
    """Kind of the top card afterwards."""
    colour: int
    """Active colour afterwards, 0 to 3; −1 if none is declared."""
    held: tuple[int, ...]
    """Cards held by each seat afterwards."""
    growth: tuple[int, ...]
    """By how many cards each hand grew, laid ones aside: ``taken``, unless hands changed owners."""
    laid_at_once: bool = False
    """True if the drawn card was laid without a decision, as in RLCard's game; it is then ``top``."""
    put_out: tuple[int, ...] = ()
    """The seats that mercy put out because of it; ``growth`` counts the cards that did so, though they lie in the
    discard pile."""
    edition: str = CLASSIC.name
    """The edition of its cards and actions."""
    laid_along: int = 0
    """The number of cards of its colour that a Discard All took with it."""
    mercy: int = 0
    """The number of cards that puts a player out (GUIDE.md 13.5); 0: nobody is put out."""
    side: int = 0
    """The side in force afterwards: 0, or 1 for the dark one (GUIDE.md 14)."""
    turned: bool = False
    """True if everything was turned over, so that another card of the discard pile is the top one."""

    @property
    def side_before(self) -> int:
        """The side that was in force when it was decided."""
        return 1 - self.side if self.turned else self.side

    @property
    def action_text(self) -> str:
        """Short text of the action, empty for the deal."""
        return "" if self.action is None else _texts(self.edition)[self.action]

    @property
    def hands_moved(self) -> bool:
        """True if hands changed owners."""
        return min(self.growth) < 0

    @property
    def taken(self) -> tuple[int, ...]:
        """Return how many cards each seat drew because of it: for the deal, beyond those dealt, and all 0 if hands
        changed owners.
        """
        return (0,) * len(self.growth) if self.hands_moved else self.growth

    def is_seen_by(self, observer: int | None) -> bool:
        """Return whether a seat, or a spectator (None), may know of it. Its effects are open to all, see
        :func:`events_seen_by`.

        Some chances are given only by certain cards: to jump in, to answer a penalty, to play the card just drawn. A
        player who lets one go holds such a card, and nobody else may know it (:mod:`uno_env.core.observe.unseen`).
        """
        secret = self.legal and self.phase in LETTING_GO and self.action_text == LETTING_GO[self.phase]
        return not secret or observer in (None, self.seat)

    def followed_by(self, secret: "Event") -> "Event":
        """This event for an observer that may not know of the next one, whose outcome is then this one's."""
        growth = tuple(one + more for one, more in zip(self.growth, secret.growth, strict=True))
        put_out = self.put_out + secret.put_out
        outcome = {name: getattr(secret, name) for name in ("top", "colour", "held", "side")}
        return self._replace(**outcome, growth=growth, put_out=put_out, turned=self.turned or secret.turned)


@cache
def _texts(edition: str) -> tuple[str, ...]:
    return catalogue.catalogue(EDITIONS[edition]).texts


def deal_event(game: Any, rules: Rules) -> Event:
    """The event of a deal that was just done in ``game``, a record [1]."""
    out = game["out"].item() & ~game["put_out"].item()
    before = [0 if out >> seat & 1 else rules.hand_size for seat in range(rules.players)]
    dealer = game["dealer"].item()
    event = _event(rules, game, before, dealer, dealer, "deal", None)
    return event._replace(turned=event.side == 1)  # all begin on the light side


def event_of(entry: Sequence[int], rules: Rules) -> Event:
    """The event of an entry that :func:`uno_env.core.loops.single_game.act` has written to its log."""
    action, legal, seat, turn, phase, top, colour, discarded, out, side, turned = entry[: log.BEFORE]
    held = entry[log.AFTER : log.AFTER + rules.players]
    before = entry[log.BEFORE : log.BEFORE + rules.players]
    put_out, growth = _growth(rules, before, held, out)
    facts: dict[str, Any] = {"put_out": put_out, "edition": rules.edition, "mercy": rules.mercy}
    facts |= {"side": side, "turned": bool(turned)}
    if action == log.DEAL:
        return Event(seat, turn, "deal", None, True, top, colour, tuple(held), tuple(growth), **facts)
    laid = cards_laid(action, edition_for(rules)) if legal else 0
    if laid and EDITIONS[rules.edition].kinds[top].effect == "discard_all":
        laid = before[seat] - held[seat]
        facts["laid_along"] = laid - 1
    growth[seat] += laid
    # Whether a card was drawn and has left the hand again (core/rules/rlcard.py), not that there was none.
    left = rules.dialect == "rlcard" and growth[seat] <= 0 and bool(any(growth) or discarded)
    at_once = action == catalogue.DRAW and bool(legal) and left
    growth[seat] += at_once
    what = ALL_PHASE_NAMES[phase]
    return Event(seat, turn, what, action, bool(legal), top, colour, tuple(held), tuple(growth), at_once, **facts)


def let_go_event(before: Any, after: Any, rules: Rules) -> Event:
    """The event of a chance let go, of which only the seat asked may know; ``before`` and ``after`` are records [1]."""
    seat, turn, phase = (before[name].item() for name in ("to_move", "turn", "phase"))
    had = before["seats"]["hand_size"][0, : rules.players].tolist()
    action = catalogue.parse(LETS_GO[phase], rules)
    event = _event(rules, after, had, seat, turn, ALL_PHASE_NAMES[phase], action)
    return event._replace(turned=event.side != before["side"].sum())


def _event(
    rules: Rules, game: Any, before: Sequence[int], seat: int, turn: int, phase: str, action: int | None
) -> Event:
    """An event after which ``game``, a record [1], is as it is, and of which no card was laid."""
    held = game["seats"]["hand_size"][0, : rules.players].tolist()
    put_out, growth = _growth(rules, before, held, game["put_out"].item())
    top, colour = game["top"].item(), game["colour"].item()
    facts: dict[str, Any] = {"put_out": put_out, "edition": rules.edition, "mercy": rules.mercy}
    facts["side"] = int(game["side"].sum())  # empty where cards have one side
    return Event(seat, turn, phase, action, True, top, colour, tuple(held), tuple(growth), **facts)


def _growth(rules: Rules, before: Sequence[int], held: Sequence[int], out: int) -> tuple[tuple[int, ...], list[int]]:
    """The seats that were put out now, of those that are (bits), and by how much each hand grew."""
    put_out = tuple(seat for seat in range(rules.players) if out >> seat & 1 and before[seat]) if out else ()
    growth = [size - had for size, had in zip(held, before, strict=True)]
    for seat in put_out:
        growth[seat] = rules.mercy - before[seat]
    return put_out, growth


def verify_events(events: Any) -> None:
    """Raise ValueError if these are no events, such as :attr:`uno_env.Game.events`."""
    if not isinstance(events, Sequence) or not all(isinstance(event, Event) for event in events):
        raise ValueError(f"{short_repr(events)} are no events of a game: give its `events`")


def events_seen_by(events: Sequence[Event], observer: int | None, last: int | None = None) -> list[Event]:
    """The events of a game, from a deal on, as a seat, or a spectator (None), may know of them, the newest last: all,
    or the last ``last``. The effects of an event that the observer may not know of belong to the one before. Raises
    ValueError as :func:`verify_events` does.
    """
    verify_events(events)
    start = 0 if last is None else _start(events, observer, last)
    seen: list[Event] = []
    for event in events[start:]:
        if event.is_seen_by(observer):
            seen.append(event)
        else:
            seen[-1] = seen[-1].followed_by(event)
    return seen


def _start(events: Sequence[Event], observer: int | None, last: int) -> int:
    """Index of the first of the newest ``last`` events that the observer sees."""
    index = len(events)
    while index > 0 and last > 0:
        index -= 1
        last -= events[index].is_seen_by(observer)
    return index


def player_name(seat: int) -> str:
    """The name of a seat in everything that people read: ``player_name(2) == "player_2"``."""
    return f"player_{seat}"


def cards_laid(action: int, edition: Edition = CLASSIC) -> int:
    """Cards that a legal action takes from the hand of its player. With a Discard All go all others of its colour, too,
    which are not counted.
    """
    first = catalogue.catalogue(edition).first
    if action < first.play_pair or action == first.jump_in:
        return 1
    return 2 if action < first.draw else 0


def asks_unseen(games: Any, record: Any) -> bool:
    """Return whether the game in an array [1] asks something that only certain cards allow, under rules ``record``."""
    phase = games["phase"].item()
    return phase in LETS_GO and bool(is_asked_unseen(record, phase))
