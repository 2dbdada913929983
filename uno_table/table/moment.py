"""The times at which decisions begin, end and are shown at a table (:class:`Moment`), and the decisions that are not
shown yet (:class:`Answer`).
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from uno_env import actions as catalogue
from uno_env.editions import edition_for
from uno_env.editions.edition import NO_COLOUR
from uno_env.events import LETTING_GO
from uno_env.game import Game
from uno_env.rules import Rules
from uno_table.table.seats import Seat
from uno_table.table.secret_window import SecretWindow
from uno_table.table.series import EVERYBODY, SeenGame
from uno_table.table.table_config import Setup
from uno_table.table.view_fields import ClockView

REACTIONS = ("catch", "jump_in")
"""Phases that are races at a table of cards."""
AT_ONCE = frozenset((*REACTIONS, *LETTING_GO))
"""Phases whose decision begins as soon as something has happened: nobody is asked in secret before it."""
QUIET_ACTIONS = ("pass", "accept", "draw")


class Answer(NamedTuple):
    """A decision of a seat."""

    action: int
    ticket: str
    """The seat's ticket when it decided; the answer is void once the seat has another one."""
    at: float
    """The time from which it can be shown, if nobody else could be asked; in seconds of the table's clock."""
    has_failed: bool = False
    """True if an agent failed, so that a quiet action stands for its own."""


def quiet_action(legal: list[int], rules: Rules | None = None) -> int:
    """Return the action for a player who does not decide in time: let it go, accept, draw, or else the first legal.

    ``rules`` are of the edition that the actions belong to; None means the first edition.
    """
    quiet = (catalogue.parse(text, rules) for text in QUIET_ACTIONS)
    return next((action for action in quiet if action in legal), legal[0])


def mistaken_plays(held: Collection[int], legal: list[int], rules: Rules, side: int) -> list[int]:
    """Return the actions that lay a card of those held, by its face on the side in force, and that are not legal."""
    edition = edition_for(rules)
    of, faces, colours = catalogue.catalogue(edition), edition.faces_on(side), ("", *edition.colours_on(side))
    plays = [play for play in range(of.first.play_pair) if of.kinds[play] in held and play not in legal]
    return [
        play
        for play in plays
        if of.declares[play] in colours
        and (edition.sides == 1 or (faces[of.kinds[play]].colour == NO_COLOUR) == bool(of.declares[play]))
    ]


@dataclass(frozen=True)
class Moment:
    """The time from one thing that everybody sees to the next, while somebody decides.

    All times are those of the table's clock, in seconds. They depend on what everybody knows, and on whether the seat
    that is named is itself asked in secret.
    """

    setup: Setup
    seats: Sequence[Seat]
    window: SecretWindow
    seen: SeenGame
    began: float
    """The time of the last thing that everybody sees."""

    def held_until(self, seat: int) -> float:
        """The time at which a seat is shown the last thing that happened: at once, or, if the card on top shows by its
        effect that nobody jumps in, after everybody who could jump in has had their time.
        """
        return self._held_until(seat, self.seen.by(seat).phase)

    def asked_at(self, seat: int) -> float:
        """The time at which an agent begins to decide.

        An agent that could be asked in secret is asked in the open after everybody has had their time. Otherwise its
        move would come later when it has decided twice.
        """
        phase = self.seen.by(seat).phase
        return max(self._held_until(seat, phase), self._secrets_end(seat, phase))

    def secret_ends(self) -> float:
        """The end of the chance of an agent that is asked in secret, if the others see an agent as the next to be
        asked; else the beginning of the moment.
        """
        seen = self.seen.by(EVERYBODY)
        is_agent = seen.to_move >= 0 and self.seats[seen.to_move].agent is not None
        return self._secrets_end(seen.to_move, seen.phase) if is_agent else self.began

    def shown_at(self, seat: int, answer: Answer) -> float:
        """The time at which a seat's decision is shown: all others who could be asked have had their time by then."""
        return max(answer.at, self.began + self.window.of_others(seat, self.seen.last_event))

    def clock(self, shown: Game) -> ClockView | None:
        """The time of the player who decides in a game as somebody sees it; None without a limit.

        It begins when the player is shown what happened last, and ends after all time to decide in secret.
        """
        seconds = self._seconds(shown)
        if seconds == 0:
            return None
        seat, phase = shown.to_move, shown.phase
        deadline = max(self._held_until(seat, phase) + seconds, self._secrets_end(seat, phase))
        return {"deadline": deadline, "seconds": seconds}

    @property
    def is_secret(self) -> bool:
        """True if the seat whose decision comes first is asked something that some other person may not know."""
        is_alone = sum(each.is_person for each in self.seats) == 1 and self.seats[self.seen.game.to_move].is_person
        return not is_alone and self.seen.by(EVERYBODY) is not self.seen.game

    def _held_until(self, seat: int, phase: str) -> float:
        return self.began if phase in AT_ONCE else self.began + self.window.before_effect(seat, self.seen.last_event)

    def _secrets_end(self, seat: int, phase: str) -> float:
        """The end of all secret decisions that could come before an open one of a seat."""
        return self.began if phase in AT_ONCE else self.began + self.window.before_own_turn(seat, self.seen.last_event)

    def _seconds(self, shown: Game) -> float:
        """Time for the decision at hand. It is 0 without a limit, for agents, and where nobody is to decide."""
        if shown.to_move < 0 or self.seats[shown.to_move].agent is not None:
            return 0.0
        if shown.phase in LETTING_GO and (seconds := self.window.of(shown.to_move)) > 0:
            return seconds
        return self.setup.reaction_seconds if shown.phase in REACTIONS else self.setup.turn_seconds
