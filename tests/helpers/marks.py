"""Cases that ``make test-all`` runs, and ``make test`` does not: :func:`thorough`."""

from typing import Any

import pytest


def thorough(*cases: Any) -> list[Any]:
    """These cases for ``pytest.mark.parametrize``, marked; a case of several arguments is a tuple."""
    return [pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=pytest.mark.thorough) for case in cases]
