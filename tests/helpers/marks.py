"""Cases that ``make test-all`` runs, and ``make test`` does not: :func:`thorough`, :data:`CLASSIC_PRESETS_FIRST`."""

from typing import Any

import pytest

from uno_env import PRESETS, Rules


def thorough(*cases: Any) -> list[Any]:
    """These cases for ``pytest.mark.parametrize``, marked; a case of several arguments is a tuple."""
    return [pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=pytest.mark.thorough) for case in cases]


_OTHERS = [name for name in PRESETS if Rules.preset(name).edition != "classic"]
CLASSIC_PRESETS_FIRST = [*(name for name in PRESETS if name not in _OTHERS), *thorough(*_OTHERS)]
"""All presets; those of other editions, whose code is compiled for such a test alone, are thorough."""
