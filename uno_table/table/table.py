"""People and agents at one table: :class:`Table`."""

import math
from collections import deque
from collections.abc import Callable, Iterable

import numpy as np

from agents import Agent
from uno_env import actions as catalogue
from uno_env.actions import parse
from uno_env.editions import edition_for
from uno_env.events import LETTING_GO
from uno_env.game import Game
from uno_env.history import history_for, recall
from uno_env.replay import Replay
from uno_table.table.moment import REACTIONS, Answer, Moment, mistaken_plays, quiet_action
from uno_table.table.question import Hints, Question
from uno_table.table.seats import Seat
from uno_table.table.secret_window import SecretWindow
from uno_table.table.sentences import SeatSentences, refusal
from uno_table.table.series import MOST_UNDOS, Mark, Series, is_call
from uno_table.table.table_config import LoadedAgents, Setup, clean_name, load_agents, names_of, rules_title
from uno_table.table.view_fields import ClockView


class Table:
    """Seats, a series of games, and a clock.

    Nothing here looks at a clock: whoever drives the table says what time it is (``now``, in seconds of any clock that
    does not go back), and calls :meth:`tick` at the time that :meth:`wake_at` names.

    What a seat sees, and when, does not depend on what others are asked in secret (GUIDE.md 12). So each seat decides
    on what it sees, at the same time as others who are asked, and the clocks run from the last thing that everybody has
    seen. A decision is shown once everybody who could be asked has had their time, whether they were asked or not.

    Args:
        setup: seats, rules and times.
        loaded: the agents of :func:`load_agents`; None loads them, which raises ValueError if one cannot be loaded, or
            does not play by these rules.
    """

    def __init__(self, setup: Setup, loaded: LoadedAgents | None = None) -> None:
        self.setup = setup
        agents, self.advisers = load_agents(setup) if loaded is None else loaded
        names = names_of(setup)
        self.seats = [Seat(number, *each) for number, each in enumerate(zip(names, agents, strict=True))]
        self.series = Series(setup.rules, setup.seed, setup.match, setup.secret)
        self.stage = 0
        """Goes up with everything that happens in the game; sent to nobody, since some of it is secret."""
        self.epoch = 0
        """Goes up whenever what has happened so far is no longer what it was: a new game, a move taken back."""
        self._sentences: dict[int, SeatSentences] = {}
        self._hints: dict[int, tuple[str, Hints]] = {}
        """By seat, the ticket that its adviser was asked with, and the adviser's hints."""
        self.hand_ended: Callable[[Table], None] | None = None
        """Called when a hand has ended in which no move was taken back."""
        self._taken_back = False
        self._marks: deque[Mark] = deque(maxlen=MOST_UNDOS)
        self._seen_at = 0.0
        """The time of the last thing that everybody sees, but for a call (:attr:`SeenGame.last_event`)."""
        self._answers: dict[int, Answer] = {}
        """By seat; those that are void are dropped with the next decision."""
        self._window = SecretWindow(setup, self.seats)
        self._seen = [1] * len(self.seats)
        """By seat, the deal and the decisions that it has seen."""

    # --- who sits where -----------------------------------------------------------------------------------------------

    @property
    def names(self) -> list[str]:
        """The seats' names."""
        return [seat.name for seat in self.seats]

    @property
    def waiting(self) -> list[int]:
        """Seats whose person has not come yet. Nobody moves before all have come."""
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
            raise refusal("invitation")
        cleaned = clean_name(name)
        if any(each.name.casefold() == cleaned.casefold() for each in self.seats if each is not seat):
            raise refusal("name_taken", name=repr(cleaned))
        seat.take(cleaned)
        self.restart_clock(now)
        return seat

    def seat_of(self, token: object) -> Seat | None:
        """The seat that a token keeps."""
        return next((seat for seat in self.seats if seat.token is not None and seat.token == token), None)

    def sentences(self, seat: int) -> SeatSentences:
        """Sentences that are said to a seat, with the names as they are now."""
        known = self._sentences.get(seat)
        if known is None or known.names != self.names:
            known = self._sentences[seat] = SeatSentences(self.names, seat, edition_for(self.setup.rules))
        return known

    # --- playing ------------------------------------------------------------------------------------------------------

    @property
    def game(self) -> Game:
        """The game being played."""
        return self.series.game

    @property
    def deciding(self) -> Seat | None:
        """The seat that decides now. It is None before everybody has come, and between hands."""
        return None if self.waiting or self.series.pausing else self.seats[self.game.to_move]

    def ticket(self, seat: int) -> str:
        """A text that a seat's move must name. It changes with each event that the seat sees, and only then."""
        phase = "over" if self.series.pausing else self.series.seen.by(seat).phase
        return f"{self.epoch}.{self._seen[seat]}.{phase}"

    def choices(self, seat: int) -> list[int]:
        """The legal actions of the person at the seat, if the seat decides as far as it may know."""
        if self.deciding is None:
            return []
        shown = self.series.seen.by(seat)
        return shown.legal_actions() if shown.to_move == seat else []

    def mistakes(self, seat: int) -> list[int]:
        """Cards that the seat may lay by mistake: those that do not match, where the rules punish that (GUIDE.md 7)."""
        legal = self.choices(seat)
        if not legal or self.setup.rules.illegal_action != "penalty" or self.series.seen.by(seat).phase != "play":
            return []
        return mistaken_plays(self.game.hand(seat), legal, self.setup.rules, self.game.side)

    def move(self, seat: int, action: object, ticket: object, now: float) -> None:
        """A person decides. It is shown as soon as everybody who could be asked has had their time; until then, the
        person may decide otherwise.

        The action is a text (``"r5"``). The ticket is that of :meth:`ticket` when the person decided; a move for a
        state that has passed is refused. Raises RefusedError if it may not be done.
        """
        if self.waiting:
            raise refusal("waiting")
        if self.series.pausing:
            raise refusal("over")
        legal, is_shown = self.choices(seat), now >= self.held_until(seat)
        if is_shown and not legal:
            raise refusal("not_your_turn")
        if not is_shown or ticket != self.ticket(seat):
            raise refusal("too_late")
        try:
            chosen = catalogue.parse(str(action), self.setup.rules)
        except ValueError:
            raise refusal("no_action") from None
        if chosen not in legal and chosen not in self.mistakes(seat):
            raise refusal("not_now", action=repr(catalogue.name(chosen, self.setup.rules)))
        self._answers[seat] = Answer(chosen, self.ticket(seat), now)
        self.tick(now)

    def questions(self, now: float) -> list[Question]:
        """The decisions that agents are asked for now, that of the seat whose decision comes first at the head."""
        if self.deciding is None:
            return []
        first = self.game.to_move
        others = (seat for seat in range(len(self.seats)) if seat != first) if self._moment.is_secret else ()
        agents = [(seat, agent) for seat in (first, *others) if (agent := self.seats[seat].agent) is not None]
        asked = [each for each in agents if self.decides(each[0]) and now >= self._moment.asked_at(each[0])]
        return [self._question_for(agent, seat, now) for seat, agent in asked]

    def question(self, now: float = 0.0) -> Question | None:
        """The first of these decisions."""
        return next(iter(self.questions(now)), None)

    def _question_for(self, agent: Agent, seat: int, now: float) -> Question:
        game = self.series.seen.by(seat)
        history = history_for(agent, game.events, seat)
        state = recall(agent, self.game, seat) if agent.state_size else np.zeros((1, 0), np.float32)
        seen, mask = game.observe(seat, "uint8"), game.action_mask()
        return Question(seat, agent, seen, mask, history, state, self.ticket(seat), game.phase, now)

    def answer(self, question: Question, action: int, now: float) -> bool:
        """Take an agent's decision; a quiet action replaces an illegal one. Returns whether it was still asked.

        It is shown at the first multiple of the pace since the last thing that everybody has seen, so that a decision
        that takes less than the pace looks like any other; a reaction is shown at once.
        """
        seat = question.seat
        is_asked = self.seats[seat].agent is question.agent and question.ticket == self.ticket(seat)
        if not is_asked or not (legal := self.choices(seat)):
            return False
        at, pace = now, self.setup.pace
        if question.phase not in REACTIONS and question.phase not in LETTING_GO:
            self._window.note_thought(seat, now - question.asked_at)
            at = self._seen_at + max(math.ceil((now - self._seen_at) / pace), 1) * pace if pace > 0 else now
        has_failed = action not in legal
        chosen = quiet_action(legal, self.setup.rules) if has_failed else action
        self._answers[seat] = Answer(chosen, question.ticket, at, has_failed)
        self.tick(now)
        return True

    def tick(self, now: float) -> bool:
        """Decide for people whose time is over, and show decisions that are due. Returns whether there was any."""
        stage = self.stage
        self._decide_for_late_people(now)
        while (answer := self._due_answer(now)) is not None:
            self._step(answer, now)
            self._decide_for_late_people(now)
        return self.stage > stage

    def _decide_for_late_people(self, now: float) -> None:
        for seat, deadline in self._deadlines.items():
            if now >= deadline:
                self._answers[seat] = Answer(quiet_action(self.choices(seat), self.setup.rules), self.ticket(seat), now)

    def wake_at(self, now: float) -> float | None:
        """The next time at which something happens by itself, so that :meth:`tick` and :meth:`questions` have to be
        called again; None if nothing will.
        """
        if self.deciding is None:
            return None
        moment = self._moment
        times = [moment.secret_ends(), *self._deadlines.values()]
        for seat in range(len(self.seats)):
            answer = self._answer_of(seat)
            times += [moment.held_until(seat), moment.asked_at(seat)]
            times += [] if answer is None else [moment.shown_at(seat, answer)]
        return min((time for time in times if time > now), default=None)

    def decides(self, seat: int) -> bool:
        """Return whether a seat is to decide, as far as it may know, and has not done so yet."""
        return bool(self.choices(seat)) and self._answer_of(seat) is None

    @property
    def _deadlines(self) -> dict[int, float]:
        """The end of the time of the people who are to decide in a limited one, by seat."""
        people = [each.number for each in self.people if self.decides(each.number)]
        clocks = {seat: self.clock(seat) for seat in people}
        return {seat: clock["deadline"] for seat, clock in clocks.items() if clock is not None}

    def _answer_of(self, seat: int) -> Answer | None:
        """The decision of a seat, if it is still asked the same."""
        answer = self._answers.get(seat)
        return answer if answer is not None and answer.ticket == self.ticket(seat) else None

    def _due_answer(self, now: float) -> Answer | None:
        """The decision of the seat that decides first, if it may be shown now.

        If an agent lets a chance go, the game goes on at once. If a person decides, it goes on when others have had
        their time. Otherwise the person would see that somebody is asked before. If an agent is asked in secret, and
        has no answer when the others are to see something, its chance is let go.
        """
        if self.deciding is None:
            return None
        first, moment = self.game.to_move, self._moment
        answer = self._answer_of(first)
        if answer is not None:
            is_next = self.seats[first].agent is not None and self._lets_go(answer)
            return answer if is_next or now >= moment.shown_at(first, answer) else None
        if not moment.is_secret or self.seats[first].agent is None:
            return None
        others = [seat for seat in range(len(self.seats)) if seat != first]
        ends = [moment.secret_ends(), *map(moment.held_until, others)]
        is_over = any(moment.began < time <= now for time in ends)
        answers = {seat: given for seat in others if (given := self._answer_of(seat)) is not None}
        is_over |= any(now >= moment.shown_at(seat, given) for seat, given in answers.items())
        letting_go = parse(LETTING_GO[self.game.phase], self.game.rules)
        return Answer(letting_go, self.ticket(first), now) if is_over else None

    def _lets_go(self, answer: Answer) -> bool:
        """Return whether an answer lets a chance go that the others do not know of."""
        text = LETTING_GO.get(self.game.phase)
        return text is not None and answer.action == parse(text, self.game.rules)

    def held_until(self, seat: int) -> float:
        """The time at which a seat is shown the last thing that happened (:meth:`Moment.held_until`)."""
        return self._seen_at if self.deciding is None else self._moment.held_until(seat)

    @property
    def _moment(self) -> Moment:
        return Moment(self.setup, self.seats, self._window, self.series.seen, self._seen_at)

    def go_on(self, now: float) -> None:
        """Go on to the next hand. Raises RefusedError if this one is not over."""
        if not self.series.pausing:
            raise refusal("not_over")
        if self.game.over:
            self.epoch += 1
        self.series.go_on()
        self._taken_back = False
        self.stage += 1
        self.restart_clock(now)

    @property
    def _only_person(self) -> bool:
        return len(self.people) == 1

    @property
    def can_undo(self) -> bool:
        """True if there is a move to take back. A move can be taken back against agents only."""
        return self._only_person and bool(self._marks)

    def undo(self, now: float) -> None:
        """Take the person's last move back. Raises RefusedError if others sit at the table, or there is none."""
        if not self._only_person:
            raise refusal("undo_with_people")
        if not self._marks:
            raise refusal("nothing_to_undo")
        self.series, self._taken_back = Series.back(self._marks.pop()), True
        self.epoch += 1
        self._answers = {}
        self.stage += 1
        self.restart_clock(now)

    def resume(self, series: Series, marks: Iterable[Mark], epoch: int) -> None:
        """Go on where such a table has stopped. A higher epoch refuses what was sent for that one."""
        self.series, self.epoch = series, epoch
        if self._only_person:
            self._marks.extend(marks)

    def replay(self) -> Replay:
        """The game so far, with all cards and the names of the players."""
        return Replay.of(self.game, self.names, title=rules_title(self.setup))

    def finished_game(self) -> Replay:
        """The same, for others to see. Raises RefusedError if the game is not over: hands would be shown."""
        if not self.game.over:
            raise refusal("hidden_cards")
        return self.replay()

    # --- hints --------------------------------------------------------------------------------------------------------

    def hint_question(self, seat: int, now: float = 0.0) -> Question | None:
        """The question to the adviser of a person who decides, or None if there is nothing more to ask."""
        if seat not in self.advisers or not self.choices(seat) or self.hints_of(seat) is not None:
            return None
        return self._question_for(self.advisers[seat], seat, now) if now >= self.held_until(seat) else None

    def take_hints(self, question: Question, hints: Hints) -> None:
        """Take the adviser's answer. Its hints are forgotten once the seat sees something else."""
        self._hints[question.seat] = question.ticket, hints

    def hints_of(self, seat: int) -> Hints | None:
        """The choice of a person's adviser for the decision now, or None before it has answered."""
        ticket, hints = self._hints.get(seat, ("", None))
        return hints if ticket == self.ticket(seat) else None

    # --- the clock ----------------------------------------------------------------------------------------------------

    def clock(self, seat: int) -> ClockView | None:
        """The time of the player who decides as far as a seat may know; None without a limit.

        It runs from the last thing that everybody has seen, so that it tells nobody of a chance that the player has, or
        has let go since.
        """
        return None if self.deciding is None else self._moment.clock(self.series.seen.by(seat))

    def _step(self, answer: Answer, now: float) -> None:
        """The seat whose decision comes first decides."""
        seat = self.seats[self.game.to_move]
        lets_go = self._lets_go(answer)
        text = catalogue.name(answer.action, self.setup.rules)
        goes_on = (lets_go and self._moment.is_secret) or is_call(self.game.phase, text)
        if seat.is_person and self._only_person:
            self._marks.append(self.series.mark())
        if self.game.phase not in LETTING_GO:  # else it would tell who is asked
            seat.has_failed = answer.has_failed
        self.series.step(answer.action)
        self._seen = [seen + (not lets_go or each is seat) for each, seen in zip(self.seats, self._seen, strict=True)]
        self.stage += 1
        if self.series.pausing and self.hand_ended is not None and not self._taken_back:
            self.hand_ended(self)
        if not goes_on or self.series.pausing:
            self.restart_clock(now)
        self._answers = {each: made for each, made in self._answers.items() if made.ticket == self.ticket(each)}

    def restart_clock(self, now: float) -> None:
        """Give the player that decides the whole time (again)."""
        self._seen_at = now
