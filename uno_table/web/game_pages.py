"""Pages of games that were played at the tables, each at an address of its own: :class:`GamePages`.

:func:`review_steps` makes that of a review, as a job that a browser follows.
"""

import contextlib
import re
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from uno_env.common.files import replace_file
from uno_table.hands.review import HandReview

MOST_PAGES = 100
"""Of each kind; beyond, the oldest are forgotten."""
_FILE = re.compile(r"([A-Za-z0-9_-]{22})\.html")


class GamePages:
    """Web pages behind addresses that nobody can guess (128 random bits).

    Args:
        folder: where shared pages are kept; None to forget them when the server ends.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder
        self._pages: dict[str, str] = {}

    def add(self, text: str, shared: bool = False) -> str:
        """Take a page. Returns its id. A shared page survives the end of the server. Raises OSError if it cannot be
        saved.
        """
        page_id = secrets.token_urlsafe(16)
        if shared and self.folder is not None:
            replace_file(self.folder / f"{page_id}.html", text.encode(), private=True)
            files = [each for each in self.folder.iterdir() if _FILE.fullmatch(each.name)]
            for old in sorted(files, key=lambda each: each.stat().st_mtime, reverse=True)[MOST_PAGES:]:
                old.unlink(missing_ok=True)
        else:
            self._pages[page_id] = text
            for oldest in list(self._pages)[:-MOST_PAGES]:
                self._pages.pop(oldest, None)  # reviews add pages from threads
        return page_id

    def get(self, page_id: str) -> str | None:
        """A page by its id, or None if there is none."""
        if page_id not in self._pages and self.folder is not None and _FILE.fullmatch(f"{page_id}.html"):
            with contextlib.suppress(OSError, ValueError):
                return (self.folder / f"{page_id}.html").read_text(encoding="utf-8")
        return self._pages.get(page_id)


def review_steps(review: HandReview, pages: GamePages) -> Iterator[dict[str, Any]]:
    """Make a review. After each choice there are ``done`` and ``total`` choices and those ``found`` to be costly; the
    last step has the ``luck``, too, the address of the review's ``page``, and the ``views`` of the table before each of
    ``found``.
    """
    state: dict[str, Any] = {}
    for step in review.steps():
        found = review.costly(step.advice)
        costly = [{"chosen": each.chosen, "better": each.better, "cost": round(each.cost, 4)} for each in found]
        state = {"done": step.done, "total": step.choices, "found": costly}
        last = step
        yield state
    page = f"/games/{pages.add(review.page(last.advice))}"
    views = review.views(review.costly(last.advice))
    yield {**state, "luck": last.advice.luck, "page": page, "views": views}
