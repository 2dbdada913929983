"""An agent's opinion of a game that was played: ``uno replay GAME --adviser AGENT``, and the table's "Where did I go
wrong?".

The adviser is asked at each decision with what the seat that decided could see, and with nothing else.
"""

import json
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

import agents
from agents import Agent
from agents.human.table.question import ask_hints
from agents.human.table.saved_table import FORMAT, read_table
from agents.human.table.table import RefusedError, Table
from agents.human.table.table_config import rules_title
from agents.spoken_names import short_name
from uno_env.common.files import read_text
from uno_env.game import Game
from uno_env.history import Memory, history_for
from uno_env.render.page import Advice, replay_page
from uno_env.render.replay_frames import player_names
from uno_env.render.sentences import Sentences
from uno_env.replay import Note, Replay
from uno_env.rules import Rules


def read_replay(text: str) -> Replay:
    """The replay of a saved game or of a saved table's running game. Raises ValueError if the text is neither."""
    try:
        values = json.loads(text)
    except (ValueError, RecursionError):
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


def load_adviser(spec: str, rules: Rules) -> Agent:
    """The agent of a spec, if it plays by these rules and sees one hand. Raises ValueError if there is none."""
    adviser = agents.load(spec, 0, rules)
    if adviser.sees_all_hands:  # agents/search/cheating.py
        raise ValueError(f"agent {spec!r} sees all hands: it cannot say what a player should have done")
    return adviser


def advise(adviser: Agent, game: Game, seats: Collection[int], only_hand: int | None = None) -> Advice:
    """An adviser's opinions of the decisions of some seats, in one hand of a match (counted from 0) or in all.

    The adviser does not see all hands. The game is not changed.
    """
    past, notes, memory = game.start(), [], Memory([adviser], 1, game.players)
    hand = past.hands_played
    for action in game.history:
        if past.hands_played > hand:
            hand, memory = past.hands_played, Memory([adviser], 1, game.players)
        wanted = past.to_move in seats and only_hand in (None, hand)
        notes.append(_opinion(adviser, past, memory) if wanted else None)
        past.step(action)
    return Advice(short_name(adviser.name), notes)


def _opinion(adviser: Agent, game: Game, memory: Memory) -> Note:
    seat = game.to_move
    seen, mask, history = game.observe(seat, "uint8"), game.action_mask(), history_for(adviser, game.events, seat)
    if adviser.state_size:
        at = np.array([0]), np.array([seat])
        return Note(
            {int(memory.act(0, adviser, seen[None], mask[None], at, *(each[None] for each in history))[0]): 1.0}
        )
    hints = ask_hints(adviser, seen, mask, *history)
    return Note(hints.shares, hints.value)


def prepare_review(table: Table, seat: int, show: Callable[..., str] = replay_page) -> Callable[[], str]:
    """Prepare the review of the hand that has just ended: what its choices cost, by the table's reviewer.

    Without a reviewer, a page shows what the adviser thinks of the choices.

    Args:
        table: it may go on while the work is done.
        seat: whose choices; the review holds what this seat could see in the hand, and nothing else.
        show: makes the page, or another text, as :func:`costs_text` does.

    Returns:
        Work for another thread, whose result is the text.

    Raises:
        RefusedError: no hand has just ended, or nobody can judge it.
    """
    adviser, reviewer, replay = table.advisers.get(seat), table.reviewer, table.replay()
    if not table.series.pausing or (adviser is None and (reviewer is None or show is replay_page)):
        raise RefusedError("a hand can be looked at again when it is over, at a table with hints")
    replay = replace(replay, game=replay.game.clone(), title=f"{replay.title}: how the hand went")
    hand = table.series.shown.hands_played

    def work() -> str:
        game = replay.game
        if reviewer is not None:
            return show(replay, seat, reviewer.measure(game, seat, hand), hand)
        assert adviser is not None
        return show(replay, seat, advise(adviser, game, [seat], hand), hand)

    return work


@dataclass(frozen=True)
class Difference:
    """A decision that an adviser would have made otherwise."""

    index: int
    """Among the game's actions."""
    seat: int
    chosen: int
    best: int
    share: float
    """The adviser's probability of what was chosen."""
    best_share: float
    phase: str


def differences(game: Game, advice: Advice) -> list[Difference]:
    """Decisions that the adviser would have made otherwise, those first of which it is surest."""
    return sorted(_differences(game, advice), key=lambda each: each.share - each.best_share)


def _differences(game: Game, advice: Advice) -> Iterator[Difference]:
    past = game.start()
    for index, (action, note) in enumerate(zip(game.history, advice.notes, strict=True)):
        if note is not None and note.probabilities:
            best = max(note.probabilities, key=note.probabilities.__getitem__)
            share = note.probabilities.get(action, 0.0)
            if share < note.probabilities[best]:
                yield Difference(index, past.to_move, action, best, share, note.probabilities[best], past.phase)
        past.step(action)


def review_lines(replay: Replay, advice: Advice) -> list[str]:
    """The differences as sentences, with the number of the decision as ``uno replay`` counts them."""
    found, names = differences(replay.game, advice), player_names(replay)
    words = Sentences(names, None)
    asked = sum(note is not None for note in advice.notes)
    lines = [
        f"{advice.name} would have played otherwise at {len(found)} of {asked} decisions" + (":" if found else ".")
    ]
    for each in found:
        chosen, best = (words.choice(action, each.seat, each.phase) for action in (each.chosen, each.best))
        shares = f" ({each.best_share:.0%} against {each.share:.0%})" if each.best_share < 1 else ""
        lines.append(f"{each.index:4}. {names[each.seat]}: {chosen}; {advice.name} would {best}{shares}")
    return lines


def costs_text(replay: Replay, seat: int, advice: Advice, hand: int) -> str:
    """A seat's luck and costs in a hand as text, with the choices that cost something, the costliest first."""
    lines, words, lost = [], Sentences(player_names(replay), None), 0.0
    past = replay.game.start()
    for number, (action, note) in enumerate(zip(replay.game.history, advice.notes, strict=True)):
        if note is not None and past.to_move == seat and past.hands_played == hand and note.is_costly(action):
            price, error = note.costs[action]
            best = min(note.costs, key=lambda each: note.costs[each][0])
            chosen, better = (words.choice(each, seat, past.phase) for each in (action, best))
            lost += price
            lines.append((price, f"▼ {number:3}. {chosen}: cost {price:.1%} ± {error:.1%}; better: {better}"))
        past.step(action)
    luck = "" if advice.luck is None else f"Luck {advice.luck:+.0%}, "
    said = f"{luck}choices {0 - lost:+.0%} (win rate; {advice.name})"
    return "\n".join([said[0].upper() + said[1:], *(line for _, line in sorted(lines, reverse=True))])
