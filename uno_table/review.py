"""An agent's opinion of a game that was played: ``uno replay GAME --adviser AGENT``, and the table's "Where did I go
wrong?".

The adviser is asked at each decision with what the seat that decided could see, and with nothing else.
"""

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

import agents
from agents import Agent
from agents.spoken_names import short_name
from uno_env.common.files import parse_json, read_text
from uno_env.game import Game
from uno_env.history import Memory, history_for
from uno_env.render.page import Advice, replay_page
from uno_env.render.replay_frames import player_names
from uno_env.render.sentences import Sentences
from uno_env.replay import Note, Replay, decisions_of
from uno_env.rules import Rules
from uno_table.languages import table_languages
from uno_table.table.question import ask_hints
from uno_table.table.reviewer import ReviewStep
from uno_table.table.saved_table import FORMAT, read_table
from uno_table.table.sentences import TABLE_SENTENCES, refusal
from uno_table.table.table import Table
from uno_table.table.table_config import rules_title


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
    *_, last = _advise_by_steps(adviser, game, seats, only_hand)
    return last.advice


def _advise_by_steps(
    adviser: Agent, game: Game, seats: Collection[int], only_hand: int | None = None
) -> Iterator[ReviewStep]:
    """The same, decision by decision: there is a step after each one, and one at the end."""
    wanted = _decisions(game, seats, only_hand)
    notes: list[Note | None] = [None] * len(game.history)
    memory, name = Memory([adviser], 1, game.players), short_name(adviser.name)
    hand = done = 0
    for number, (past, _) in enumerate(decisions_of(game)):
        if past.hands_played > hand:
            hand, memory = past.hands_played, Memory([adviser], 1, game.players)
        if number in wanted:
            notes[number], done = _opinion(adviser, past, memory), done + 1
            yield ReviewStep(Advice(name, tuple(notes)), done, len(wanted))
    yield ReviewStep(Advice(name, notes), done, len(wanted))


def _decisions(game: Game, seats: Collection[int], only_hand: int | None) -> set[int]:
    """Where, among the actions of a game, these seats decide."""
    return {
        number
        for number, (past, _) in enumerate(decisions_of(game))
        if past.to_move in seats and only_hand in (None, past.hands_played)
    }


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
class HandReview:
    """The review of a hand that is over, which takes a while to be made."""

    replay: Replay
    """Of the game so far. It belongs to the review."""
    seat: int
    """Whose choices; the review holds what this seat could see in the hand, and nothing else."""
    hand: int
    """Of the match, counted from 0."""
    measure: Callable[[Game, int, int], Iterator[ReviewStep]]
    """Measures a seat's choices in a hand of a game, step by step."""

    def steps(self) -> Iterator[ReviewStep]:
        """The steps in which the review is made. The last one is complete."""
        return self.measure(self.replay.game, self.seat, self.hand)

    def page(self, advice: Advice) -> str:
        """The review as a web page, with what the last step found."""
        return replay_page(self.replay, self.seat, advice, self.hand, table_languages())

    def text(self, advice: Advice) -> str:
        """The review as text, with what the last step found."""
        return costs_text(self.replay, self.seat, advice, self.hand)


def prepare_review(table: Table, seat: int, needs_hints: bool = True) -> HandReview:
    """Prepare the review of the hand that has just ended: what its choices cost, by the table's reviewer.

    Without a reviewer, it holds what the adviser thinks of the choices.

    Args:
        table: it may go on while the review is made.
        seat: whose choices.
        needs_hints: whether only a table with hints has reviews.

    Raises:
        RefusedError: no hand has just ended, or nobody can judge it.
    """
    adviser, reviewer, replay = table.advisers.get(seat), table.reviewer, table.replay()
    if not table.series.pausing or (adviser is None and (reviewer is None or needs_hints)):
        raise refusal("no_review")
    replay = replace(replay, game=replay.game.clone(), title=TABLE_SENTENCES.phrase("how_it_went", game=replay.title))
    hand = table.series.shown.hands_played
    if reviewer is not None:
        return HandReview(replay, seat, hand, reviewer.measure)
    assert adviser is not None
    chosen = adviser
    return HandReview(replay, seat, hand, lambda game, seat, hand: _advise_by_steps(chosen, game, [seat], hand))


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
    for index, ((past, action), note) in enumerate(zip(decisions_of(game), advice.notes, strict=True)):
        if note is not None and note.probabilities:
            best = max(note.probabilities, key=note.probabilities.__getitem__)
            share = note.probabilities.get(action, 0.0)
            if share < note.probabilities[best]:
                yield Difference(index, past.to_move, action, best, share, note.probabilities[best], past.phase)


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


class CostlyChoice(NamedTuple):
    """A choice that surely cost something."""

    number: int
    """Of the decision, as ``uno replay`` counts them."""
    chosen: str
    better: str
    """What would have cost nothing, in words."""
    cost: float
    """Win rate lost, from 0 to 1."""
    error: float
    """Standard error of :attr:`cost`."""


def costly_choices(replay: Replay, seat: int, advice: Advice, hand: int) -> list[CostlyChoice]:
    """A seat's choices in a hand that cost something, in the order in which they were made."""
    found, words = [], Sentences(player_names(replay), None)
    for number, ((past, action), note) in enumerate(zip(decisions_of(replay.game), advice.notes, strict=True)):
        if note is not None and past.to_move == seat and past.hands_played == hand and note.is_costly(action):
            best = min(note.costs, key=lambda each: note.costs[each][0])
            chosen, better = (words.choice(each, seat, past.phase) for each in (action, best))
            found.append(CostlyChoice(number, chosen, better, *note.costs[action]))
    return found


def costs_text(replay: Replay, seat: int, advice: Advice, hand: int) -> str:
    """A seat's luck and costs in a hand as text, with the choices that cost something, the costliest first."""
    found = costly_choices(replay, seat, advice, hand)
    lost = sum(each.cost for each in found)
    luck = "" if advice.luck is None else f"Luck {advice.luck:+.0%}, "
    said = f"{luck}choices {0 - lost:+.0%} (win rate; {advice.name})"
    lines = [
        f"▼ {each.number:3}. {each.chosen}: cost {each.cost:.1%} ± {each.error:.1%}; better: {each.better}"
        for each in sorted(found, key=lambda each: each.cost, reverse=True)
    ]
    return "\n".join([said[0].upper() + said[1:], *lines])
