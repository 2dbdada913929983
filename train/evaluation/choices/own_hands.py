"""A person's own hands against agents, kept in a file on their machine: :class:`OwnHands`.

Each line of the file is a hand: who else played, the game with all cards, and, once measured, the luck and the cost of
each choice (:mod:`train.evaluation.choices.hand_review`). Hands in which a move was taken back are not kept, nor those
with other people.
"""

import json
import logging
import math
import threading
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from agents.human.table import Table
from agents.human.table.table_config import rules_title
from agents.zoo.shipped import track_rules
from train.evaluation.choices.hand_review import measure_hand
from train.evaluation.estimate import Estimate
from train.evaluation.luck.adjusted import LuckAdjusted
from uno_env.common.files import parse_json, read_json, read_text, replace_file
from uno_env.common.validation import convert
from uno_env.game import Game
from uno_env.rules import Rules

FILE = Path("runs/me/hands.jsonl")
LEAST_HANDS = 10
"""Luck is taken out, and an Elo told, of so many hands or more."""
LADDER = Path(__file__).with_name("ladder.json")
"""Elo of agents by track: what ``python -m tools.docs.saved_figures`` found on the ladder."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Hand:
    """A hand of the person."""

    title: str
    """Of the rules."""
    agents: tuple[str, ...]
    """The others, sorted."""
    seat: int
    hand: int
    """Of the match, counted from 0."""
    score: float
    """1 won, 0 lost, 1 / players if nobody won."""
    game: dict[str, Any]
    """The saved game."""
    luck: float | None = None
    costs: tuple[float, ...] | None = None
    """The certain cost of each choice; None until it is measured."""


class OwnHands:
    """The hands in a file that only the user may read: the reviewer of tables (:mod:`agents.human.table.reviewer`)."""

    measure = staticmethod(measure_hand)

    def __init__(self, path: Path = FILE) -> None:
        self.path = path
        self._lock, self._measuring = threading.Lock(), threading.Lock()

    def add(self, table: Table) -> None:
        """Keep the hand that has just ended; that of more than one person is not kept."""
        people, series = table.people, table.series
        if len(people) != 1:
            return
        seat, winner = people[0].number, series.shown.winner
        hand = Hand(
            rules_title(table.setup),
            tuple(sorted(each.agent.name for each in table.seats if each.agent is not None)),
            seat,
            series.shown.hands_played,
            1 / len(table.seats) if winner is None else float(winner == seat),
            json.loads(series.game.to_json()),
        )
        try:
            with self._lock:
                self._write([*self._read(), hand])
        except (OSError, ValueError) as error:
            _log.warning("the hand is not counted among your own (%s)", error)

    def delete(self) -> int:
        """Delete the file; how many hands it held. Raises OSError if it cannot be deleted."""
        with self._lock:
            number = self.path.read_bytes().count(b"\n") if self.path.exists() else 0
            self.path.unlink(missing_ok=True)
        return number

    def report(self, most: int | None = None) -> list[str]:
        """Sentences on the person, once ``most`` more hands are measured. Raises ValueError if the file is damaged."""
        with self._measuring:
            hands = self._read()
            fresh = [number for number, each in enumerate(hands) if each.costs is None][:most]
            for number in fresh:
                hands[number] = _measured(hands[number])
            with self._lock:
                later = self._read()
                if fresh and later:  # not deleted meanwhile
                    self._write(hands + later[len(hands) :])
        if not hands:
            return [f"No hands of yours yet: play with `uno play`, and they are kept in {self.path}."]
        groups: dict[tuple[str, ...], list[Hand]] = {}
        for each in hands:
            groups.setdefault((each.title, *each.agents), []).append(each)
        lines = [line for group in groups.values() for line in _lines(group)]
        return [*lines, f"All this is in {self.path}, on this machine alone; `uno me --delete` deletes it."]

    def _read(self) -> list[Hand]:
        if not self.path.exists():
            return []
        try:
            return [convert(parse_json(line), Hand) for line in read_text(self.path).splitlines()]
        except ValueError as error:
            raise ValueError(f"{str(self.path)!r} holds something else than hands of yours: {error}") from None

    def _write(self, hands: list[Hand]) -> None:
        text = "".join(json.dumps(asdict(each)) + "\n" for each in hands)
        replace_file(self.path, text.encode(), private=True)


def _measured(hand: Hand) -> Hand:
    """The same with the luck and with what each choice surely cost, as at the table."""
    game = Game.from_json(json.dumps(hand.game))
    advice = measure_hand(game, hand.seat, hand.hand)
    chosen = [(note, action) for note, action in zip(advice.notes, game.history, strict=True) if note is not None]
    costs = tuple(note.costs[action][0] if note.is_costly(action) else 0.0 for note, action in chosen)
    return replace(hand, luck=advice.luck, costs=costs)


def _lines(hands: list[Hand]) -> list[str]:
    """Sentences on hands by the same rules against the same agents."""
    first, scores, number = hands[0], np.array([each.score for each in hands]), len(hands)
    rate = Estimate.wilson(float(scores.mean()), number)
    lines = [
        f"{first.title}, against {', '.join(first.agents)}: {number} hand{'s'[: number > 1]}.",
        f"  Win rate {100 * rate.mean:.1f} % ({100 * rate.low:.1f} to {100 * rate.high:.1f}), "
        f"par {100 / (1 + len(first.agents)):.0f}.",
    ]
    luck = [each.luck for each in hands]
    if None not in luck and number >= LEAST_HANDS:
        adjusted = LuckAdjusted.of("", scores[:, None], np.array(luck, float))
        rate = adjusted.estimate
        lines.append(f"  Without luck {rate.text()} %: as sure as after {number * adjusted.gain:.0f} plain hands.")
    costs = np.array([cost for each in hands for cost in each.costs or ()])
    measured = sum(each.costs is not None for each in hands)
    if len(costs) > 1:
        told = f"in {measured} hand{'s'[: measured > 1]}"
        lines.append(f"  Regret {Estimate.of(costs).text(2)} points of win rate a decision, {told}.")
    if measured < number:
        lines.append(f"  {number - measured} hands are still to be measured.")
    others = _ladder(Rules.from_dict(first.game["rules"]))
    if number >= LEAST_HANDS and all(name in others for name in first.agents):
        table = [others[name] for name in first.agents]
        elo, low, high = (_elo(each, table) for each in (rate.mean, rate.low, rate.high))
        lines.append(f"  Elo {elo:+.0f} ({low:+.0f} to {high:+.0f}); on the ladder, random-play has 0.")
    return lines


def _ladder(rules: Rules) -> dict[str, int]:
    """Elo of agents by these rules, as far as it is known."""
    tracks: dict[str, dict[str, int]] = read_json(LADDER)
    return next((tracks[track] for track in tracks if track_rules(track) == rules), {})


def _elo(rate: float, others: list[int]) -> float:
    """The Elo of a player that wins at this rate at a table of others, by Luce's choice axiom."""
    kept = min(max(rate, 0.005), 0.995)
    return 400 * math.log10(kept / (1 - kept) * sum(10 ** (elo / 400) for elo in others))
