"""An agent's opinion of a game that was played: ``uno replay GAME --adviser AGENT``.

The adviser is asked at each decision with what the seat that decided could see, and with nothing else.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from operator import itemgetter

import numpy as np

import agents
from agents import Agent
from uno_env.editions import edition_for
from uno_env.game import Game
from uno_env.history import Memory, history_for
from uno_env.render.page import Advice
from uno_env.render.replay_frames import player_names
from uno_env.render.sentences import Sentences
from uno_env.replay import Note, Replay, decisions_of
from uno_env.rules import Rules
from uno_table.table.agent_names import short_name
from uno_table.table.question import ask_hints


def load_adviser(spec: str, rules: Rules) -> Agent:
    """The agent of a spec, if it plays by these rules and sees one hand. Raises ValueError if there is none."""
    adviser = agents.load(spec, 0, rules)
    if adviser.sees_all_hands:  # agents/search/cheating.py
        raise ValueError(f"agent {spec!r} sees all hands: it cannot say what a player should have done")
    return adviser


def advise(adviser: Agent, game: Game, seats: Collection[int]) -> Advice:
    """An adviser's opinions of the decisions of some seats; the adviser sees one hand, and the game is not changed."""
    notes: list[Note | None] = []
    memory, hand = Memory([adviser], 1, game.players), 0
    for past, _ in decisions_of(game):
        if past.hands_played > hand:
            hand, memory = past.hands_played, Memory([adviser], 1, game.players)
        notes.append(_opinion(adviser, past, memory) if past.to_move in seats else None)
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


@dataclass(frozen=True)
class Difference:
    """A decision that an adviser would have made otherwise."""

    index: int
    """Among the game's actions."""
    seat: int
    chosen: int
    best: int
    share: float
    """The adviser's probability of the chosen action."""
    best_share: float
    phase: str
    side: int
    """The side of the cards that counted."""


def differences(game: Game, advice: Advice) -> list[Difference]:
    """Decisions that the adviser would have made otherwise, those first of which it is surest."""
    return sorted(_differences(game, advice), key=lambda each: each.share - each.best_share)


def _differences(game: Game, advice: Advice) -> Iterator[Difference]:
    for index, ((past, action), note) in enumerate(zip(decisions_of(game), advice.notes, strict=True)):
        if note is not None and note.probabilities:
            best, most = max(note.probabilities.items(), key=itemgetter(1))
            share = note.probabilities.get(action, 0.0)
            if share < most:
                yield Difference(index, past.to_move, action, best, share, most, past.phase, past.side)


def review_lines(replay: Replay, advice: Advice) -> list[str]:
    """The differences as sentences, with the number of the decision as ``uno replay`` counts them."""
    found, names = differences(replay.game, advice), player_names(replay)
    words = Sentences(names, None, edition_for(replay.game.rules))
    asked = sum(note is not None for note in advice.notes)
    lines = [
        f"{advice.name} would have played otherwise at {len(found)} of {asked} decisions" + (":" if found else ".")
    ]
    for each in found:
        chosen, best = (words.choice(action, each.seat, each.phase, each.side) for action in (each.chosen, each.best))
        shares = f" ({each.best_share:.0%} against {each.share:.0%})" if each.best_share < 1 else ""
        lines.append(f"{each.index:4}. {names[each.seat]}: {chosen}; {advice.name} would {best}{shares}")
    return lines
