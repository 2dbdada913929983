"""Whether counts look like chance: :func:`looks_uniform`."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt


def looks_uniform(counts: Sequence[int] | npt.NDArray[np.int64]) -> bool:
    """Whether counts of equally likely outcomes lie within what chance allows.

    Chi-square, its limit by Wilson and Hilferty: uniform counts pass but for 3 in 100,000, and seeds are fixed.
    """
    observed = np.asarray(counts, float)
    expected = observed.sum() / len(observed)
    assert expected >= 20, "too few draws to tell"
    freedom = len(observed) - 1
    chi_square = ((observed - expected) ** 2 / expected).sum()
    spread = 2 / (9 * freedom)
    return bool(chi_square < freedom * (1 - spread + 4 * spread**0.5) ** 3)
