"""Events and decisions as sentences: everything that people read about a game is made here.

:class:`Sentences` writes for people: seats have names, the reader is "you", and cards have long names. :func:`describe`
and :func:`situation` write for programs and plain text, in which seats are called ``player_0`` and cards ``r5``.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

from uno_env import actions as catalogue
from uno_env.cards import CARD_NAMES, CARD_TEXTS, COLOURS, NUM_COLOURS
from uno_env.events import Event, player_name
from uno_env.render.view import View

WriteCard: TypeAlias = Callable[[int], str]
"""Gives the text of a kind of card."""

_FORMS = re.compile(r"(\w+)\|(\w+)")
"""A verb as ``play|plays``: what you do, and what anybody else does."""

_SPOKEN = {
    catalogue.CHALLENGE: "challenge|challenges {turn}",
    catalogue.ACCEPT: "accept|accepts the penalty",
    catalogue.CALL: "call|calls UNO!",
    catalogue.CATCH: "catch|catches {turn} without a call of UNO",
    catalogue.JUMP_IN: "jump|jumps in with {top}",
}

_SITUATIONS = {
    "drawn": "may play the drawn card, or keep it",
    "challenge": "must draw {penalty}, or challenge the Wild Draw Four of {turn}",
    "first_colour": "declare|declares the first colour",
    "swap": "choose|chooses whom to swap hands with",
    "stack": "must draw {penalty}, or answer with a draw card",
    "jump_in": "hold|holds the twin of the top card: jump in, or let it go",
}

_ENDS = {
    "stalled": "nobody can do anything any more",
    "max_decisions": "it has gone on for too long",
    "too_many_hands": "too many hands were played",
    "illegal": "an illegal action ended it",
}


def describe(event: Event, write: WriteCard = CARD_TEXTS.__getitem__) -> str:
    """An event in words, without a full stop; seats are called ``player_0``, and ``write`` gives the text of a card."""
    return Sentences([player_name(seat) for seat in range(len(event.held))], None, write).happened(event)


def _penalties(event: Event) -> Iterator[tuple[int, int]]:
    """Seats that drew because of an event, other than by the action DRAW itself, with the number of their cards."""
    for seat, taken in enumerate(event.taken):
        if taken > 0 and (seat != event.seat or event.action != catalogue.DRAW):
            yield seat, taken


def situation(view: View, write: WriteCard) -> str:
    """Same as :meth:`Sentences.situation`, for programs; it also names the card just drawn and who is next."""
    names = [called(view, seat) for seat in range(view.rules.players)]
    if view.to_move is None or not (view.phase == "play" or view.drawn is not None):
        return Sentences(names, None, write).situation(view)
    who, after = names[view.to_move], names[seat_after(view, 1)]
    if view.drawn is None:
        return f"{who} plays or draws; {after} is next."
    choice = "plays or keeps" if view.rules.after_draw == "may_play" else "plays"
    return f"{who} has drawn {write(view.drawn)} and {choice} it; {after} is next."


def told(view: View) -> tuple[str, str]:
    """The last event ("" if there is none), and who decides what: in the words of people where seats have names."""
    last = view.events[-1] if view.events else None
    if view.names is None:
        return "" if last is None else describe(last), situation(view, CARD_TEXTS.__getitem__)
    words = Sentences(view.names, view.observer)
    return "" if last is None else words.event(last), words.situation(view)


def name_of(view: View, seat: int) -> str:
    """A seat's name."""
    return player_name(seat) if view.names is None else view.names[seat]


def called(view: View, seat: int | None) -> str:
    """Return how a seat is called; the observer's own is marked."""
    if seat is None:
        return "nobody"
    return player_name(seat) + (" (you)" if seat == view.observer else "")


def seat_after(view: View, places: int) -> int:
    """The seat so many places after the player on turn in the direction of play; who is out is passed over."""
    seats = [
        (view.turn + (place if view.clockwise else -place)) % view.rules.players for place in range(view.rules.players)
    ]
    playing = [seat for seat in seats if seat not in view.out or seat == view.turn]
    return playing[places % len(playing)]


