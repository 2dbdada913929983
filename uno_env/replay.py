"""A game that was played, with its players and what they thought: :class:`Replay`; step by step: :func:`decisions_of`.

The file is that of :meth:`uno_env.Game.to_json` with three more fields, so that either reads the other's:

========= ========================================================================================================
field     content
========= ========================================================================================================
``title`` what the game is, a text
``seats`` who sat there, a text for each seat
``notes`` for each action null, or ``{"probabilities": {"r5": 0.7, "draw": 0.3}, "value": 0.12}``, both optional
========= ========================================================================================================
"""

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from uno_env import actions as catalogue
from uno_env.common.validation import short_repr
from uno_env.events import player_name
from uno_env.game import Game
from uno_env.rules import Rules

MAX_TEXT = 200
"""Longest title or name, in characters."""


@dataclass(frozen=True)
class Note:
    """An agent's estimates at a decision."""

    probabilities: Mapping[int, float]
    """Probability of each action by its id; empty if unknown."""
    value: float | None = None
    """Reward that it expected."""
    costs: Mapping[int, tuple[float, float]] = field(default_factory=dict)
    """Win rate lost by each action against the best one, with its standard error; empty if unknown; not saved."""
    luck: float | None = None
    """Win rate that the cards brought since the seat's last decision; not saved."""

    def is_costly(self, action: int) -> bool:
        """Return whether an action surely lost something: half a point or more, and two standard errors."""
        lost, error = self.costs.get(action, (0.0, 0.0))
        return lost > 0.005 and lost > 2 * error


@dataclass(frozen=True)
class Replay:
    """A game, the players at its seats, and a note for each of its decisions (or None)."""

    game: Game
    names: tuple[str, ...]
    notes: tuple[Note | None, ...]
    title: str = ""

    @classmethod
    def of(cls, game: Game, names: Sequence[str] = (), notes: Sequence[Note | None] = (), title: str = "") -> "Replay":
        """A replay of a game; missing names and notes are left open. Raises ValueError if ``game`` is none."""
        if not isinstance(game, Game):
            raise ValueError(f"game={short_repr(game)} is not allowed: give a uno_env.Game")
        seats = tuple(names) or tuple(player_name(seat) for seat in range(game.players))
        return cls(game, seats, tuple(notes) or (None,) * len(game.history), title)

    def to_json(self) -> str:
        """The replay as a file's text."""
        saved = json.loads(self.game.to_json())
        notes = [_plain(note, self.game.rules) for note in self.notes]
        more = {"title": self.title, "seats": list(self.names), "notes": notes}
        return json.dumps({**saved, **more}, allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> "Replay":
        """The replay of a text that :meth:`to_json` or :meth:`uno_env.Game.to_json` made; nobody need trust it. Raises
        ValueError if the text is neither.
        """
        game = Game.from_json(text)
        saved = json.loads(text)
        title, names = saved.get("title", ""), saved.get("seats", [])
        notes = saved.get("notes") or [None] * len(game.history)
        if not _is_text(title):
            raise ValueError(f"the saved game has no usable 'title': a text of at most {MAX_TEXT} characters")
        if not isinstance(names, list) or len(names) not in (0, game.players) or not all(map(_is_text, names)):
            raise ValueError(
                f"the saved game has no usable 'seats': {game.players} texts of at most {MAX_TEXT} characters"
            )
        if not isinstance(notes, list) or len(notes) != len(game.history):
            raise ValueError(
                f"the saved game has no usable 'notes': a list of {len(game.history)}, one for each action"
            )
        checked = [_checked_note(note, number, game.rules) for number, note in enumerate(notes, 1)]
        return cls.of(game, names, checked, title)


def decisions_of(game: Game) -> Iterator[tuple[Game, int]]:
    """Yield every decision since the deal: the game before it, and the id of the action.

    It is one copy of the game that moves on: clone what is to stay.
    """
    past = game.start()
    for action in game.history:
        yield past, action
        past.step(action)


def _is_text(value: Any) -> bool:
    """Return whether a value is a text that can be written to a file: half of a surrogate pair cannot."""
    return isinstance(value, str) and len(value) <= MAX_TEXT and value.encode(errors="replace").decode() == value


def _plain(note: Note | None, rules: Rules) -> dict[str, Any] | None:
    if note is None:
        return None
    chances = {catalogue.name(action, rules): round(float(chance), 6) for action, chance in note.probabilities.items()}
    return {"probabilities": chances, "value": None if note.value is None else round(float(note.value), 6)}


def _checked_note(note: Any, number: int, rules: Rules) -> Note | None:
    if note is None:
        return None
    try:
        probabilities = note.get("probabilities", {}).items()
        chances = {catalogue.parse(name, rules): float(chance) for name, chance in probabilities}
        value = None if note.get("value") is None else float(note["value"])
        if not all(0 <= chance <= 1 for chance in chances.values()) or not math.isfinite(value or 0.0):
            raise ValueError
    except (AttributeError, OverflowError, TypeError, ValueError):
        raise ValueError(f"the saved game has no usable note for action {number}: probabilities and a value") from None
    return Note(chances, value)
