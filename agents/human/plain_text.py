"""A person plays against agents in the terminal: ``uno play``."""

import textwrap
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol, cast

import numpy.typing as npt

from agents.human.console import ask, uses_colour
from uno_env import actions as catalogue
from uno_env.cards import cards_text
from uno_env.events import describe, player_name
from uno_env.game import Game
from uno_env.history import history_for
from uno_env.render import ansi
from uno_env.rules import Rules

PERSON = 0
"""The person's seat."""

WIDTH = 100

HELP = """\
Type the number or the text of one of the listed moves. Cards: r5 is a red 5, ys a yellow Skip, gr a green Reverse,
b+2 a blue Draw Two; w:g is a Wild that declares green, w+4:r a Wild Draw Four that declares red. Also:
  ?        this help
  s FILE   save the hand, with all cards, for `uno replay FILE`
  q        quit"""


class Opponent(Protocol):
    """Whoever plays against the person; see :mod:`agents`."""

    def act(self, observation: npt.NDArray[Any], action_mask: npt.NDArray[Any], /) -> int:
        """The chosen action; who has an attribute ``history`` that is not 0 is given a history, too."""
        ...


class Quit(Exception):  # noqa: N818 (no error)
    """The person has had enough, or the input has ended."""


class Table:
    """A person and agents, hand after hand; the deal passes to the left.

    The person sees only what their seat may know: the seat's own view, and what everyone saw happen.

    Args:
        opponents: who sits at seats 1, 2, …
        names: what they are called.
        rules: the rules, for one player more than there are opponents.
        seed: what chance begins with; hand k (from 0) is dealt from ``seed + k``.
        read: asks with a prompt and returns a line, or None at the end of the input.
        write: shows a text.
    """

    def __init__(
        self,
        opponents: Sequence[Opponent],
        names: Sequence[str],
        rules: Rules,
        seed: int,
        read: Callable[[str], str | None] = ask,
        write: Callable[[str], None] = print,
    ) -> None:
        self.opponents, self.rules, self.seed = opponents, rules, seed
        self.names = [f"{player_name(PERSON)} (you)"]
        self.names += [f"{player_name(seat)} ({name})" for seat, name in enumerate(names, 1)]
        self.read, self.write = read, write
        self.hands = 0
        self.won: Counter[int] = Counter()
        self.points: Counter[int] = Counter()
        self._deal(None)

    def play(self) -> None:
        """Play hands until the person quits or the input ends."""
        self.write(f"At the table: {', '.join(self.names)}. Type ? for help, q to quit.")
        try:
            while True:
                self.play_hand()
                self._ask_another()
                self._deal((self.dealer + 1) % self.rules.players)
        except Quit:
            self.write(f"Goodbye. {self._standing()}" if self.won else "Goodbye.")

    def play_hand(self) -> None:
        """Play the hand as it lies to its end, and show the result."""
        self.write(f"\nHand {self.hands + 1} (seed {self.hand_seed})")
        while not self.game.over:
            seat = self.game.to_move
            if seat == PERSON:
                self.game.step(self._ask_move())
            else:
                observation, mask = self.game.observe(seat, "uint8"), self.game.action_mask()
                opponent = self.opponents[seat - 1]
                act, told = cast(Any, opponent.act), history_for(cast(Any, opponent), self.game.events, seat)
                self.game.step(int(act(observation, mask, *told)))
        self._tell_events()
        self._end_hand()

    def _deal(self, dealer: int | None) -> None:
        self.hand_seed = (self.seed + self.hands) % 2**64
        self.game = Game(self.rules, self.hand_seed, dealer=dealer)
        self.dealer = int(self.game.record.dealer)
        self._told = 0
        self._held = Counter(self.game.hand(PERSON))

    def _ask_move(self) -> int:
        self._tell_events()
        self.write("\n" + ansi(self.game, PERSON, uses_colour(), legal=False, events=0) + "\n")
        legal = self.game.legal_actions()
        listed = "   ".join(f"{number} {catalogue.name(action)}" for number, action in enumerate(legal, 1))
        self.write(textwrap.fill(f"Moves:   {listed}", WIDTH, subsequent_indent="   ", break_long_words=False))
        while True:
            line = self._ask("Your move: ")
            try:
                action = parse_move(line, legal)
            except ValueError as error:
                self.write(str(error))
            else:
                self._held = Counter(self.game.hand(PERSON))
                return action

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
                self.write(HELP)
            elif line.split()[:1] == ["s"]:
                self._save(line[1:].strip())
            else:
                return line

    def _save(self, name: str) -> None:
        path = Path(name).expanduser()
        try:
            if not name:
                raise ValueError("name a file: s FILE")
            with path.open("x", encoding="utf-8") as file:
                file.write(self.game.to_json())
        except FileExistsError:
            self.write(f"{name!r} exists already: choose another name")
        except OSError as error:
            self.write(f"{name!r} cannot be written ({error.strerror}): choose another name")
        except ValueError as error:
            self.write(str(error))
        else:
            self.write(f"Saved. Look at it with: uno replay {name}")

    def _tell_events(self) -> None:
        """Say what happened since it was last said, and which cards the person has drawn."""
        events = self.game.events
        new = events[self._told :]
        for event in new:
            if event.is_seen_by(PERSON):
                self.write(f"  {describe(event)}")
        drawn = Counter(self.game.hand(PERSON)) - self._held
        if drawn:
            got = "You got or drew" if any(event.hand_sizes for event in new) else "You drew"
            self.write(f"  {got}: {cards_text(sorted(drawn.elements()))}")
        self._told, self._held = len(events), Counter(self.game.hand(PERSON))

    def _end_hand(self) -> None:
        game = self.game
        self.hands += 1
        if game.winner is None:
            self.write(f"\nNobody wins this hand: it ended after {len(game.history)} decisions ({game.end}).")
        else:
            self.won[game.winner] += 1
            verb = "win" if game.winner == PERSON else "wins"
            who = "You" if game.winner == PERSON else self.names[game.winner]
            self.write(f"\n{who} {verb} the hand after {len(game.history)} decisions.")
        for seat, points in enumerate(game.points):
            self.points[seat] += points
        self.write(self._standing())

    def _standing(self) -> str:
        hands = f"{self.hands} hand{'' if self.hands == 1 else 's'}"
        standing = (self._line(seat) for seat in range(self.rules.players))
        return f"Won of {hands}: {', '.join(standing)}."

    def _line(self, seat: int) -> str:
        points = f" with {self.points[seat]} points" if self.points[seat] else ""
        return f"{self.names[seat]} {self.won[seat]}{points}"


def parse_move(text: str, legal: Sequence[int]) -> int:
    """The legal action that a person means by its number in the list (from 1) or its text.

    Raises:
        ValueError: it is none; the message says which there are.
    """
    if text.isdecimal() and 1 <= int(text) <= len(legal):
        return legal[int(text) - 1]
    moves = " ".join(map(catalogue.name, legal))
    if text.isdecimal():
        raise ValueError(f"there is no move {text}: choose 1 to {len(legal)}, or one of {moves}")
    try:
        action = catalogue.parse(text)
    except ValueError:
        raise ValueError(f"{text!r} is no move: choose 1 to {len(legal)}, or one of {moves}") from None
    if action not in legal:
        raise ValueError(f"{text!r} cannot be done now: choose one of {moves}")
    return action
