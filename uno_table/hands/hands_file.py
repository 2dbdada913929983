"""The file of a person's own hands: a line for each, checked as it is read. :class:`HandsFile`."""

import contextlib
import hashlib
import json
import math
import os
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any

from msgspec import Meta

from uno_env import actions as catalogue
from uno_env.common.files import check_file, parse_json, read_file, replace_file
from uno_env.common.lock import lock_file
from uno_env.common.output import one_line
from uno_env.common.validation import convert
from uno_env.game import Game
from uno_env.rules import Rules

_WAIT = 10.0
"""Seconds within which another process has ended what it does with the file."""

_LONGEST = 200
"""The most characters of a sentence on a line."""

Text = Annotated[str, Meta(min_length=1, max_length=1000)]
Cost = Annotated[float, Meta(ge=0, le=10)]


@dataclass(frozen=True)
class Hand:
    """A hand of the person."""

    title: Text
    """Of the rules."""
    agents: Annotated[tuple[Text, ...], Meta(min_length=1, max_length=9)]
    """The others, sorted."""
    seat: Annotated[int, Meta(ge=0, le=9)]
    hand: Annotated[int, Meta(ge=0, le=10**6)]
    """Of the match, counted from 0."""
    score: Annotated[float, Meta(ge=0, le=1)]
    """1 won, 0 lost, 1 / players if nobody won."""
    game: dict[str, Any]
    """The saved game."""
    luck: Annotated[float, Meta(ge=-1000, le=1000)] | None = None
    costs: tuple[Cost, ...] | None = None
    """The certain cost of each choice; None until it is measured."""
    better: tuple[Text, ...] | None = None
    """The text of the best action at each choice; None until it is measured."""

    @property
    def id(self) -> str:
        """16 hexadecimal digits that name the hand, the same before and after it is measured."""
        text = json.dumps((self.game, self.hand, self.seat), sort_keys=True)
        return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()

    def played(self) -> Game:
        """The game until the hand was over."""
        return Game.from_json(json.dumps(self.game))

    def line(self) -> bytes:
        """The hand as a line of the file, without its end."""
        return json.dumps(asdict(self)).encode()


class HandsFile:
    """A file that only the user may read. Processes and threads may use it side by side.

    A line that is no hand stays where it is, and is in nobody's way.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def read(self) -> tuple[dict[bytes, Hand], list[str]]:
        """The hands by their lines, and a sentence on each line that is none. Raises OSError if the file cannot be
        read.
        """
        hands: dict[bytes, Hand] = {}
        wrong = []
        for number, line in enumerate(self._lines(), 1):
            try:
                hands[line] = _read_hand(line)
            except ValueError as error:
                wrong.append(f"Line {number} of {self.path} is skipped: {one_line(str(error), _LONGEST)}.")
        return hands, wrong

    def append(self, hand: Hand) -> None:
        """Write a hand as the last line. Raises ValueError if another process does not release the file, and OSError if
        it cannot be written; it is as it was then.
        """
        self.path.parent.mkdir(0o700, parents=True, exist_ok=True)
        with self._locked():
            if self.path.exists():
                check_file(self.path)
            with open(self.path, "a+b", buffering=0, opener=partial(os.open, mode=0o600)) as file:
                size = file.seek(0, os.SEEK_END)
                file.seek(max(0, size - 1))
                torn = file.read(1) not in (b"", b"\n")
                data = b"\n" * torn + hand.line() + b"\n"
                try:
                    if file.write(data) != len(data):
                        raise OSError("the disk is full")
                except BaseException:
                    with contextlib.suppress(OSError):
                        file.truncate(size)
                    raise

    def replace(self, lines: Mapping[bytes, Hand]) -> None:
        """Put hands in the place of lines, as far as these are still there. Raises ValueError and OSError as
        :meth:`append` does.
        """
        if not lines or not self.path.exists():
            return
        with self._locked():
            found = [lines[line].line() if line in lines else line for line in self._lines()]
            replace_file(self.path, b"".join(line + b"\n" for line in found), private=True)

    def delete(self) -> int:
        """Delete the file. Returns how many lines it held. Raises OSError if it cannot be deleted."""
        if not self.path.exists():
            return 0
        with self._locked():
            number = len(self._lines())
            self.path.unlink(missing_ok=True)
        return number

    def _lines(self) -> list[bytes]:
        return [line for line in read_file(self.path).split(b"\n") if line] if self.path.exists() else []

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        lock = lock_file(self.path, _WAIT)
        try:
            yield
        finally:
            lock.release()


def _read_hand(line: bytes) -> Hand:
    """The hand in a line. Raises ValueError, which says why there is none."""
    hand = convert(parse_json(line), Hand)
    try:
        "".join((hand.title, *hand.agents)).encode()
    except UnicodeEncodeError:
        raise ValueError("a name in it is no text") from None
    game = hand.played()
    players = 1 + len(hand.agents)
    if game.players != players:
        raise ValueError(f"its game has {game.players} players, and {players} are named")
    if hand.seat >= players:
        raise ValueError(f"seat={hand.seat} is not allowed: choose a whole number from 0 to {players - 1}")
    if hand.hand > game.hands_played:
        raise ValueError(f"hand={hand.hand} is not allowed: its game has {game.hands_played + 1} hands")
    if not any(math.isclose(hand.score, allowed) for allowed in (0, 1, 1 / players)):
        raise ValueError(f"score={hand.score:g} is not allowed: choose 0, 1 or 1/{players}")
    if len(hand.costs or ()) > len(game.history):
        raise ValueError(f"it has {len(hand.costs or ())} costs, and its game {len(game.history)} decisions")
    _check_better(hand, game.rules)
    return hand


def _check_better(hand: Hand, rules: Rules) -> None:
    if hand.better is None:
        return
    if len(hand.better) != len(hand.costs or ()):
        raise ValueError(f"it has {len(hand.better)} better actions, and {len(hand.costs or ())} costs")
    for text in hand.better:
        catalogue.parse(text, rules)
