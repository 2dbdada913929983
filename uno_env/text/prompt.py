"""A decision in words: :func:`prompt` for an observation, :func:`prompt_for` for a seat of a game.

A prompt is made of an observation, of what may be done and of the last events that the seat has seen, and of nothing
else, so it tells what these tell (GUIDE.md 12). The reader is "you"; P1 is the next player to the left, P2 the one
after.
"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from uno_env import actions as catalogue
from uno_env.cards import cards_text
from uno_env.core.arrays import Array
from uno_env.core.observe.history_layout import START
from uno_env.core.observe.layout import LOW
from uno_env.core.record import ALL_PHASE_NAMES
from uno_env.editions import EDITIONS, edition_for
from uno_env.events import Event, cards_laid
from uno_env.history import HISTORY_LAYOUT, history_of
from uno_env.observation import layout, rules_of
from uno_env.render.sentences import Sentences, seat_after
from uno_env.render.view import View, view_of_row
from uno_env.rules import Rules

if TYPE_CHECKING:
    from uno_env.game import Game

EVENTS = 32
"""Events that a prompt is made of, nearly always with the last one that the seat decided."""


def prompt_for(game: "Game", seat: int | None = None, full: bool = False) -> str:
    """The prompt of a seat, None: to move. Raises ValueError if there is no such seat, or the game is over."""
    if game.over:
        raise ValueError("the hand is over: nobody has to decide")
    observer = game.to_move if seat is None else seat
    row, shown = game.observe(observer, "uint8"), game.shown_to(observer)
    decides = row[layout(game.rules)["to_move"].start] != 0
    mask = shown.action_mask() if decides else np.zeros(catalogue.number_of(game.rules), np.int8)
    return prompt(row, mask, history_of(shown.events, observer, EVENTS), full)


def prompt(observation: Array, action_mask: Array, history: Array, full: bool = False) -> str:
    """Write a decision as a prompt: the player's knowledge, and the moves. Raises ValueError if the rules in the
    observation do not exist.

    Args:
        observation: uint8 [D], in integer form.
        action_mask: [A] of 0 and 1.
        history: uint8 [K, EVENT_SIZE], the last events, see :mod:`uno_env.history`; K should be :data:`EVENTS`.
        full: whether the discard pile is listed.
    """
    rules = rules_of(observation)
    view = view_of_row(observation, rules, events=_since_last_move(np.asarray(history), rules))
    names = ["you", *(f"P{left}" for left in range(1, rules.players))]
    words = Sentences(names, 0, view.edition)
    lines = [*_table(view, names), *_scores(observation[layout(rules)["scores"].columns], names)]
    if full:
        kinds = range(len(view.edition.kinds))
        discards = np.repeat(kinds, observation[layout(rules)["discards"].columns])
        lines.append(f"Discards: {cards_text(discards.tolist(), view.edition)}.")
    if view.events:
        lines.append(" ".join(["Since your last move:", *map(words.event, view.events)]))
    lines.append(f"Your hand: {_named(view, view.hands[0])}.")
    if view.drawn is not None:
        lines.append(f"Just drawn: {_named(view, [view.drawn])}.")
    lines.append(words.situation(view))
    legal = np.flatnonzero(action_mask).tolist()
    if legal:
        lines.append("Moves:")
    lines += [
        f"{number} {catalogue.name(action, rules)} {words.choice(action, 0, view.phase, view.side)}"
        for number, action in enumerate(legal, 1)
    ]
    return "\n".join(lines)


def _table(view: View, names: Sequence[str]) -> Iterator[str]:
    colour = "not declared yet" if view.colour is None else view.colours[view.colour]
    way = "left" if view.clockwise else "right"
    yield (
        f"Top card: {_named(view, [view.top])}. Colour: {colour}. Play goes to the {way}; after "
        f"{names[view.turn]}: {names[seat_after(view, 1)]}. Draw pile: {view.draw_pile}."
    )
    held = ", ".join(
        f"{name} {'out' if seat in view.out else view.hand_sizes[seat]}{' (UNO)' if seat in view.called else ''}"
        for seat, name in enumerate(names)
    )
    yield f"Cards held: {held}."
    if view.edition.sides > 1:
        yield from _sides(view, names)
    for seat, kinds in view.known.items():
        yield f"{names[seat]} is known to hold: {_named(view, kinds)}."


def _scores(columns: Array, names: Sequence[str]) -> Iterator[str]:
    columns = columns.astype(int)
    scores = columns[0::2] * LOW + columns[1::2]
    if scores.any():
        yield f"Points in the match: {', '.join(f'{name} {scores[seat]}' for seat, name in enumerate(names))}."


def _named(view: View, kinds: Sequence[int]) -> str:
    return ", ".join(view.edition.name_shown(kind, view.side) for kind in kinds)


def _sides(view: View, names: Sequence[str]) -> Iterator[str]:
    """The part that only cards with two sides have."""
    yield f"The {('light', 'dark')[view.side]} side counts."
    if view.next_back:
        yield f"The next card of the draw pile shows {view.next_back} on its other side."
    if view.last_face:
        yield f"The last card of the draw pile is {view.last_face} on this side."
    for seat, faces in view.backs.items():
        yield f"The other sides of the cards of {names[seat]}: {', '.join(faces)}."


def _since_last_move(rows: Array, rules: Rules) -> list[Event]:
    """The events from the reader's last move on; the one before it is read for the sizes of hands."""
    own = np.flatnonzero((rows[:, START.seat] == 1) & (rows[:, START.action] > 0))
    first = own[-1] if own.size else 0
    events = events_of(rows[max(first - 1, 0) :], rules.players, rules)
    return events[1:] if first and rows[first - 1, START.seat] else events


