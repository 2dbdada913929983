"""Golden games between text and play."""

import json
import random
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from tests.helpers.playing import lively_action
from uno_env import Game, Rules
from uno_env import actions as catalogue
from uno_env.cards import cards_text
from uno_env.editions import EDITIONS

FOLDER = Path(__file__).parent
Header = dict[str, Any]
NO_SWITCHES = ("about", "preset", "seed", "order", "dealt_by", "match")


def golden_files() -> list[Path]:
    """All golden games."""
    return sorted(FOLDER.glob("*.txt"))


def read(path: Path) -> tuple[Header, list[str]]:
    """Header and lines of a golden game."""
    head, _, body = path.read_text().partition("\n\n")
    header = dict(line.split(": ", 1) for line in head.splitlines())
    return {name: value_of(text) for name, text in header.items()}, body.splitlines()


def write(path: Path, header: Header, lines: Iterable[str]) -> None:
    """Write a golden game."""
    head = [f"{name}: {value if isinstance(value, str) else json.dumps(value)}" for name, value in header.items()]
    path.write_text("\n".join([*head, "", *lines, ""]))


def value_of(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def deal(header: Header) -> Game:
    """The game that a header describes, as dealt."""
    changes = {name: value for name, value in header.items() if name not in NO_SWITCHES}
    rules = Rules.preset(header["preset"], **changes)
    order, dealer, match = header.get("order"), header.get("dealt_by"), header.get("match", False)
    return Game(rules, header["seed"], order, dealer, match=match)


def moves(lines: Iterable[str]) -> list[str]:
    """The actions of a golden game's lines."""
    return [line.split(" : ", 1)[0].split()[1] for line in lines if not line.startswith("start")]


def play(game: Game, texts: Iterable[str]) -> Iterator[str]:
    """The lines of a game in which these actions are done."""
    yield f"start : {summary(game)}"
    for text in texts:
        seat = game.to_move
        game.step(text)
        held = cards_text(game.hand(seat), EDITIONS[game.rules.edition])
        yield f"{seat} {text} : {summary(game)} | {seat} holds {held or 'nothing'}"


def improvise(game: Game, given: Iterable[str], seed: int) -> Iterator[str]:
    """The given actions, then others by chance to the end; to be consumed while the game is played."""
    yield from given
    chance = random.Random(seed)
    while not game.over:
        yield catalogue.name(lively_action(game, chance), game.rules)


def summary(game: Game) -> str:
    """One line about the state of a game."""
    record, edition = game.record, EDITIONS[game.rules.edition]
    side = int(record.side[0]) if edition.sides > 1 else 0
    colour = edition.colours_on(side)[record.colour] if record.colour >= 0 else "no colour"
    facts = [
        f"over, {game.end}" if game.over else f"{game.to_move} to {game.phase}",
        "clockwise" if record.direction == 1 else "counter-clockwise",
        f"{edition.texts[record.top]} {colour}",
        "hands " + " ".join(str(size) for size in record.seats["hand_size"][: game.players]),
        f"pile {record.pile_end - record.pile_next}",
        f"discards {record.discards.sum()}",
        *_at_times(game),
    ]
    return " | ".join(facts)


def _at_times(game: Game) -> Iterator[str]:
    record = game.record
    if EDITIONS[game.rules.edition].sides > 1:
        yield f"{('light', 'dark')[record.side[0]]} side, lowest {EDITIONS[game.rules.edition].texts[record.lowest[0]]}"
    if record.drawn >= 0:
        yield f"drawn {EDITIONS[game.rules.edition].texts[record.drawn]}"
    if record.penalty:
        yield f"penalty {record.penalty}"
    for name in ("called", "asked", "out"):
        seats = [str(seat) for seat in range(game.players) if int(record[name]) >> seat & 1]
        if seats:
            yield f"{name} {' '.join(seats)}"
    if game.match and game.hands_played and (game.over or record.decisions == 0):
        yield f"hand {game.hands_played} {game.hand_end}"
        yield f"won by {'nobody' if game.hand_winner is None else game.hand_winner}"
        yield "points " + " ".join(map(str, game.points))
        yield "scores " + " ".join(map(str, game.scores))
    if game.over:
        yield f"winner {'nobody' if game.winner is None else game.winner}"
        if not game.match:
            yield "points " + " ".join(map(str, game.points))
        yield "rewards " + " ".join(f"{reward:.3g}" for reward in game.rewards())
