"""A person's own hands against agents, kept in a file on their machine: :class:`OwnHands`.

A hand is who else played, the game with all cards, and, once measured, the luck and the cost of each choice
(:mod:`uno_table.hands.measuring`). Hands in which a move was taken back are not kept, nor those
with other people.
"""

import json
import logging
import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from agents.zoo.shipped import track_rules
from train.evaluation.estimate import Estimate
from train.evaluation.luck.adjusted import LuckAdjusted
from uno_env import actions as catalogue
from uno_env.common.files import read_json
from uno_env.common.output import one_line
from uno_env.render.page import Advice
from uno_env.rules import Rules
from uno_table.hands.hands_file import Hand, HandsFile
from uno_table.hands.hands_for_people import KeptHands, kept_hands, kept_review
from uno_table.hands.measuring import choices_in_hand, measure_choices
from uno_table.hands.review import HandReview
from uno_table.table import Table
from uno_table.table.table_config import rules_title

FILE = Path("runs/me/hands.jsonl")
LEAST_HANDS = 10
"""The least hands from which luck is taken out, and an Elo told."""
LADDER = Path(__file__).with_name("ladder.json")
"""Elo of agents by track, from the ladder; ``python -m tools.docs.saved_figures`` writes it."""

_MOST_WRONG = 5
"""Lines that are no hands, of which a report says why."""

_log = logging.getLogger(__name__)


class MeasuringStep(NamedTuple):
    """The progress of measuring the hands that are kept."""

    hands_done: int
    hands: int
    """Hands that were not measured before."""
    choices_done: int
    choices: int
    """Choices in these hands."""


class OwnHands:
    """The hands in a file that only the user may read."""

    def __init__(self, path: Path = FILE) -> None:
        self.path = path
        self._file = HandsFile(path)

    def add(self, table: Table) -> None:
        """Keep the hand that has just ended at a table (:attr:`Table.hand_ended`), unless it is of several people."""
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
            self._file.append(hand)
        except (OSError, ValueError) as error:
            _log.warning("the hand is not counted among your own (%s)", error)

    def delete(self) -> int:
        """Delete the file. Returns how many hands it held. Raises OSError if it cannot be deleted."""
        return self._file.delete()

    def kept(self) -> KeptHands:
        """The hands as a page shows them. Nothing is measured. Raises OSError if the file cannot be read."""
        hands, wrong = self._file.read()
        return kept_hands(list(hands.values()), len(wrong))

    def review(self, hand_id: str) -> HandReview | None:
        """The review of a hand by its id, or None if there is none. Raises OSError if the file cannot be read."""
        hands, _ = self._file.read()
        found = next((each for each in hands.values() if each.id == hand_id), None)
        return None if found is None else kept_review(found)

    def measure_kept(self) -> Iterator[MeasuringStep]:
        """Measure the hands that are not measured yet, the newest first. A hand that is measured is kept at once.

        There is a step at the beginning, after each choice and after each hand. Raises OSError and ValueError if the
        file cannot be read or written.
        """
        hands, _ = self._file.read()
        fresh = [(line, hand) for line, hand in reversed(hands.items()) if hand.costs is None]
        choices = sum(len(choices_in_hand(hand.played(), hand.seat, hand.hand)) for _, hand in fresh)
        step = MeasuringStep(0, len(fresh), 0, choices)
        yield step
        for line, hand in fresh:
            before = step.choices_done
            for review in measure_choices(hand.played(), hand.seat, hand.hand):
                step = step._replace(choices_done=before + review.done)
                yield step
            self._file.replace({line: _measured(hand, review.advice)})
            step = step._replace(hands_done=step.hands_done + 1)
            yield step

    def report(self) -> list[str]:
        """Sentences on the person, by the hands that are measured."""
        hands, wrong = self._file.read()
        if len(wrong) > _MOST_WRONG:
            wrong[_MOST_WRONG:] = [f"{len(wrong) - _MOST_WRONG} more lines are skipped."]
        if not hands:
            return [f"No hands of yours yet: play with `uno play`, and they are kept in {self.path}.", *wrong]
        groups: dict[tuple[str, ...], list[Hand]] = {}
        for each in hands.values():
            groups.setdefault((each.title, *each.agents), []).append(each)
        lines = [line for group in groups.values() for line in _lines(group)]
        return [*lines, f"All this is in {self.path}, on this machine alone; `uno me --delete` deletes it.", *wrong]


def _measured(hand: Hand, advice: Advice) -> Hand:
    """The same with the luck and with what each choice surely cost, as at the table."""
    made = zip(advice.notes, hand.played().history, strict=True)
    chosen = [(note, action) for note, action in made if note is not None]
    costs = tuple(note.costs[action][0] if note.is_costly(action) else 0.0 for note, action in chosen)
    best = (min(note.costs, key=lambda each: note.costs[each][0]) for note, _ in chosen)
    rules = hand.played().rules
    better = tuple(catalogue.name(action, rules) for action in best)
    return replace(hand, luck=advice.luck, costs=costs, better=better)


def _lines(hands: list[Hand]) -> list[str]:
    """Sentences on hands by the same rules against the same agents."""
    first, scores, number = hands[0], np.array([each.score for each in hands]), len(hands)
    rate = Estimate.wilson(float(scores.mean()), number)
    lines = [
        f"{one_line(first.title)}, against {', '.join(map(one_line, first.agents))}: {number} hand{'s'[: number > 1]}.",
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
