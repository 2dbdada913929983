"""The view of a table for one seat, as plain values: :func:`seat_view`.

It is made of :func:`uno_env.render.view_of` alone, which is made of the seat's observation, and of what is public at
a table: names, who is there, the clock of who decides. While somebody is asked what the seat cannot
know, the next player seems to be on turn already, with their moves and their clock.
"""

from collections.abc import Sequence
from dataclasses import replace

from uno_env import actions as catalogue
from uno_env.core.rules.wild_draw_four import MORE_FOR_WRONG_CHALLENGE
from uno_env.editions.edition import NO_CARD, Edition
from uno_env.events import Event, cards_laid
from uno_env.render.sentences import CATALOGUE, Sentences, action_name, capital, card_name, colour_name, face_name
from uno_env.render.view import View, view_of
from uno_table.table.agent_names import about
from uno_table.table.levels import FACES, LEVEL_OF, LEVELS
from uno_table.table.question import hints_view
from uno_table.table.sentences import MOST_EVENTS, TABLE_SENTENCES
from uno_table.table.table import Table
from uno_table.table.table_config import adviser_name, rules_title
from uno_table.table.view_fields import (
    ActionView,
    CardView,
    HandsMovedView,
    KnownCardView,
    MoveView,
    PlayerView,
    ResultView,
    TableView,
    TurnedView,
)

SIDES = ("light", "dark")
"""Names of the sides of cards that have two."""

_say = TABLE_SENTENCES.phrase

_MOVES = {name: f"move.{name}" for name in ("draw", "call", "catch", "challenge", "accept", "jump_in")}


def seat_view(table: Table, seat: int, wants_hints: bool = False) -> TableView:
    """Return everything that is sent to a seat, with or without hints, as plain values for JSON."""
    view = view_of(table.series.shown, seat)
    if table.waiting:
        view = replace(view, hands={}, known={}, backs={}, next_back="", drawn=None)
    sentences = table.sentences(seat)
    events = [] if table.waiting else view.events
    first = max(len(events) - MOST_EVENTS, 0)
    hints = None
    if wants_hints and seat in table.advisers and table.choices(seat):
        hints = hints_view(
            table.hints_of(seat),
            adviser_name(table.setup),
            lambda action: _button(action, view, sentences),
            view.rules,
        )
    first_move = catalogue.catalogue(view.edition).first.draw
    shares = {} if hints is None else {each["action"]: each["share"] for each in hints["actions"]}
    return {
        "you": seat,
        "rules": rules_title(table.setup),
        "level": table.setup.level,
        "epoch": table.epoch,
        "ticket": table.ticket(seat),
        "players": [_player(table, view, each) for each in range(len(table.seats))],
        "waiting": table.waiting,
        "top": view.shown(view.top),
        "topName": card_name(view.top, view.edition, view.side),
        "colour": None if view.colour is None else view.colours[view.colour],
        "side": SIDES[view.side] if view.edition.sides > 1 else "",
        "nextBack": _face(view.next_back, view, 1 - view.side) if view.next_back else None,
        "lastFace": _face(view.last_face, view, view.side) if view.last_face else None,
        "clockwise": view.clockwise,
        "drawPile": view.draw_pile,
        "discards": view.discards,
        "penalty": 0 if view.draws_colour else view.penalty,
        "deciding": None if table.waiting else view.to_move,
        "situation": _situation(table, view, sentences),
        "hand": _hand(table, view, shares),
        "moves": [_move(action, view, sentences, shares) for action in table.choices(seat) if action >= first_move],
        "events": [sentences.event(event) for event in events[first:]],
        "firstEvent": first,
        "handsMoved": _hands_moved(events, first, view),
        "turned": _turned(events, first, view.edition),
        "result": _result(table, sentences) if table.series.pausing else None,
        "clock": table.clock(seat),
        "canUndo": table.can_undo,
        "canHint": seat in table.advisers,
        "hints": hints,
        "invitations": [
            {"seat": each.number, "invitation": each.invitation}
            for each in (table.seats[1:] if seat == 0 else ())  # for who set up the table, to hand on
            if each.invitation is not None
        ],
    }


