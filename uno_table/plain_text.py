"""A person plays against agents line by line, over a pipe as well: ``uno play --plain``."""

import sys
import textwrap
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from uno_env import actions as catalogue
from uno_env.cards import cards_text
from uno_env.common.plain_text import printable
from uno_env.common.progress import progress_bar
from uno_env.editions import edition_for
from uno_env.editions.edition import NO_COLOUR
from uno_env.events import events_seen_by, player_name
from uno_env.render import WIDTH, ansi, view_of
from uno_env.render.page import Advice
from uno_env.render.sentences import Sentences, describe, sentence
from uno_env.render.text import uses_colour
from uno_env.rules import Rules
from uno_table.console import ask, save_game
from uno_table.hands.measuring import ReviewStep
from uno_table.hands.review import prepare_review
from uno_table.table import RefusedError, Table
from uno_table.table.rules_help import cards_by_symbol

PERSON = 0
"""The person's seat."""
SECONDS_OF_A_LINE = 10.0
"""From one line on how far a review is to the next, where no terminal shows a bar."""

HELP = """\
Type the number or the text of one of the listed moves.
{cards}
Also:
  ?        this help
  w        after a hand: where did I go wrong? What luck and choices brought
  s FILE   save the hand, with all cards, for `uno replay FILE`
  q        quit"""


class Quit(Exception):  # noqa: N818 (no error)
    """The person has had enough, or the input has ended."""


class PlainText:
    """A table that is played at line by line, hand after hand.

    The person sees only what their seat may know: the seat's own view, and what everyone saw happen.
    """

    def __init__(
        self,
        table: Table,
        read: Callable[[str], str | None] = ask,
        write: Callable[[str], None] = print,
    ) -> None:
        self.table, self.read, self.write = table, read, write
        self._now = 0.0
        """The table's time, which passes only while nobody has anything to decide."""
        table.sit(table.seats[PERSON].invitation, "you", self._now)
        self.names = [f"{player_name(seat)} ({name})" for seat, name in enumerate(table.names)]
        self._shown = 0
        self._held: Counter[int] = Counter()

    def play(self) -> None:
        """Play hands until the person quits or the input ends."""
        self.write(f"At the table: {', '.join(self.names)}. Type ? for help, q to quit.")
        try:
            while True:
                self.play_hand()
                self._ask_another()
                self.table.go_on(self._now)
        except Quit:
            self.write(f"Goodbye. {self._standing()}" if self.table.series.standing.hands else "Goodbye.")

    def play_hand(self) -> None:
        """Play the hand as it lies to its end, and show the result."""
        series = self.table.series
        self._shown, self._held = 0, Counter(series.game.hand(PERSON))
        self.write(f"\nHand {series.number + 1} (seed {series.game_seed})")
        while not series.pausing:
            question = self.table.question(self._now)
            if question is not None:
                self.table.answer(question, question.choose(), self._now)
            elif self.table.decides(PERSON):
                self._move()
            elif (later := self.table.wake_at(self._now)) is not None:
                self._now = later
                self.table.tick(later)
        self._show_events()
        for seat in self.table.seats:
            reasons = getattr(seat.agent, "reasons", [])  # of a language model
            for reason in reasons:
                self.write(f"  {self.names[seat.number]} wrote: {printable(reason)}")
            reasons.clear()
        view = view_of(series.shown, PERSON)
        self.write(f"\n{Sentences(self.names, PERSON, view.edition).situation(view)}")
        self.write(self._standing())

    def _move(self) -> None:
        self._show_events()
        self.write("\n" + ansi(self.table.game, PERSON, uses_colour(), legal=False, events=0) + "\n")
        legal = self.table.choices(PERSON)
        listed = "   ".join(f"{number} {self._name(action)}" for number, action in enumerate(legal, 1))
        self.write(textwrap.fill(f"Moves:   {listed}", WIDTH, subsequent_indent="   ", break_long_words=False))
        while True:
            try:
                action = parse_move(self._ask("Your move: "), legal, self.table.setup.rules)
            except ValueError as error:
                self.write(str(error))
            else:
                self.table.move(PERSON, self._name(action), self.table.ticket(PERSON), self._now)
                return

    def _name(self, action: int) -> str:
        return catalogue.name(action, self.table.setup.rules)

    def _ask_another(self) -> None:
        while True:
            line = self._ask("Another hand? [y/n] ").lower()
            if line in ("", "y", "yes"):
                return
            if line in ("n", "no"):
                raise Quit
            self.write(f"{line!r} is no answer: type y or n")

    def _ask(self, prompt: str) -> str:
        """An answer that is none of the commands, which are carried out."""
        while True:
            line = self.read(prompt)
            if line is None or line.lower() in ("q", "quit", "exit"):
                raise Quit
            if line in ("?", "help"):
                self.write(HELP.format(cards=textwrap.fill(cards_help(self.table.setup.rules), WIDTH)))
            elif line.lower() == "w":
                self._review()
            elif line.split()[:1] == ["s"]:
                self._save(line[1:].strip())
            else:
                return line

    def _review(self) -> None:
        try:
            review = prepare_review(self.table, PERSON)
        except RefusedError as error:
            self.write(sentence(str(error)))
            return
        self.write("Choices are tried out, which takes seconds.")
        try:
            self.write(review.text(self._measured(review.steps())))
        except ValueError as error:  # nobody who tries them out plays by these rules
            self.write(sentence(str(error)))

    def _measured(self, steps: Iterator[ReviewStep]) -> Advice:
        """Measure choices, and return the result of the last step. A terminal shows a bar with the time left; without
        one, there is a line now and then.
        """
        step, told, has_bar = next(steps), time.monotonic(), sys.stderr.isatty()
        with progress_bar("choices", step.choices) as progress:
            progress(step.done)
            for step in steps:
                progress(step.done)
                if not has_bar and time.monotonic() - told >= SECONDS_OF_A_LINE:
                    told = time.monotonic()
                    self.write(f"  {step.done} of {step.choices} choices")
        return step.advice

    def _save(self, name: str) -> None:
        try:
            self.write(save_game(self.table.replay(), name))
        except ValueError as error:
            self.write(str(error))

    def _show_events(self) -> None:
        """Say what happened since it was last said, and which cards the person has drawn."""
        events = events_seen_by(self.table.game.events, PERSON)
        new = events[self._shown :]
        for event in new:
            self.write(f"  {describe(event)}")
        hand = Counter(self.table.game.hand(PERSON))
        drawn = hand - self._held
        if drawn:
            got = "You got or drew" if any(event.hands_moved for event in new) else "You drew"
            self.write(f"  {got}: {cards_text(sorted(drawn.elements()), edition_for(self.table.setup.rules))}")
        self._shown, self._held = len(events), hand

    def _standing(self) -> str:
        standing = self.table.series.standing
        hands = f"{standing.hands} hand{'' if standing.hands == 1 else 's'}"
        players = (
            f"{name} {won}{f' with {points} points' if points else ''}"
            for name, won, points in zip(self.names, standing.won, standing.points, strict=True)
        )
        return f"Won of {hands}: {', '.join(players)}."


