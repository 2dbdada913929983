"""What measures hands as jobs that a browser follows: :func:`review_steps`, :func:`measuring_steps`."""

from collections.abc import Iterator
from typing import Any

from uno_table.review import HandReview, costly_choices
from uno_table.table.reviewer import Reviewer
from uno_table.web.game_pages import GamePages


def review_steps(review: HandReview, pages: GamePages) -> Iterator[dict[str, Any]]:
    """Make a review. After each choice there are ``done`` and ``total`` choices and those ``found`` to be costly; the
    last step has the address of the review's ``page``, too.
    """
    state: dict[str, Any] = {}
    for step in review.steps():
        found = costly_choices(review.replay, review.seat, step.advice, review.hand)
        costly = [{"chosen": each.chosen, "better": each.better, "cost": round(each.cost, 4)} for each in found]
        state = {"done": step.done, "total": step.choices, "found": costly}
        last = step
        yield state
    yield {**state, "page": f"/games/{pages.add(review.page(last.advice))}"}


def measuring_steps(reviewer: Reviewer) -> Iterator[dict[str, Any]]:
    """Measure the hands that are kept and not measured yet: ``done`` hands of ``total``."""
    for step in reviewer.measure_kept():
        yield {"done": step.hands_done, "total": step.hands}
