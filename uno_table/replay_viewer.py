"""Looking at a saved game, decision by decision, in the terminal: ``uno replay FILE``. :func:`load_replay` reads it."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from uno_env.common.files import parse_json, read_text
from uno_env.editions import edition_for
from uno_env.events import player_name
from uno_env.game import Game
from uno_env.render import ansi
from uno_env.render.page import Advice
from uno_env.render.replay_frames import player_names
from uno_env.render.sentences import Sentences
from uno_env.render.text import uses_colour
from uno_env.replay import Note, Replay
from uno_table.console import ask, is_conversation
from uno_table.table.agent_names import short_name
from uno_table.table.saved_table import FORMAT, read_table
from uno_table.table.table_config import rules_title

HELP = "Enter: next   b: back   a number: go there   e: to the end   q: quit"
MOST_OPINIONS = 3
"""Actions that an adviser is quoted with."""
LUCK_SHOWN = 0.03
"""Smaller luck is not shown."""


def read_replay(text: str) -> Replay:
    """The replay of a saved game or of a saved table's running game. Raises ValueError if the text is neither."""
    try:
        values = parse_json(text)
    except ValueError:
        values = None
    if not isinstance(values, dict) or values.get("format") != FORMAT:
        return Replay.from_json(text)
    checked = read_table(values)
    people = {each.seat: each.name for each in checked.saved.people}
    names = [people[seat] if spec is None else short_name(spec) for seat, spec in enumerate(checked.setup.seats)]
    return Replay.of(checked.game, names, title=rules_title(checked.setup))


def load_replay(path: str | Path) -> Replay:
    """The replay in a file, as :func:`read_replay` reads it. Raises ValueError, which names the file, if it cannot be
    read.
    """
    try:
        return read_replay(read_text(path))
    except ValueError as error:
        raise ValueError(f"{str(path)!r} cannot be replayed: {error}") from None


def replay(
    replayed: Replay,
    advice: Advice | None = None,
    read: Callable[[str], str | None] = ask,
    write: Callable[[str], None] = print,
) -> None:
    """Show a game from its deal on, with all hands open. A person is shown one decision at a time, a pipe all of them
    at once.
    """
    frames = _Frames(replayed, advice)
    if is_conversation():
        step_through(replayed, read, write, advice)
        return
    shown = replayed.game.start()
    write(frames.text(shown))
    for action in replayed.game.history:
        shown.step(action)
        write("\n" + frames.text(shown))


def step_through(
    replayed: Replay, read: Callable[[str], str | None], write: Callable[[str], None], advice: Advice | None = None
) -> None:
    """Let a person go to and fro in a game."""
    frames, history = _Frames(replayed, advice), replayed.game.history
    at, shown = 0, replayed.game.start()
    write(HELP)
    while True:
        write("\n" + frames.text(shown))
        wanted = _ask_position(at, len(history), read, write)
        if wanted is None:
            return
        if wanted < at:
            at, shown = 0, replayed.game.start()
        for action in history[at:wanted]:
            shown.step(action)
        at = wanted


@dataclass(frozen=True)
class _Frames:
    """Writes the states of a game."""

    replay: Replay
    advice: Advice | None

    def text(self, game: Game) -> str:
        """The decision that led to a state, the state, and the adviser's opinion of the next decision."""
        at, names = len(game.history), player_names(self.replay)
        words = Sentences(names, None, edition_for(game.rules))
        lines = [f"[{at}/{len(self.replay.game.history)}] {words.event(game.events[-1])}"]
        if at == 0:
            lines.append("; ".join(f"{player_name(seat)} is {name}" for seat, name in enumerate(names)) + ".")
        lines.append(ansi(game, None, uses_colour(), events=0))
        note = None if self.advice is None or at == len(self.advice.notes) else self.advice.notes[at]
        if self.advice is not None and note is not None:
            lines.append("\n" + _opinion(self.advice.name, note, words, self.replay.game.history[at], game))
        return "\n".join(lines)


def _opinion(adviser: str, note: Note, words: Sentences, chosen: int, game: Game) -> str:
    """An adviser's opinion of a decision. Costs have a sign beside their colour."""

    def told(action: int) -> str:
        return words.choice(action, game.to_move, game.phase, game.side)

    if not note.costs:
        likely = sorted(note.probabilities, key=lambda action: -note.probabilities[action])[:MOST_OPINIONS]
        shares = "; ".join(f"{told(action)} {note.probabilities[action]:.0%}" for action in likely)
        return f"{adviser} would: {shares}."
    cards = "" if note.luck is None or abs(note.luck) < LUCK_SHOWN else f"■ The cards brought {note.luck:+.0%}.\n"
    lines = [f"{cards}What each choice costs, by {adviser}:"]
    for action, (lost, error) in sorted(note.costs.items(), key=lambda item: item[1][0]):
        sign = "▼" if note.is_costly(action) else "="
        price = f"{sign} {lost:6.1%} ± {error:.1%}"
        price = f"\x1b[{31 if sign == '▼' else 32}m{price}\x1b[0m" if uses_colour() else price
        lines.append(f"{'▶' if action == chosen else ' '} {price}  {told(action)}")
    return "\n".join(lines)


def _ask_position(at: int, last: int, read: Callable[[str], str | None], write: Callable[[str], None]) -> int | None:
    """The number of the state to show next, or None to leave."""
    while True:
        line = read(f"{at}/{last} > ")
        if line is None or line.lower() in ("q", "quit", "exit"):
            return None
        positions = {"": at + 1, "n": at + 1, "b": at - 1, "e": last}
        if line.isdecimal() and len(line) < 10:
            positions[line] = int(line)
        position = positions.get(line.lower())
        if position is None:
            write(f"{line!r} is no command. {HELP}")
        elif not 0 <= position <= last:
            write("This is the end." if position == last + 1 else f"There is no place {position}: choose 0 to {last}.")
        else:
            return position