def cards_help(rules: Rules) -> str:
    """A sentence on how cards are written, with one for each symbol of the deck: ``"Cards: r0 is a red 0; …"``.

    A card with two sides can stand for a symbol of each.
    """
    edition = edition_for(rules)
    of, lines = catalogue.catalogue(edition), []
    for kind, face in cards_by_symbol(rules).values():
        is_wild = of.wild_plays and face.colour == NO_COLOUR
        play = of.wild_plays[kind] if is_wild else of.kinds.index(kind)
        declared = f" that declares {of.declares[play]}" if of.declares[play] else ""
        lines.append(f"{of.texts[play]} is a {edition.names[kind]}{declared}")
    return f"Cards: {'; '.join(dict.fromkeys(lines))}."


def parse_move(text: str, legal: Sequence[int], rules: Rules | None = None) -> int:
    """The legal action of a number in the list (from 1) or a text. Raises ValueError with the list otherwise.

    ``rules`` are of the edition that the actions belong to; None means the first edition.
    """
    if text.isdecimal() and 1 <= int(text) <= len(legal):
        return legal[int(text) - 1]
    moves = " ".join(catalogue.name(action, rules) for action in legal)
    if text.isdecimal():
        raise ValueError(f"there is no move {text}: choose 1 to {len(legal)}, or one of {moves}")
    try:
        action = catalogue.parse(text, rules)
    except ValueError:
        raise ValueError(f"{text!r} is no move: choose 1 to {len(legal)}, or one of {moves}") from None
    if action not in legal:
        raise ValueError(f"{text!r} cannot be done now: choose one of {moves}")
    return action
