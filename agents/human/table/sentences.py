"""What happened and what is to be decided, in sentences for one person at the table."""

import re
from collections.abc import Sequence

from uno_env import actions as catalogue
from uno_env.cards import CARD_NAMES, COLOURS, NUM_COLOURS
from uno_env.events import Event
from uno_env.render.view import View

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
    "drawn": "may play the drawn card, or keep|keeps it",
    "challenge": "must draw {penalty}, or challenge|challenges the Wild Draw Four of {turn}",
    "first_colour": "declare|declares the first colour",
    "swap": "choose|chooses whom to swap hands with",
    "stack": "must draw {penalty}, or answer|answers with a draw card",
    "jump_in": "hold|holds the twin of the top card: jump in, or let it go",
}

_ENDS = {
    "stalled": "nobody can do anything any more",
    "max_decisions": "it has gone on for too long",
    "too_many_hands": "too many hands were played",
    "illegal": "an illegal action ended it",
}


class Sentences:
    """Sentences in which the one who reads is "you".

    Args:
        names: what each seat is called.
        you: the reader's seat; None for an onlooker.
    """

    def __init__(self, names: Sequence[str], you: int | None) -> None:
        self.names, self.you = names, you

    def who(self, seat: int) -> str:
        """What a seat is called within a sentence."""
        return "you" if seat == self.you else self.names[seat]

    def event(self, event: Event) -> str:
        """What happened."""
        parts = [self._deed(event)]
        for seat, taken in enumerate(event.taken):
            if taken > 0 and (seat != event.seat or event.action != catalogue.DRAW):
                parts.append(self._does(seat, "draw|draws {cards}", cards=_cards(taken)))
        if event.hand_sizes:
            held = ", ".join(f"{self.who(seat)} {size}" for seat, size in enumerate(event.hand_sizes))
            parts.append(f"hands change owners: {held}")
        return sentence(", ".join(parts))

    def situation(self, view: View) -> str:
        """Who decides what, or how the hand ended."""
        if view.over:
            return self._result(view)
        if view.to_move is None:
            return "Whoever holds the twin of the top card may jump in."
        if view.phase == "play":
            whose = "your" if view.to_move == self.you else f"{self.names[view.to_move]}'s"
            return sentence(f"{whose} turn")
        if view.phase == "catch":
            return self._catch(view.to_move, view.turn)
        template = _SITUATIONS[view.phase]
        return sentence(self._does(view.to_move, template, penalty=_cards(view.penalty), turn=self.who(view.turn)))

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
        seat, action, top = event.seat, event.action, CARD_NAMES[event.top]
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
                              top=CARD_NAMES[event.top], colour=colour)  # fmt: skip
        card = catalogue.ACTION_NAMES[action].removeprefix("play ")
        return self._does(event.seat, "play|plays {card}", card=card)

    def _drawn(self, event: Event) -> str:
        taken = event.taken[event.seat]
        if event.laid_at_once:
            return self._does(event.seat, "draw|draws {top}, which is played at once", top=CARD_NAMES[event.top])
        return self._does(event.seat, "draw|draws {cards}" if taken else "find|finds nothing to draw",
                          cards=_cards(taken))  # fmt: skip

    def _result(self, view: View) -> str:
        if view.winner is None:
            return sentence(f"nobody wins this hand: {_ENDS.get(view.end, view.end)}")
        points = view.points[view.winner]
        gains = " and get|gets {points} points" if points > 0 else ""
        return sentence(self._does(view.winner, f"win|wins the hand{gains}", points=str(points)))


def _cards(number: int) -> str:
    return f"{number} card{'' if number == 1 else 's'}"


def sentence(text: str) -> str:
    """A text with a capital letter and a full stop."""
    return text[:1].upper() + text[1:] + ("" if text.endswith(("!", ".")) else ".")
