"""The data of a replay's page for each decision, as plain values: :func:`replay_frames`.

The sentences are those of :class:`uno_env.render.sentences.Sentences`: a spectator reads "Ann plays red 5", and Ann in
her own view "You play red 5".
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from uno_env import actions as catalogue
from uno_env.editions import edition_for
from uno_env.events import Event, events_seen_by, player_name
from uno_env.render.card_art import BACK
from uno_env.render.sentences import CATALOGUE, Sentences
from uno_env.render.view import View, view_of
from uno_env.rules import Rules

if TYPE_CHECKING:
    from uno_env.game import Game
    from uno_env.replay import Note, Replay

Frame = dict[str, Any]

_PRIVATE = ("words", "said", "to_move", "drawn", "known", "backs")
"""Fields that may differ between a seat and a spectator, besides the hands and the legal actions."""

_OUTSIDER = -1
"""Nobody's seat: an event that it is told of, everyone is."""


def player_names(replay: "Replay") -> list[str]:
    """The players' names on a page: ``"Player 2"`` for a player without a name, and no two alike."""
    names = [
        CATALOGUE.phrase("player", number=seat + 1) if is_nameless(replay, seat) else name
        for seat, name in enumerate(replay.names)
    ]
    return [
        name if names.index(name) == seat else f"{name} {names[: seat + 1].count(name)}"
        for seat, name in enumerate(names)
    ]


def is_nameless(replay: "Replay", seat: int) -> bool:
    """Return whether the player at a seat has no name."""
    return replay.names[seat].strip().lower() in ("", "you", player_name(seat))


def replay_frames(replay: "Replay", opinions: Sequence["Note | None"], you: int | None = None) -> list[Frame]:
    """The state before each decision, with the decision, and the state at the end of each hand.

    A seat sees nothing of a decision of which it must not know that there was one: ``seen`` has None for it there. With
    all hands open, the seat ``you`` is called "you".
    """
    return _Narrator(replay, opinions, range(replay.game.players), None, you).frames


def hand_frames(replay: "Replay", opinions: Sequence["Note | None"], seat: int, hand: int) -> list[Frame]:
    """The same of one hand, counted from 0, with nothing in the frames but what a seat may know."""
    frames = _Narrator(replay, opinions, [seat], hand).frames
    return [own for frame in frames if (own := _sealed(frame, seat))]


def _sealed(frame: Frame, seat: int) -> Frame | None:
    """Return a frame with nothing in it but what a seat may know, or None if the seat knows of no such frame."""
    if frame["seen"][seat] is None:
        return None
    own = {**frame, "known": {}, "backs": {}, **frame["seen"][seat]}
    hands = [cards if each == seat else [BACK] * len(cards) for each, cards in enumerate(frame["hands"])]
    own |= {"hands": hands, "seen": [{} if each == seat else None for each in range(len(hands))]}
    return own if own["to_move"] == seat else {**own, "legal": [], **_UNDECIDED}


