"""Events and decisions as sentences: everything that people read about a game is made here.

:class:`Sentences` writes for people: seats have names, the reader is "you", and cards have long names. :func:`describe`
and :func:`situation` write for programs and plain text, in which seats are called ``player_0`` and cards ``r5``.
"""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TypeAlias

from uno_env import actions as catalogue
from uno_env.common.phrases import Catalogue, Phrase
from uno_env.editions import EDITIONS
from uno_env.editions.classic import CLASSIC
from uno_env.editions.edition import NO_CARD, Edition, Face
from uno_env.events import Event, player_name
from uno_env.render.view import View

WriteCard: TypeAlias = Callable[[int], str]
"""Gives the text of a kind of card."""

CATALOGUE = Catalogue(Path(__file__).with_name("strings") / "en.json")
"""The English of all sentences, and of a replay's page."""
_say = CATALOGUE.phrase

_SPOKEN = {
    "challenge": "challenges",
    "accept": "accepts",
    "call": "calls",
    "catch": "catches",
    "jump_in": "jumps_in",
}

_SITUATIONS = {
    "drawn": "may_play_drawn",
    "first_colour": "first_colour",
    "swap": "chooses_swap",
    "stack": "must_draw_or_stack",
    "jump_in": "may_jump_in",
    "roulette": "names_a_colour",
}


def card_name(kind: int, edition: Edition = CLASSIC, side: int = 0) -> Phrase:
    """The long name of a kind of card; if it has two sides, of both, the one in force first."""
    return Phrase(edition.name_shown(kind, side), "card", card=edition.shown(kind, side))


def face_name(face: Face) -> Phrase:
    """The long name of one side of a card."""
    return Phrase(face.name, "card", card=face.text)


def colour_name(colour: int, edition: Edition = CLASSIC, side: int = 0) -> Phrase:
    """The name of a colour, by its number on a side."""
    return _named(edition.colours_on(side)[colour])


def _named(colour: str) -> Phrase:
    """A colour within a sentence."""
    return Phrase(colour, "colour", colour=colour)


def action_name(action: int, edition: Edition = CLASSIC, side: int = 0) -> Phrase:
    """The name of an action, without its player; a card is called by the side in force first."""
    of = catalogue.catalogue(edition)
    if action == of.first.challenge and edition.challenged != CLASSIC.challenged:
        return _say("action.challenge_wild")
    name, text, kind = of.names[action], of.texts[action], of.kinds[action]
    if side and kind != NO_CARD:
        name = name.replace(edition.names[kind], edition.name_shown(kind, side))
        text = text.replace(edition.texts[kind], edition.shown(kind, side))
    return Phrase(name, "action", action=text)


def describe(event: Event, write: WriteCard | None = None) -> str:
    """An event in words, without a full stop; seats are called ``player_0``, and ``write`` gives the text of a card,
    None: the short one.
    """
    edition, names = EDITIONS[event.edition], [player_name(seat) for seat in range(len(event.held))]
    return Sentences(names, None, edition, write or edition.texts.__getitem__).happened(event)


def _penalties(event: Event) -> Iterator[tuple[int, int]]:
    """Seats that drew because of an event, other than by the action DRAW itself, with the number of their cards."""
    for seat, taken in enumerate(event.taken):
        if taken > 0 and (seat != event.seat or event.action_text != "draw"):
            yield seat, taken


def situation(view: View, write: WriteCard) -> str:
    """Same as :meth:`Sentences.situation`, for programs; it also names the card just drawn and who is next."""
    names = [called(view, seat) for seat in range(view.rules.players)]
    if view.to_move is None or not (view.phase == "play" or view.drawn is not None):
        return Sentences(names, None, view.edition, write).situation(view)
    who, after = names[view.to_move], names[seat_after(view, 1)]
    if view.drawn is None:
        return f"{who} plays or draws; {after} is next."
    choice = "plays or keeps" if view.rules.after_draw == "may_play" else "plays"
    return f"{who} has drawn {write(view.drawn)} and {choice} it; {after} is next."


