"""The review of a hand, "Where did I go wrong?": :func:`prepare_review`, and what it says: :class:`HandReview`.

:mod:`uno_table.hands.measuring` measures what it says.
"""

from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass, replace
from typing import NamedTuple

from uno_env.editions import edition_for
from uno_env.game import Game
from uno_env.render.page import Advice, replay_page
from uno_env.render.replay_frames import player_names
from uno_env.render.sentences import Sentences
from uno_env.replay import Replay, decisions_of
from uno_table.hands.measuring import ReviewStep, measure_choices
from uno_table.languages import table_languages
from uno_table.table.seat_view import seat_view
from uno_table.table.sentences import TABLE_SENTENCES, refusal
from uno_table.table.table import Table
from uno_table.table.view_fields import TableView


@dataclass(frozen=True)
class HandReview:
    """The review of a hand that is over, which takes a while to be made."""

    replay: Replay
    """Of the game until then. It belongs to the review."""
    seat: int
    """The seat whose choices are reviewed; the review holds what this seat could see in the hand, and nothing else."""
    hand: int
    """Of the match, counted from 0."""
    table: Table | None = None
    """A copy of the table as the hand ended, whose views are :meth:`views`; None if it is gone."""

    def steps(self) -> Iterator[ReviewStep]:
        """The steps in which the review is made. The last one is complete."""
        return measure_choices(self.replay.game, self.seat, self.hand)

    def page(self, advice: Advice) -> str:
        """The review as a web page, with what the last step found."""
        return replay_page(self.replay, self.seat, advice, self.hand, table_languages())

    def text(self, advice: Advice) -> str:
        """The review as text, with what the last step found."""
        return costs_text(self.replay, self.seat, advice, self.hand)

    def costly(self, advice: Advice) -> list["CostlyChoice"]:
        """The choices that cost something, as far as a step has found them."""
        return costly_choices(self.replay, self.seat, advice, self.hand)

    def views(self, choices: list["CostlyChoice"]) -> list[TableView]:
        """The table as the seat saw it before each of these choices; empty if the table is gone."""
        if self.table is None:
            return []
        wanted = {each.number for each in choices}
        decisions = enumerate(decisions_of(self.replay.game))
        return [_view_before(self.table, past, self.seat) for number, (past, _) in decisions if number in wanted]


def prepare_review(table: Table, seat: int) -> HandReview:
    """Prepare the review of the hand that has just ended, while the table may go on.

    Raises RefusedError if no hand has just ended, or several people play without hints.
    """
    if not table.series.pausing or (len(table.people) > 1 and seat not in table.advisers):
        raise refusal("no_review")
    replay = table.replay()
    title = TABLE_SENTENCES.phrase("how_it_went", game=replay.title)
    ended = copy(table)
    ended.series = copy(table.series)
    replay = replace(replay, game=replay.game.clone(), title=title)
    return HandReview(replay, seat, table.series.shown.hands_played, ended)


def _view_before(table: Table, game: Game, seat: int) -> TableView:
    """The view of a table's seat while the game was as it is here. Nothing can be done at it."""
    past = copy(table)
    past.series = copy(table.series)
    past.series.game = past.series.shown = game.clone()
    past.series.standing = table.series.standing_before
    return {**seat_view(past, seat), "clock": None, "canUndo": False, "invitations": []}


class CostlyChoice(NamedTuple):
    """A choice that surely cost something."""

    number: int
    """Of the decision, as ``uno replay`` counts them."""
    chosen: str
    better: str
    """A choice that would have cost nothing, in words."""
    cost: float
    """Win rate lost, from 0 to 1."""
    error: float
    """Standard error of :attr:`cost`."""


def costly_choices(replay: Replay, seat: int, advice: Advice, hand: int) -> list[CostlyChoice]:
    """A seat's choices in a hand that cost something, in the order in which they were made."""
    found, words = [], Sentences(player_names(replay), None, edition_for(replay.game.rules))
    for number, ((past, action), note) in enumerate(zip(decisions_of(replay.game), advice.notes, strict=True)):
        if note is not None and past.to_move == seat and past.hands_played == hand and note.is_costly(action):
            best = min(note.costs, key=lambda each: note.costs[each][0])
            chosen, better = (words.choice(each, seat, past.phase, past.side) for each in (action, best))
            found.append(CostlyChoice(number, chosen, better, *note.costs[action]))
    return found


def costs_text(replay: Replay, seat: int, advice: Advice, hand: int) -> str:
    """A seat's luck and costs in a hand as text, with the choices that cost something, the costliest first, or that
    there is none.
    """
    found = costly_choices(replay, seat, advice, hand)
    lost = sum(each.cost for each in found)
    luck = "" if advice.luck is None else f"Luck {advice.luck:+.0%}, "
    said = f"{luck}choices {0 - lost:+.0%} (win rate; {advice.name})"
    lines = [
        f"▼ {each.number:3}. {each.chosen}: cost {each.cost:.1%} ± {each.error:.1%}; better: {each.better}"
        for each in sorted(found, key=lambda each: each.cost, reverse=True)
    ]
    return "\n".join([said[0].upper() + said[1:], *(lines or ["No mistake found."])])
