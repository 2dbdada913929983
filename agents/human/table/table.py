"""People and agents at one table: :class:`Table`."""

import math
from collections import deque
from collections.abc import Iterable

import numpy as np

from agents import Agent
from agents.human.table.question import Hints, Question
from agents.human.table.reviewer import Reviewer
from agents.human.table.seats import Seat
from agents.human.table.series import MOST_UNDOS, Mark, Series
from agents.human.table.table_config import Setup, clean_name, load_agents, names_of, rules_title
from agents.human.table.view_fields import ClockView
from agents.scripted.strategy import KIND_OF
from uno_env import actions as catalogue
from uno_env.events import LETTING_GO
from uno_env.game import Game
from uno_env.history import history_for, recall
from uno_env.replay import Replay

REACTIONS = ("catch", "jump_in")
"""Phases that are races at a table of cards."""
QUIET_ACTIONS = (catalogue.PASS, catalogue.ACCEPT, catalogue.DRAW)


class RefusedError(ValueError):
    """Somebody at the table did what is not allowed. The message is one sentence; the table stays as it was."""


class Table:
    """Seats, a series of games, and a clock.

    Nothing here looks at a clock: whoever drives the table says what time it is (``now``, in seconds of any clock that
    does not go back).

    Agents and adviser are loaded by default. Raises ValueError if one cannot be loaded, or does not play by these
    rules.
    """

    def __init__(self, setup: Setup, agents: list[Agent | None] | None = None, adviser: Agent | None = None) -> None:
        self.setup = setup
        if agents is None:
            agents, adviser = load_agents(setup)
        names = names_of(setup)
        self.seats = [Seat(number, *each) for number, each in enumerate(zip(names, agents, strict=True))]
        self.adviser = adviser
        self.series = Series(setup.rules, setup.seed, setup.match, setup.secret)
        self.stage = 0
        """Goes up with everything that happens in the game; sent to nobody, since some of it is secret."""
        self.epoch = 0
        """Goes up whenever what has happened so far is no longer what it was: a new game, a move taken back."""
        self.deadline: float | None = None
        self.hints: dict[int, Hints] = {}
        """By seat, what the adviser would do now, once it was asked."""
        self.reviewer: Reviewer | None = None
        """Measures hands, and keeps those in which no move was taken back."""
        self._taken_back = False
        self._marks: deque[Mark] = deque(maxlen=MOST_UNDOS)
        self._seen_at = 0.0
        """When something happened last that everybody sees."""
        self._early: tuple[int, str, str] | None = None
        """A seat's move and its ticket, made while another was asked what that seat cannot know."""

    # --- who sits where -----------------------------------------------------------------------------------------------

    @property
    def names(self) -> list[str]:
        """The seats' names."""
        return [seat.name for seat in self.seats]

    @property
    def waiting(self) -> list[int]:
        """Seats whose person has not come yet; nobody moves before they have."""
        return [seat.number for seat in self.seats if not seat.is_taken]

    @property
    def people(self) -> list[Seat]:
        """Seats of people."""
        return [seat for seat in self.seats if seat.is_person]

    def sit(self, invitation: object, name: object, now: float) -> Seat:
        """A person takes the seat of an invitation. Raises RefusedError if it is spent, or the name will not do."""
        seat = next(
            (each for each in self.seats if each.invitation is not None and each.invitation == invitation), None
        )
        if seat is None:
            raise RefusedError("this invitation is not, or no longer, good: ask for another one")
        try:
            cleaned = clean_name(name)
        except ValueError as error:
            raise RefusedError(str(error)) from None
        if any(each.name.casefold() == cleaned.casefold() for each in self.seats if each is not seat):
            raise RefusedError(f"somebody at the table is called {cleaned!r} already: choose another name")
        seat.take(cleaned)
        self.restart_clock(now)
        return seat

    def seat_of(self, token: object) -> Seat | None:
        """The seat that a token keeps."""
        return next((seat for seat in self.seats if seat.token is not None and seat.token == token), None)

    # --- playing ------------------------------------------------------------------------------------------------------

    @property
    def game(self) -> Game:
        """The game being played."""
        return self.series.game

    @property
    def deciding(self) -> Seat | None:
        """The seat that decides now; None before everybody has come and between hands."""
        return None if self.waiting or self.series.pausing else self.seats[self.game.to_move]

    def ticket(self, seat: int) -> str:
        """A number that a seat's move must name. It changes with each event that the seat sees, and only then."""
        shown = self.series.shown.shown_to(seat)
        seen = sum(event.is_seen_by(seat) for event in shown.events)
        return f"{self.epoch}.{seen}.{shown.phase}"

    def choices(self, seat: int) -> list[int]:
        """The legal actions of the person at the seat, if the seat decides as far as it may know."""
        if self.deciding is None:
            return []
        shown = self.game.shown_to(seat)
        return shown.legal_actions() if shown.to_move == seat else []

    def mistakes(self, seat: int) -> list[int]:
        """Cards that the seat may lay by mistake: those that do not match, where the rules punish that (GUIDE.md 7)."""
        legal = self.choices(seat)
        if not legal or self.setup.rules.illegal_action != "penalty" or self.game.shown_to(seat).phase != "play":
            return []
        held = set(self.game.hand(seat))
        return [card for card in range(catalogue.PLAY_PAIR) if KIND_OF[card] in held and card not in legal]

    def move(self, seat: int, action: object, ticket: object, now: float) -> None:
        """A person acts; while somebody is asked what the person cannot know, as soon as that chance is let go.

        The action is a text (``"r5"``). The ticket is that of :meth:`ticket` when the person decided; a move for a
        state that has passed is refused. Raises RefusedError if it may not be done.
        """
        if self.waiting:
            raise RefusedError("not everybody has come yet")
        if self.series.pausing:
            raise RefusedError("the hand is over")
        legal = self.choices(seat)
        if not legal:
            raise RefusedError("it is not your turn to decide")
        if ticket != self.ticket(seat):
            raise RefusedError("that came too late: the table has changed meanwhile")
        if not isinstance(action, str):
            raise RefusedError("a move is the text of an action")
        try:
            chosen = catalogue.parse(action)
        except ValueError:
            raise RefusedError("there is no such action") from None
        if chosen not in legal and chosen not in self.mistakes(seat):
            raise RefusedError(f"{catalogue.name(chosen)!r} may not be done now")
        if self.game.to_move != seat:
            self._early = seat, action, self.ticket(seat)
            return
        if self._only_person:
            self._marks.append(self.series.mark())
        self._step(chosen, now)

    def question(self) -> Question | None:
        """The decision of an agent, if an agent decides now."""
        seat = self.deciding
        return None if seat is None or seat.agent is None else self._question_for(seat.agent, seat.number)

    def _question_for(self, agent: Agent, seat: int) -> Question:
        game = self.game.shown_to(seat)
        at_once = game.phase in REACTIONS or game.phase in LETTING_GO
        history = history_for(agent, game.events, seat)
        state = recall(agent, self.game, seat) if agent.state_size else np.zeros((1, 0), np.float32)
        seen, mask = game.observe(seat, "uint8"), game.action_mask()
        return Question(seat, agent, seen, mask, history, state, self.stage, at_once)

    def pause(self, question: Question, now: float) -> float:
        """Seconds until the answer that an agent has just given is shown.

        That is at the first multiple of the pace since what everybody has seen last, so that a decision that takes
        less than the pace looks like any other; 0 for a reaction, and without a pace.
        """
        pace, passed = self.setup.pace, now - self._seen_at
        return 0.0 if question.is_reaction or pace == 0 else max(math.ceil(passed / pace), 1) * pace - passed

    def answer(self, question: Question, action: int, now: float) -> bool:
        """An agent has chosen; whether it was still asked. An illegal choice is replaced by a quiet one."""
        seat = self.deciding
        if question.stage != self.stage or seat is None or seat.agent is not question.agent:
            return False
        legal = self.game.legal_actions()
        if self.game.phase not in LETTING_GO:  # else it would tell who is asked
            seat.has_failed = action not in legal
        self._step(action if action in legal else quiet_action(legal), now)
        return True

    def expire(self, now: float) -> bool:
        """If the time of a person's decision is over, decide for them; whether it was."""
        if self.deadline is None or now < self.deadline or self.deciding is None:
            return False
        self._step(quiet_action(self.game.legal_actions()), now)
        return True

    def go_on(self, now: float) -> None:
        """On to the next hand. Raises RefusedError if this one is not over."""
        if not self.series.pausing:
            raise RefusedError("the hand is not over yet")
        if self.game.over:
            self.epoch += 1
        self.series.go_on()
        self._taken_back = False
        self._changed(now)

    @property
    def _only_person(self) -> bool:
        return len(self.people) == 1

    @property
    def can_undo(self) -> bool:
        """Whether there is a move to take back; against agents only."""
        return self._only_person and bool(self._marks)

    def undo(self, now: float) -> None:
        """Take the person's last move back. Raises RefusedError if others sit at the table, or there is none."""
        if not self._only_person:
            raise RefusedError("moves can be taken back against agents only")
        if not self._marks:
            raise RefusedError("there is no move to take back")
        self.series, self._taken_back = Series.back(self._marks.pop()), True
        self.epoch += 1
        self._early = None
        self._changed(now)

    def resume(self, series: Series, marks: Iterable[Mark], epoch: int) -> None:
        """Go on where such a table has stopped. A higher epoch refuses what was sent for that one."""
        self.series, self.epoch = series, epoch
        if self._only_person:
            self._marks.extend(marks)

    def replay(self) -> Replay:
        """The game so far, with all cards and the names of the players."""
        return Replay.of(self.game, self.names, title=rules_title(self.setup))

    def saved_game(self) -> str:
        """The same as the text of a file. Raises RefusedError if the game is not over: hands would be shown."""
        if not self.game.over:
            raise RefusedError("the game can be saved when it is over: until then it holds hidden cards")
        return self.replay().to_json()

    # --- hints --------------------------------------------------------------------------------------------------------

    def hint_question(self, seat: int) -> Question | None:
        """The question to the adviser for a person who decides; None if there is nothing more to ask."""
        if self.adviser is None or not self.choices(seat) or seat in self.hints:
            return None
        return self._question_for(self.adviser, seat)

    def take_hints(self, question: Question, hints: Hints) -> None:
        """The adviser has answered; its hints are forgotten with the next move."""
        if question.stage == self.stage:
            self.hints[question.seat] = hints

    # --- the clock ----------------------------------------------------------------------------------------------------

    def clock(self, seat: int) -> ClockView | None:
        """Until when the player has time who decides as far as a seat may know, and how much; None without a limit.

        It runs from the last thing that everybody has seen, so that it tells nobody of a chance let go since.
        """
        shown = None if self.deciding is None else self.game.shown_to(seat)
        seconds = 0.0 if shown is None else self._seconds(shown)
        if shown is None or seconds == 0:
            return None
        return {"deadline": self._seen_at + seconds, "seconds": seconds}

    def _seconds(self, game: Game) -> float:
        """Time for the decision at hand; 0 for no limit, for agents and where nobody is to decide."""
        if game.to_move < 0 or self.seats[game.to_move].agent is not None:
            return 0.0
        return self.setup.reaction_seconds if game.phase in REACTIONS else self.setup.turn_seconds

    def _step(self, action: int, now: float) -> None:
        asked, is_unseen = self.game.to_move, LETTING_GO.get(self.game.phase) == action
        self.series.step(action)
        if self.series.pausing and self.reviewer is not None and not self._taken_back:
            self.reviewer.add(self)
        if is_unseen and not self.series.pausing:
            self.stage += 1
            self.hints.pop(asked, None)
            self._set_deadline(now)
        else:
            self._changed(now)
        if self._early is not None:
            seat, text, ticket = self._early
            self._early = None
            if self.choices(seat) and ticket == self.ticket(seat):
                self.move(seat, text, ticket, now)

    def _changed(self, now: float) -> None:
        self.stage += 1
        self.hints = {}
        self.restart_clock(now)

    def restart_clock(self, now: float) -> None:
        """Give the player that decides the whole time (again)."""
        self._seen_at = now
        self._set_deadline(now)

    def _set_deadline(self, now: float) -> None:
        """The time of who decides runs from the last thing that everybody has seen; at least half of it is left."""
        seconds = 0.0 if self.deciding is None else self._seconds(self.game)
        self.deadline = max(self._seen_at, now - seconds / 2) + seconds if seconds > 0 else None


def quiet_action(legal: list[int]) -> int:
    """The action for a player who does not decide in time: let it go, accept, draw, or else the first legal action."""
    return next((action for action in QUIET_ACTIONS if action in legal), legal[0])