def told(view: View) -> tuple[str, str]:
    """The last event ("" if there is none), and who decides what: in the words of people where seats have names."""
    last = view.events[-1] if view.events else None
    if view.names is None:
        return "" if last is None else describe(last), situation(view, view.edition.texts.__getitem__)
    words = Sentences(view.names, view.observer, view.edition)
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
    """The seat ``places`` places after the player on turn in the direction of play; seats that are out do not count."""
    seats = [
        (view.turn + (place if view.clockwise else -place)) % view.rules.players for place in range(view.rules.players)
    ]
    playing = [seat for seat in seats if seat not in view.out or seat == view.turn]
    return playing[places % len(playing)]


class Sentences:
    """Sentences on games of an edition that call the reader "you"; with no seat for ``you``, they are an onlooker's.

    ``write`` gives the text of a card, None: its long name.
    """

    def __init__(
        self, names: Sequence[str], you: int | None, edition: Edition = CLASSIC, write: WriteCard | None = None
    ) -> None:
        self.names, self.you, self.edition, self._write = names, you, edition, write
        self._actions = catalogue.catalogue(edition)

    def who(self, seat: int) -> str:
        """A seat's name within a sentence."""
        return _say("you") if seat == self.you else self.names[seat]

    def event(self, event: Event) -> Phrase:
        """An event as a sentence."""
        return sentence(self.happened(event))

    def happened(self, event: Event) -> str:
        """Return what happened as a part of a sentence: it begins with a small letter, and no full stop ends it."""
        parts: list[str] = [self._deed(event)]
        if event.laid_along:
            parts.append(_say("go_with_it", number=event.laid_along))
        for seat, taken in _penalties(event):
            turned_up = seat == event.seat and event.phase == "roulette" and event.legal
            parts.append(self._does(seat, "turns_up" if turned_up else "draws", cards=_cards(taken)))
        if event.hands_moved:
            held = [_say("number_held", who=self.who(seat), number=size) for seat, size in enumerate(event.held)]
            parts.append(_say("hands_change", held=CATALOGUE.joined("list", held)))
        if event.turned:
            parts.append(_say("turns_over", top=self.write(event.top, event.side)))
        parts += [self._does(seat, "is_out", cards=_cards(event.mercy)) for seat in event.put_out]
        return CATALOGUE.joined("list", parts)

    def situation(self, view: View) -> Phrase:
        """The open decision and its player, or the end of the hand."""
        if view.over:
            return self._result(view)
        if view.to_move is None:
            return sentence(_say("yet_to_act", who=self.who(view.turn)))
        if view.phase == "play":
            return sentence(self._does(view.to_move, "turn"))
        if view.phase == "catch":
            return self._catch(view.to_move, view.turn)
        parts: dict[str, str] = {"penalty": _cards(view.penalty), "turn": self.who(view.turn)}
        parts["top"] = self.write(view.top, view.side)
        return sentence(self._does(view.to_move, _situation_key(view), **parts, demands=view.demands))

    def choice(self, action: int, seat: int, phase: str, side: int = 0) -> Phrase:
        """An action of a seat in a phase, with a side in force, without its player: ``"play red 5"``."""
        first = self._actions.first
        if first.swap <= action < first.declare:
            return _say("do_swap", who=self.who((seat + action - first.swap + 1) % len(self.names)))
        if action == first.keep:
            return _say("do_keep" if phase == "drawn" else "do_let_go")
        return action_name(action, self.edition, side)

    def write(self, kind: int, side: int = 0) -> str:
        """The text of a kind of card; its long name is that of the side in force alone."""
        return face_name(self.edition.faces_on(side)[kind]) if self._write is None else self._write(kind)

    def _catch(self, seat: int, culprit: int) -> Phrase:
        fault = self._does(culprit, "did_not_call")
        if seat == culprit:
            return sentence(CATALOGUE.joined("clauses", [fault, self._does(seat, "can_still_call")]))
        return sentence(CATALOGUE.joined("clauses", [fault, self._does(seat, "may_catch", turn=self.who(culprit))]))

    def _does(self, seat: int, key: str, **parts: str | int) -> Phrase:
        """``"you draw 2 cards"`` or ``"Ann draws 2 cards"``."""
        return _say(key, form="you" if seat == self.you else "other", who=self.who(seat), **parts)

    def _deed(self, event: Event) -> Phrase:
        seat, action, top, first = event.seat, event.action, self._laid_on_top(event), self._actions.first
        if action is None:
            return self._does(seat, "deals", top=top)
        if not event.legal:
            return self._does(seat, "tries", deed=action_name(action, self.edition, event.side_before))
        if action < first.draw:
            return self._laid(event, action)
        if action == first.draw:
            return self._drawn(event)
        if action == first.keep:
            return self._does(seat, "keeps" if event.phase == "drawn" else "lets_go")
        if action == first.jump_in and seat == event.turn:
            return self._does(seat, "plays_another", card=top)
        if event.action_text in _SPOKEN:
            return self._does(seat, _SPOKEN[event.action_text], turn=self.who(event.turn), top=top)
        if action < first.declare:
            other = (seat + action - first.swap + 1) % len(self.names)
            return self._does(seat, "swaps", turn=self.who(other))
        colour = _named(self._actions.declares[action])
        return self._does(seat, "names" if event.phase == "roulette" else "declares", colour=colour)

    def _laid_on_top(self, event: Event) -> str:
        """The card that came on top, before everything may have been turned over."""
        if event.turned and event.action == self._actions.first.jump_in:
            return _say("symbol.f")  # it is the lowest card now
        return self.write(event.top, event.side_before)

    def _laid(self, event: Event, action: int) -> Phrase:
        kind, colour = self._actions.kinds[action], self._actions.colours[action]
        first = self._actions.first
        if action >= first.play_pair:
            return self._does(event.seat, "plays_two", card=card_name(event.top, self.edition))
        if action < first.play_wild or colour < 0:
            return self._does(event.seat, "plays", card=self.write(kind, event.side_before))
        declared = _named(self._actions.declares[action])
        return self._does(event.seat, "plays_and_declares", card=self.write(kind, event.side_before), colour=declared)

    def _drawn(self, event: Event) -> Phrase:
        taken = event.taken[event.seat]
        if event.laid_at_once:
            return self._does(event.seat, "draws_and_plays", card=self.write(event.top, event.side_before))
        return self._does(event.seat, "draws" if taken else "finds_nothing", cards=_cards(taken))

    def _result(self, view: View) -> Phrase:
        if view.winner is None:
            key = f"end.{view.end}"
            return sentence(_say("nobody_wins", why=_say(key) if key in CATALOGUE.texts else str(view.end)))
        if view.scores is not None:
            scores = CATALOGUE.joined("list", [str(score) for score in view.scores])
            return sentence(self._does(view.winner, "wins_match", scores=scores))
        points = view.points[view.winner]
        won = self._does(view.winner, "wins_hand")
        if points > 0:
            won = self._does(view.winner, "wins_points", points=_say("points", number=points))
        if view.end == "went_out" and view.hand_sizes[view.winner]:
            won = CATALOGUE.joined("clauses", [self._does(view.winner, "is_last"), won])
        return sentence(won)


