"""The time that a table waits to keep a secret: :class:`SecretWindow`.

Some questions are put only to a player who holds a certain card: to jump in, to answer a penalty, to play the card just
drawn. Nobody else may know of it, not even by a pause (GUIDE.md 12). So a table waits wherever the rules could ask
somebody, whether they do or not. All here depends on what everybody knows, and on nothing else.
"""

from collections import deque
from collections.abc import Sequence

from uno_env.editions import edition_for
from uno_env.editions.edition import NO_COLOUR
from uno_env.events import Event, cards_laid
from uno_env.policy_columns import can_answer_penalty
from uno_env.rules import Rules
from uno_table.table.seats import Seat
from uno_table.table.table_config import Setup

RECENT_DECISIONS = 5
"""Decisions of an agent that say how long it thinks."""


class SecretWindow:
    """The time of those who could be asked in secret, in seconds after the last thing that everybody has seen."""

    def __init__(self, setup: Setup, seats: Sequence[Seat]) -> None:
        self._setup, self._seats = setup, seats
        self._thought = [deque([0.0], maxlen=RECENT_DECISIONS) for _ in seats]

    def note_thought(self, seat: int, seconds: float) -> None:
        """Note how long an agent took for a decision that everybody saw."""
        self._thought[seat].append(seconds)

    def of(self, seat: int) -> float:
        """Return the time that a seat has if it is asked. An agent has as long as it has thought of late, half the pace
        at least: so one that thinks fast decides in secret and in the open within one pace.

        A person among agents has all the time that there is: nobody sees them think. That is 0 here.
        """
        if self._seats[seat].agent is not None:
            return max(self._setup.pace / 2, *self._thought[seat])
        return self._setup.secret_seconds if sum(each.is_person for each in self._seats) > 1 else 0.0

    def of_others(self, seat: int, event: Event) -> float:
        """Return the time after an event in which others than a seat could be asked."""
        return max(map(self.of, could_be_asked(event, self._setup.rules) - {seat}), default=0.0)

    def before_own_turn(self, seat: int, event: Event) -> float:
        """Return the time after an event in which the rules could ask for other decisions before a seat decides in the
        open, its own among them. It is 0 if the seat could not be asked in secret itself.
        """
        asked = could_be_asked(event, self._setup.rules)
        return max(map(self.of, asked)) if seat in asked else 0.0

    def before_effect(self, seat: int, event: Event) -> float:
        """Return the time until a seat is shown an event, with all that comes of it if nobody takes a chance. It is 0
        unless the event's effect would tell that nobody jumps in.
        """
        return self.of_others(seat, event) if acts_later(event, self._setup.rules, seat) else 0.0


def could_be_asked(event: Event, rules: Rules) -> set[int]:
    """Return the seats that the rules could ask in secret after an event that everybody sees.

    Some of them may be seats that no deal of the cards lets the rules ask.
    """
    if _could_jump_in(event, rules):
        return set(range(rules.players))
    asked = {event.seat} if event.action_text == "draw" and rules.after_draw == "may_play" else set()
    return asked | {seat for seat in range(rules.players) if _could_answer(event, rules, seat)}


def acts_later(event: Event, rules: Rules, seat: int) -> bool:
    """Return whether a seat is shown the card on top not yet in effect while somebody is asked to jump in.

    So it is with a card that gives cards to the seat, and with one that moves all hands or hits a player by chance
    (:mod:`uno_env.core.observe.unseen`). A penalty that puts a player out, and that the player could have answered, is
    not shown in effect either until then, nor are cards with two sides drawn or turned over.
    """
    edition = edition_for(rules)
    shows_backs = edition.sides > 1 and (event.turned or any(event.taken))
    asked = range(rules.players) if shows_backs else event.put_out
    if any(_could_answer(event, rules, other) for other in asked if other != seat):
        return True
    if not _could_jump_in(event, rules):
        return False
    number = edition.faces_on(event.side)[event.top].number
    passes_on = rules.seven_zero and number == 0 and not edition.moves_first
    slapped = rules.six_smackdown and number == 6
    return passes_on or slapped or shows_backs or event.growth[seat] > 0 or bool(event.put_out)


def _could_jump_in(event: Event, rules: Rules) -> bool:
    edition = edition_for(rules)
    lays = event.legal and event.action is not None and cards_laid(event.action, edition) > 0
    is_wild = edition.faces_on(event.side)[event.top].colour == NO_COLOUR and not event.turned  # what turned is no wild
    return rules.jump_in and not is_wild and (lays or event.phase == "catch")


def _could_answer(event: Event, rules: Rules, seat: int) -> bool:
    """Return whether a seat draws because of another's card, and the rules let it answer such a card.

    The last to be asked about a missing call may be the seat that then draws. Where only the top card is not in
    somebody's hand, anybody may have to draw nothing.
    """
    is_own_draw = seat == event.seat and event.phase != "catch"
    draws = event.taken[seat] > 0 or sum(rules.deck_counts) - sum(event.held) <= 1
    return draws and not is_own_draw and can_answer_penalty(rules)