def _player(table: Table, view: View, number: int) -> PlayerView:
    seat, standing = table.seats[number], table.series.standing
    return {
        "seat": number,
        "name": seat.name,
        "face": not seat.is_person and seat.name in FACES,
        "kind": "person" if seat.is_person else "agent",
        "about": "" if seat.is_person else _about(table.setup.seats[number] or ""),
        "away": seat.is_away,
        "failed": seat.has_failed,
        "cards": view.hand_sizes[number],
        "known": [_named(kind, view) for kind in view.in_order(view.known.get(number, []))],
        "backs": [_face(text, view, 1 - view.side) for text in view.unknown_backs(number)],
        "called": number in view.called,
        "out": number in view.out,
        "putOut": number in view.put_out,
        "dealer": number == view.dealer,
        "laidTop": number == view.last_player,
        "score": table.game.scores[number] if table.setup.match else standing.points[number],
        "won": standing.won[number],
        "matches": standing.matches[number],
    }


def _named(kind: int, view: View) -> KnownCardView:
    return {"card": view.shown(kind), "name": card_name(kind, view.edition, view.side)}


def _face(text: str, view: View, side: int) -> KnownCardView:
    """A face of a side by its text, of a card whose other face is not seen."""
    face = next(each for each in view.edition.different_faces(side) if each.text == text)
    return {"card": text, "name": face_name(face)}


def _about(spec: str) -> str:
    return LEVELS[LEVEL_OF[spec]].about if spec in LEVEL_OF else about(spec)


def _hand(table: Table, view: View, shares: dict[str, float]) -> list[CardView]:
    if view.observer is None or view.observer not in view.hands:
        return []
    legal, mistakes = table.choices(view.observer), table.mistakes(view.observer)
    return [_card(kind, view, legal, mistakes, shares) for kind in view.in_order(view.hands[view.observer])]


def _card(kind: int, view: View, legal: list[int], mistakes: list[int], shares: dict[str, float]) -> CardView:
    """A card of the hand, how it can be laid, and how much the adviser is for that."""
    of, faces = catalogue.catalogue(view.edition), view.edition.faces_on(view.side)
    is_twin = faces[kind].text == faces[view.top].text
    laying = [each for each in legal if of.kinds[each] == kind or (each == of.first.jump_in and is_twin)]
    actions = [_card_action(action, view) for action in laying]
    hinted = [shares[each["action"]] for each in actions if each["action"] in shares]
    return {
        **_named(kind, view),
        "actions": actions,
        "mistakes": [_card_action(action, view) for action in mistakes if of.kinds[action] == kind],
        "drawn": kind == view.drawn,
        "share": sum(hinted) if hinted else None,
    }


def _card_action(action: int, view: View) -> ActionView:
    return {"action": catalogue.name(action, view.rules), "name": action_name(action, view.edition, view.side)}


def _move(action: int, view: View, sentences: Sentences, shares: dict[str, float]) -> MoveView:
    """An action that lays no card, as a button. ``share`` is the adviser's probability of it."""
    name = catalogue.name(action, view.rules)
    return {"action": name, "name": _move_name(action, view, sentences), "share": shares.get(name)}


def _button(action: int, view: View, sentences: Sentences) -> str:
    """The words for an action on the button that chooses it."""
    if action < catalogue.catalogue(view.edition).first.draw:
        return capital(action_name(action, view.edition, view.side))
    return _move_name(action, view, sentences)


