"""What everyone at the table saw happen: one :class:`Event` per decision, in words by :func:`describe`."""

from collections.abc import Callable
from typing import NamedTuple

from uno_env import actions as catalogue
from uno_env.cards import CARD_TEXTS, COLOURS, NUM_COLOURS


class Event(NamedTuple):
    """A deal or a decision, and the facts right after it, all of them open to whom :meth:`is_told_to` says."""

    seat: int
    """Who decided; the dealer, for the deal."""
    turn: int
    """Whose turn it was."""
    phase: str
    """What was being decided; ``"deal"`` for the deal, which is the first event of a hand."""
    action: int | None
    """The action's id; None for the deal."""
    legal: bool
    """False for an illegal action, which ended the hand or was punished."""
    top: int
    """Kind of the top card afterwards."""
    taken: tuple[int, ...]
    """Cards that each seat drew because of it; for the deal, beyond those dealt."""
    hand_sizes: tuple[int, ...] | None = None
    """Cards held by each seat afterwards, if hands changed owners; ``taken`` is then all 0."""
    laid_at_once: bool = False
    """Whether the card drawn was laid without a decision, as in RLCard's game; it is then ``top``."""

    def is_told_to(self, observer: int | None) -> bool:
        """Whether a seat, or a spectator (None), may know of it.

        Who lets a chance to jump in go by holds the card on top, which nobody else may know.
        """
        secret = self.phase == "jump_in" and self.action == catalogue.PASS and self.legal
        return not secret or observer in (None, self.seat)


def player_name(seat: int) -> str:
    """How a seat is called wherever people read: ``player_name(2) == "player_2"``."""
    return f"player_{seat}"


def cards_laid(action: int) -> int:
    """Cards that a legal action takes from the hand of its player."""
    if action < catalogue.PLAY_PAIR or action == catalogue.JUMP_IN:
        return 1
    return 2 if action < catalogue.DRAW else 0


def describe(event: Event, write: Callable[[int], str] = CARD_TEXTS.__getitem__) -> str:
    """An event as one sentence; ``write`` gives the text of a kind of card."""
    parts = [f"{player_name(event.seat)} {_deed(event, write)}"]
    for seat, taken in enumerate(event.taken):
        if taken > 0 and (seat != event.seat or event.action != catalogue.DRAW):
            parts.append(f"draws {taken}" if seat == event.seat else f"{player_name(seat)} draws {taken}")
    if event.hand_sizes:
        parts.append(f"hands change and now have {', '.join(map(str, event.hand_sizes))} cards")
    return ", ".join(parts)


def _deed(event: Event, write: Callable[[int], str]) -> str:
    action = event.action
    if action is None:
        return f"deals, first card {write(event.top)}"
    if not event.legal:
        return f"tries {catalogue.name(action)!r}, which is illegal"
    if action < catalogue.PLAY_WILD:
        return f"plays {write(action)}"
    if action < catalogue.PLAY_PAIR:
        return f"plays {write(event.top)}, declares {COLOURS[(action - catalogue.PLAY_WILD) % NUM_COLOURS]}"
    if action == catalogue.DRAW:
        taken = event.taken[event.seat]
        if event.laid_at_once:
            return f"draws {write(event.top)}, which is played at once"
        return f"draws {taken}" if taken else "finds nothing to draw"
    if action == catalogue.PASS:
        return "keeps the drawn card" if event.phase == "drawn" else "lets it go"
    if action in (catalogue.CHALLENGE, catalogue.CATCH):
        return f"{'challenges' if action == catalogue.CHALLENGE else 'catches'} {player_name(event.turn)}"
    verb, _, rest = catalogue.ACTION_NAMES[action].partition(" ")
    return f"{verb}s {rest}"