class Sentences:
    """Sentences that call the reader "you"; with no seat for ``you``, they are an onlooker's."""

    def __init__(self, names: Sequence[str], you: int | None, write: WriteCard = CARD_NAMES.__getitem__) -> None:
        self.names, self.you, self.write = names, you, write

    def who(self, seat: int) -> str:
        """A seat's name within a sentence."""
        return "you" if seat == self.you else self.names[seat]

    def event(self, event: Event) -> str:
        """An event as a sentence."""
        return sentence(self.happened(event))

    def happened(self, event: Event) -> str:
        """Return what happened as a part of a sentence: it begins with a small letter, and no full stop ends it."""
        parts = [self._deed(event)]
        for seat, taken in _penalties(event):
            parts.append(self._does(seat, "draw|draws {cards}", cards=_cards(taken)))
        if event.hands_moved:
            held = ", ".join(f"{self.who(seat)} {size}" for seat, size in enumerate(event.held))
            parts.append(f"hands change owners: {held}")
        return ", ".join(parts)

    def situation(self, view: View) -> str:
        """The open decision and its player, or the end of the hand."""
        if view.over:
            return self._result(view)
        if view.to_move is None:
            return sentence(f"the card that {self.who(view.turn)} laid has yet to act")
        if view.phase == "play":
            whose = "your" if view.to_move == self.you else f"{self.names[view.to_move]}'s"
            return sentence(f"{whose} turn")
        if view.phase == "catch":
            return self._catch(view.to_move, view.turn)
        own = view.phase == "jump_in" and view.to_move == view.turn
        deflects = view.phase == "stack" and view.rules.deflect
        template = "hold|holds another {top}: play it as well, or let it go" if own else _SITUATIONS[view.phase]
        template = "must draw {penalty}, or answer with a card" if deflects else template
        must_play = view.phase == "drawn" and view.rules.after_draw == "must_play"
        template = "must play the drawn card" if must_play else template
        parts = {"penalty": _cards(view.penalty), "turn": self.who(view.turn), "top": self.write(view.top)}
        return sentence(self._does(view.to_move, template, **parts))

    def choice(self, action: int, seat: int, phase: str) -> str:
        """An action of a seat in a phase, without its player: ``"play red 5"``."""
        if catalogue.SWAP <= action < catalogue.DECLARE:
            return f"swap hands with {self.who((seat + action - catalogue.SWAP + 1) % len(self.names))}"
        if action == catalogue.PASS:
            return "keep the card" if phase == "drawn" else "let it go"
        return catalogue.ACTION_NAMES[action]

    def _catch(self, seat: int, culprit: int) -> str:
        fault = self._does(culprit, "have|has one card and did not call UNO")
        if seat == culprit:
            return sentence(f"{fault}; {self._does(seat, 'can still call|call it')}")
        return sentence(f"{fault}; {self._does(seat, 'may catch {turn}', turn=self.who(culprit))}")

    def _does(self, seat: int, template: str, **parts: str) -> str:
        """``"you draw 2 cards"`` or ``"Ann draws 2 cards"``."""
        chosen = _FORMS.sub(lambda forms: forms[1 if seat == self.you else 2], template)
        return f"{self.who(seat)} {chosen.format(**parts)}"

    def _deed(self, event: Event) -> str:
        seat, action, top = event.seat, event.action, self.write(event.top)
        if action is None:
            return self._does(seat, "deal|deals and turn|turns up {top}", top=top)
        if not event.legal:
            return self._does(seat, "try|tries to {deed}, which is not allowed", deed=catalogue.ACTION_NAMES[action])
        if action < catalogue.DRAW:
            return self._laid(event, action)
        if action == catalogue.DRAW:
            return self._drawn(event)
        if action == catalogue.PASS:
            return self._does(seat, "keep|keeps the drawn card" if event.phase == "drawn" else "let|lets it go")
        if action == catalogue.JUMP_IN and seat == event.turn:
            return self._does(seat, "play|plays another {top}", top=top)
        if action in _SPOKEN:
            return self._does(seat, _SPOKEN[action], turn=self.who(event.turn), top=top)
        if action < catalogue.DECLARE:
            other = (seat + action - catalogue.SWAP + 1) % len(self.names)
            return self._does(seat, "swap|swaps hands with {other}", other=self.who(other))
        return self._does(seat, "declare|declares {colour}", colour=COLOURS[action - catalogue.DECLARE])

    def _laid(self, event: Event, action: int) -> str:
        if catalogue.PLAY_WILD <= action < catalogue.PLAY_PAIR:
            colour = COLOURS[(action - catalogue.PLAY_WILD) % NUM_COLOURS]
            return self._does(event.seat, "play|plays {top} and declare|declares {colour}",
                              top=self.write(event.top), colour=colour)  # fmt: skip
        card = (
            self.write(action) if action < catalogue.PLAY_WILD else catalogue.ACTION_NAMES[action].removeprefix("play ")
        )
        return self._does(event.seat, "play|plays {card}", card=card)

    def _drawn(self, event: Event) -> str:
        taken = event.taken[event.seat]
        if event.laid_at_once:
            return self._does(event.seat, "draw|draws {top}, which is played at once", top=self.write(event.top))
        return self._does(event.seat, "draw|draws {cards}" if taken else "find|finds nothing to draw",
                          cards=_cards(taken))  # fmt: skip

    def _result(self, view: View) -> str:
        if view.winner is None:
            return sentence(f"nobody wins this hand: {_ENDS.get(view.end, view.end)}")
        if view.scores is not None:
            return sentence(self._does(view.winner, f"win|wins the match; scores {', '.join(map(str, view.scores))}"))
        points = view.points[view.winner]
        gains = " and get|gets {points} points" if points > 0 else ""
        return sentence(self._does(view.winner, f"win|wins the hand{gains}", points=str(points)))


def _cards(number: int) -> str:
    return f"{number} card{'' if number == 1 else 's'}"


def sentence(text: str) -> str:
    """A text with a capital letter, unless it begins with a name such as ``player_0``, and a full stop."""
    head = text[:1] if text.startswith("player_") else text[:1].upper()
    return head + text[1:] + ("" if text.endswith(("!", ".")) else ".")