def _situation_key(view: View) -> str:
    """The key of the sentence on an open decision that is no turn."""
    if view.phase == "jump_in" and view.to_move == view.turn:
        return "may_play_another"
    if view.phase == "stack" and view.rules.deflect:
        return "must_draw_or_deflect"
    if view.phase == "stack" and view.rules.stacking == "value":
        return "must_draw_or_match"
    if view.phase == "challenge" and view.draws_colour:
        return "must_draw_colour_or_challenge"
    if view.phase == "challenge":
        classic = view.edition.challenged == CLASSIC.challenged
        return "must_draw_or_challenge" if classic else "must_draw_or_challenge_wild"
    if view.phase == "first_colour" and view.discards > 1:
        return "declares_a_colour"
    if view.phase == "drawn" and view.rules.after_draw == "must_play":
        return "must_play_drawn"
    return _SITUATIONS[view.phase]


def _cards(number: int) -> Phrase:
    return _say("cards", number=number)


def capital(text: str) -> Phrase:
    """A text with a capital letter."""
    return Phrase(text[:1].upper() + text[1:], "capital", text=text)


def sentence(text: str) -> Phrase:
    """A text with a capital letter, unless it begins with a name such as ``player_0``, and a full stop."""
    head = text[:1] if text.startswith("player_") else text[:1].upper()
    end = "" if text.endswith(("!", ".")) else str(CATALOGUE.texts["full_stop"])
    return Phrase(head + text[1:] + end, "sentence", text=text)