class _Narrator:
    """Goes through a game and remembers which events each observer has seen."""

    def __init__(
        self,
        replay: "Replay",
        opinions: Sequence["Note | None"],
        seats: Sequence[int],
        only_hand: int | None,
        you: int | None = None,
    ) -> None:
        names = player_names(replay)
        edition = edition_for(replay.game.rules)
        self._seats, self._observers, self._only_hand = seats, [None, *seats], only_hand
        self._sentences = {each: Sentences(names, you if each is None else each, edition) for each in self._observers}
        self._last_texts: dict[int | None, list[str]] = {observer: [] for observer in self._observers}
        self.frames: list[Frame] = []
        shown, hand = replay.game.start(), 0
        for action, note, opinion in zip(replay.game.history, replay.notes, opinions, strict=True):
            hand = shown.hands_played
            self._add(shown, hand, _decision(replay.game.rules, action, note, opinion))
            self._step(shown, action)
        self._add(shown, hand if shown.over else shown.hands_played, _UNDECIDED)

    def _step(self, shown: "Game", action: int) -> None:
        """Make a decision; the end of a hand of a match has a frame of its own, before the next hand is dealt."""
        before, hand = shown.clone() if shown.match else None, shown.hands_played
        shown.step(action)
        if before is not None and shown.hands_played > hand and not shown.over:
            before.match = False
            before.step(action)
            self._add(before, hand, _UNDECIDED)

    def _add(self, shown: "Game", hand: int, decision: dict[str, Any]) -> None:
        unseen = {seat for seat in self._seats if shown.shown_to(seat) is not shown}
        if self._only_hand in (None, hand):
            frame, looking = self._state(shown, None), set(self._seats) - unseen
            own = [self._own(frame, shown, seat) if seat in looking else None for seat in range(shown.players)]
            self.frames.append({**frame, "seen": own, "hand": hand, **decision})
        if not unseen:
            shown._course.forget_events(_last_open(shown.events))  # what is told goes on from what all know of
        for observer in self._observers:
            if observer not in unseen:
                self._last_texts[observer] = self._texts(events_seen_by(shown.events, observer), observer)

    def _own(self, frame: Frame, shown: "Game", seat: int) -> dict[str, Any]:
        """The fields that a seat sees differently from a spectator."""
        own = self._state(shown, seat)
        return {name: own[name] for name in _PRIVATE if own[name] != frame[name]}

    def _texts(self, events: Sequence[Event], observer: int | None) -> list[str]:
        return [self._sentences[observer].event(event) for event in events]

    def _state(self, shown: "Game", observer: int | None) -> Frame:
        view = view_of(shown, observer)
        said = _news(self._last_texts[observer], self._texts(view.events, observer))
        return {**_values(view), "said": said, "words": self._sentences[observer].situation(view)}


def _last_open(events: Sequence[Event]) -> int:
    """Index of the last event that everyone may see."""
    return max(index for index, event in enumerate(events) if event.is_seen_by(_OUTSIDER))


def _news(before: list[str], now: list[str]) -> list[str]:
    """The sentences that are new since the last frame. An event is told again if it has a new consequence."""
    same = 0
    while same < min(len(before), len(now)) and before[same] == now[same]:
        same += 1
    return now[same:]


def _values(view: View) -> Frame:
    """A view as plain values."""
    return {
        "top": view.shown(view.top),
        "colour": None if view.colour is None else view.colour + view.side * len(view.colours),
        "side": view.side,
        "next_back": view.next_back,
        "last_face": view.last_face,
        "backs": {str(seat): view.unknown_backs(seat) for seat in view.backs},
        "clockwise": view.clockwise,
        "pile": view.draw_pile,
        "discards": view.discards,
        "hands": [_cards(view, view.hands.get(seat, [])) for seat in range(view.rules.players)],
        "known": {str(seat): _cards(view, kinds) for seat, kinds in view.known.items()},
        "phase": view.phase,
        "to_move": view.to_move,
        "dealer": view.dealer,
        "out": view.out,
        "put_out": view.put_out,
        "called": view.called,
        "penalty": 0 if view.draws_colour else view.penalty,
        "drawn": None if view.drawn is None else view.shown(view.drawn),
        "legal": [catalogue.name(action, view.rules) for action in view.legal],
        "scores": view.scores,
        "over": view.over,
    }


def _cards(view: View, kinds: list[int]) -> list[str]:
    return [view.shown(kind) for kind in view.in_order(kinds)]


_UNDECIDED: dict[str, Any] = {"chosen": None, "probabilities": None, "value": None, "advice": None}
"""The fields of a decision where there is none."""


def _decision(rules: Rules, action: int, note: "Note | None", opinion: "Note | None") -> dict[str, Any]:
    """A decision, with what its player and an adviser thought."""
    advice = None if opinion is None else _thoughts(opinion, rules)
    if advice is not None and opinion is not None and opinion.is_costly(action):
        advice["costly"] = True
    return {"chosen": catalogue.name(action, rules), **_thoughts(note, rules), "advice": advice}


def _thoughts(note: "Note | None", rules: Rules) -> dict[str, Any]:
    if note is None:
        return {"probabilities": None, "value": None}
    names = catalogue.texts(rules)
    chances = {names[each]: round(chance, 4) for each, chance in note.probabilities.items()}
    costs = {names[each]: (round(lost, 4), round(error, 4)) for each, (lost, error) in note.costs.items()}
    measured = {"costs": costs, "luck": note.luck and round(note.luck, 4)} if costs else {}
    return {"probabilities": chances or None, "value": note.value, **measured}