def _move_name(action: int, view: View, sentences: Sentences) -> str:
    text = catalogue.name(action, view.rules)
    if text == "jump_in" and view.to_move == view.turn:
        return _say("move.play_as_well")
    if text == "accept" and view.draws_colour and view.colour is not None:
        return _say("move.draw_colour", colour=colour_name(view.colour, view.edition, view.side))
    if text == "accept" and view.penalty:
        return _say("move.draw_penalty", number=view.penalty)
    if text in _MOVES:
        return _say(_MOVES[text])
    return capital(
        action_name(action, view.edition)
        if view.observer is None
        else sentences.choice(action, view.observer, view.phase)
    )


def _hands_moved(events: Sequence[Event], begin: int, view: View) -> HandsMovedView | None:
    """The last event, from one on, in which hands changed owners, by its index, and from whom to whom they went, if not
    shuffled. None if another card was laid since: the direction may be another one by now.
    """
    first = catalogue.catalogue(view.edition).first
    out = set(view.out)
    for index in reversed(range(begin, len(events))):
        event = events[index]
        if event.action is not None and first.swap <= event.action < first.declare:
            other = (event.seat + event.action - first.swap + 1) % len(event.held)
            return {"event": index, "pairs": [[event.seat, other], [other, event.seat]]}
        if view.rules.seven_zero and _laid_a_zero(event, view):
            step = 1 if view.clockwise else -1
            playing = [seat for seat in range(len(event.held)) if seat not in out]
            pairs = [[seat, playing[(at + step) % len(playing)]] for at, seat in enumerate(playing)]
            return {"event": index, "pairs": pairs}
        if event.hands_moved:
            return {"event": index, "pairs": []}
        if event.legal and event.action is not None and cards_laid(event.action, view.edition) > 0:
            return None
        out -= set(event.put_out)
    return None


def _turned(events: Sequence[Event], begin: int, edition: Edition) -> TurnedView | None:
    """The last event, from one on, in which everything was turned over."""
    of = catalogue.catalogue(edition)
    for index in reversed(range(begin, len(events))):
        event = events[index]
        if event.turned:
            kind = NO_CARD if event.action is None else of.kinds[event.action]
            return {"event": index, "card": None if kind == NO_CARD else edition.shown(kind, event.side_before)}
    return None


def _laid_a_zero(event: Event, view: View) -> bool:
    """Return whether a 0 was laid that passes hands on. A 0 that ends the hand does not."""
    first = catalogue.catalogue(view.edition).first
    lays = event.action is not None and (event.action < first.play_wild or event.action == first.jump_in)
    return lays and event.legal and event.held[event.seat] > 0 and view.edition.kinds[event.top].number == 0


def _situation(table: Table, view: View, sentences: Sentences) -> str:
    if table.waiting:
        return _say("waiting", number=len(table.waiting))
    situation = sentences.situation(view)
    challenge = catalogue.catalogue(view.edition).first.challenge
    asked = view.observer is not None and challenge in table.choices(view.observer)
    return CATALOGUE.joined("text", [situation, _challenge(view, table.names[view.turn])]) if asked else situation


def _challenge(view: View, name: str) -> str:
    """Explain a challenge to somebody who has never made one."""
    if view.draws_colour:
        return _say("challenge_costs_colour", name=name, more=MORE_FOR_WRONG_CHALLENGE)
    return _say("challenge_costs", name=name, penalty=view.penalty, more=view.penalty + MORE_FOR_WRONG_CHALLENGE)


def _result(table: Table, sentences: Sentences) -> ResultView:
    """The result of the hand, and of the match if it has ended."""
    game, ended = table.game, view_of(table.series.shown, 0)
    over, counted = game.over, table.setup.rules.scoring != "hand"
    text = ""
    if table.setup.match and over and game.winner is not None and counted:
        form = "you" if game.winner == sentences.you else "other"
        text = _say("match_won", form=form, name=table.names[game.winner])
    points = ended.points
    return {
        "text": sentences.situation(ended),
        "match": text,
        "counted": counted,
        "points": points if any(points) else None,
        "why": _say(f"prize.{table.setup.rules.scoring}"),
        "gameOver": over,
        "youWon": ended.winner is not None and ended.winner == sentences.you,
    }
