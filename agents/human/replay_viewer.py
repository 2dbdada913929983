"""Looking at a saved game, decision by decision, in the terminal: ``uno replay FILE``."""

from collections.abc import Callable

from agents.human.console import ask, is_conversation, uses_colour
from uno_env.game import Game
from uno_env.render import ansi
from uno_env.render.sentences import describe

HELP = "Enter: next   b: back   a number: go there   e: to the end   q: quit"


def replay(
    game: Game,
    read: Callable[[str], str | None] = ask,
    write: Callable[[str], None] = print,
) -> None:
    """Show a game from its deal on, all hands open; step by step to a person, all at once to a pipe."""
    if is_conversation():
        step_through(game, read, write)
        return
    shown = game.start()
    write(frame(shown, len(game.history)))
    for action in game.history:
        shown.step(action)
        write("\n" + frame(shown, len(game.history)))


def step_through(game: Game, read: Callable[[str], str | None], write: Callable[[str], None]) -> None:
    """Let a person go to and fro in a game."""
    last = len(game.history)
    at, shown = 0, game.start()
    write(HELP)
    while True:
        write("\n" + frame(shown, last))
        wanted = _ask_position(at, last, read, write)
        if wanted is None:
            return
        if wanted < at:
            at, shown = 0, game.start()
        for action in game.history[at:wanted]:
            shown.step(action)
        at = wanted


def frame(game: Game, last: int) -> str:
    """The decision that led to a state, and the state."""
    return f"[{len(game.history)}/{last}] {describe(game.events[-1])}\n{ansi(game, None, uses_colour(), events=0)}"


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
