"""Cases that ``make test-all`` runs, and ``make test`` does not."""

from collections.abc import Sequence
from typing import Any

import pytest

from uno_env import PRESETS


def thorough(*cases: Any) -> list[Any]:
    """These cases for ``pytest.mark.parametrize``, marked; a case of several arguments is a tuple."""
    return [pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=pytest.mark.thorough) for case in cases]


def pairs(longer: Sequence[Any], shorter: Sequence[Any]) -> list[Any]:
    """All pairs for ``pytest.mark.parametrize``; ``make test`` runs each value of the longer list with one other."""
    chosen = {(row, row % len(shorter)) for row in range(len(longer))}
    return [
        pytest.param(one, other, id=f"{row}-{column}", marks=[] if (row, column) in chosen else [pytest.mark.thorough])
        for row, one in enumerate(longer)
        for column, other in enumerate(shorter)
    ]


ALL_PRESETS = ["duel", "house", *thorough(*(name for name in PRESETS if name not in ("duel", "house")))]
"""All presets; ``make test`` runs two of them."""