def events_of(history: Array, players: int, rules: Rules | None = None) -> list[Event]:
    """The events of a history, uint8 [K, EVENT_SIZE]; seats are relative to the observer, who is seat 0.

    ``rules`` are those that were played by; None means those of the first edition, without mercy.
    """
    found: list[Event] = []
    for row in np.asarray(history).astype(int):
        if row[START.seat]:
            found.append(_event_of(row, players, rules or Rules(), found[-1] if found else None))
    return found


def _event_of(row: Array, players: int, rules: Rules, before: Event | None) -> Event:
    """The event of a row of a history. What grew by which number of cards, and whether everything was turned over,
    follows from the event before, if there is one.
    """
    fact = {name: row[run.columns].tolist() for name, run in HISTORY_LAYOUT.items()}
    (seat,), (phase,), (action,) = fact["seat"], fact["phase"], fact["action"]
    held, growth = tuple(fact["hand_sizes"][:players]), fact["taken"][:players]
    legal, at_once = bool(fact["legal"][0]), bool(fact["laid_at_once"][0])
    (side, top), along = divmod(fact["top"][0] - 1, len(EDITIONS[rules.edition].kinds)), 0
    put_out = tuple(each for each in range(players) if rules.mercy and growth[each] and not held[each])
    laid = cards_laid(action - 1, edition_for(rules)) if action and legal else 0
    if laid and before is not None and EDITIONS[rules.edition].kinds[top].effect == "discard_all":
        along = before.held[seat - 1] - held[seat - 1] - laid
    if before is not None and action:  # what changed owners is not counted as taken
        growth = [now - then for now, then in zip(held, before.held, strict=True)]
        growth[seat - 1] += laid + along + at_once
        for each in put_out:
            growth[each] = rules.mercy - before.held[each]
    side_before = 0 if phase == 0 else side if before is None else before.side
    return Event(
        seat - 1,
        fact["turn"][0] - 1,
        "deal" if phase == 0 else ALL_PHASE_NAMES[phase - 1],
        None if action == 0 else action - 1,
        legal,
        top,
        fact["colour"][0] - 1,
        held,
        tuple(growth),
        at_once,
        put_out,
        rules.edition,
        along,
        rules.mercy,
        side,
        side != side_before,
    )
